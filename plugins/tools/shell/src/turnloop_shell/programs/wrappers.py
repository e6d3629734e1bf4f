"""Programs that start the program named in their words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import code_text, dynamic, touch, unknown, worst
from turnloop_shell.programs.scan import Scan, scan, single
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Use
from turnloop_shell.programs.wrapper_tables import WRAPPERS, Wrapper
from turnloop_shell.programs.wrapper_tables_more import MORE
from turnloop_shell.syntax.words import Word

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NO_WORDS = frozenset(("help", "version", "h", "V"))


def wrapped(
    command: Command, wrapper: Wrapper, words: tuple[Word, ...] | None = None, called: str = ""
) -> Use:
    """What a wrapper does with `words`, by default all of the command's arguments."""
    called = called or command.name
    words = command.words[1:] if words is None else words
    front, behind = _divided(words) if wrapper.dashes else (words, None)
    found = scan(front, wrapper.short, wrapper.long, number=wrapper.number)
    files = found.values(*wrapper.writes)
    touches = (
        *touch("w", (word for word in files if _pipe(word) is None)),
        *touch("r", found.values(*wrapper.reads)),
    )
    texts = (*found.values(*wrapper.codes), *(p for p in map(_pipe, files) if p is not None))
    code = tuple(Code(code_text(text), f"what `{called}` runs") for text in texts)
    problem = found.problem and f"it cannot be told what `{called}` runs: {found.problem}"
    refused = next((o.name for o in found.options if o.name in wrapper.refuses), "")
    if refused and not problem:
        problem = f"its option `{refused}` makes `{called}` run something else"
    if problem:
        return dynamic(problem, code=code, touches=touches, runs=_guess(found))
    if found.has(*wrapper.ends):
        return Use(doubt=f"`{called}` acts on other processes or on the system", touches=touches)
    after = found.rest[wrapper.before :] if behind is None else behind
    if after and after[0].known and after[0].text == "--":
        after = after[1:]
    assigns, rest = split_assignments(after, wanted=wrapper.assigns)
    assigns = (*_sets(found.values(*wrapper.sets)), *assigns)
    if not all(single(word) for word in found.rest[: wrapper.before]):
        return dynamic(f"it cannot be told where the program of `{called}` stands", touches=touches)
    written = any(touched.writes for touched in touches)
    effect = worst(wrapper.effect, Effect.CHANGES) if written else wrapper.effect
    if not rest:
        if wrapper.alone or code or found.has(*_NO_WORDS):
            return Use(effect, code, touches=touches, doubt=wrapper.why)
        return dynamic(f"`{called}` starts a shell that reads what it runs")
    folders = found.values(*wrapper.folder)
    runs = Runs(
        rest, wrapper.plain, assigns, stdin=command.stdin, folder=folders[-1] if folders else None
    )
    return Use(effect, code, (runs,), touches, doubt=wrapper.why)


def _pipe(value: Word) -> Word | None:
    """`-o '|program'` and `-o '!program'`: the program that gets the output, None for a file.

    Not all programs take these for more than odd names of files; nobody calls a file so.
    """
    if value.prefix[:1] in ("|", "!"):
        return value.without(1)
    return value if not value.prefix and not value.known else None


def _divided(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...] | None]:
    """The words in front of `--` and behind it."""
    marks = [place for place, word in enumerate(words) if word.known and word.text == "--"]
    return (words[: marks[0]], words[marks[0] + 1 :]) if marks else (words, None)


def _guess(found: Scan) -> tuple[Runs, ...]:
    """The words from the first operand on as a program, so that deny rules see them too."""
    rest = found.rest
    while rest and rest[0].prefix.startswith("-"):
        rest = rest[1:]
    return (Runs(rest),) if rest and rest[0].known else ()


def split_assignments(
    words: tuple[Word, ...], *, wanted: bool = True
) -> tuple[tuple[tuple[str, Word], ...], tuple[Word, ...]]:
    """`NAME=value` words in front, and the rest."""
    assigns: list[tuple[str, Word]] = []
    place = 0
    while wanted and place < len(words):
        found = _ASSIGNMENT.match(words[place].prefix)
        if found is None:
            break
        assigns.append((found[1], words[place].without(found.end())))
        place += 1
    return tuple(assigns), words[place:]


def _sets(values: tuple[Word, ...]) -> tuple[tuple[str, Word], ...]:
    return tuple(pair for value in values for pair in split_assignments((value,))[0])


_SAME: Mapping[str, str] = MappingProxyType(
    {
        "proxychains4": "proxychains",
        "gtimeout": "timeout",
        "gnice": "nice",
        "gnohup": "nohup",
        "gstdbuf": "stdbuf",
        "gtime": "time",
        "linux32": "setarch",
        "linux64": "setarch",
        "i386": "setarch",
        "x86_64": "setarch",
        "sudo-rs": "sudo",
        "cross-env-shell": "cross-env",
        "fakeroot-sysv": "fakeroot",
    }
)
NAMES: frozenset[str] = frozenset((*WRAPPERS, *MORE, *_SAME))


def wrapper_use(command: Command) -> Use:
    name = _SAME.get(command.name, command.name)
    if name == "setarch" and command.name == "setarch":
        return _setarch(command)
    found = WRAPPERS.get(name) or MORE.get(name)
    return unknown(command.name) if found is None else wrapped(command, found)


def _setarch(command: Command) -> Use:
    """The architecture may stand in front of the options."""
    words = command.words[1:]
    if words and words[0].known and not words[0].text.startswith("-"):
        words = words[1:]
    return wrapped(command, WRAPPERS["setarch"], words)
