"""A browser of one project: judges an address, then runs WebFetch, as dispatch would."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import pytest

from turnloop_core.api import Refusal, Result, Subject
from turnloop_core.testing.contexts import FakeCallContext, call_context
from turnloop_core.testing.project import Project, temporary_project
from turnloop_web.fetch import FetchArguments, WebFetch
from turnloop_web.page import Limits, Pages

QUICK = Limits(total_s=20.0, connect_s=5.0, read_s=10.0)


@dataclass
class Names:
    """A resolver of a test's own: name -> addresses, one list for each time it is asked."""

    known: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        if host == "localhost":
            return ["127.0.0.1"]
        if host not in self.known:
            raise OSError(-2, "Name or service not known")
        turns = self.known[host]
        times = sum(name == host for name, _ in self.asked)
        return turns[min(times, len(turns)) - 1]


@dataclass
class Browser:
    """Calls WebFetch again and again, in one session."""

    project: Project
    names: Names = field(default_factory=Names)
    limits: Limits = QUICK
    seconds: float = 0.0
    refusing: dict[str, Refusal] = field(default_factory=dict)
    context: FakeCallContext = field(init=False)

    def __post_init__(self) -> None:
        self.pages = Pages(clock=lambda: self.seconds)

    @property
    def tool(self) -> WebFetch:
        return WebFetch(self.pages, self.limits, self.names)

    def judged(self, url: str) -> Subject:
        (subject,) = self.tool.subjects(FetchArguments(url=url), self.project.scope)
        return subject

    def fetch(self, url: str, start: int = 0) -> Result:
        args = FetchArguments(url=url, start=start)
        self.context = call_context(self.project, (self.judged(url),))
        self.context.refusing = self.refusing
        return anyio.run(self.tool.run, args, self.context)

    @property
    def asked_about(self) -> list[tuple[str, ...]]:
        """The forms of what the last call had judged while it ran."""
        return [subject.forms for subject in self.context.judged]


@pytest.fixture
def browser() -> Iterator[Browser]:
    with temporary_project() as project:
        yield Browser(project)


@pytest.fixture
def browser_where() -> Iterator[Callable[..., Browser]]:
    """Makes a browser with names of its own, or other limits."""
    with temporary_project() as project:
        yield lambda limits=QUICK, **names: Browser(
            project, Names({name.replace("_", "."): turns for name, turns in names.items()}), limits
        )


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its proxies nor its certificates."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
