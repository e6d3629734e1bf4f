"""Estimate tokens from text, and learn from what providers report.

No tokenizer: a ratio of characters to tokens, with the kinds of text that break it counted apart,
times a correction that follows what the provider said of earlier requests.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache

from turnloop_core.types.content import Block, Call, Image, Reasoning, Text
from turnloop_core.types.items import Item, Prompt, Turn
from turnloop_core.types.view import Prefix, View

_DENSE = re.compile("(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{64,}+")  # base64 and hex: few words to find

_MESSAGE = 4  # tokens that a message costs beside its content
_CALL = 8
_UNKNOWN_IMAGE = 1_500
_PIXELS_PER_TOKEN = 750
_WEIGHT = 0.4  # of the newest request in the correction
_LOWEST, _HIGHEST = 0.3, 4.0


class Estimator:
    """Estimates tokens for one model.

    Attributes:
        ratio: characters for a token, in plain text.
        correction: factor on top, learnt from what the provider reports.
    """

    def __init__(self, ratio: float = 3.6, correction: float = 1.0) -> None:
        self.ratio = ratio
        self.correction = min(max(correction, _LOWEST), _HIGHEST)
        self._items: dict[int, tuple[Item, float]] = {}  # by identity; the item keeps its id taken
        self._view: tuple[tuple[Item, ...], int, float] = ((), 0, 0.0)
        self._prefix: tuple[Prefix, float, float] | None = None

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return self._corrected(self._text(text))

    def item(self, item: Item) -> int:
        """Tokens of an item, counted once for each object."""
        return self._corrected(self._item(item))

    def history(self, view: View) -> int:
        """Tokens of all items; a view that only grew since the last time costs what was added."""
        known, epoch, total = self._view
        grew = epoch == view.epoch and known and len(view.items) >= len(known)
        if not grew or view.items[len(known) - 1] is not known[-1]:
            known, total = (), 0.0
            kept = ((id(i), self._items.get(id(i))) for i in view.items)
            self._items = {key: entry for key, entry in kept if entry is not None}
        total += sum(self._item(item) for item in view.items[len(known) :])
        self._view = (view.items, view.epoch, total)
        return self._corrected(total)

    def prefix(self, prefix: Prefix) -> tuple[int, int]:
        """Tokens of the system prompt, and of the tools."""
        if self._prefix is None or self._prefix[0] is not prefix:
            tools = sum(
                _CALL + self._text(t.name + t.description + json.dumps(t.parameters))
                for t in prefix.tools
            )
            self._prefix = (prefix, self._text(prefix.system), tools)
        return self._corrected(self._prefix[1]), self._corrected(self._prefix[2])

    def observe(self, estimated: int, reported: int) -> None:
        """Learn from a request: what this estimator said of it, and what the provider counted."""
        if estimated <= 0 or reported <= 0:
            return
        target = self.correction * reported / estimated
        blended = (1 - _WEIGHT) * self.correction + _WEIGHT * target
        self.correction = min(max(blended, _LOWEST), _HIGHEST)

    def _corrected(self, tokens: float) -> int:
        return math.ceil(tokens * self.correction)

    def _item(self, item: Item) -> float:
        entry = self._items.get(id(item))
        if entry is None:
            entry = (item, self._count(item))
            self._items[id(item)] = entry
        return entry[1]

    def _count(self, item: Item) -> float:
        if isinstance(item, Turn):
            results = sum(_MESSAGE + self._blocks(result.content) for result in item.results)
            return _MESSAGE + self._blocks(item.reply.blocks) + results
        if isinstance(item, Prompt):
            return _MESSAGE + self._blocks(item.blocks)
        return _MESSAGE + self._text(item.text)

    def _blocks(self, blocks: tuple[Block, ...]) -> float:
        return sum(self._block(block) for block in blocks)

    def _block(self, block: Block) -> float:
        if isinstance(block, Text):
            return self._text(block.text)
        if isinstance(block, Call):
            return _CALL + self._text(block.name) + self._text(block.arguments)
        if isinstance(block, Reasoning):
            # Hidden reasoning is billed by what was thought; its cipher text is a measure of that.
            return self._text(block.text) or len(str(block.opaque or "")) / self.ratio
        return _image(block)

    def _text(self, text: str) -> float:
        tokens, plain = 0.0, len(text)
        if not text.isascii():
            scripts, wide_script = _scripts()
            wide = sum(len(run) for run in wide_script.findall(text))
            other = sum(len(run) for run in scripts.findall(text))
            tokens, plain = wide + other / 2, plain - wide - other
        dense = sum(len(run) for run in _DENSE.findall(text))
        return tokens + dense / 2 + (plain - dense) / self.ratio


def _image(image: Image) -> float:
    return image.width * image.height / _PIXELS_PER_TOKEN or _UNKNOWN_IMAGE


@cache
def _scripts() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Text beyond ASCII; CJK and beyond, a token each. Compiled when met: ranges take long."""
    return re.compile("[\u0080-\u2e7f]+"), re.compile("[\u2e80-\uffff\U00010000-\U0010ffff]+")
