"""The result of a command in words: its output first, then in brackets how it ended."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turnloop_core.api import ErrorKind, Fact, RanCommand, Result, Waited
from turnloop_shell.arguments import LONGEST_LIMIT
from turnloop_shell.background import Command
from turnloop_shell.changed import UNKNOWN, Changed
from turnloop_shell.hints import HINT, wanted_input
from turnloop_shell.processes import Left

_WORTH_TELLING = 5.0  # seconds: below that the time a command took is of no interest
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended.

    Attributes:
        exit_code: its status, negative for a signal; None when it was ended at its limit.
        seconds: how long it took.
        limit: its limit in seconds.
        timed_out: it was ended at its limit.
        left: what still runs in the background.
        log: where the further output of that goes.
        stubborn: processes that could not be ended.
        notes: more lines for the model.
    """

    exit_code: int | None
    seconds: float
    limit: float
    timed_out: bool = False
    left: Sequence[Left] = ()
    log: Path | None = None
    stubborn: Sequence[int] = ()
    notes: Sequence[str] = ()


def report(
    command: str,
    text: str,
    ending: Ending,
    *,
    cwd: str,
    digest: str,
    changed: Changed = UNKNOWN,
) -> Result:
    """The result for the model, the user and the record.

    Args:
        command: as the model wrote it.
        text: what the model is shown of the output.
        ending: how it ended.
        cwd: where it ran.
        digest: hash of the whole output.
        changed: which files it changed.
    """
    news = [changed.line] if changed.line else []
    notes = [*news, *_status(ending), *_left(ending), *ending.notes]
    if not text.strip() and not notes:
        notes = ["no output"]
    if wanted_input(command, ending.exit_code, text):
        notes.append(HINT)
    error = None
    if ending.timed_out:
        error = ErrorKind.TIMEOUT
    elif ending.exit_code != 0:
        error = ErrorKind.TOOL_ERROR
    fact = RanCommand(
        command,
        ending.exit_code,
        round(ending.seconds, 3),
        timed_out=ending.timed_out,
        background=bool(ending.left),
        changed_files=changed.files,
        changed_more=changed.more,
        cwd=cwd,
        output_digest=digest,
    )
    lines = [f"[{note}]" for note in notes]
    content = "\n".join([text, *lines] if text.strip() else lines)
    return Result.say(content, display=_display(text, lines), facts=(fact,), error=error)


def report_started(command: str, name: str, *, cwd: str) -> Result:
    """The result of a command that was started in the background.

    Args:
        command: as the model wrote it.
        name: the id it got.
        cwd: where it runs.
    """
    # Nobody looks which files it changes: it goes on while others change them as well.
    fact = RanCommand(command, None, 0.0, background=True, changed_files=None, cwd=cwd)
    return Result.say(
        f"[runs in the background as {name}; BashOutput shows what it prints]", facts=(fact,)
    )


def report_news(
    command: Command, text: str, *, waited: float | None, stubborn: Sequence[int]
) -> Result:
    """The result of a look at a command in the background.

    Args:
        command: the command.
        text: what is new of its output, as the model is shown it.
        waited: seconds that passed waiting; None for a call that was not to wait.
        stubborn: processes that could not be ended, when it was to end.
    """
    code, first = command.exit_code, not command.told
    notes = [] if text.strip() else ["no new output"]
    if code is None:
        notes.append(f"{command.id} runs, {command.seconds:.0f} s so far")
    else:
        how = "; it was ended on request" if command.killed else ""
        notes.append(f"{exit_words(code)} after {command.seconds:.1f} s{how}")
        if command.left and not stubborn:
            notes.append(f"still running in the background: {named(command.left)}")
    if stubborn:
        notes.append(f"these processes could not be ended: {', '.join(map(str, stubborn))}")
    if code is not None and first and wanted_input(command.text, code, text):
        notes.append(HINT)
    facts: list[Fact] = [] if waited is None else [Waited(round(waited, 3), command.id)]
    error = None
    if code is not None and first:
        facts.append(_ended(command, code))
        error = ErrorKind.TOOL_ERROR if code and not command.killed else None
    lines = [f"[{note}]" for note in notes]
    content = "\n".join([text, *lines] if text.strip() else lines)
    return Result.say(content, display=_display(text, lines), facts=tuple(facts), error=error)


def _ended(command: Command, code: int) -> RanCommand:
    return RanCommand(
        command.text,
        code,
        round(command.seconds, 3),
        background=bool(command.left),
        cwd=command.cwd,
        output_digest=command.output.digest,
    )


def _status(ending: Ending) -> list[str]:
    time = f" after {ending.seconds:.1f} s" if ending.seconds >= _WORTH_TELLING else ""
    if ending.timed_out:
        longer = "a larger timeout_s, or " if ending.limit < LONGEST_LIMIT else ""
        what = (
            "the command and what it had started were ended. If it needs longer: "
            f"{longer}run_in_background"
        )
        if ending.stubborn:
            pids = ", ".join(map(str, ending.stubborn))
            what = f"the command was ended, but these processes could not be: {pids}"
        return [f"timed out after {ending.limit:g} s: {what}"]
    code = ending.exit_code or 0
    return [f"{exit_words(code)}{time}"] if code or time else []


def exit_words(code: int) -> str:
    """How a command ended, by its status."""
    if code < 0:
        return f"ended by signal {-code}{_signal_name(-code)}"
    by = _signal_name(code - 128) if code > 128 else ""
    return f"exit code {code}{by}"


def _signal_name(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


def _left(ending: Ending) -> list[str]:
    if not ending.left:
        return []
    log = f"; further output goes to {ending.log}" if ending.log is not None else ""
    end = "end it with kill, or it ends with the session"
    return [f"still running in the background: {named(ending.left)}; {end}{log}"]


def named(processes: Sequence[Left]) -> str:
    """Processes by id and command line; of many the first few."""
    first = ", ".join(f"{left.pid} ({left.title})" for left in processes[:_NAMED])
    more = len(processes) - _NAMED
    return f"{first} and {more} more" if more > 0 else first


def _display(text: str, notes: Sequence[str]) -> str:
    """For the user: the first lines, and how it ended."""
    lines = text.split("\n") if text.strip() else []
    shown = lines[:5]
    if len(lines) > len(shown):
        shown.append(f"... ({len(lines) - len(shown):,} more lines)")
    return "\n".join([*shown, *notes])
