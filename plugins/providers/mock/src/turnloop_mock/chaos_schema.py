"""From a JSON Schema to values that fit it.

What is told of a tool is less than what the tool checks: it may have rules of its own. So an
example has only what is required, and where the schema does not tell for sure there is none.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from random import Random
from typing import Any

from turnloop_mock.chaos_text import WORDS

MAX_DEPTH = 6
CONDITIONS = frozenset(
    {"not", "if", "dependentRequired", "dependentSchemas", "minProperties", "propertyNames"}
)

# What comes of reading a schema that is none: tools come from strangers too.
ODD = (TypeError, ValueError, AttributeError, KeyError)


class UnsureError(Exception):
    """The schema does not tell for sure."""


class Schema:
    """The schema of a tool's arguments.

    Args:
        parameters: the schema, an object schema.
        random: chooses.
    """

    def __init__(self, parameters: Mapping[str, Any], random: Random) -> None:
        self.root = parameters
        self.random = random

    def example(self, *, strict: bool = True) -> dict[str, Any]:
        """Arguments that fit. Where they need not fit for sure (`strict` is False), what cannot be
        known is filled with anything.

        Raises:
            UnsureError: the schema does not tell what fits.
        """
        try:
            value = self.value(self.root, 0, strict)
        except ODD as error:
            raise UnsureError from error
        if isinstance(value, dict):
            return value
        if strict:
            raise UnsureError
        return {}

    def texts(self) -> list[str]:
        """Names of the arguments that are texts."""
        properties = self.resolved(self.root).get("properties")
        parts = properties.items() if isinstance(properties, Mapping) else ()
        return sorted(name for name, part in parts if self.resolved(part).get("type") == "string")

    def resolved(self, node: Any) -> dict[str, Any]:
        """The node itself, where it refers to another one."""
        for _ in range(MAX_DEPTH):
            if not isinstance(node, Mapping):
                return {}
            only = node.get("allOf")
            if isinstance(only, list) and len(only) == 1:
                node = only[0]
            elif isinstance(node.get("$ref"), str):
                node = self._pointed(node["$ref"])
            else:
                break
        return dict(node)

    def _pointed(self, ref: str) -> Any:
        node: Any = self.root
        for part in ref.removeprefix("#/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            node = node.get(key, {}) if isinstance(node, Mapping) else {}
        return node

    def branches(self, node: dict[str, Any]) -> list[Any]:
        """The ways to fit, where there are several."""
        kind = node.get("type")
        if isinstance(kind, list):
            return [node | {"type": one} for one in kind]
        found = node.get("anyOf") or node.get("oneOf") or []
        return list(found) if isinstance(found, list) else []

    def value(self, node: Any, depth: int, strict: bool) -> Any:
        """A value that fits a part of the schema; see `example`."""
        node = self.resolved(node)
        try:
            return self._sure_example(node, depth, strict)
        except (UnsureError, *ODD):
            if strict:
                raise
            return "anything"

    def _sure_example(self, node: dict[str, Any], depth: int, strict: bool) -> Any:
        if depth > MAX_DEPTH or CONDITIONS & node.keys() or "allOf" in node:
            raise UnsureError
        if "const" in node:
            return copy.deepcopy(node["const"])
        if node.get("enum"):
            return copy.deepcopy(self.random.choice(node["enum"]))
        if branches := self.branches(node):
            return self._one_branch(branches, depth, strict)
        match node.get("type", "object" if "properties" in node else None):
            case "null":
                return None
            case "boolean":
                return self.random.random() < 0.5
            case "integer" | "number":
                return self._number(node)
            case "string":
                return self._string(node)
            case "array":
                return self._array(node, depth, strict)
            case "object":
                return self._object(node, depth, strict)
        raise UnsureError

    def _one_branch(self, branches: list[Any], depth: int, strict: bool) -> Any:
        # Deep down the simple ways come first, or a tree would grow without an end.
        simple = depth > MAX_DEPTH // 2
        order = self.random.sample(branches, len(branches))
        order.sort(key=lambda b: simple and self.resolved(b).get("type") in (None, "object"))
        for branch in order:
            try:
                return self._sure_example(self.resolved(branch), depth + 1, strict)
            except UnsureError:
                continue
        raise UnsureError

    def _number(self, node: dict[str, Any]) -> int:
        if "multipleOf" in node:
            raise UnsureError
        low = max(node.get("minimum", -(10**9)), node.get("exclusiveMinimum", -(10**9)) + 1)
        high = min(node.get("maximum", 10**9), node.get("exclusiveMaximum", 10**9) - 1)
        low, high = int(-(-low // 1)), int(high // 1)
        if low > high:
            raise UnsureError
        # Without bounds a small number is what most tools mean.
        start = max(low, 1) if high >= 1 else low
        return self.random.randint(start, min(high, start + 9))

    def _string(self, node: dict[str, Any]) -> str:
        if {"pattern", "format", "contentEncoding", "contentMediaType"} & node.keys():
            raise UnsureError
        least, most = node.get("minLength", 0), node.get("maxLength", 10**6)
        text = f"{self.random.choice(WORDS)}-{self.random.randrange(1_000)}"
        text = text if len(text) >= least else text + "x" * (least - len(text))
        text = text[:most]
        if len(text) < least or (most and not text.strip()):
            raise UnsureError
        return text

    def _array(self, node: dict[str, Any], depth: int, strict: bool) -> list[Any]:
        if {"prefixItems", "contains"} & node.keys():
            raise UnsureError
        least, most = node.get("minItems", 0), node.get("maxItems", 2)
        if node.get("uniqueItems") and least > 1:
            raise UnsureError
        wanted = least if depth > MAX_DEPTH // 2 else max(least, self.random.randrange(3))
        wanted = min(wanted, 1) if node.get("uniqueItems") else wanted
        return [
            self.value(node.get("items", {}), depth + 1, strict) for _ in range(min(wanted, most))
        ]

    def _object(self, node: dict[str, Any], depth: int, strict: bool) -> dict[str, Any]:
        properties = node.get("properties", {})
        required = node.get("required", [])
        if any(name not in properties for name in required):
            raise UnsureError
        return {name: self.value(properties[name], depth + 1, strict) for name in required}
