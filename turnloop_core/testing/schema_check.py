"""What is wrong with a JSON Schema that is to be shown to a model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def schema_problems(schema: Mapping[str, Any]) -> list[str]:
    """Problems, one line each; empty when there are none."""
    problems = []
    if schema.get("type") != "object":
        problems.append(f"the schema's type is {schema.get('type')!r}, not object")
    try:
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError) as error:
        return [*problems, f"the schema is not JSON: {error}"]
    return [*problems, *_walk(schema, schema, "", ())]


def _walk(node: Any, root: Mapping[str, Any], place: str, inside: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _walk(item, root, place, inside)
    if not isinstance(node, dict):
        return
    reference = node.get("$ref")
    if reference is not None:
        if reference in inside:
            yield f"{place or 'the schema'} refers to itself ({reference}): it never ends"
            return
        target = _resolve(reference, root)
        if target is None:
            yield f"{place} refers to {reference}, which is not there"
        else:
            yield from _walk(target, root, place, (*inside, reference))
    for name, property_ in node.get("properties", {}).items():
        path = f"{place}.{name}" if place else name
        if not str(property_.get("description", "")).strip():
            yield f"{path} is not described"
        yield from _walk(property_, root, path, inside)
    for key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties", "prefixItems"):
        yield from _walk(node.get(key), root, place, inside)


def _resolve(reference: str, root: Mapping[str, Any]) -> Any:
    node: Any = root
    for part in reference.removeprefix("#/").split("/"):
        node = node.get(part) if isinstance(node, dict) else None
    return node
