"""Bash: runs a command, and always comes back."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnloop_core.api import (
    CallContext,
    CallProgress,
    ErrorKind,
    FactoryContext,
    PermissionMode,
    Result,
    Scope,
    Subject,
    SubjectKind,
)
from turnloop_shell.arguments import LONGEST_LIMIT, BashArguments
from turnloop_shell.background import GRACE, Abandoned, Background
from turnloop_shell.changed import what_changed
from turnloop_shell.descriptions import descriptions
from turnloop_shell.output import Output
from turnloop_shell.processes import end_tree, left_over
from turnloop_shell.progress import Progress
from turnloop_shell.report import Ending, report, report_started
from turnloop_shell.running import Running, Sink
from turnloop_shell.shells import Shell, find_shell, this_platform
from turnloop_shell.surroundings import inherited, surroundings


@dataclass(frozen=True, slots=True)
class _Ended:
    """A command that ran: what the model is shown of its output, its end, the output's hash."""

    text: str
    ending: Ending
    digest: str


class Bash:
    """Runs commands. Holds what they left in the background, and ends it when it is closed."""

    name = "Bash"
    arguments = BashArguments

    def __init__(
        self,
        shell: Shell | None,
        background: Background | None = None,
        names: frozenset[str] = frozenset(),
    ) -> None:
        self.descriptions = descriptions(shell.family if shell is not None else "bash")
        self._shell = shell
        self._names = names
        self._token = os.urandom(6).hex()
        self._calls = 0
        self._background = background or Background()

    def subjects(self, args: BashArguments, scope: Scope) -> Sequence[Subject]:
        from turnloop_shell.analysis.subjects import subjects_of, whole  # heavy: only when called

        if self._shell is not None and self._shell.family == "powershell":
            return (whole(args.command, "PowerShell is not looked into"),)
        return subjects_of(args.command, scope, self._names)

    async def run(self, args: BashArguments, context: CallContext) -> Result:
        if context.mode is PermissionMode.PLAN and not self._only_reads(args, context.scope):
            return Result.say(
                "plan mode: only commands that change nothing are run. Describe this one in your "
                "answer instead.",
                error=ErrorKind.DENIED,
            )
        if self._shell is None:
            return Result.say(
                "there is no shell on this machine (looked for bash and sh on PATH).",
                error=ErrorKind.TOOL_ERROR,
            )
        if args.run_in_background:
            return await self._start(self._shell, args, context)
        async with context.changes_during() as watch:
            ended = await self._run(self._shell, args, context)
        if isinstance(ended, Result):
            return ended
        scope = context.scope
        return report(
            args.command,
            ended.text,
            ended.ending,
            cwd=str(scope.cwd),
            digest=ended.digest,
            changed=what_changed(
                watch.changes, scope.root, command=args.command, output=ended.text
            ),
        )

    def _only_reads(self, args: BashArguments, scope: Scope) -> bool:
        """Whether the command is proved to change nothing. Looked at anew, whoever judged it."""
        if args.run_in_background:
            return False
        return all(
            subject.kind is SubjectKind.READ
            or (
                subject.kind is SubjectKind.COMMAND
                and (subject.read_only or subject.inert)
                and not subject.dynamic
            )
            for subject in self.subjects(args, scope)
        )

    def _mark(self) -> str:
        self._calls += 1
        return f"{self._token}.{self._calls}"

    async def _start(self, shell: Shell, args: BashArguments, context: CallContext) -> Result:
        """Start the command, and leave it to itself."""
        await self._background.survey()
        if self._background.full:
            names = ", ".join(c.id for c in self._background.running)
            return Result.say(
                f"not run: {names} run in the background, and that is the most there may be. End "
                "one that is not needed: BashOutput with kill.",
                error=ErrorKind.TOOL_ERROR,
            )
        mark, cwd = self._mark(), str(context.scope.cwd)
        try:
            command = self._background.start(
                args.command,
                lambda sink: _running(shell, args, context, mark, sink),
                context.facts(),
                mark=mark,
                cwd=cwd,
                path=_file(context, mark),
            )
        except (OSError, ValueError) as error:
            return _not_started(error, shell, context)
        return report_started(args.command, command.id, cwd=cwd)

    async def _run(
        self, shell: Shell, args: BashArguments, context: CallContext
    ) -> _Ended | Result:
        """Run the command to its end; a result when it could not be started."""
        mark = self._mark()
        output = Output(_file(context, mark))
        progress = Progress(lambda text: context.emit(CallProgress(context.call_id, text)))

        def sink(data: bytes) -> None:
            output.feed(data)
            progress.feed(data)

        started = time.monotonic()
        try:
            running = _running(shell, args, context, mark, sink)
        except (OSError, ValueError) as error:
            return _not_started(error, shell, context)
        try:
            ending = await self._follow(args, running, mark, started)
        except BaseException:
            await self._abandon(running, output, mark)
            raise
        finally:
            progress.stop()
        text = output.text()
        if ending.left:
            ending = self._leave(ending, running, output, mark)
        else:
            output.close()
        return _Ended(text, ending, output.digest)

    async def _follow(
        self, args: BashArguments, running: Running, mark: str, started: float
    ) -> Ending:
        """Wait for the end, or bring it about."""
        limit = min(args.timeout_s, LONGEST_LIMIT)
        notes = [f"the limit is {limit:g} s at most"] if args.timeout_s > limit else []
        if not await running.wait_exit(limit):
            stubborn = await end_tree(running.pid, mark)
            await running.wait_drained(GRACE)
            running.close()
            return Ending(
                None,
                time.monotonic() - started,
                limit,
                timed_out=True,
                stubborn=stubborn,
                notes=notes,
            )
        seconds = time.monotonic() - started
        drained = await running.wait_drained(GRACE)
        code = running.exited.result()
        left = left_over(running.pid, mark, held=not drained)
        if not left:
            running.close()
            return Ending(code, seconds, limit, notes=notes)
        return Ending(code, seconds, limit, left=left, notes=notes)

    def _leave(self, ending: Ending, running: Running, output: Output, mark: str) -> Ending:
        """Keep what runs on in mind, and go on reading: a full pipe would stop it."""
        self._background.abandon(Abandoned(mark, running, output))
        if running.drained.done():
            output.close()
            return ending
        spool = output.spool()
        running.sink = spool.write
        running.drained.add_done_callback(lambda _: spool.close())
        if spool.trouble:
            note = f"its output is not kept: {spool.trouble}"
            return replace(ending, notes=[*ending.notes, note])
        return replace(ending, log=spool.path)

    @staticmethod
    async def _abandon(running: Running, output: Output, mark: str) -> None:
        """The call was interrupted: nothing of it may go on."""
        import anyio

        try:
            with anyio.CancelScope(shield=True):
                await end_tree(running.pid, mark)
        finally:
            running.close()
            output.close()

    async def aclose(self) -> None:
        """End what runs in the background."""
        await self._background.aclose()


def _file(context: CallContext, mark: str) -> Path:
    return context.data_dir / f"bash-{mark}.txt"


def _running(
    shell: Shell, args: BashArguments, context: CallContext, mark: str, sink: Sink
) -> Running:
    return Running(
        shell.command_line(args.command),
        str(context.scope.cwd),
        surroundings(context.environment, mark),
        sink,
    )


def _not_started(error: OSError | ValueError, shell: Shell, context: CallContext) -> Result:
    cwd = context.scope.cwd
    if isinstance(error, ValueError):
        words = "the command holds a null character, or half of a character pair (a lone surrogate)"
    elif error.errno == errno.E2BIG:
        words = "the command is too long; put it into a file with Write, and run that"
    elif not cwd.is_dir():
        words = f"the working folder {cwd} does not exist any more"
    else:
        words = f"{shell.path} could not be started: {error.strerror or error}"
    return Result.say(f"not run: {words}.", error=ErrorKind.TOOL_ERROR)


def create(context: FactoryContext) -> Bash:
    """The tool, with the shell of this machine."""
    environment = context.environment
    shell = find_shell(this_platform(environment))
    return Bash(shell, background_of(context), inherited(environment))


def background_of(context: FactoryContext) -> Background:
    """Where the tools of a session meet."""
    background: Background = context.shared.setdefault("background", Background())
    return background
