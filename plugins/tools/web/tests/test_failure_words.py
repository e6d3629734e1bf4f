"""Errors of the HTTP library in words that say what to do."""

from __future__ import annotations

import ssl

import httpcore
import pytest

from turnloop_core.api import TurnloopError
from turnloop_web.failures import failure, status_hint, status_line


def verification(words: str) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "verify failed")
    error.verify_message = words
    return error


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (httpcore.ConnectTimeout(), TimeoutError, "took no connection in time"),
        (httpcore.ReadTimeout(), TimeoutError, "was silent for too long"),
        (
            caused(httpcore.ConnectError(), verification("certificate has expired")),
            TurnloopError,
            r"its certificate is not accepted \(certificate has expired\)",
        ),
        (
            caused(httpcore.ConnectError(), OSError(113, "asyncio says")),
            TurnloopError,
            "no connection to a.example: ",
        ),
        (httpcore.ProxyError(), TurnloopError, "the proxy refused"),
        (httpcore.RemoteProtocolError("odd. "), TurnloopError, "a.example broke: odd$"),
        (httpcore.RemoteProtocolError(), TurnloopError, "a.example broke$"),
        (
            httpcore.RemoteProtocolError("illegal status line: bytearray(b'SSH-2.0')"),
            TurnloopError,
            "illegal status line: 'SSH-2.0'$",
        ),
    ],
)
def test_words(error, kind, words):
    found = failure(error, "a.example")
    with pytest.raises(kind, match=words):
        raise found


def test_what_was_to_be_sent_is_not_repeated():
    error = failure(httpcore.LocalProtocolError("Illegal header value b'my key'"), "a.example")
    assert "my key" not in str(error)


def test_status_words():
    assert status_line(404) == "HTTP 404 Not Found"
    assert status_line(799) == "HTTP 799"
    assert status_hint(429, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}) == (
        "The server asks to wait until Wed, 21 Oct 2026 07:28:00 GMT; do not ask again at once."
    )
    words = status_hint(429, {"retry-after": "you have run the command"})
    assert words == status_hint(429, {})
    assert status_hint(429, {}) == "The server asks to wait; do not ask again at once."
