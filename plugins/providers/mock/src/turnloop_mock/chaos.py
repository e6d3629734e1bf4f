"""Calls that are broken on purpose, each with the truth about it. Pure: a seed and the tools as the
model is told of them, nothing else.

Only what has one truth is made. What a tool's own model may well accept (null, numbers as text, a
name in another case, a key that is there twice, arguments of nothing but blanks) is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from turnloop_core.api import ErrorKind, ToolSchema, trim_marker
from turnloop_mock import chaos_text
from turnloop_mock.chaos_misfit import Misfits
from turnloop_mock.chaos_names import unknown_name
from turnloop_mock.chaos_schema import Schema, UnsureError

Way = Callable[[Sequence[ToolSchema]], "ChaosCall | None"]

# How often: unknown names, malformed, cut, not fitting, marked.
WEIGHTS = (4, 5, 4, 6, 1)


@dataclass(frozen=True, slots=True)
class ChaosCall:
    """A call, and what must become of it.

    Attributes:
        name: of the tool, as it is written.
        arguments: the text of the arguments.
        truth: the kind of error that its result must have; None for a call that is right.
        how: what was done to it, in a word or two.
    """

    name: str
    arguments: str
    truth: ErrorKind | None
    how: str


class Chaos:
    """Makes calls, one after the other.

    Args:
        seed: the same seed and tools give the same calls.
        broken: share of calls that are broken, from 0 to 1.
        valid: name and arguments of calls that are right. Without any, right calls are made from
            the schemas of tools that change nothing.
    """

    def __init__(
        self,
        seed: int | str,
        broken: float = 1.0,
        valid: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> None:
        self._random = Random(f"turnloop chaos {seed}")  # noqa: S311 - to be the same each time
        self._broken = broken
        self._valid = tuple(valid)

    def next(self, tools: Sequence[ToolSchema]) -> ChaosCall:
        """The next call. Where none can be right, it is broken."""
        if self._random.random() >= self._broken:
            call = self.right_call(tools)
            if call is not None:
                return call
        return self.broken_call(tools)

    def right_call(self, tools: Sequence[ToolSchema]) -> ChaosCall | None:
        """A call that is right and changes nothing; None where none can be made for sure."""
        offered = {tool.name for tool in tools}
        known = [(name, arguments) for name, arguments in self._valid if name in offered]
        if known:
            name, arguments = self._random.choice(known)
            return ChaosCall(name, self._json(arguments), None, "given")
        if self._valid:
            return None
        for tool in self._shuffled([tool for tool in tools if tool.read_only]):
            try:
                arguments = Schema(tool.parameters, self._random).example()
            except UnsureError:
                continue
            return ChaosCall(tool.name, self._json(arguments), None, "made")
        return None

    def broken_call(self, tools: Sequence[ToolSchema]) -> ChaosCall:
        """A call that cannot run, whatever the tool is."""
        ways: tuple[Way, ...] = (
            self._unknown,
            self._malformed,
            self._truncated,
            self._misfit,
            self._trimmed,
        )
        for way in self._random.choices(ways, WEIGHTS, k=3) if tools else ():
            call = way(tools)
            if call is not None:
                return call
        return self._unknown(tools)

    def _unknown(self, tools: Sequence[ToolSchema]) -> ChaosCall:
        how, name = unknown_name([tool.name for tool in tools], self._random)
        text = self._json(self._rich(self._random.choice(tools) if tools else None))
        if self._random.random() < 0.3:
            text = chaos_text.truncated(text, self._random)
        return ChaosCall(name, text, ErrorKind.UNKNOWN_TOOL, how)

    def _malformed(self, tools: Sequence[ToolSchema]) -> ChaosCall:
        tool = self._random.choice(tools)
        how, text = chaos_text.malformed(self._rich(tool), self._random)
        return ChaosCall(tool.name, text, ErrorKind.MALFORMED_ARGUMENTS, how)

    def _truncated(self, tools: Sequence[ToolSchema]) -> ChaosCall:
        tool = self._random.choice(tools)
        text = chaos_text.truncated(self._json(self._rich(tool)), self._random)
        return ChaosCall(tool.name, text, ErrorKind.TRUNCATED_ARGUMENTS, "cut")

    def _misfit(self, tools: Sequence[ToolSchema]) -> ChaosCall | None:
        """Arguments that are an object, and do not fit the schema."""
        for tool in self._shuffled(tools):
            try:
                how, arguments = Misfits(Schema(tool.parameters, self._random)).one()
            except UnsureError:
                continue
            return ChaosCall(tool.name, self._json(arguments), ErrorKind.SCHEMA_VIOLATION, how)
        return None

    def _trimmed(self, tools: Sequence[ToolSchema]) -> ChaosCall | None:
        """A call of a tool that writes, with the marker that stands for a text left out."""
        for tool in self._shuffled([tool for tool in tools if not tool.read_only]):
            schema = Schema(tool.parameters, self._random)
            places = schema.texts()
            if not places:
                continue
            marker = trim_marker(self._random.randrange(1_000, 99_999), "notes.txt")
            arguments = schema.example(strict=False)
            arguments[self._random.choice(places)] = f"before {marker} after"
            return ChaosCall(tool.name, self._json(arguments), ErrorKind.TRIMMED_MARKER, "marker")
        return None

    def _rich(self, tool: ToolSchema | None) -> dict[str, Any]:
        """An object that begins like the tool's arguments, with all that JSON has."""
        own = {} if tool is None else Schema(tool.parameters, self._random).example(strict=False)
        return own | chaos_text.rich(self._random)

    def _json(self, value: Any) -> str:
        ways: tuple[dict[str, Any], ...] = (
            {},
            {"indent": 2},
            {"separators": (",", ":")},
            {"ensure_ascii": False},
        )
        return json.dumps(value, **self._random.choice(ways))

    def _shuffled(self, things: Sequence[ToolSchema]) -> list[ToolSchema]:
        return self._random.sample(things, len(things))
