"""Value classes that cost little to make.

`dataclasses.dataclass(frozen=True, slots=True)` writes and compiles up to nine functions for each
class: half a millisecond, two hundred times at every start, which was a third of the time to the
first request. Here fields, slots and match arguments are still the library's, by its public
functions. What differs is when code is compiled: `__eq__`, `__hash__` and `__repr__` are closures,
and `__init__` is compiled when the first instance is made, since most classes never have one in a
run. To a type checker this is `dataclasses.dataclass`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass as library, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False, repr: bool = True):  # noqa: A002
        """A value class: `frozen` and `slots` must be True, as for all values of turnloop."""
        if not (frozen and slots):
            raise TypeError("values are frozen and have slots; use dataclasses for others")

        def make(cls):
            # The library compiles `__setattr__` for frozen classes; it wants to where a base is.
            inherits = any(_is_frozen(base) for base in cls.__mro__[1:])
            made = library(
                cls,
                init=False,
                repr=False,
                eq=False,
                frozen=inherits,
                slots=True,
                kw_only=kw_only,
            )
            made.__dataclass_params__.frozen = True  # so that frozen classes may inherit from it
            return _finish(made, shown=repr)

        return make


def _is_frozen(cls: Any) -> bool:
    parameters = vars(cls).get("__dataclass_params__")
    return parameters is not None and parameters.frozen


def _finish(cls: Any, *, shown: bool) -> Any:
    names = tuple(f.name for f in fields(cls))
    compared = _getter(tuple(f.name for f in fields(cls) if f.compare))
    given = vars(cls)
    cls.__init__ = _first_init(cls)
    if shown and "__repr__" not in given:
        cls.__repr__ = _repr(tuple(f.name for f in fields(cls) if f.repr))
    if "__eq__" not in given:
        cls.__eq__ = _eq(compared)
        cls.__hash__ = lambda self: hash(compared(self))
    cls.__setattr__, cls.__delattr__ = _no_set, _no_delete
    cls.__getstate__, cls.__setstate__ = _state(names)
    return cls


def _getter(names: tuple[str, ...]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _eq(compared: Callable[[Any], Any]) -> Any:
    def __eq__(self: Any, other: object) -> Any:  # noqa: N807 - becomes the method
        if other.__class__ is self.__class__:
            return compared(self) == compared(other)
        return NotImplemented

    return __eq__


def _repr(names: tuple[str, ...]) -> Any:
    def __repr__(self: Any) -> str:  # noqa: N807 - becomes the method
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({inside})"

    return __repr__


def _no_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(names: tuple[str, ...]) -> tuple[Any, Any]:
    """For `pickle` and `copy`: slots have no `__dict__`, and the values are frozen."""

    def __getstate__(self: Any) -> list[Any]:  # noqa: N807 - becomes the method
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: list[Any]) -> None:  # noqa: N807 - becomes the method
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return __getstate__, __setstate__


def _first_init(cls: Any) -> Any:
    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: N807 - becomes the method
        cls.__init__ = made = _compiled_init(cls)
        made(self, *given, **named)

    return __init__


def _compiled_init(cls: Any) -> Any:
    """`__init__` with the signature that the library would give it."""
    names: dict[str, Any] = {"MISSING": MISSING, "_set": object.__setattr__}
    plain: list[str] = []
    keyword: list[str] = []
    body: list[str] = []
    for f in fields(cls):
        parameter, value = _parameter(f, names)
        if f.init:
            (keyword if f.kw_only else plain).append(parameter)
        if value:
            body.append(f"_set(self, {f.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ["self", *plain, *(["*", *keyword] if keyword else [])]
    source = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
    exec(source, names)  # noqa: S102 - as the library does, from the names of fields alone
    made = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _parameter(f: Field[Any], names: dict[str, Any]) -> tuple[str, str]:
    """How a field stands in the signature, and the expression that it is set to ("" for none)."""
    given = f"_given_{f.name}"
    if f.default_factory is not MISSING:
        names[given] = f.default_factory
        made = f"{given}()"
        return (
            f"{f.name}=MISSING",
            f"{made} if {f.name} is MISSING else {f.name}" if f.init else made,
        )
    if f.default is not MISSING:
        names[given] = f.default
        return f"{f.name}={given}", f.name if f.init else given
    return f.name, f.name if f.init else ""
