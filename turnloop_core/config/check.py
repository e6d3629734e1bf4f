"""Settings against their types: what is wrong, in words that name the key and what was expected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from turnloop_core.config.models import CORE_KEYS, Settings
from turnloop_core.config.paths import KeyPath, dotted
from turnloop_core.config.plain import plainly
from turnloop_core.nearest import best
from turnloop_core.values import dataclass

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

_EXPECTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": "an object { ... }",
    "mapping_type": "an object { ... }",
    "model_type": "an object { ... }",
    "dataclass_type": "an object { ... }",
    "model_attributes_type": "an object { ... }",
    "none_required": "null",
}
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
_MISSING = ("missing", "missing_argument", "missing_keyword_only_argument")
# What may be wrong with a part of a section, and right once the other layers are laid over it.
INCOMPLETE = (*_MISSING, "value_error", "assertion_error", "union_tag_not_found")


@dataclass(frozen=True, slots=True)
class Issue:
    """Something wrong with a value.

    Attributes:
        path: the key.
        message: what is wrong; it shows no values but those of a closed set.
        hint: the nearest valid key or value.
        kind: pydantic's name for it.
    """

    path: KeyPath
    message: str
    hint: str = ""
    kind: str = ""


def check(cls: Any, data: Any, path: KeyPath = ()) -> tuple[Any, tuple[Issue, ...]]:
    """An object of type `cls` for `data`, or what is wrong with it.

    Unknown keys are wrong unless the type itself says what to do with them. Nothing is converted:
    `"40"` is no number.

    Args:
        cls: a dataclass, a pydantic model or any type that pydantic can check.
        data: JSON values.
        path: where `data` stands in the settings.

    Returns:
        The object and no issues, or None and at least one.
    """
    plain = plainly(cls, data)
    if plain is not None:
        return plain, ()
    from pydantic import ValidationError

    adapter = _adapter(cls)
    extra: Literal["forbid"] | None = None if _decides_on_extra(cls) else "forbid"
    try:
        value = adapter.validate_json(json.dumps(data), strict=True, extra=extra)
    except ValidationError as error:
        return None, _issues(adapter, error.errors(include_url=False), data, path)
    return value, ()


LEAST: Mapping[str, int] = {"max_iterations": 1, "thinking_cap": 0, "repetition_limit": 0}


def core_issues(data: Mapping[str, Any]) -> list[Issue]:
    """What is wrong with core's own settings among `data`."""
    _, issues = check(Settings, {key: data[key] for key in CORE_KEYS if key in data})
    found = list(issues)
    for name, least in LEAST.items():
        limit = data.get(name)
        if isinstance(limit, int) and not isinstance(limit, bool) and limit < least:
            found.append(Issue((name,), f"must be at least {least}"))
    return found


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _decides_on_extra(cls: Any) -> bool:
    config = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None) or {}
    return "extra" in config


def _issues(
    adapter: TypeAdapter[Any], errors: Sequence[ErrorDetails], data: Any, at: KeyPath
) -> tuple[Issue, ...]:
    by_path: dict[KeyPath, list[Issue]] = {}
    for error in errors:
        inner, value = _locate(error["loc"], data)
        issue = _issue(adapter, error, inner, value, at)
        by_path.setdefault(issue.path, []).append(issue)
    return tuple(_join(issues) for issues in by_path.values())


def _locate(loc: Sequence[str | int], data: Any) -> tuple[KeyPath, Any]:
    """The path in the data, without what pydantic adds for members of a union."""
    path: list[str | int] = []
    for part in loc:
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        )
        if inside:
            path.append(part)
            data = data[part]
    return tuple(path), data


def _issue(
    adapter: TypeAdapter[Any], error: ErrorDetails, inner: KeyPath, value: Any, at: KeyPath
) -> Issue:
    kind, path = error["type"], (*at, *inner)
    context = error.get("ctx", {})
    if kind in _UNKNOWN_KEY:
        known = sorted(set(_known_keys(adapter, inner[:-1])))
        return unknown_key(path, known, kind=kind)
    if kind in _MISSING:
        name = dotted((*path, error["loc"][-1]))
        return Issue(path, f"{name} is missing", kind=kind)
    if kind in ("literal_error", "enum") and isinstance(value, str):
        expected = str(context.get("expected", ""))
        near = best(value, [word.strip("' ") for word in expected.replace(" or ", ",").split(",")])
        hint = f'did you mean "{near}"?' if near else ""
        return Issue(path, f"expected {expected}, found {_short(value)}", hint, kind)
    if kind in _EXPECTED:
        return Issue(path, f"expected {_EXPECTED[kind]}, found {in_words(value)}", kind=kind)
    if "error" in context:
        return Issue(path, str(context["error"]), kind=kind)
    return Issue(path, error["msg"][:1].lower() + error["msg"][1:], kind=kind)


def unknown_key(path: KeyPath, known: Sequence[str], *, kind: str = _UNKNOWN_KEY[0]) -> Issue:
    """The issue for a key that nobody knows, with the nearest that somebody does."""
    near = best(str(path[-1]), known)
    hint = f"did you mean {dotted((*path[:-1], near))}?" if near else ""
    if not near and known:
        hint = f"known here: {', '.join(known)}"
    return Issue(path, "no setting is called so", hint, kind)


def _join(issues: Sequence[Issue]) -> Issue:
    """One issue for a value that fits no member of a union."""
    first = issues[0]
    if len(issues) == 1:
        return first
    messages = dict.fromkeys(issue.message for issue in issues)
    return Issue(first.path, "; or ".join(messages), first.hint, first.kind)


def in_words(value: Any) -> str:
    """What sort of value it is; never the value, which may be a secret."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    words = {int: "a number", float: "a number", str: "a text", list: "a list"}
    return words.get(type(value), "an object")


def _short(text: str) -> str:
    return f'"{text}"' if len(text) <= 20 and text.isprintable() else "another text"


def _known_keys(adapter: TypeAdapter[Any], path: KeyPath) -> Iterator[str]:
    from pydantic.errors import PydanticInvalidForJsonSchema

    try:
        schema = adapter.json_schema()
    except PydanticInvalidForJsonSchema:  # the type cannot be described: no suggestion then
        return
    for place in _descend(schema, schema, path):
        yield from place.get("properties", {})


def _descend(
    whole: Mapping[str, Any], schema: Mapping[str, Any], path: KeyPath
) -> Iterator[Mapping[str, Any]]:
    """The parts of a JSON Schema that describe what stands at `path`."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        yield from _descend(whole, whole["$defs"][name], path)
        return
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _descend(whole, branch, path)
    if not path:
        yield schema
        return
    step = path[0]
    inner = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
    if inner is None and isinstance(step, str):
        inner = schema.get("additionalProperties")
    if isinstance(inner, Mapping):
        yield from _descend(whole, inner, path[1:])
