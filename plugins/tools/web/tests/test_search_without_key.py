"""Searching through the library: its answers, and what lies behind its "no results"."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from turnloop_core.api import TurnloopError
from turnloop_web.hits import Hit
from turnloop_web.metasearch import ENGINES, Heard, Library, Metasearch, library, listen

FOUND = [{"title": "A", "href": "https://a.example/", "body": "words"}]


class FakeError(Exception):
    """What the library raises."""


class RatelimitError(FakeError):
    pass


class SlowTimeoutError(FakeError):
    pass


@dataclass
class Fake:
    """Stands for the library. `says`: engine -> results, or an error to raise."""

    says: dict[str, Any]
    made: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def client(self, **options: Any) -> Any:
        self.made.append(options)
        return SimpleNamespace(text=self.text)

    def text(self, query: str, **options: Any) -> Any:
        self.asked.append((query, options))
        said = self.says.get(options["backend"], FakeError("No results found."))
        if isinstance(said, Exception):
            raise said
        return said() if callable(said) else said

    def search(self, **options: Any) -> Any:
        return anyio.run(
            Metasearch(lambda: Library(self.client, FakeError), **options).search, "some words", 10
        )


def everywhere(said: Any) -> Fake:
    return Fake(dict.fromkeys(ENGINES, said))


def test_the_first_engine_that_answers_is_enough():
    fake = Fake({"duckduckgo": FOUND})
    assert fake.search() == [Hit("A", "https://a.example/", "words")]
    assert fake.asked == [("some words", {"max_results": 10, "backend": "duckduckgo"})]
    assert fake.made == [{"proxy": None, "timeout": 7, "verify": True}]


def test_another_engine_is_asked_when_one_refuses():
    fake = Fake({"duckduckgo": RatelimitError("202"), "brave": FOUND})
    assert len(fake.search()) == 1
    assert [options["backend"] for _, options in fake.asked] == ["duckduckgo", "brave"]


def test_no_results_of_a_library_that_cannot_be_listened_to_is_not_believed():
    assert len(Fake({"mojeek": FOUND}).search()) == 1
    with pytest.raises(TurnloopError, match="unreadable or rate limited: cannot tell"):
        Fake({}).search()


def test_time_is_named_only_where_it_was_used_up():
    with pytest.raises(TimeoutError, match=r"answered in time\. "):
        everywhere(SlowTimeoutError("operation timed out")).search()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (RatelimitError("429"), r"rate limited: duckduckgo \(refuses: 429\), brave"),
        (FakeError(KeyError("web")), r"markup changed: .*cannot be read: KeyError"),
        ([{"title": "A", "link": "https://a.example/"}], "markup changed: .*no addresses"),
        (FakeError("ConnectError: dns error"), "no connection to a search engine"),
    ],
)
def test_what_stands_in_the_way_is_told_apart(said, told):
    with pytest.raises(TurnloopError, match=told) as error:
        everywhere(said).search()
    assert error.value.hint


def test_without_a_network_one_engine_is_enough():
    fake = everywhere(FakeError("ConnectError: connection refused"))
    with pytest.raises(TurnloopError):
        fake.search()
    assert len(fake.asked) == 1


def test_slow_engines():
    with pytest.raises(TimeoutError, match="no search engine answered"):
        everywhere(SlowTimeoutError("operation timed out")).search()


def test_a_library_that_hangs_does_not_hold_the_call():
    stuck = threading.Event()
    fake = everywhere(lambda: stuck.wait(20) and [])
    try:
        with pytest.raises(TimeoutError, match=r"within 0\.1 seconds"):
            fake.search(total_s=0.1)
    finally:
        stuck.set()


def test_a_proxy_and_certificates_are_passed_on(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:8080")
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/ca.pem")
    fake = Fake({"duckduckgo": FOUND})
    fake.search()
    assert fake.made == [
        {"proxy": "http://proxy.example:8080", "timeout": 7, "verify": "/etc/ca.pem"}
    ]


RESULT = (
    "<html><body><div class='result__body body'><h2>A title</h2><a href='https://a.example/'>"
    "words of it</a></div></body></html>"
)
NOTHING = "<html><body><div class='no-results'>No  results\nfound for x</div></body></html>"
ROBOT = "<html><body><div class='anomaly-modal'>Select all squares</div></body></html>"
CHANGED = "<html><body><section><a href='https://a.example/'>A</a></section></body></html>"


class Http:
    """The network boundary of the real library: the client of one engine."""

    def __init__(self, status: int, text: str | Exception) -> None:
        self.status, self.said = status, text

    def request(self, *arguments: Any, **options: Any) -> Any:
        if isinstance(self.said, Exception):
            raise self.said
        return SimpleNamespace(status_code=self.status, text=self.said)


def through_the_library(status: int, text: str | Exception) -> Heard:
    """Ask the installed library, with its network replaced."""
    from ddgs.ddgs import DDGS  # the class itself: the package's name stands for a proxy

    class Client(DDGS):
        def _get_engines(self, category: str, backend: str) -> Any:
            engines = super()._get_engines(category, backend)
            for engine in engines:
                if not hasattr(engine.http_client, "_answers"):
                    engine.http_client = Http(status, text)
            return engines

    return listen(lambda: Library(Client, library().error), "duckduckgo", "some words", 10)


@pytest.mark.parametrize(
    ("status", "page", "why"),
    [
        (200, NOTHING, "none"),
        (200, CHANGED, "unreadable"),
        (200, "<script>const t = 'No results found'</script>" + CHANGED, "unreadable"),
        (200, "<style>.x:after{content:'no results for'}</style>" + CHANGED, "unreadable"),
        (200, NOTHING + ROBOT, "limited"),
        (200, "<script src='captcha.js'></script>" + NOTHING, "none"),
        (200, "", "unreadable"),
        (200, ROBOT, "limited"),
        (202, ROBOT, "limited"),
        (429, "", "limited"),
        (403, "", "limited"),
        (500, "", "fault"),
    ],
)
def test_no_results_of_the_library_is_looked_into(status, page, why):
    found = through_the_library(status, page)
    assert (found.why, list(found.hits)) == (why, [])


def test_the_library_still_reads_what_it_read():
    found = through_the_library(200, RESULT)
    assert list(found.hits) == [Hit("A title", "https://a.example/", "words of it")]


def test_errors_of_the_library_are_looked_into():
    from ddgs.exceptions import DDGSException as Real, TimeoutException as Slow

    assert through_the_library(0, Real("ConnectError: dns error")).why == "offline"
    assert through_the_library(0, Slow("operation timed out")).why == "slow"
