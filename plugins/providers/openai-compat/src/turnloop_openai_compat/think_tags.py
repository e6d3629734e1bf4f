"""Reasoning that stands in the answer itself, between tags at its start."""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_core.api import Delta, ReasoningDelta, TextDelta

OPEN, CLOSE = "<think>", "</think>"


class ThinkTags:
    """Splits the text of one answer, wherever the stream cuts it.

    Only an answer that begins with the tag is split; one that speaks of tags later is left alone.
    """

    def __init__(self) -> None:
        self._held = ""  # may be a part of a tag
        self._take = self._start

    def feed(self, text: str) -> Sequence[Delta]:
        """The deltas of the next piece of text."""
        return self._take(text)

    def close(self) -> Sequence[Delta]:
        """What was held back: reasoning that was never closed, or the start of a plain answer."""
        held, self._held = self._held, ""
        if not held:
            return ()
        return (ReasoningDelta(held) if self._take == self._inside else TextDelta(held),)

    def _start(self, text: str) -> Sequence[Delta]:
        self._held += text
        begun = self._held.lstrip()
        if begun.startswith(OPEN):
            self._held, self._take = "", self._inside
            return self._inside(begun[len(OPEN) :])
        if OPEN.startswith(begun):
            return ()
        held, self._held, self._take = self._held, "", self._after
        return (TextDelta(held),)

    def _inside(self, text: str) -> Sequence[Delta]:
        thought, closed, answer = (self._held + text).partition(CLOSE)
        if closed:
            self._held, self._take = "", self._gap
            said: Sequence[Delta] = (ReasoningDelta(thought),) if thought else ()
            return (*said, *self._gap(answer))
        sure = len(thought) - _overlap(thought)
        thought, self._held = thought[:sure], thought[sure:]
        return (ReasoningDelta(thought),) if thought else ()

    def _gap(self, text: str) -> Sequence[Delta]:
        """Blank lines between the tag and the answer belong to neither."""
        text = text.lstrip()
        if text:
            self._take = self._after
        return self._after(text)

    def _after(self, text: str) -> Sequence[Delta]:
        return (TextDelta(text),) if text else ()


def _overlap(text: str) -> int:
    """How many characters at the end of `text` may be the start of the closing tag."""
    sizes = range(len(CLOSE) - 1, 0, -1)
    return next((size for size in sizes if text.endswith(CLOSE[:size])), 0)
