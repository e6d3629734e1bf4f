"""Tool: something that the model can call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from turnloop_core.types.changes import Changes
from turnloop_core.types.events import Event
from turnloop_core.types.facts import Fact
from turnloop_core.types.results import Refusal, Result
from turnloop_core.types.subjects import PermissionMode, Subject
from turnloop_core.values import dataclass

Verbosity = Literal["terse", "normal", "verbose"]


@dataclass(frozen=True, slots=True)
class Descriptions:
    """What the model is told a tool does, in three lengths."""

    terse: str
    normal: str
    verbose: str

    def at(self, verbosity: Verbosity) -> str:
        return str(getattr(self, verbosity))


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a call would act: what `subjects` may look at.

    Attributes:
        cwd: working directory, a real absolute path.
        root: project root, a real absolute path.
        home: the user's home.
    """

    cwd: Path
    root: Path
    home: Path


class Watch(Protocol):
    """Sees what becomes of the project's files.

    Attributes:
        changes: what changed, once the context is left; None before, and when nobody looked (the
            project is too large, or the context was left by an exception).
    """

    @property
    def changes(self) -> Changes | None: ...


class CallContext(Protocol):
    """What a running call may use. There is one for each call.

    Attributes:
        scope: cwd, root and home.
        call_id: id of the call.
        mode: the permission mode; in plan mode a writing tool refuses.
        subjects: the subjects that were judged for this call.
        environment: variables for child processes; those that hold provider keys are left out.
        vision: the model takes pictures.
        provider: name of the provider, for messages.
        data_dir: a private folder of the session for what is too large for the log.
        interactive: somebody is there to answer questions.
        session: id of the session.
        model: id of the model.
    """

    @property
    def scope(self) -> Scope: ...

    @property
    def call_id(self) -> str: ...

    @property
    def mode(self) -> PermissionMode: ...

    @property
    def subjects(self) -> tuple[Subject, ...]: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def vision(self) -> bool: ...

    @property
    def provider(self) -> str: ...

    @property
    def data_dir(self) -> Path: ...

    @property
    def interactive(self) -> bool: ...

    @property
    def session(self) -> str: ...

    @property
    def model(self) -> str: ...

    def open_checked(self, subject: Subject, mode: Literal["rb", "wb", "ab", "xb"]) -> BinaryIO:
        """Open the file of a path subject: what was judged is what is opened.

        Args:
            subject: one of `subjects`, of kind read or write.
            mode: `wb` truncates, `xb` must create; new files get the usual mode bits.

        Raises:
            PathChangedError: a part of the path has become a symbolic link, or the subject was not
                judged for this call.
            OSError: as `open` does.
        """
        ...

    def checked_folder(
        self, subject: Subject, *, create: bool = False
    ) -> AbstractContextManager[tuple[int, str]]:
        """The folder of a path subject, as an open descriptor, and the last part of the path.

        For work that a plain open cannot do (write beside and rename). `create` makes missing
        folders. On systems without descriptors for folders the number is -1 and the name is the
        whole path.

        Raises:
            PathChangedError: as in `open_checked`.
            OSError: as `os.open` does.
        """
        ...

    def readable(self, path: str) -> bool:
        """Whether the contents of a file below one of `subjects` may be shown to the model.

        For tools that look into many files under one folder: the call was judged by the folder, and
        this asks the rules about a single file. May be called from a thread.

        Args:
            path: a real absolute path, no part of it a symbolic link.
        """
        ...

    async def judge(self, subject: Subject, *, like: Subject | None = None) -> Refusal | None:
        """Whether the running call may touch one thing more, which was not known before.

        For what only shows while the call runs: where a redirect leads, what a name stands for.
        Deny rules hold, allow rules count, and where neither says it the user is asked, as before
        a call. The time that the user takes is no time of the call: limits of the tool's own
        should not count it.

        Args:
            subject: the thing.
            like: a subject of this call which a user would take for the same. Where the user
                consented to that one in this call, and no other rule speaks of this one, nobody is
                asked again.

        Returns:
            None when it may; else why not: `text` and `display` are clauses, to be put after what
            was not done. A result with its `kind` as error counts as refused.
        """
        ...

    def changes_during(self) -> AbstractAsyncContextManager[Watch]:
        """See which files of the project change while something runs that may change any of them.

            async with context.changes_during() as watch:
                ...
            watch.changes

        Looks at the files when it is entered and when it is left, bounded by their number and by
        time. For tools that start programs; one that writes files itself knows what it wrote.
        """
        ...

    def facts(self) -> Sequence[Fact]:
        """Facts of all earlier calls of this session, oldest first."""
        ...

    def emit(self, event: Event) -> None:
        """Tell the front end something, progress for example."""
        ...

    async def ask(self, question: str, options: Sequence[str] = ()) -> str | None:
        """Ask the user. None when nobody is there, or the user gave no answer."""
        ...


class Tool(Protocol):
    """Something that the model can call.

    A tool that holds something open has an `async aclose()` as well; `app` calls it at the end. One
    that can say beforehand what it would write is `Previewing` too.

    Attributes:
        name: what the model calls it.
        arguments: pydantic model of the arguments; the schema is generated from it, so that what
            is declared and what is checked cannot drift apart. Whatever has `model_json_schema()`
            and `model_validate()` will do; a `ValueError` of the latter is a schema violation.
        descriptions: in three lengths.
    """

    @property
    def name(self) -> str: ...

    @property
    def arguments(self) -> type[Any]: ...

    @property
    def descriptions(self) -> Descriptions: ...

    def subjects(self, args: Any, scope: Scope) -> Sequence[Subject]:
        """What a call with these arguments would touch. Looks, changes nothing, opens nothing.

        Raises:
            TurnloopError: the arguments name something that cannot be a subject; becomes an error
                result.
        """
        ...

    async def run(self, args: Any, context: CallContext) -> Result:
        """Do it. Raising is allowed: dispatch turns whatever comes into an error result."""
        ...


class Previewing(Protocol):
    """What a tool may have beside `Tool`: a look at what it would write, for the user to judge."""

    def preview(self, args: Any, scope: Scope) -> str:
        """What a call with these arguments would write: a unified diff, or the text's beginning.

        Looks, changes nothing, and never waits for anything but the disk. It is only asked for when
        the user is asked, and may be called in a thread. Some hundred lines at most; a last line
        `(N more lines)` counts the rest. Whatever it raises means that there is no preview.
        """
        ...


@dataclass(frozen=True, slots=True)
class SourcedTool:
    """A tool of a source, with the flags that `ToolEntry` has for tools known beforehand."""

    tool: Tool
    read_only: bool = False
    parallel_safe: bool = False
    bulk_args: tuple[str, ...] = ()
    in_plan: bool = False


class ToolSource(Protocol):
    """Tools that must be opened and closed, a server's for example.

    `open` is entered once by `app`, and left in reverse order, with a bound.
    """

    @property
    def name(self) -> str: ...

    def open(self, scope: Scope) -> AbstractAsyncContextManager[Sequence[SourcedTool]]:
        """Open what the tools need; leaving the context closes it."""
        ...
