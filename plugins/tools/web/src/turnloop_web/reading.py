"""From an address to a page: hops, content types, charsets, Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from turnloop_core.api import Subject, TurnloopError, UsageError, dataclass
from turnloop_web.addresses import LONGEST, short, subject_of
from turnloop_web.allowance import Allowance
from turnloop_web.background import in_background
from turnloop_web.charset import decode, looks_binary
from turnloop_web.failures import status_hint, status_line
from turnloop_web.kinds import charset, instead, kind_of, media_type
from turnloop_web.page import Limits, Page
from turnloop_web.way import Stop, Way
from turnloop_web.wire import Answer, Request, ask

_REDIRECTS = (301, 302, 303, 307, 308)
_EXCERPT = 500  # characters of an error's body
_ERROR_BYTES = 16_384
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # terminals would act on some of them


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """A redirect to where the call may not go."""

    status: int
    url: str
    stop: Stop


@dataclass(frozen=True, slots=True)
class Failed:
    """The server answered with a failure. `said`: the beginning of what it says."""

    status: int
    url: str
    size: int
    hint: str
    said: str


@dataclass(frozen=True, slots=True)
class Unshown:
    """The answer is of a type that is not shown. `what` and `hint` are for the model."""

    status: int
    url: str
    size: int
    what: str
    hint: str


async def read(
    subject: Subject, way: Way, limits: Limits, allowance: Allowance
) -> Page | Failed | Unshown | Unfollowed | Stop:
    """Fetch the page that a subject names.

    Raises:
        TimeoutError: it took too long.
        TurnloopError: it cannot be fetched, or not be shown.
    """
    if stop := await way.begin(subject):
        return stop
    url, seen = subject.narrow, {subject.narrow}
    while True:
        with allowance.spent():
            answer = await ask(_request(url, way, limits))
            if answer.status not in _REDIRECTS:
                return await _page(answer, limits)
        to = _target(answer)
        if to in seen:
            raise TurnloopError(
                f"{short(url)} leads in a circle, to {short(to)}",
                hint="The site wants cookies, or is broken.",
            )
        if len(seen) > limits.hops:
            raise TurnloopError(f"more than {limits.hops} redirects, the last one to {short(to)}")
        if stop := await way.follow(to, f"{short(url)} leads there"):
            return Unfollowed(answer.status, url, stop)
        seen.add(to)
        url = to


def _request(url: str, way: Way, limits: Limits) -> Request:
    return Request(
        url,
        lambda status, headers: _wanted(status, headers, limits),
        way.connect_to,
        headers={"accept": "text/markdown, text/html, text/*;q=0.9, */*;q=0.5"},
        connect_s=limits.connect_s,
        read_s=limits.read_s,
    )


def _wanted(status: int, headers: Mapping[str, str], limits: Limits) -> int:
    """How many bytes of the body are of use."""
    if status in _REDIRECTS:
        return 0
    kind = kind_of(media_type(headers.get("content-type", "")))
    if not 200 <= status < 300:
        return _ERROR_BYTES if kind == "text" else 0
    return 0 if kind == "other" else limits.size


def _target(answer: Answer) -> str:
    """Where a redirect leads, in normal form."""
    location = answer.headers.get("location", "")
    # Headers are bytes; what is not ASCII in them is UTF-8 more often than not.
    location = location.encode("latin-1").decode("utf-8", errors="replace").strip()
    location = location.replace(" ", "%20")  # which servers should have done
    if not location:
        raise TurnloopError(f"{short(answer.url)} is a redirect that leads nowhere")
    leads = f"{short(answer.url)} leads to {short(location, 200)!r}, which WebFetch does not read"
    if len(location) > LONGEST:
        raise TurnloopError(f"{leads}: it has {len(location):,} characters")
    try:
        return subject_of(urljoin(answer.url, location)).narrow
    except (UsageError, ValueError) as error:
        raise TurnloopError(leads) from error


async def _page(answer: Answer, limits: Limits) -> Page | Failed | Unshown:
    header = answer.headers.get("content-type", "")
    media = media_type(header)
    kind = kind_of(media)
    if not 200 <= answer.status < 300:
        said = "" if looks_binary(answer.body) else decode(answer.body, charset(header)).text
        hint = status_hint(answer.status, answer.headers)
        excerpt = " ".join(said.split())[:_EXCERPT]
        return Failed(answer.status, answer.url, len(answer.body), hint, excerpt)
    if answer.body.startswith(b"%PDF-"):  # whatever the header says
        media, kind = "application/pdf", "other"
    if kind == "unclear":
        begins = answer.body[:500].lstrip().lower()
        kind = "html" if begins.startswith((b"<!doctype html", b"<html")) else "text"
    decoded = decode(answer.body, charset(header), marked_up=kind == "html" or "xml" in media)
    if kind == "other" or (looks_binary(answer.body) and "\0" in decoded.text[:8_192]):
        length = answer.headers.get("content-length", "")
        size = (
            f", {int(length):,} bytes"
            if length.isascii() and length.isdecimal() and len(length) < 16
            else ""
        )
        what = f"{media or 'binary data'}{size}"
        hint = instead(media, answer.url)
        return Unshown(answer.status, answer.url, len(answer.body), what, hint)
    notes = [decoded.note] if decoded.note else []
    if answer.cut:
        notes.append(f"only the first {limits.size:,} bytes were read; the rest is missing")
    text = _CONTROL.sub("", decoded.text.replace("\r\n", "\n"))
    if kind == "html":
        from turnloop_web.markdown import to_markdown

        # Abandoned when the time is up: a thread cannot be stopped.
        converted = await in_background(to_markdown, text, answer.url)
        text = converted.text
        notes += [converted.note] if converted.note else []
    return Page(answer.url, answer.status, media, len(answer.body), text, tuple(notes))


def unshown_told(unshown: Unshown) -> str:
    """A page that is not shown as the model is told of it."""
    said = f"not shown: {short(unshown.url)} is {unshown.what}, and WebFetch shows text"
    return f"{said}. {unshown.hint}"


def failure_told(failed: Failed) -> str:
    """A failure of the server as the model is told of it."""
    said = f"\nIt says: {failed.said}" if failed.said else ""
    return f"{status_line(failed.status)} from {short(failed.url)}. {failed.hint}{said}"
