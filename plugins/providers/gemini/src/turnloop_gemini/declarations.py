"""Tools as function declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnloop_core.api import ToolSchema

DEFINITIONS = ("$defs", "definitions")
MOST_NODES = 10_000  # far more than a tool has; one that others wrote may refer without end


def declaration(tool: ToolSchema) -> dict[str, Any]:
    """A tool as the wire wants it.

    The schema goes into `parametersJsonSchema`, which takes JSON Schema; the older `parameters`
    refuses the whole request for a keyword that it does not know. A function without parameters
    has no schema.
    """
    declared: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("properties") or "$ref" in tool.parameters:
        declared["parametersJsonSchema"] = json_schema(tool.parameters)
    return declared


def json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with the definitions put in where they are referred to.

    The server lets nothing else stand beside a `$ref`, where schemas that are generated have a
    description or a default. A definition that holds itself stays one, and so do all of a schema
    that would grow out of bounds.
    """
    bare = {key: value for key, value in schema.items() if key not in ("$schema", *DEFINITIONS)}
    try:
        whole = _Inliner(schema).put_in(bare, ())
    except OverflowError:
        whole = bare
    made: dict[str, Any] = whole
    if _refers(made):
        made |= {key: schema[key] for key in DEFINITIONS if key in schema}
    return made


class _Inliner:
    """Puts the definitions of one schema in, within a bound."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._left = MOST_NODES

    def put_in(self, node: Any, inside: tuple[str, ...]) -> Any:
        """The node without references.

        Args:
            node: a schema, or a part of one.
            inside: the references that led here.

        Raises:
            OverflowError: the schema grows out of bounds.
        """
        self._left -= 1
        if self._left < 0:
            raise OverflowError("too many nodes")
        if isinstance(node, list):
            return [self.put_in(item, inside) for item in node]
        if not isinstance(node, Mapping):
            return node
        reference = node.get("$ref")
        if isinstance(reference, str):
            target = None if reference in inside else _target(reference, self._root)
            if target is None:
                return {"$ref": reference}
            beside = {key: value for key, value in node.items() if key != "$ref"}
            return self.put_in({**target, **beside}, (*inside, reference))
        return {key: self.put_in(value, inside) for key, value in node.items()}


def _target(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a reference within the schema points to; None when it points nowhere."""
    if not reference.startswith("#/"):
        return None
    node: Any = root
    for step in reference.removeprefix("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or name not in node:
            return None
        node = node[name]
    return node if isinstance(node, Mapping) else None


def _refers(node: Any) -> bool:
    if isinstance(node, list):
        return any(_refers(item) for item in node)
    if not isinstance(node, Mapping):
        return False
    return "$ref" in node or any(_refers(value) for value in node.values())
