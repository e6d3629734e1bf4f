"""Two lists compared: what is the same step in other words, and whether anything changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from turnloop_core.api import PlanStep


def held(given: Sequence[PlanStep], before: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
    """The list that holds from now on.

    Steps that differ from the old ones only in capitals or blanks keep their old words, so that a
    list does not swing between two spellings; a step that comes without its id keeps that as well.
    """
    old = {same_words(step.text): step for step in before}
    return tuple(_kept(step, old.get(same_words(step.text))) for step in given)


def _kept(step: PlanStep, old: PlanStep | None) -> PlanStep:
    return step if old is None else replace(step, text=old.text, id=step.id or old.id)


def same_words(text: str) -> str:
    """The text without what makes no difference."""
    return " ".join(text.split()).casefold()


def is_new_list(now: Sequence[PlanStep], before: Sequence[PlanStep]) -> bool:
    """Whether nothing of the old list is left.

    A step is the same one if it has the same id or the same words; in a list of the same length,
    also if it stands at the same place: then it was reworded.
    """
    if not before or len(now) == len(before):
        return False
    ids = {step.id for step in before if step.id}
    words = {same_words(step.text) for step in before}
    return not any(step.id in ids or same_words(step.text) in words for step in now)


def unfinished(steps: Sequence[PlanStep]) -> int:
    return sum(step.status != "completed" for step in steps)
