"""The view: what the model is shown. A pure function of the log (`log/view.py` computes it)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from turnloop_core.types.facts import Fact
from turnloop_core.types.items import Item, Turn
from turnloop_core.values import dataclass


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as the model is told of it.

    Attributes:
        name: what the model calls it.
        description: in the verbosity that the settings ask for.
        parameters: JSON Schema of the arguments, an object schema.
        bulk_args: arguments that may be trimmed later; not told to the model.
        read_only: it changes nothing; not told to the model.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    bulk_args: tuple[str, ...] = ()
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """What stands before every request: it changes only at a prompt boundary, with a reason.

    Attributes:
        system: the rendered system prompt.
        tools: the tools offered, in a fixed order.
    """

    system: str = ""
    tools: tuple[ToolSchema, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """What the model is shown.

    Items that did not change keep their identity from one view to the next, so what was encoded
    for an item once need not be encoded again.

    Attributes:
        prefix: system prompt and tools.
        items: the conversation.
        epoch: how many edits that rewrite history have been applied.
        facts: facts of all turns of the log, oldest first, also of those that a summary replaced.
    """

    prefix: Prefix
    items: tuple[Item, ...]
    epoch: int = 0
    facts: tuple[Fact, ...] = ()

    @property
    def turns(self) -> Iterator[Turn]:
        return (item for item in self.items if isinstance(item, Turn))
