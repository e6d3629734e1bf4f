"""The quick way for settings that are plainly right, which are nearly all.

`check.py` asks pydantic, whose import takes as long as the rest of a start. Where a section's type
is an ordinary dataclass, and the data has only its keys and exactly its types, the object can be
made without it. In every other case the answer is "do not know", and pydantic decides and words
the error.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from turnloop_core.types.codec import CodecError, from_json

_ATOMS = (str, int, float, bool, type(None))


class _NotPlainError(Exception):
    """The type, or the data, is one that pydantic must look at."""


def plainly(cls: Any, data: Any) -> Any | None:
    """An object of type `cls` for `data`, None where it takes more to know.

    Args:
        cls: any type that pydantic can check.
        data: JSON values.
    """
    if not (isinstance(cls, type) and is_dataclass(cls)):
        return None
    try:
        _keys_are_known(cls, data)
        return from_json(cls, data)
    except (_NotPlainError, CodecError):
        return None


def _keys_are_known(hint: Any, data: Any) -> None:
    """Raise unless every object in `data` has only keys of the dataclass that stands there."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints(hint)
        if not isinstance(data, dict) or not data.keys() <= hints.keys():
            raise _NotPlainError
        for key, value in data.items():
            _keys_are_known(hints[key], value)
    elif origin in (tuple, list, Sequence) and isinstance(data, list):
        for item in data:
            _keys_are_known(arguments[0], item)
    elif origin in (dict, Mapping) and isinstance(data, dict):
        for item in data.values():
            _keys_are_known(arguments[1], item)
    elif origin in (typing.Union, types.UnionType):
        if any(is_dataclass(member) for member in arguments):
            raise _NotPlainError
    elif origin not in (None, typing.Literal) and not isinstance(data, _ATOMS):
        raise _NotPlainError


@cache
def _hints(cls: type) -> dict[str, Any]:
    """Field name -> type, for a dataclass without anything of pydantic's in it."""
    if hasattr(cls, "__pydantic_validator__") or hasattr(cls, "__pydantic_config__"):
        raise _NotPlainError
    hints = typing.get_type_hints(cls, include_extras=True)
    for f in fields(cls):
        if typing.get_origin(hints[f.name]) is typing.Annotated:
            raise _NotPlainError
        if not f.init or type(f.default).__module__.startswith("pydantic"):
            raise _NotPlainError
    return {f.name: hints[f.name] for f in fields(cls)}
