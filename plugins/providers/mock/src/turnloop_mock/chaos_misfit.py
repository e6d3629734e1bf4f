"""From a JSON Schema to values that surely do not fit it.

A tool may be more lenient than its schema: take numbers given as text, or null for what may be left
out. So what is made here is so wrong that no leniency helps: a list where a text belongs, a number
beyond its bound, a part that is missing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from turnloop_mock.chaos_schema import CONDITIONS, MAX_DEPTH, ODD, Schema, UnsureError

Fault = Callable[[], tuple[str, Any]]  # gives what is wrong, and a value that is wrong so

NONSENSE = "no such thing"
MAX_LONG = 5_000  # characters or items that are made to pass a bound
LISTS: tuple[Any, ...] = ([[]], [{"a": 1}])
OBJECT: Any = {NONSENSE: [1]}
# Type -> values that no lenient reading takes for it.
REFUSED: dict[str, tuple[Any, ...]] = {
    "string": (*LISTS, OBJECT),
    "integer": (*LISTS, OBJECT, NONSENSE),
    "number": (*LISTS, OBJECT, NONSENSE),
    "boolean": (*LISTS, OBJECT, NONSENSE),
    "array": (OBJECT, True, 7, NONSENSE),
    "object": (*LISTS, True, 7, NONSENSE),
    "null": (*LISTS, OBJECT, True, 7, NONSENSE),
}


class Misfits:
    """Makes arguments that do not fit."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._random = schema.random

    def one(self) -> tuple[str, dict[str, Any]]:
        """What is wrong, and an object of arguments that is wrong so.

        Raises:
            UnsureError: any object might do.
        """
        try:
            faults = self._in_object(self._schema.resolved(self._schema.root), 0)
            if faults:
                return self._random.choice(faults)()
        except ODD as error:
            raise UnsureError from error
        raise UnsureError

    def _faults(self, node: Any, depth: int) -> list[Fault]:
        """All ways in which a value can fail to fit a part of the schema."""
        node = self._schema.resolved(node)
        if depth > MAX_DEPTH // 2 or CONDITIONS & node.keys() or "allOf" in node:
            return []
        refused = self._refused(node)  # one of them, lest there be hardly anything else
        wrong = [partial(_fixed, "wrong type", self._random.choice(refused))] if refused else []
        branches = [self._schema.resolved(branch) for branch in self._schema.branches(node)]
        real = [branch for branch in branches if branch.get("type") != "null"]
        if branches:  # what breaks one of several might fit another
            return [*wrong, *(self._faults(real[0], depth) if len(real) == 1 else [])]
        if "const" in node or "enum" in node:
            return [*wrong, partial(_fixed, "not one of", NONSENSE)]
        match node.get("type"):
            case "integer" | "number":
                return [*wrong, *self._beyond(node)]
            case "string":
                return [*wrong, *_lengths(node, "minLength", "maxLength", "x")]
            case "array":
                return [*wrong, *self._in_array(node, depth)]
            case "object":
                return [*wrong, *self._in_object(node, depth)]
        return list(wrong)

    def _refused(self, node: dict[str, Any]) -> list[Any]:
        if branches := self._schema.branches(node):
            first, *others = (self._refused(self._schema.resolved(each)) for each in branches)
            return [value for value in first if all(value in other for other in others)]
        if "const" in node or "enum" in node:
            return [*LISTS, OBJECT]
        kind = node.get("type", "object" if "properties" in node else None)
        return list(REFUSED.get(str(kind), ()))

    def _in_object(self, node: dict[str, Any], depth: int) -> list[Fault]:
        """Faults that leave an object an object."""
        if CONDITIONS & node.keys():
            return []
        properties = node.get("properties", {})
        faults: list[Fault] = [
            partial(self._without, node, depth, name) for name in node.get("required", [])
        ]
        if node.get("additionalProperties") is False and NONSENSE not in properties:
            extra: Fault = partial(_fixed, "extra", 1)
            faults.append(partial(self._with, node, depth, NONSENSE, extra))
        for name, part in properties.items():
            found = self._faults(part, depth + 1)
            faults += [partial(self._with, node, depth, name, fault) for fault in found]
        return faults

    def _with(self, node: Any, depth: int, name: str, fault: Fault) -> tuple[str, Any]:
        how, value = fault()
        return how, self._whole(node, depth) | {name: value}

    def _without(self, node: Any, depth: int, name: str) -> tuple[str, Any]:
        whole = self._whole(node, depth)
        return "missing", {key: value for key, value in whole.items() if key != name}

    def _whole(self, node: Any, depth: int) -> dict[str, Any]:
        value = self._schema.value(node, depth, strict=False)
        return value if isinstance(value, dict) else {}

    def _in_array(self, node: dict[str, Any], depth: int) -> list[Fault]:
        if "prefixItems" in node:
            return []
        items = node.get("items", {})
        one = self._schema.value(items, depth + 1, strict=False)
        among = [partial(self._among, one, fault) for fault in self._faults(items, depth + 1)]
        # Where no item may come twice, many of one kind may count as one.
        most = "maxItems" if not node.get("uniqueItems") else ""
        return [*_lengths(node, "minItems", most, [one]), *among]

    def _among(self, one: Any, fault: Fault) -> tuple[str, Any]:
        how, value = fault()
        return how, self._random.choice(([value], [one, value], [value, one]))

    def _beyond(self, node: dict[str, Any]) -> list[Fault]:
        step = self._random.choice((1, 1_000, 10**12))
        values: list[Any] = [1.5] if node.get("type") == "integer" else []
        low, high = node.get("minimum"), node.get("maximum")
        # A step is lost on a float that is large enough.
        values += [low - step] if low is not None and low - step < low else []
        values += [high + step] if high is not None and high + step > high else []
        values += [node[key] for key in ("exclusiveMinimum", "exclusiveMaximum") if key in node]
        return [partial(_fixed, "out of range", value) for value in values]


def _fixed(how: str, value: Any) -> tuple[str, Any]:
    return how, copy.deepcopy(value)


def _lengths(node: dict[str, Any], least: str, most: str, unit: Any) -> list[Fault]:
    sizes = [node[least] - 1] if node.get(least, 0) > 0 else []
    sizes += [node[most] + 1] if node.get(most, MAX_LONG) < MAX_LONG else []
    return [partial(_fixed, "out of range", unit * size) for size in sizes]
