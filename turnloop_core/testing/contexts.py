"""What factories and running calls get, over a temporary project."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Literal

from turnloop_core.context import FactoryContext
from turnloop_core.errors import PathChangedError
from turnloop_core.ports.tool import Scope, Watch
from turnloop_core.registry import Registrar, Registry
from turnloop_core.testing.project import Project
from turnloop_core.types.events import Event
from turnloop_core.types.facts import Fact
from turnloop_core.types.results import Refusal
from turnloop_core.types.subjects import PermissionMode, Subject
from turnloop_core.worktree.watch import Worktree


@dataclass(slots=True)
class FakeCallContext:
    """A `CallContext` whose files are opened as the real one opens them.

    Attributes:
        known_facts: what `facts()` gives.
        events: what the tool told the front end.
        answers: for `ask`, in order; None once they are used up.
        asked: what the tool asked the user.
        opened: path subjects that were opened, in order.
        worktree: looks at the project's files; None for one of this call alone.
        unreadable: files that rules keep from being read, as real paths.
        refusing: narrow form of a subject -> with what `judge` refuses it.
        judged: what `judge` was asked about, in order.
    """

    scope: Scope
    data_dir: Path
    subjects: tuple[Subject, ...] = ()
    call_id: str = "call_1"
    mode: PermissionMode = PermissionMode.DEFAULT
    environment: Mapping[str, str] = field(default_factory=dict)
    vision: bool = True
    provider: str = "scripted"
    interactive: bool = True
    session: str = "session-1"
    model: str = "scripted-1"
    known_facts: Sequence[Fact] = ()
    events: list[Event] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    opened: list[Subject] = field(default_factory=list)
    worktree: Worktree | None = None
    unreadable: Collection[str] = ()
    refusing: Mapping[str, Refusal] = field(default_factory=dict)
    judged: list[Subject] = field(default_factory=list)

    def open_checked(self, subject: Subject, mode: Literal["rb", "wb", "ab", "xb"]) -> BinaryIO:
        """Refuses what is not among `subjects`, as the real one does."""
        from turnloop_core.permissions.paths import open_checked

        self._judged(subject)
        return open_checked(subject, mode)

    def checked_folder(
        self, subject: Subject, *, create: bool = False
    ) -> AbstractContextManager[tuple[int, str]]:
        """Refuses what is not among `subjects`, as the real one does."""
        from turnloop_core.permissions.paths import checked_folder

        self._judged(subject)
        return checked_folder(subject, create=create)

    def _judged(self, subject: Subject) -> None:
        if subject not in self.subjects:
            raise PathChangedError(f"{subject.narrow} was not judged for this call")
        self.opened.append(subject)

    def readable(self, path: str) -> bool:
        return path not in self.unreadable

    async def judge(self, subject: Subject, *, like: Subject | None = None) -> Refusal | None:
        """As `refusing` says of its narrow form; allowed otherwise."""
        self.judged.append(subject)
        return self.refusing.get(subject.narrow)

    def changes_during(self) -> AbstractAsyncContextManager[Watch]:
        """Looks as the real one does."""
        worktree = self.worktree or Worktree(self.scope.root, home=self.scope.home)
        return worktree.call(writes=True)()

    def facts(self) -> Sequence[Fact]:
        return self.known_facts

    def emit(self, event: Event) -> None:
        self.events.append(event)

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else None


def call_context(
    project: Project,
    subjects: Sequence[Subject] = (),
    *,
    mode: PermissionMode = PermissionMode.DEFAULT,
    environment: Mapping[str, str] | None = None,
) -> FakeCallContext:
    """The context of one call in `project`, for which `subjects` were judged."""
    data_dir = project.base / "data"
    data_dir.mkdir(exist_ok=True)
    return FakeCallContext(
        project.scope,
        data_dir,
        tuple(subjects),
        mode=mode,
        environment=project.environment | dict(environment or {}),
    )


def factory_context(
    project: Project,
    name: str = "",
    *,
    settings: Any = None,
    options: Any = None,
    secrets: Mapping[str, str] | None = None,
    transport: Any = None,
) -> FactoryContext:
    """What a factory gets.

    Args:
        project: where it works.
        name: the entry's name; for a provider, its name in settings.
        settings: the plugin's own section, {} when None.
        options: a provider's options.
        secrets: name of a variable -> value, for `context.secret`.
        transport: for providers that use HTTP.
    """
    data_dir = project.base / "plugin-data"
    data_dir.mkdir(exist_ok=True)
    return FactoryContext(
        name=name,
        scope=project.scope,
        settings={} if settings is None else settings,
        data_dir=data_dir,
        secret=dict(secrets or {}).get,
        collect=lambda _hook, _registry: None,
        transport=transport,
        options=options,
        environment=project.environment,
    )


def registered(plugin: ModuleType, hook: str) -> dict[str, Any]:
    """Name -> entry of what a plugin module offers to one hook.

    Args:
        plugin: the module that the entry point names.
        hook: `register_tools`, for example.
    """
    registry: Registry[Any] = Registry(hook.removeprefix("register_"))
    registrar: Registrar[Any] = Registrar(registry, plugin.__name__)
    getattr(plugin, hook)(registrar)
    registrar.commit()
    return {entry.name: entry for entry in registry}
