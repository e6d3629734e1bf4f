"""Questions on the terminal: may this run, and what the model wants to know."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Literal

from turnloop_core.frontend.console import Output, one_line
from turnloop_core.frontend.render import bounded
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, UserQuestion

_WIDEST = 2_000  # characters of a line that must be read whole to be answered; terminals wrap it

_REMEMBER: dict[str, Literal["once", "session", "always"]] = {
    "y": "once",
    "yes": "once",
    "s": "session",
    "a": "always",
}


class Asker:
    """The approver of a terminal: one question at a time, answered by the next line.

    Args:
        terminal: where questions are shown.
    """

    interactive = True

    def __init__(self, terminal: Output) -> None:
        self._terminal = terminal
        self._waiting: asyncio.Future[str | None] | None = None

    def take(self, line: str | None) -> bool:
        """Give a line to the open question; False when there is none."""
        if self._waiting is None or self._waiting.done():
            return False
        self._waiting.set_result(line)
        return True

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        self._show(
            f"{question.tool} needs your consent: {one_line(question.decision.reason, _WIDEST)}"
        )
        for shown in bounded(question.summary):
            self._terminal.line(f"  {shown}", "call")
        rule = question.proposed_rule
        if rule:
            self._terminal.line(f"  rule: {one_line(rule)}", "dim")
        choice = "[y]es once, [s]ession, [a]lways, [n]o" if rule else "[y]es once, [n]o"
        while True:
            line = await self._line(f"{choice}: ")
            answer = _permission(line, with_rule=bool(rule))
            if answer is not None:
                return answer

    async def answer(self, question: UserQuestion) -> str | None:
        self._show(*bounded(question.question, width=_WIDEST))
        keys = _keys(question.options)
        for key, option in keys.items():
            self._terminal.line(f"  {key}. {one_line(option, _WIDEST)}")
        what = "letter" if "a" in keys else "number"
        line = await self._line(f"a {what}, or your own words: " if keys else "answer: ")
        if line is None or not line.strip():
            return None
        return _chosen(line.strip(), keys)

    def _show(self, *lines: str) -> None:
        for line in lines:
            self._terminal.line(f"? {line}", "warning")

    async def _line(self, prompt: str) -> str | None:
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


def _permission(line: str | None, *, with_rule: bool) -> PermissionAnswer | None:
    """The answer that a line gives; None asks again. The end of input is a no."""
    if line is None:
        return PermissionAnswer(allow=False)
    word, _, comment = line.strip().partition(" ")
    word = word.lower()
    if word in ("n", "no"):
        return PermissionAnswer(allow=False, comment=comment.strip())
    if word not in _REMEMBER or comment:
        return None
    if not with_rule and _REMEMBER[word] != "once":
        return None
    return PermissionAnswer(allow=True, remember=_REMEMBER[word])
