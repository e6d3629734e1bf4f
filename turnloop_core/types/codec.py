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

# Values that JSON writes as they are. Exact types: an enum that is also a string is not one.
_PLAIN = frozenset({str, int, float, bool, type(None)})


class CodecError(ValueError):
    """The JSON value has not the shape of the class."""


def to_json(value: Any) -> Any:
    """A JSON value (dicts, lists, strings, numbers) for `value`."""
    cls = type(value)
    if cls in _PLAIN:
        return value
    if cls is tuple or cls is list:
        return [to_json(item) for item in value]
    if is_dataclass(cls):
        return _encode_dataclass(cls, value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def _encode_dataclass(cls: Any, value: Any) -> dict[str, Any]:
    kind, plan = _encoding_plan(cls)
    if kind in KEPT_AS_READ:
        return dict(value.data)
    out: dict[str, Any] = {} if kind is None else {"kind": kind}
    for name, default in plan:
        item = getattr(value, name)
        if default is not MISSING and item == default:
            continue
        out[name] = item if type(item) in _PLAIN else to_json(item)
    return out


@cache
def _encoding_plan(cls: Any) -> tuple[str | None, tuple[tuple[str, Any], ...]]:
    plan = []
    for f in fields(cls):
        default = f.default
        if default is MISSING and f.default_factory is not MISSING:
            default = f.default_factory()
        plan.append((f.name, default))
    return getattr(cls, "kind", None), tuple(plan)


def from_json(cls: type[T] | Any, data: Any) -> T:
    """The value of type `cls` that `data` describes.

    Raises:
        CodecError: `data` does not have that shape.
    """
    try:
        return typing.cast("T", _decoder(typing.cast("typing.Hashable", cls))(data))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
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
        return lambda data: tuple([element(item) for item in _expect(data, list)])
    if origin in (dict, Mapping):
        element = _decoder(arguments[1])
        return lambda data: {key: element(item) for key, item in _expect(data, dict).items()}
    if origin in (list, Sequence):
        element = _decoder(arguments[0])
        return lambda data: [element(item) for item in _expect(data, list)]
    if isinstance(hint, type) and is_dataclass(hint):
        return _dataclass(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum(hint)
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


def _enum(cls: type[Enum]) -> Decoder:
    members = {member.value: member for member in cls}

    def decode(data: Any) -> Any:
        try:
            return members[data]
        except KeyError:
            raise ValueError(f"{data!r} is no {cls.__name__}") from None

    return decode


def _union(members: tuple[Any, ...]) -> Decoder:
    kinds = {m.kind: m for m in members if isinstance(getattr(m, "kind", None), str)}
    # What was kept as read has its own tag, or none: it is never decoded field by field.
    tagged = {kind: member for kind, member in kinds.items() if kind not in KEPT_AS_READ}
    keeps_unknown = next((m for kind, m in kinds.items() if kind in KEPT_AS_READ), None)
    plain = [m for m in members if m not in kinds.values() and m is not type(None)]
    optional = type(None) in members
    decoders: dict[str, Decoder] = {}  # made as they are met: most programs meet few

    def decode(data: Any) -> Any:
        if data is None and optional:
            return None
        if isinstance(data, dict):
            kind = data.get("kind")
            if isinstance(kind, str) and kind in tagged:
                if kind not in decoders:
                    decoders[kind] = _decoder(tagged[kind])
                return decoders[kind](data)
            if keeps_unknown is not None:
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
    plan = {f.name: (hints[f.name], _decoder(hints[f.name])) for f in fields(cls)}

    def decode(data: Any) -> Any:
        values = {}
        for name, item in _expect(data, dict).items():
            if name in plan:
                hint, decoder = plan[name]
                # Most fields hold exactly what they say: a long log is read twice as fast so.
                values[name] = item if type(item) is hint else decoder(item)
        return cls(**values)

    return decode
