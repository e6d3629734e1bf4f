"""Apply edits to the items of a view. What does not fit is refused part by part, never raised.

No edit can remove a call or a result, and none can leave behind an empty text, which some wires
refuse. The same code serves the fold and the check of what a strategy proposes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Never, TypeVar, assert_never

from turnloop_core.log.arguments import replace_strings
from turnloop_core.types.content import Image, Reasoning, Text
from turnloop_core.types.edits import (
    DropReasoning,
    Edit,
    ShrinkAttachment,
    ShrinkResult,
    StubNudge,
    Summarise,
    TrimArguments,
)
from turnloop_core.types.items import Item, NudgeItem, Prompt, Summary, Turn
from turnloop_core.types.view import View
from turnloop_core.values import dataclass

T = TypeVar("T", Prompt, Turn, NudgeItem)


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a batch.

    Attributes:
        accepted: the edits that changed something, cut down to their parts that did.
        refused: why the rest did not, a line each.
    """

    accepted: tuple[Edit, ...]
    refused: tuple[str, ...]


class Items:
    """The items of a view while it is folded, found by their ids."""

    __slots__ = ("_list", "_places")

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._list = list(items)
        self._places = {item.id: place for place, item in enumerate(self._list)}

    def __iter__(self) -> Iterator[Item]:
        return iter(self._list)

    def append(self, item: Item) -> None:
        self._places[item.id] = len(self._list)
        self._list.append(item)

    def find(self, number: int) -> Item | None:
        place = self._places.get(number)
        return None if place is None else self._list[place]

    def replace(self, item: Item) -> None:
        """Put `item` in the place of the one that has its id."""
        self._list[self._places[item.id]] = item

    def collapse(self, last: int, summary: Summary) -> None:
        """Put `summary` in the place of everything up to and including `last`."""
        self._list[: self._places[last] + 1] = [summary]
        self._places = {item.id: place for place, item in enumerate(self._list)}


def validate(
    edits: Sequence[Edit], view: View, *, pending: int | None = None
) -> tuple[tuple[Edit, ...], tuple[str, ...]]:
    """What of a batch fits a view.

    Args:
        edits: as a strategy proposes them; each sees the view as the ones before leave it.
        view: as it is now; it is not changed.
        pending: id of the turn whose results are not all there (`Fold.pending`): it cannot be
            edited yet.

    Returns:
        The edits that fit, cut down to their fitting parts, and a reason for each part refused.
    """
    items = Items(item for item in view.items if item.id != pending)
    applied = apply(items, edits, 1 + max((item.id for item in view.items), default=0))
    return applied.accepted, applied.refused


def apply(items: Items, edits: Sequence[Edit], number: int) -> Applied:
    """Apply a batch to `items`, in order. `number` is the id that a summary gets."""
    accepted: list[Edit] = []
    refused: list[str] = []
    for edit in edits:
        try:
            accepted.append(_apply(items, edit, number, refused))
        except _MisfitError as misfit:
            refused.append(f"{edit.kind}: {misfit}")
    return Applied(tuple(accepted), tuple(refused))


class _MisfitError(Exception):
    """The edit does not fit the view; the message says why."""


def _misfit(reason: str) -> Never:
    raise _MisfitError(reason)


def _apply(items: Items, edit: Edit, number: int, refused: list[str]) -> Edit:
    match edit:
        case ShrinkResult():
            return _shrink_result(items, edit)
        case TrimArguments():
            return _trim_arguments(items, edit, refused)
        case DropReasoning():
            return _drop_reasoning(items, edit, refused)
        case ShrinkAttachment():
            return _shrink_attachment(items, edit)
        case StubNudge():
            return _stub_nudge(items, edit)
        case Summarise():
            return _summarise(items, edit, number)
    assert_never(edit)


def _shrink_result(items: Items, edit: ShrinkResult) -> Edit:
    turn = _find(items, edit.turn, Turn)
    result = _at(turn.results, edit.call, "call")
    content = (Text(_words(edit.text)),)
    if result.content == content:
        _misfit("changes nothing")
    results = _with(turn.results, edit.call, replace(result, content=content))
    items.replace(replace(turn, results=results))
    return edit


def _trim_arguments(items: Items, edit: TrimArguments, refused: list[str]) -> Edit:
    turn = _find(items, edit.turn, Turn)
    call = _at(turn.reply.calls, edit.call, "call")
    markers = {name: text for name, text in edit.arguments.items() if text.strip()}
    arguments, found = replace_strings(call.arguments, markers)
    if arguments == call.arguments:
        _misfit("changes nothing: no such text among the arguments")
    refused += [
        f"{edit.kind}: no text argument {name!r}" for name in edit.arguments if name not in found
    ]
    blocks = [replace(b, arguments=arguments) if b is call else b for b in turn.reply.blocks]
    items.replace(replace(turn, reply=replace(turn.reply, blocks=tuple(blocks))))
    return replace(edit, arguments={n: t for n, t in edit.arguments.items() if n in found})


def _drop_reasoning(items: Items, edit: DropReasoning, refused: list[str]) -> Edit:
    dropped = []
    for number in edit.turns:
        try:
            _drop_reasoning_of(items, number, attached=edit.attached)
            dropped.append(number)
        except _MisfitError as misfit:
            refused.append(f"{edit.kind}: {misfit}")
    if not dropped:
        _misfit("changes nothing")
    return replace(edit, turns=tuple(dropped))


def _drop_reasoning_of(items: Items, number: int, *, attached: bool) -> None:
    turn = _find(items, number, Turn)
    blocks = tuple(b for b in turn.reply.blocks if not isinstance(b, Reasoning))
    if attached:
        bare = (b if isinstance(b, Image) else replace(b, opaque=None) for b in blocks)
        blocks = tuple(b for b in bare if not isinstance(b, Text) or b.text.strip())
    if blocks == turn.reply.blocks:
        _misfit(f"turn {number} has no reasoning")
    items.replace(replace(turn, reply=replace(turn.reply, blocks=blocks)))


def _shrink_attachment(items: Items, edit: ShrinkAttachment) -> Edit:
    prompt = _find(items, edit.prompt, Prompt)
    before = _at(prompt.attachments, edit.attachment, "attachment")
    after = Text(_words(edit.text))
    if before == after:
        _misfit("changes nothing")
    items.replace(replace(prompt, attachments=_with(prompt.attachments, edit.attachment, after)))
    return edit


def _stub_nudge(items: Items, edit: StubNudge) -> Edit:
    nudge = _find(items, edit.nudge, NudgeItem)
    if nudge.text == _words(edit.text):
        _misfit("changes nothing")
    items.replace(replace(nudge, text=edit.text))
    return edit


def _summarise(items: Items, edit: Summarise, number: int) -> Edit:
    last = items.find(edit.last)
    if last is None or edit.last == number:
        _misfit(f"there is no item {edit.last} in the view")
    text = _words(edit.text)
    if isinstance(last, Summary) and last.text == text:
        _misfit("changes nothing")
    items.collapse(edit.last, Summary(number, text))
    return edit


def _find(items: Items, number: int, kind: type[T]) -> T:
    item = items.find(number)
    if not isinstance(item, kind):
        _misfit(f"there is no {kind.kind} {number} in the view")
    return item


E = TypeVar("E")


def _at(elements: Sequence[E], place: int, what: str) -> E:
    if not 0 <= place < len(elements):
        _misfit(f"there is no {what} {place}")
    return elements[place]


def _with(elements: tuple[E, ...], place: int, element: E) -> tuple[E, ...]:
    return (*elements[:place], element, *elements[place + 1 :])


def _words(text: str) -> str:
    if not text.strip():
        _misfit("an empty text cannot stand for anything")
    return text
