"""The last resort when a request does not fit: cut the largest results, whatever the strategy.

It works without any plugin, asks no model, and spares nothing for being recent: when the recent
items alone overflow, it is they that must shrink.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from turnloop_core.loop.bounds import head_and_tail
from turnloop_core.types.content import Image, Text
from turnloop_core.types.edits import (
    Edit,
    ShrinkAttachment,
    ShrinkResult,
    TrimArguments,
    trim_marker,
)
from turnloop_core.types.facts import WroteFile
from turnloop_core.types.items import Prompt, Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import View

# Characters kept of what is cut, tried in this order until enough is freed: enough to know what it
# was, then enough to know that it was.
KEPT_CHARS = (1_200, 300, 80)
CHARS_PER_TOKEN = 4  # of what is cut: a careful guess, since being wrong only cuts a little more

Candidate = tuple[int, ShrinkResult | ShrinkAttachment | TrimArguments]


def emergency_edits(
    view: View, to_free: int, tokens_of: Callable[[str], int]
) -> tuple[tuple[Edit, ...], int]:
    """Edits that free about `to_free` tokens, largest first, and what they free by estimate.

    When nothing frees that much, the edits that free the most.
    """
    best: tuple[tuple[Edit, ...], int] = ((), 0)
    for kept in KEPT_CHARS:
        edits, freed = _cut(view, to_free, tokens_of, kept)
        if freed > best[1]:
            best = edits, freed
        if freed >= to_free:
            break
    return best


def _cut(
    view: View, to_free: int, tokens_of: Callable[[str], int], kept: int
) -> tuple[tuple[Edit, ...], int]:
    candidates = sorted(_candidates(view, kept), key=lambda c: c[0], reverse=True)
    edits: list[Edit] = []
    freed = 0
    for size, edit in candidates:
        if freed >= to_free:
            break
        gain = size // CHARS_PER_TOKEN - tokens_of(_replacement(edit))
        if gain > 0:
            edits.append(edit)
            freed += gain
    return tuple(edits), freed


def _candidates(view: View, kept: int) -> list[Candidate]:
    worth = 2 * kept  # below this, cutting gains too little
    bulk_args = {tool.name: tool.bulk_args for tool in view.prefix.tools}
    found: list[Candidate] = []
    for item in view.items:
        if isinstance(item, Turn):
            for place, result in enumerate(item.results):
                size = _size(result)
                if size > worth:
                    found.append((size, ShrinkResult(item.id, place, _short(result, kept))))
            found += _bulk(item, bulk_args, worth)
        elif isinstance(item, Prompt):
            for place, block in enumerate(item.attachments):
                if isinstance(block, Text) and len(block.text) > worth:
                    short = head_and_tail(block.text, kept)
                    found.append((len(block.text), ShrinkAttachment(item.id, place, short)))
    return found


def _bulk(turn: Turn, bulk_args: Mapping[str, tuple[str, ...]], worth: int) -> list[Candidate]:
    """Bodies of writes that were made: the file has them, so the conversation need not."""
    found: list[Candidate] = []
    for place, (call, result) in enumerate(zip(turn.reply.calls, turn.results, strict=True)):
        names = bulk_args.get(call.name, ())
        if not names or not result.ok:
            continue
        arguments = json.loads(call.arguments or "{}")  # an object: the call ran
        path = next((f.path for f in result.facts if isinstance(f, WroteFile)), "a file")
        long = {
            name: value
            for name in names
            if isinstance(value := arguments.get(name), str) and len(value) > worth
        }
        if long:
            markers = {n: trim_marker(len(v.encode()), path) for n, v in long.items()}
            size = sum(len(value) for value in long.values())
            found.append((size, TrimArguments(turn.id, place, markers)))
    return found


def _replacement(edit: ShrinkResult | ShrinkAttachment | TrimArguments) -> str:
    return "".join(edit.arguments.values()) if isinstance(edit, TrimArguments) else edit.text


def _size(result: Result) -> int:
    pictures = sum(isinstance(block, Image) for block in result.content)
    return len(result.text) + 5_000 * pictures  # about what a picture costs, in characters


def _short(result: Result, kept: int) -> str:
    pictures = sum(isinstance(block, Image) for block in result.content)
    note = f"\n[{pictures} picture(s) left out]" if pictures else ""
    return (
        head_and_tail(result.text, kept)
        + note
        + "\n[cut to make room: run the call again, for a smaller part, if you need the rest]"
    )
