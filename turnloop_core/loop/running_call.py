"""What a running call may use: the `CallContext` of the loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

from turnloop_core.errors import PathChangedError
from turnloop_core.loop.gate import Gate
from turnloop_core.permissions import paths
from turnloop_core.ports.tool import Scope, Watch
from turnloop_core.types.events import Event
from turnloop_core.types.facts import Fact
from turnloop_core.types.results import Refusal
from turnloop_core.types.subjects import PermissionMode, Subject
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class RunningCall:
    """One call's context. See `ports.tool.CallContext` for what each part promises."""

    scope: Scope
    call_id: str
    mode: PermissionMode
    subjects: tuple[Subject, ...]
    environment: Mapping[str, str]
    vision: bool
    provider: str
    data_dir: Path
    session: str
    model: str
    gate: Gate
    emit_event: Callable[[Event], None]
    known_facts: Callable[[], Sequence[Fact]]
    watch: Callable[[], AbstractAsyncContextManager[Watch]]
    may_read: Callable[[str], bool]
    may_touch: Callable[[Subject, Subject | None], Awaitable[Refusal | None]]

    def open_checked(self, subject: Subject, mode: Literal["rb", "wb", "ab", "xb"]) -> BinaryIO:
        self._judged(subject)
        return paths.open_checked(subject, mode)

    @contextmanager
    def checked_folder(
        self, subject: Subject, *, create: bool = False
    ) -> Iterator[tuple[int, str]]:
        self._judged(subject)
        with paths.checked_folder(subject, create=create) as opened:
            yield opened

    def _judged(self, subject: Subject) -> None:
        if subject not in self.subjects:
            raise PathChangedError(f"{subject.display} was not judged for this call")

    @property
    def interactive(self) -> bool:
        return self.gate.interactive

    def readable(self, path: str) -> bool:
        return self.may_read(path)

    async def judge(self, subject: Subject, *, like: Subject | None = None) -> Refusal | None:
        return await self.may_touch(subject, like)

    def changes_during(self) -> AbstractAsyncContextManager[Watch]:
        return self.watch()

    def facts(self) -> Sequence[Fact]:
        return self.known_facts()

    def emit(self, event: Event) -> None:
        self.emit_event(event)

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        return await self.gate.ask(question, options)
