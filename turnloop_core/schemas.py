"""What the model is told of tools: descriptions in one of three lengths, and schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from turnloop_core.loop.parts import Model, Toolbox
from turnloop_core.ports.tool import Tool, Verbosity
from turnloop_core.remembered import RememberedTool, Told
from turnloop_core.types.subjects import PermissionMode
from turnloop_core.types.view import ToolSchema

TERSE_UP_TO = 65_536  # tokens of window; below it every token of a description is felt


def verbosity(wanted: Iterable[str], model: Model) -> Verbosity:
    """The first of `wanted` that says something; `auto` is terse in a small window."""
    said = next((w for w in wanted if w), "auto")
    if said == "auto":
        return "terse" if model.capabilities.max_context <= TERSE_UP_TO else "normal"
    return said  # type: ignore[return-value]  # settings allow only these


def schemas(tools: Toolbox, length: Verbosity, mode: PermissionMode) -> tuple[ToolSchema, ...]:
    """What the model is told of the tools. In plan mode, only of those that it can use there."""
    return tuple(
        ToolSchema(
            offered.entry.name,
            offered.tool.descriptions.at(length),
            told_of(told(offered.tool).schema, length),
            offered.entry.bulk_args,
            offered.entry.read_only,
        )
        for offered in tools
        if mode is not PermissionMode.PLAN or offered.entry.offered_in_plan
    )


def told(tool: Tool) -> Told:
    if isinstance(tool, RememberedTool):
        return Told(tool.descriptions, tool.schema)
    return Told(tool.descriptions, schema_of(tool.arguments))


def schema_of(arguments: type[Any]) -> dict[str, Any]:
    """JSON Schema of a tool's arguments, without the titles that repeat the names."""
    schema: dict[str, Any] = arguments.model_json_schema()
    stripped: dict[str, Any] = _without(schema, frozenset({"title"}))
    stripped.pop("description", None)  # the docstring of the model is not for the model
    return stripped


def told_of(schema: dict[str, Any], length: Verbosity) -> dict[str, Any]:
    """What the model is told of a schema: without what it does not need in order to call.

    That nothing else is allowed, and how long a value may be, is said by the error, should a model
    try. Terse leaves out the words on each argument and the defaults: names and types speak for
    themselves. Verbose keeps the lengths; normal, only those defaults that say something.
    """
    dropped = {"additionalProperties"}
    if length != "verbose":
        dropped |= {"maxLength", "maxItems"}
    if length == "terse":
        dropped |= {"description", "default"}
    told: dict[str, Any] = _without(schema, frozenset(dropped), empty=length != "normal")
    return told


def _without(node: Any, dropped: frozenset[str], *, names: bool = False, empty: bool = True) -> Any:
    """A schema without the keywords of `dropped`.

    Args:
        node: the schema, or a part of it.
        dropped: keywords to leave out.
        names: the keys of this dict are names of properties, not keywords.
        empty: keep a default that is empty, false or 0: what anyone would expect.
    """
    if isinstance(node, dict):
        return {
            key: _without(
                value, dropped, names=key in ("properties", "$defs") and not names, empty=empty
            )
            for key, value in node.items()
            if names or (key not in dropped and (empty or key != "default" or value))
        }
    if isinstance(node, list):
        return [_without(item, dropped, empty=empty) for item in node]
    return node
