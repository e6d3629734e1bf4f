"""The tables themselves: nothing in them contradicts itself, and no words break the reading."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_shell.programs.options import DANGER, Role, Spec, Subcommands, tables_of
from turnloop_shell.programs.reading import read_options
from turnloop_shell.programs.tables import SPECS, use_by_table
from turnloop_shell.programs.tables_making import spec
from turnloop_shell.programs.use import Command, Effect
from turnloop_shell.syntax.words import Literal, Variable, Word, plain


def specs_of(entry: Spec | Subcommands, seen: int = 0) -> Iterator[Spec]:
    assert seen < 6, "cases that lead back to themselves"
    if isinstance(entry, Subcommands):
        yield entry.options
        for inner in entry.specs.values():
            yield from specs_of(inner, seen + 1)
        for one in (entry.default, entry.bare):
            if one is not None:
                yield from specs_of(one, seen + 1)
        return
    yield entry
    for _, case in entry.cases:
        yield from specs_of(case, seen + 1)


def names_of(entry: Spec) -> set[str]:
    return {*entry.flags, *entry.long, *(name for table in tables_of(entry) for name in table)}


@pytest.mark.parametrize("program", sorted(SPECS))
def test_an_entry_does_not_contradict_itself(program: str) -> None:
    for entry in specs_of(SPECS[program]):
        names = [*entry.flags, *entry.long, *(name for t in tables_of(entry) for name in t)]
        assert sorted(names) == sorted({*names})
        for cases, case in entry.cases:
            assert cases - names_of(entry) == set()
            assert cases - names_of(case) == set()
        assert entry.unless - names_of(entry) == set()
        if entry.default is not None:
            assert entry.minimum > 0


def test_a_name_has_one_meaning() -> None:
    with pytest.raises(ValueError, match=r"two meanings: o x$"):
        spec("ox", text="o output", read="x")


def test_every_role_has_a_place_in_the_order_of_danger() -> None:
    assert set(DANGER) == {*Role, None}


def test_aliases_name_subcommands() -> None:
    for program, entry in SPECS.items():
        if isinstance(entry, Subcommands):
            missing = set(entry.aliases.values()) - set(entry.specs)
            assert (program, missing) == (program, set())


PARTS = st.one_of(
    st.builds(Literal, st.text("-abcoefxtICT=/.,:@+*?~ '$;|", max_size=6), st.booleans()),
    st.builds(Variable, st.just("x"), st.just("$x"), st.booleans()),
)
NAMES = sorted({name for entry in SPECS.values() for one in specs_of(entry)
                for name in names_of(one)})  # fmt: skip
SUBS = sorted({name for entry in SPECS.values() if isinstance(entry, Subcommands)
               for name in entry.specs})  # fmt: skip
WORDS = st.one_of(
    st.builds(lambda parts: Word(tuple(parts), "w"), st.lists(PARTS, max_size=3)),
    st.sampled_from(NAMES).map(lambda name: plain(f"-{name}" if len(name) == 1 else f"--{name}")),
    st.sampled_from(NAMES).map(lambda name: plain(f"--{name}=a;b")),
    st.sampled_from(["--", "-", "", "a", "../x", *SUBS]).map(plain),
)


@given(st.sampled_from(sorted(SPECS)), st.lists(WORDS, max_size=5))
@settings(max_examples=200, deadline=None)
def test_any_words_are_read(program: str, row: list[Word]) -> None:
    found = use_by_table(Command((plain(program), *row)))
    assert found is not None
    if found.dynamic or found.opaque:
        assert found.effect in (Effect.UNKNOWN, Effect.NETWORK)
    if found.effect in (Effect.NETWORK, Effect.UNKNOWN):
        assert found.doubt
    else:
        assert found.doubt == ""
    if found.effect is Effect.READS:
        assert not any(touch.writes for touch in found.touches)


@given(
    st.sampled_from(sorted(name for name, entry in SPECS.items() if isinstance(entry, Spec))),
    st.lists(WORDS, max_size=5),
)
@settings(max_examples=200, deadline=None)
def test_no_word_gets_lost(program: str, row: list[Word]) -> None:
    """Each word is an option, the value of one, or an operand."""
    entry = SPECS[program]
    assert isinstance(entry, Spec)
    found = read_options(row, entry)
    values = [option.value for option in found.options if option.value is not None]
    spent = [*found.operands, *values]
    for word in row:
        if word.prefix.startswith("-") and len(word.text) > 1:
            continue
        bundle = entry.bundled and word is row[0]
        name = any(option.name in entry.pairs for option in found.options)
        assert bundle or name or any(word is one or word == one for one in spent), word
