"""Value classes behave as the library's do, whatever is compiled when."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any, ClassVar

import pytest

from turnloop_core.values import dataclass


def made(decorator: Any) -> tuple[type, type]:
    @decorator(frozen=True, slots=True)
    class Plain:
        """A plain one."""

        kind: ClassVar[str] = "plain"
        a: int
        b: str = "b"
        c: tuple[int, ...] = ()
        d: dict[str, int] = field(default_factory=dict)

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("a is negative")

    @decorator(frozen=True, slots=True, kw_only=True)
    class Child(Plain):
        """One that inherits, with fields by name alone."""

        e: int = 5
        f: int = field(default=6, compare=False, repr=False)

    return Plain, Child


OURS = made(dataclass)
THEIRS = made(dataclasses.dataclass)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((1,), {}),
        ((1, "x"), {}),
        ((1,), {"d": {"k": 1}, "c": (1, 2)}),
        ((), {"a": 1}),
        ((), {}),
        ((1,), {"z": 1}),
        ((-1,), {}),
        ((1, "x", (), {}, 5, 6), {}),
        ((1,), {"e": 7, "f": 8}),
    ],
)
def test_they_are_made_alike(which: int, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    outcomes = []
    for cls in (OURS[which], THEIRS[which]):
        try:
            value = cls(*given, **named)
        except (TypeError, ValueError) as error:
            outcomes.append(type(error))
        else:
            outcomes.append((dataclasses.asdict(value), repr(value)))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("classes", [OURS, THEIRS])
def test_they_compare_and_hash_alike(classes: tuple[type, type]) -> None:
    plain, child = classes
    assert plain(1) == plain(1)
    assert plain(1) != plain(2)
    assert child(1, f=1) == child(1, f=2)
    assert plain(1) != child(1)
    assert plain(1) != 1
    with pytest.raises(TypeError):
        hash(plain(1))  # the dict in it

    @dataclass(frozen=True, slots=True)
    class Small:
        """With one field, which is not a tuple of one."""

        a: int

    assert hash(Small(1)) == hash(Small(1))
    assert len({Small(1), Small(1), Small(2)}) == 2


@pytest.mark.parametrize("classes", [OURS, THEIRS])
def test_they_cannot_be_changed_and_have_no_dict(classes: tuple[type, type]) -> None:
    value = classes[1](1)
    for name in ("a", "e", "new"):
        with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
            setattr(value, name, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.a
    assert not hasattr(value, "__dict__")


def test_they_match_replace_copy_and_pickle() -> None:
    plain, child = OURS
    match child(1, "x", e=9):
        case plain(a, b):
            assert (a, b) == (1, "x")
    assert dataclasses.replace(child(1), b="y", e=3) == child(1, "y", e=3)
    assert copy.deepcopy(child(1, c=(2,))) == child(1, c=(2,))
    value = Top(4)
    assert pickle.loads(pickle.dumps(value)) == value


@dataclass(frozen=True, slots=True)
class Top:
    """At the top of a module, where pickle finds it."""

    a: int


@pytest.mark.parametrize(
    "flags", [{"frozen": True, "slots": False}, {"frozen": False, "slots": True}]
)
def test_other_sorts_are_refused(flags: dict[str, bool]) -> None:
    with pytest.raises(TypeError):
        dataclass(**flags)
