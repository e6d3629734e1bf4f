"""Events as short plain lines, for standard error of a headless run and for the loop of lines."""

from __future__ import annotations

from collections.abc import Iterator

from turnloop_core.frontend.console import one_line, printable
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptEnded,
    CallEnded,
    CallStarted,
    Edited,
    Event,
    Notice,
    Nudged,
    RunEnd,
    RunEnded,
    ThinkingReduced,
    WaitStarted,
)
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.values import dataclass

MOST_LINES = 40
WIDEST = 200
_UNTOLD = (AttemptEnd.TURN, AttemptEnd.INTERRUPTED, AttemptEnd.FAULT)
_ENDINGS = {
    RunEnd.LIMIT: "stopped by a limit",
    RunEnd.HALTED: "stopped for want of progress",
    RunEnd.INTERRUPTED: "interrupted",
}

# What the user need not be told at the length that the model needs.
_IN_SHORT = {
    ErrorKind.DECLINED: "",
    ErrorKind.INTERRUPTED: "it may or may not have had its effect",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: printable text, and a style of `console.COLOURS` or ""."""

    text: str
    style: str = ""


class Renderer:
    """Turns events into lines; remembers which calls it has shown."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}

    def lines(self, event: Event) -> Iterator[Line]:
        """The lines of one event; most kinds of event have none."""
        match event:
            case CallStarted():
                yield from self._started(event)
            case CallEnded():
                yield from self._ended(event)
            case WaitStarted():
                number = f" (retry {event.number})" if event.number else ""
                what = f"waiting {event.seconds:.0f} s"
                if event.seconds < 1:  # no time worth a figure, or none that is known
                    what = "trying again" if event.number else "waiting"
                yield Line(f"{what}{number}: {one_line(event.reason)}", "warning")
            case ThinkingReduced():
                passed = f"thinking passed about {event.tokens:,} tokens before anything was said"
                yield Line(f"{passed}: asked again with thinking {event.thinking}", "warning")
            case Nudged() if event.origin != "cap":  # the end of the run says it to the user
                yield Line(f"nudge ({event.origin}): {one_line(event.text)}", "dim")
            case Edited():
                yield Line(
                    f"context thinned, about {event.saved:,} tokens: {one_line(event.reason)}",
                    "dim",
                )
            case Notice():
                yield from _notice(event)
            case AttemptEnded() if event.end not in _UNTOLD:
                what = one_line(event.reason) or event.end.value.replace("_", " ")
                yield Line(f"attempt {event.number}: {what}", "warning")
            case RunEnded() if event.end in _ENDINGS:
                told = event.reason in ("", event.end.value)  # "interrupted: interrupted"
                reason = "" if told else f": {one_line(event.reason)}"
                yield Line(f"{_ENDINGS[event.end]}{reason}", "warning")
            case _:
                return

    def _started(self, event: CallStarted) -> Iterator[Line]:
        self._running[event.call.id] = event.call.name
        yield Line(f"> {one_line(event.summary or event.call.name)}", "call")

    def _ended(self, event: CallEnded) -> Iterator[Line]:
        others = len(self._running) > 1
        name = self._running.pop(event.call.id, None)
        if name is None:  # it never ran
            shown = f"{event.call.name} {event.call.arguments}"
            yield Line(f"> {one_line(shown, 120)}", "call")
        elif others:
            yield Line(f"  ({event.call.name})", "dim")
        yield from _result(event.result)


def _result(result: Result) -> Iterator[Line]:
    if result.error is not None:
        kind = result.error.value.replace("_", " ")
        text = result.display or _IN_SHORT.get(result.error, result.text)
        first, *rest = bounded(text)[:6]
        yield Line(f"  {kind}" if first in ("", kind) else f"  {kind}: {first}", "error")
        yield from (Line(f"  {line}", "dim") for line in rest)
        return
    shown = bounded(result.display if result.display is not None else _first_line(result.text))
    for line in shown:
        yield Line(f"  {line}", diff_style(line) if len(shown) > 1 else "dim")


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


def diff_style(line: str) -> str:
    """The style of one line of a diff."""
    if line.startswith("+") and not line.startswith("+++"):
        return "add"
    if line.startswith("-") and not line.startswith("---"):
        return "remove"
    return "dim"


def bounded(text: str, lines: int = MOST_LINES, width: int = WIDEST) -> list[str]:
    """Printable lines of `text`: at most `lines` of at most `width` characters.

    What is left out is counted in a last line.
    """
    every = printable(text).rstrip("\n").split("\n")
    shown = [line if len(line) <= width else f"{line[: width - 1]}…" for line in every[:lines]]
    if len(every) > lines:
        shown.append(f"… {len(every) - lines:,} more lines")
    return shown


def _notice(event: Notice) -> Iterator[Line]:
    style = {"info": "dim", "warning": "warning", "error": "error"}[event.level]
    yield Line(f"{event.level}: {one_line(event.text, 400)}", style)
    for line in bounded(event.hint, 5) if event.hint else ():
        yield Line(f"    {line}")
