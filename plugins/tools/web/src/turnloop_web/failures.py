"""Why a request failed, and what helps: words for the model and the user."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from datetime import UTC
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus

from turnloop_core.api import TurnloopError

_BYTES = re.compile(r"bytearray\(b?(['\"].*?['\"])\)|\bb(?=['\"])")
_OTHER_SOURCE = "Take another source (WebSearch), or say that this one cannot be read."


def failure(error: Exception, host: str) -> TurnloopError | TimeoutError:
    """An error of the library in words."""
    kind = type(error).__name__
    if kind == "ConnectTimeout":
        return TimeoutError(f"{host} took no connection in time. {_OTHER_SOURCE}")
    if "Timeout" in kind:
        return TimeoutError(f"{host} was silent for too long. Try it once more later.")
    if tls := _tls(error):
        return TurnloopError(
            f"no secure connection to {host}: {tls}",
            hint="Do not go round it by http. For a certificate authority of your own, the user "
            "can set SSL_CERT_FILE.",
        )
    if kind == "ConnectError":
        return TurnloopError(
            f"no connection to {host}: {_system(error)}",
            hint="Check host and port; if other hosts fail as well, there is no network.",
        )
    if kind == "ProxyError":
        return TurnloopError(f"the proxy refused to connect to {host}", hint=_OTHER_SOURCE)
    if kind == "LocalProtocolError":  # its words hold what was to be sent, a key perhaps
        return unsendable()
    said = _readable(error)
    return TurnloopError(
        f"the connection to {host} broke{f': {said}' if said else ''}", hint="Try it once more."
    )


def _readable(error: Exception) -> str:
    """The library's words as a part of a sentence; it writes bytes as Python does."""
    words = _BYTES.sub(lambda found: found[1] or "", str(error))
    return "".join(c for c in words if c.isprintable())[:200].rstrip(". ")


def unsendable() -> TurnloopError:
    """A header holds what no header can: most likely a key that was not copied well."""
    return TurnloopError(
        "the request holds something that HTTP cannot send",
        hint="If it is made with a key, the user should look for blanks and line ends in it.",
    )


def _tls(error: Exception) -> str:
    """What was wrong with TLS, "" when something else was."""
    found = _cause(error, ssl.SSLError)
    if isinstance(found, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({found.verify_message})"
    if isinstance(found, ssl.SSLError):
        return f"TLS failed ({(found.reason or 'no reason given').replace('_', ' ').lower()})"
    return ""


def _system(error: Exception) -> str:
    found = _cause(error, OSError)
    if isinstance(found, OSError) and (found.errno or 0) > 0:
        return os.strerror(found.errno or 0)  # its own words may be asyncio's
    return (isinstance(found, OSError) and found.strerror) or str(error) or "refused"


def _cause(error: BaseException, kind: type[Exception]) -> BaseException | None:
    """The innermost of the errors behind an error that is of that kind."""
    found, seen = None, 0
    at: BaseException | None = error
    while at is not None and seen < 10:
        found = at if isinstance(at, kind) else found
        at, seen = at.__cause__ or at.__context__, seen + 1
    return found


def status_line(status: int) -> str:
    """`HTTP 404 Not Found`."""
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def status_hint(status: int, headers: Mapping[str, str]) -> str:
    """What to do about a status that means failure."""
    if status in (404, 410):
        return "There is no such page: check the address, or look for it with WebSearch."
    if status in (401, 403, 407, 451):
        return f"The site does not give this page to a program without signing in. {_OTHER_SOURCE}"
    if status in (408, 425, 429, 503):
        return f"{_wait(headers)}; do not ask again at once."
    if status >= 500:
        return "The server has a fault: try once more later, or take another source."
    return "The server does not take this request: check the address."


def _wait(headers: Mapping[str, str]) -> str:
    """Only a number or a date is repeated: the words are ours."""
    after = headers.get("retry-after", "").strip()
    if after.isascii() and after.isdecimal() and len(after) <= 9:
        return f"The server asks to wait {after} seconds"
    try:
        until = format_datetime(parsedate_to_datetime(after[:40]).astimezone(UTC), usegmt=True)
    except (ValueError, OverflowError, OSError):
        return "The server asks to wait"
    return f"The server asks to wait until {until}"
