"""Values to JSON and back, driven by the dataclasses themselves.

A value whose class has a `kind` is tagged with it; fields at their default are left out; a field
that the class does not know is ignored, so that a newer log can be read. Decoding a union picks
the class by its tag. Nothing here validates beyond shape: settings and tool arguments, which come
from people and models, go through pydantic instead.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
Decoder = Callable[[Any], Any]


# Kinds that hold what this version does not know; they are written as they were read.
KEPT_AS_READ = ("other", "unknown")


class CodecError(ValueError):
    """The JSON value has not the shape of the class."""


def to_json(value: Any) -> Any:
    """A JSON value (dicts, lists, strings, numbers) for `value`."""
    if is_dataclass(value) and not isinstance(value, type):
        return _encode_dataclass(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def _encode_dataclass(value: Any) -> dict[str, Any]:
    cls = type(value)
    kind = getattr(cls, "kind", None)
    if kind in KEPT_AS_READ:
        return dict(value.data)
    out: dict[str, Any] = {} if kind is None else {"kind": kind}
    for name, default in _encoding_plan(cls):
        item = getattr(value, name)
        if default is not MISSING and item == default:
            continue
        out[name] = to_json(item)
    return out


@cache
def _encoding_plan(cls: Any) -> tuple[tuple[str, Any], ...]:
    plan = []
    for f in fields(cls):
        default = f.default
        if default is MISSING and f.default_factory is not MISSING:
            default = f.default_factory()
        plan.append((f.name, default))
    return tuple(plan)


def from_json(cls: type[T] | Any, data: Any) -> T:
    """The value of type `cls` that `data` describes.

    Raises:
        CodecError: `data` does not have that shape.
    """
    try:
        return typing.cast("T", _decoder(cls)(data))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CodecError(f"{getattr(cls, '__name__', cls)}: {error}") from error


@cache
def _decoder(hint: Any) -> Decoder:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if hint is Any:
        return lambda data: data
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if origin is typing.Literal:
        return _literal(arguments)
    if origin is tuple:
        element = _decoder(arguments[0])
        return lambda data: tuple(element(item) for item in _expect(data, list))
    if origin in (dict, Mapping):
        element = _decoder(arguments[1])
        return lambda data: {key: element(item) for key, item in _expect(data, dict).items()}
    if origin in (list, Sequence):
        element = _decoder(arguments[0])
        return lambda data: [element(item) for item in _expect(data, list)]
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if hint is float:
        return lambda data: float(_expect(data, (int, float)))
    return lambda data: _expect(data, hint)


def _expect(data: Any, cls: Any) -> Any:
    if not isinstance(data, cls) or (isinstance(data, bool) and cls in (int, (int, float))):
        raise TypeError(f"expected {cls}, got {type(data).__name__}")
    return data


def _literal(allowed: tuple[Any, ...]) -> Decoder:
    def decode(data: Any) -> Any:
        if data not in allowed:
            raise ValueError(f"{data!r} is none of {allowed}")
        return data

    return decode


def _union(members: tuple[Any, ...]) -> Decoder:
    tagged = {
        member.kind: member for member in members if isinstance(getattr(member, "kind", None), str)
    }
    plain = [m for m in members if m not in tagged.values() and m is not type(None)]
    optional = type(None) in members
    keeps_unknown = next((m for kind, m in tagged.items() if kind in KEPT_AS_READ), None)

    def decode(data: Any) -> Any:
        if data is None and optional:
            return None
        if isinstance(data, dict) and data.get("kind") in tagged:
            return _decoder(tagged[data["kind"]])(data)
        if keeps_unknown is not None and isinstance(data, dict):
            return keeps_unknown(data)
        for member in plain:
            try:
                return _decoder(member)(data)
            except (KeyError, TypeError, ValueError):
                continue
        raise TypeError(f"no member of the union fits {type(data).__name__}")

    return decode


def _dataclass(cls: type) -> Decoder:
    hints = typing.get_type_hints(cls)
    plan = [(f.name, _decoder(hints[f.name])) for f in fields(cls)]

    def decode(data: Any) -> Any:
        _expect(data, dict)
        return cls(**{name: decoder(data[name]) for name, decoder in plan if name in data})

    return decode
