"""Questions on the terminal: may this run, and what the model wants to know."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from turnloop_core.errors import TurnloopError
from turnloop_core.frontend.console import Output, one_line
from turnloop_core.frontend.render import bounded
from turnloop_core.frontend.repl.choices import (
    Unclear,
    choices,
    explanation,
    kept_where,
    understood,
)
from turnloop_core.frontend.repl.explaining import Row, all_parts, explained, previewed, unseen
from turnloop_core.frontend.repl.visible import visible_line
from turnloop_core.permissions.rules import parse_rule
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, UserQuestion
from turnloop_core.types.subjects import Verdict

_WIDEST = 2_000  # characters of a line that must be read whole to be answered; terminals wrap it
_WHOLE = 2_000  # lines of a preview that is asked for


class Asker:
    """The approver of a terminal: one question at a time, answered by the next line.

    Args:
        terminal: where questions are shown.

    Attributes:
        asks_permission: a permission question stands.
    """

    interactive = True

    def __init__(self, terminal: Output) -> None:
        self._terminal = terminal
        self._waiting: asyncio.Future[str | None] | None = None
        self._prompt = ""
        self._shown: PermissionQuestion | None = None
        self._hidden = 0  # parts of the question that stands which were not shown yet
        self.asks_permission = False

    def take(self, line: str | None) -> bool:
        """Give a line to the open question; False when there is none."""
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_result(line)
        return True

    def remind(self) -> None:
        """Show once more what is to be answered: something else was said meanwhile."""
        if self._waiting is not None and not self._waiting.done():
            self._terminal.fresh_line()
            self._terminal.write(self._prompt)

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        self.asks_permission = True
        try:
            self._explain(question)
            return await self._permission(question)
        finally:
            self.asks_permission = False

    def _explain(self, question: PermissionQuestion) -> None:
        """Show why the question comes again, and all of it unless it is the one shown last."""
        if question.complaint:
            self._terminal.line(f"  {visible_line(question.complaint)}", "warning")
        shown, self._shown = self._shown, replace(question, complaint="")
        if not question.complaint or self._shown != shown:
            size = shutil.get_terminal_size()
            self._hidden = unseen(question, size.columns)
            self._rows(explained(question, width=size.columns, height=size.lines))

    async def _permission(self, question: PermissionQuestion) -> PermissionAnswer:
        while True:
            line = await self.line(f"{choices(question)}: ")
            if line is None:
                return PermissionAnswer(allow=False)
            match understood(line, question):
                case PermissionAnswer(allow=True) | "edit" if self._hidden:
                    told = (
                        f"{self._hidden} parts that need consent are not shown yet: v shows them, n"
                    )
                    self._terminal.line(f"  {told} says no", "warning")
                case PermissionAnswer() as answer:
                    return answer
                case Unclear(text):
                    self._terminal.line(f"  {text}", "dim")
                case "explain":
                    for text in explanation(question):
                        self._terminal.line(f"  {text}", "dim")
                case "whole":
                    if self._hidden:
                        self._rows(all_parts(question, shutil.get_terminal_size().columns))
                        self._hidden = 0
                    self._rows(previewed(question.preview, _WHOLE, width=_WIDEST))
                case "edit":
                    own = await self._own(question)
                    if own is not None:
                        return own

    async def _own(self, question: PermissionQuestion) -> PermissionAnswer | None:
        """An answer with rules that the user types; None to go back to the question."""
        rules: list[str] = []
        parts = sum(part.verdict is Verdict.ASK for part in question.decision.parts)
        while len(rules) < max(1, parts):
            line = await self.line(
                "another rule, or empty: " if rules else "rule, empty to go back: "
            )
            if line is None:
                return PermissionAnswer(allow=False)
            if not line.strip():
                break
            try:
                rules.append(parse_rule(line.strip(), "typed here").text)
            except TurnloopError as error:
                told = f"{error}; {error.hint}" if error.hint else str(error)
                self._terminal.line(f"  {visible_line(told)}", "error")
        while rules:
            line = await self.line(
                "keep it for the [s]ession or [a]lways ([ap], [au]), empty to go back: "
            )
            if line is None:
                return PermissionAnswer(allow=False)
            if not line.strip():
                return None
            kept = kept_where(line)
            if kept is not None:
                return replace(kept, rules=tuple(rules))
        return None

    async def answer(self, question: UserQuestion) -> str | None:
        self._show(*bounded(question.question, width=_WIDEST))
        keys = _keys(question.options)
        for key, option in keys.items():
            self._terminal.line(f"  {key}. {one_line(option, _WIDEST)}")
        what = "letter" if "a" in keys else "number"
        line = await self.line(f"a {what}, or your own words: " if keys else "answer: ")
        if line is None or not line.strip():
            return None
        return _chosen(line.strip(), keys)

    def _show(self, *lines: str) -> None:
        for line in lines:
            self._terminal.line(f"? {line}", "warning")

    def _rows(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._terminal.fresh_line()
            for span in row:
                self._terminal.write(span.text, span.style)
            self._terminal.write("", end="\n")

    async def line(self, prompt: str) -> str | None:
        """What is typed next; None when input has ended."""
        self._prompt = prompt
        self._terminal.fresh_line()
        self._terminal.write(prompt)
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            return await self._waiting
        finally:
            self._waiting = None


def _keys(options: Sequence[str]) -> dict[str, str]:
    """What to type for each option: its number; a letter where an option is itself a number, since
    a number that is typed must not mean two things.
    """
    lettered = len(options) <= 26 and any(option.strip().isdecimal() for option in options)
    return {
        chr(ord("a") + place) if lettered else str(place + 1): option
        for place, option in enumerate(options)
    }


def _chosen(text: str, keys: Mapping[str, str]) -> str:
    """The option that is meant, or several of them ("1, 3"); else the words as they are."""
    for option in keys.values():
        if option.casefold() == text.casefold():
            return option
    picked = [part.rstrip(".)") for part in text.replace(",", " ").split()]
    if picked and all(key in keys for key in picked):
        return "; ".join(keys[key] for key in dict.fromkeys(picked))
    return text
