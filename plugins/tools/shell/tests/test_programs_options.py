"""Reading of options: the same ones in any spelling, and words that nobody knows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from program_lines import codes, reads, started, words, writes

from turnloop_shell.programs.meaning import use_by_spec
from turnloop_shell.programs.options import Given, Role, Spec
from turnloop_shell.programs.reading import read_options
from turnloop_shell.programs.use import Command, Effect, Use
from turnloop_shell.syntax.words import Word, plain

SPEC = Spec(
    flags="uv",
    long=frozenset({"unique", "verbose", "version"}),
    values={
        "o": Role.OUTPUT,
        "output": Role.OUTPUT,
        "k": Role.TEXT,
        "key": Role.TEXT,
        "f": Role.READ,
        "files-from": Role.READ,
        "filter": Role.CODE,
        "pre": Role.PROGRAM,
        "pre-glob": Role.TEXT,
    },
    optional={"w": Role.TEXT, "color": Role.TEXT},
)


def read(line: str, spec: Spec = SPEC) -> Given:
    return read_options(words(f"x {line}")[1:], spec)


def told(line: str, spec: Spec = SPEC) -> tuple[list[str], list[str], bool]:
    """Options as `name` or `name=value`, operands, and whether all is known."""
    found = read(line, spec)
    options = [
        option.name if option.value is None else f"{option.name}={option.value.text}"
        for option in found.options
    ]
    return options, [word.text for word in found.operands], found.known


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-uo/tmp/x a", (["u", "o=/tmp/x"], ["a"], True)),
        ("-uo /tmp/x a", (["u", "o=/tmp/x"], ["a"], True)),
        ("a -u b -o x", (["u", "o=x"], ["a", "b"], True)),
        ("--output=x --output y", (["output=x", "output=y"], [], True)),
        ("--out=x --outp y", (["output=x", "output=y"], [], True)),
        ("--pre=x --pre-g y", (["pre=x", "pre-glob=y"], [], True)),
        ("-- -u --output=x", ([], ["-u", "--output=x"], True)),
        ("a -- -u -- b", ([], ["a", "-u", "--", "b"], True)),
        ("- a", ([], ["-", "a"], True)),
        ("'' a", ([], ["", "a"], True)),
        ("-o -- -u", (["o=--", "u"], [], True)),
        ("-o", (["o"], [], True)),
        ("-w8 a -w b", (["w=8", "w"], ["a", "b"], True)),
        ("--color a --color=always", (["color", "color=always"], ["a"], True)),
        ("-o= a", (["o=="], ["a"], True)),
        ("--output= a", (["output="], ["a"], True)),
        ("-'u' \"--uniq\"ue", (["u", "unique"], [], True)),
        ("-zo/tmp/x", (["z=o/tmp/x", "o=/tmp/x"], [], False)),
        ("--new -u", (["new", "u"], [], False)),
        ("--new=1 a", (["new=1"], ["a"], False)),
        # Of two options that it may be short for, the one that runs something counts.
        ("--fil=x", (["filter=x"], [], False)),
        ("--ver", (["verbose"], [], False)),
    ],
)
def test_spellings(line: str, expected: tuple[list[str], list[str], bool]) -> None:
    assert told(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("$x", ([], ["$x"], False)),
        ('"$x"', ([], ["$x"], False)),
        ("src/$x ./*", ([], ["src/$x", "./*"], True)),
        ("-- $x *", ([], ["$x", "*"], True)),
        ("-o $x", (["o=$x"], [], False)),
        ('-o "$x"', (["o=$x"], [], True)),
        ("-o$x", (["o=$x"], [], True)),
        ("--output=$x", (["output=$x"], [], True)),
        ("-u$x", (["u", "=$x"], [], False)),
        ("--out$x", (["out"], [], False)),
        ("-$x", ([""], [], False)),
        ("*.py", ([], ["*.py"], False)),  # a file may be called `--filter=x.py`
    ],
)
def test_words_that_nobody_knows(line: str, expected: tuple[list[str], list[str], bool]) -> None:
    options, operands, known = expected
    found, rest, sure = told(line)
    assert ([name.split("=")[0] for name in found], rest, sure) == (
        [name.split("=")[0] for name in options],
        operands,
        known,
    )


@pytest.mark.parametrize(
    ("spec", "line", "known"),
    [
        (Spec(flags="l"), "$x *.py *", True),  # nothing that any option of it could do
        (Spec(effect=Effect.CHANGES), "$x", False),
        (Spec(values={"pre": Role.PROGRAM}), "*.py", True),  # no program has such a name
        (Spec(values={"pre": Role.PROGRAM}), "*", False),
        (Spec(values={"f": Role.READ}), "*", True),
        (Spec(values={"f": Role.READ}), "$x", False),
        (Spec(values={"to": Role.CODE}), "a* ./*", True),
        (Spec(values={"to": Role.CODE}), "[-]x", False),
    ],
)
def test_what_an_unknown_word_may_do_depends_on_the_program(
    spec: Spec, line: str, known: bool
) -> None:
    assert read(line, spec).known is known


def test_kinds_of_programs() -> None:
    assert told("xf a.tar b", Spec(flags="x", values={"f": Role.READ}, bundled=True)) == (
        ["x", "f=a.tar"],
        ["b"],
        True,
    )
    assert told("-5 -u a", Spec(flags="u", numbers=True)) == (["5", "u"], ["a"], True)
    go = Spec(values={"exec": Role.PROGRAM, "v": Role.TEXT}, single_dash=True, shortened=False)
    assert told("-exec x --exec=y -exec=z a", go) == (["exec=x", "exec=y", "exec=z"], ["a"], True)
    assert told("-u a -v", Spec(flags="uv", stops=True)) == (["u"], ["a", "-v"], True)
    assert told("-u -- $x", Spec(literal=True)) == ([], ["-u", "--", "$x"], True)
    assert told("--ex x", Spec(values={"exec": Role.PROGRAM}, shortened=False)) == (
        ["ex"],
        ["x"],
        False,
    )
    pair = Spec(pairs={"arg": Role.TEXT, "rawfile": Role.READ})
    assert told("--arg a b --rawfile c d e", pair) == (["arg=b", "rawfile=d"], ["e"], True)
    zipping = Spec(flags="rT", values={"TT": Role.CODE}, single_dash=True)
    assert told("-rTTid -TT x -T", zipping) == (["r", "TT=id", "TT=x", "T"], [], True)


def test_options_that_only_run_the_projects_code() -> None:
    spec = Spec(effect=Effect.PROJECT, lenient=True)
    assert told("--new 3 -q", spec) == (["new", "q"], ["3"], True)
    assert told("--new $x", spec)[2] is False
    for outside in ("--new=/etc/x", "--new=../x", "--new=~/x", "-n/etc/x", "--new=a:/etc"):
        found = use_by_spec(Command(words(f"x {outside}")), spec)
        assert (found.effect, bool(found.doubt)) == (Effect.UNKNOWN, True), outside


# --- The same in any spelling -------------------------------------------------------------------

FULL = Spec(
    flags="uv",
    long=frozenset({"unique", "verbose"}),
    values={
        **dict.fromkeys(("o", "output"), Role.WRITE),
        **dict.fromkeys(("f", "files"), Role.READ),
        **dict.fromkeys(("k", "key"), Role.TEXT),
        **dict.fromkeys(("c", "command"), Role.CODE),
        **dict.fromkeys(("p", "pager"), Role.PROGRAM),
        **dict.fromkeys(("d", "deep"), Role.WRITE_DEEP),
    },
    last=Role.WRITE,
)
LONG = {"o": "output", "f": "files", "k": "key", "c": "command", "p": "pager", "d": "deep"}
FLAGS = {"u": "unique", "v": "verbose"}
VALUES = st.sampled_from(["a.txt", "/tmp/x", "../y", "run", "a=b"])
OPTIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(LONG)), VALUES),
        st.tuples(st.sampled_from(sorted(FLAGS)), st.none()),
    ),
    max_size=5,
)
OPERANDS = st.lists(VALUES, max_size=3)


def one_spelling(options: list[tuple[str, str | None]], operands: list[str]) -> list[str]:
    """Everything short and apart, operands behind `--`."""
    row: list[str] = []
    for letter, value in options:
        row += [f"-{letter}"] if value is None else [f"-{letter}", value]
    return [*row, "--", *operands]


@st.composite
def another_spelling(
    draw: st.DrawFn, options: list[tuple[str, str | None]], operands: list[str]
) -> list[str]:
    """Clustered, glued, long, shortened, mixed with operands."""
    row: list[str] = []
    left = list(operands)
    cluster = "-"
    for letter, value in options:
        name = (LONG | FLAGS)[letter]
        short = name[: draw(st.integers(1 if name[0] == letter else 2, len(name)))]
        way = draw(st.sampled_from(["cluster", "glued", "apart", "equals"]))
        if value is None:
            cluster = cluster + letter if way == "cluster" else cluster
            row += [] if way == "cluster" else [f"--{short}"]
            continue
        if way in ("cluster", "glued"):
            row.append(f"{cluster}{letter}{value}")
            cluster = "-"
        elif way == "equals":
            row.append(f"--{short}={value}")
        else:
            row += [f"--{short}", value]
        if left and draw(st.booleans()):
            row.append(left.pop(0))
    if cluster != "-":
        row.append(cluster)
    return [*row, *left]


def use_of_words(row: list[str]) -> Use:
    return use_by_spec(Command((plain("x"), *map(plain, row))), FULL)


def facts(found: Use) -> tuple[object, ...]:
    touches = {(t.word.text, t.writes, t.deep, t.reads) for t in found.touches}
    return touches, set(started(found)), set(codes(found)), bool(found.dynamic)


@given(st.data(), OPTIONS, OPERANDS)
@settings(max_examples=200, deadline=None)
def test_any_spelling_means_the_same(
    data: st.DataObject, options: list[tuple[str, str | None]], operands: list[str]
) -> None:
    plainly = use_of_words(one_spelling(options, operands))
    assert plainly.effect is not Effect.UNKNOWN
    other = use_of_words(data.draw(another_spelling(options, operands)))
    assert (facts(other), other.effect) == (facts(plainly), plainly.effect)


@given(st.data(), OPTIONS, OPERANDS)
@settings(max_examples=200, deadline=None)
def test_options_that_are_not_known_take_nothing_away(
    data: st.DataObject, options: list[tuple[str, str | None]], operands: list[str]
) -> None:
    row: list[str] = []
    for part in options:
        row += [f"--{(LONG | FLAGS)[part[0]]}" + ("" if part[1] is None else f"={part[1]}")]
        row += data.draw(st.lists(st.sampled_from(["--new", "--new=1", "-z", "-zu"]), max_size=1))
    row += [*operands, data.draw(st.sampled_from(["--new", "-zv", "--new=2"]))]
    sure, found = use_of_words(one_spelling(options, operands)), use_of_words(row)
    assert found.effect is Effect.UNKNOWN
    assert found.doubt
    assert set(reads(sure)) <= set(reads(found))
    assert set(writes(sure)) <= set(writes(found))
    assert set(started(sure)) <= set(started(found))
    assert set(codes(sure)) <= set(codes(found))


def test_a_word_keeps_what_is_not_known_of_it() -> None:
    found: Word | None = read("--output=$x/y").options[0].value
    assert found is not None
    assert (found.text, found.known) == ("$x/y", False)
