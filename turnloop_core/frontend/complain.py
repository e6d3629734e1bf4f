"""What the user is told when something ends the program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from turnloop_core.errors import EXIT_FAILED, EXIT_INTERRUPTED, TurnloopError
from turnloop_core.frontend.console import Output, printable, wants_colour


def complain(error: BaseException, arguments: Sequence[str] = ()) -> int:
    """Say what went wrong on standard error, and give the exit status.

    With `--json` among the arguments, standard output gets the same as one `error` event.
    """
    error = sole(error)
    if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
        return EXIT_INTERRUPTED
    status = EXIT_FAILED
    if isinstance(error, TurnloopError):
        message, hint, status = str(error), error.hint, error.exit_code
    elif isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename else ""
        message, hint = f"{error.strerror}{where}", "--debug shows where this came from"
    else:
        message = f"this is a bug: {type(error).__name__}: {error}"
        hint = _keep(error) if "--debug" not in arguments else ""
    if "--json" in arguments:
        say_json(type(error).__name__, message, hint, status)
    say(message, hint)
    if "--debug" in arguments:
        sys.stderr.write(printable(_traceback(error)))
    return status


def say(message: str, hint: str = "") -> None:
    """One line on standard error, and the next step under it."""
    notes = Output(sys.stderr, colour=wants_colour(sys.stderr, os.environ))
    notes.line(f"tl: {printable(message)}", "error")
    for line in printable(hint).splitlines():
        notes.line(f"    {line}")


def say_json(name: str, message: str, hint: str, status: int) -> None:
    """The event that stands for an error which no run could report."""
    from turnloop_core.frontend.jsonl import encode

    Output(sys.stdout).write(
        encode("error", error=name, message=message, hint=hint, exit_code=status)
    )


def sole(error: BaseException) -> BaseException:
    """The error that matters in a group: an interruption, one of ours, or the first."""
    while isinstance(error, BaseExceptionGroup):
        error = min(error.exceptions, key=_rank)
    return error


def _rank(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return 0
    return 1 if isinstance(error, (TurnloopError, BaseExceptionGroup)) else 2


def _traceback(error: BaseException) -> str:
    import traceback

    return "".join(traceback.format_exception(error))


def _keep(error: BaseException) -> str:
    """Write the traceback where the user finds it; the hint that names the file."""
    import platform
    import time

    from turnloop_core import __version__
    from turnloop_core.frontend.places import home

    text = f"turnloop {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    try:
        folder = home() / ".turnloop"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"bug-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(text + _traceback(error), encoding="utf-8", errors="replace")
    except (OSError, TurnloopError):
        return "run it again with --debug to see the traceback, and report it"
    return f"please report it, with {path}"
