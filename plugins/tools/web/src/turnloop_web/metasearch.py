"""Searching without a key, through the library `ddgs`, which reads the pages of search engines.

The library says "no results" for everything that did not work. What the engines answered is
therefore listened to, so that a refusal, a page that nobody can read any more, and an answer
without results stay three different things.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Sequence
from concurrent.futures import thread as pools
from threading import Thread
from typing import Any, Literal

import anyio

from turnloop_core.api import TurnloopError, dataclass, proxy_for
from turnloop_web.background import in_background
from turnloop_web.hits import Hit, hits_of, rate_limited, unreadable
from turnloop_web.plain import without_unseen

ENGINES = ("duckduckgo", "brave", "mojeek")  # one after the other, until one answers
_ENGINE_S = 7
_TOTAL_S = 25.0
_REFUSALS = (202, 403, 418, 429)  # 202: the page that asks whether one is human
_SUSPICIONS = ("anomaly-modal", "captcha", "unusual traffic", "are you a robot", "not a robot")
_NONE = (
    "no results found",
    "no  results",
    "no results for",
    "no more results",
    "did not match any",
    "no pages found",
    "not many great matches",
)
_OFFLINE = ("connecterror", "dns error", "connection refused", "network is unreachable")

Why = Literal["none", "limited", "unreadable", "slow", "offline", "fault"]


@dataclass(frozen=True, slots=True)
class Heard:
    """What one engine gave: `why` says what it means that there are no hits."""

    engine: str
    hits: Sequence[Hit] = ()
    why: Why = "none"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """What is used of the library: `client` makes a client, `error` is what it raises."""

    client: Callable[..., Any]
    error: type[Exception]


def library() -> Library:
    """The library itself; importing it takes a while."""
    from ddgs import DDGS
    from ddgs.exceptions import DDGSException

    return Library(DDGS, DDGSException)


@dataclass(frozen=True, slots=True)
class Metasearch:
    """Engines whose pages the library reads. `load` gives the library."""

    load: Callable[[], Library] = library
    total_s: float = _TOTAL_S

    @property
    def address(self) -> str:
        return "https://duckduckgo.com"

    async def search(self, query: str, count: int) -> Sequence[Hit]:
        heard: list[Heard] = []
        with anyio.move_on_after(self.total_s) as time:
            for engine in ENGINES:
                # Abandoned when the time is up; the library ends by limits of its own.
                try:
                    told = await in_background(listen, self.load, engine, query, count)
                finally:
                    _forget_pools()
                if told.hits or told.why == "none":
                    return told.hits
                heard.append(told)
                if told.why == "offline":
                    break
        raise _failure(heard, self.total_s if time.cancelled_caught else None)


def listen(load: Callable[[], Library], engine: str, query: str, count: int) -> Heard:
    """Ask one engine. Blocks."""
    proxy = proxy_for("https", f"{engine}.com") or None
    certificates = os.environ.get("SSL_CERT_FILE") or True
    loaded = load()
    client = loaded.client(proxy=proxy, timeout=_ENGINE_S, verify=certificates)
    answers: list[tuple[int, str]] = []
    _listen_to(client, engine, answers)
    error: Exception | None = None
    found: Any = []
    try:
        found = client.text(query, max_results=count, backend=engine)
    except loaded.error as raised:  # it wraps whatever its engines raise
        error = raised
    hits = hits_of(found if isinstance(found, list) else (), "title", "href", "body")[:count]
    if hits:
        return Heard(engine, hits)
    if found:
        return Heard(engine, (), "unreadable", "its results have no addresses")
    why, detail = _why(error, answers, query)
    return Heard(engine, (), why, detail)


def _forget_pools() -> None:
    """Let the program end without the library's threads, which a pool would wait for.

    They are daemons, as the thread is that they were made in; the pools of others are not.
    """
    waited_for: Any = getattr(pools, "_threads_queues", {})
    for each in list(waited_for):
        if isinstance(each, Thread) and each.daemon and each.name.startswith("DDGS"):
            waited_for.pop(each, None)


class _Listener:
    """The HTTP client of an engine, with what it was answered written down."""

    def __init__(self, http: Any, answers: list[tuple[int, str]]) -> None:
        self._http = http
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._http, name)

    def request(self, *arguments: Any, **options: Any) -> Any:
        response = self._http.request(*arguments, **options)
        self._answers.append((int(response.status_code), str(response.text)))
        return response


def _listen_to(client: Any, engine: str, answers: list[tuple[int, str]]) -> None:
    # Not a public part of the library: where it is missing, only its errors are known.
    engines = getattr(client, "_get_engines", None)
    for each in engines("text", engine) if engines else ():
        each.http_client = _Listener(each.http_client, answers)


def _why(
    error: Exception | None, answers: Sequence[tuple[int, str]], query: str
) -> tuple[Why, str]:
    """Why there are no hits."""
    name, said = type(error).__name__, str(error or "")
    words = f"{name} {said}".lower()
    status = answers[-1][0] if answers else 0
    page = _looked_at(answers[-1][1], query) if answers else ""
    if "ratelimit" in words or status in _REFUSALS:
        return "limited", f"HTTP {status}" if status else said[:100]
    if "timeout" in words or "timed out" in words:
        return "slow", ""
    if not answers and any(word in words for word in _OFFLINE):
        return "offline", ""
    if status and status != 200:
        return "fault", f"HTTP {status}"
    if any(word in page for word in _SUSPICIONS):
        return "limited", "it asks whether a human is there"
    inner = error.args[0] if error is not None and error.args else error
    if isinstance(inner, Exception):  # the library failed on the page
        return "unreadable", type(inner).__name__
    if any(word in page for word in _NONE):
        return "none", ""
    if not answers:  # the library says "no results" of everything
        return "unreadable", "unreadable or rate limited: cannot tell"
    return "unreadable", "no result in its page"


def _looked_at(page: str, query: str) -> str:
    """What the engine itself says: neither its scripts nor the question."""
    text = " ".join(without_unseen(page, ("script", "style")).lower().split())
    for asked in (query.lower(), html.escape(query.lower())):
        text = text.replace(asked, " ... ")
    return text


def _failure(heard: Sequence[Heard], total_s: float | None) -> Exception:
    """What is to be said when no engine answered; the first one's reason leads.

    Args:
        heard: of each that was asked.
        total_s: the time for all of them, where it was used up.
    """
    if not heard or heard[0].why == "slow":
        time = "in time" if total_s is None else f"within {total_s:g} seconds"
        return TimeoutError(
            f"no search engine answered {time}. Search once more later, or "
            "fetch a known address with WebFetch."
        )
    who = ", ".join(f"{h.engine} ({_words(h)})" for h in heard)
    match heard[0].why:
        case "limited":
            return rate_limited(who)
        case "unreadable":
            return unreadable(who, "the library ddgs, which reads their pages, found nothing")
        case "offline":
            return TurnloopError(
                f"no connection to a search engine: {who}",
                hint="There is no network, or a proxy is needed (HTTPS_PROXY): go on without.",
            )
    return TurnloopError(
        f"the search engines have a fault: {who}", hint="Search once more later, or do without."
    )


def _words(heard: Heard) -> str:
    words = {
        "limited": "refuses",
        "unreadable": "cannot be read",
        "slow": "was silent",
        "offline": "cannot be reached",
        "fault": "has a fault",
        "none": "found nothing",
    }
    return words[heard.why] + (f": {heard.detail}" if heard.detail else "")
