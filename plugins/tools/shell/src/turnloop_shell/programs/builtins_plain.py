"""Builtins that test, move, wait, look up: most of them inert."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, beyond, dynamic, one_of
from turnloop_shell.programs.names import assigned, is_name
from turnloop_shell.programs.use import Command, Effect, Runs, Use
from turnloop_shell.syntax.words import Literal, Variable, Word

_READS = Use(Effect.READS)
_INERT = Use(Effect.READS, inert=True)
_SHIFTS = Use(Effect.READS, inert=True, positional=True)
_HOME = Word((Literal("~"),), "~")
_BINARY = one_of("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef =~ -a -o")
_UNARY = frozenset((*(f"-{letter}" for letter in "abcdefghknoprstuwxzGLNOS"), "!", "("))
_NUMBERS = frozenset("?#$!")
_SUM = re.compile(r"[0-9+\-*/%<>=!&|^~() ]+")


def _test(command: Command) -> Use:
    words = command.words[1:]
    if command.name == "[" and words and words[-1].known and words[-1].text == "]":
        words = words[:-1]
    why = "`test -v` and `test -R` evaluate the subscript of the name that they get"
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else None
        if word.known and word.text in ("-v", "-R"):
            if after is not None and not is_name(after) and not after.text.isdigit():
                return dynamic(why)
        elif not word.known and _splits(word):
            return dynamic(f"`{word.source}` may become more than one word, and `-v` among them")
        elif not word.known and not word.prefix and after is not None:
            before = words[place - 1] if place else None
            if not _operand(before, after, len(words)):
                return dynamic(f"nobody knows whether `{word.source}` stands for an operator")
    return _INERT


def _splits(word: Word) -> bool:
    """It may become more than one word: not for `$?` and `$#`, which are numbers."""
    parts = (p for p in word.parts if not isinstance(p, Literal) and not p.quoted)
    return any(not isinstance(p, Variable) or p.name not in _NUMBERS for p in parts)


def _operand(before: Word | None, after: Word, count: int) -> bool:
    """A word that is not known, between these two, can only be an operand."""
    if after.known and after.text in _BINARY and (count == 3 or after.text not in ("-a", "-o")):
        return True
    if before is None or not before.known or before.text in ("!", "("):
        return False
    return before.text in _UNARY or before.text in _BINARY


def _let(command: Command) -> Use:
    if all(word.known and _SUM.fullmatch(word.text) for word in command.words[1:]):
        return _READS
    return dynamic("`let` evaluates its text, and the values of the variables in it")


def _cd(command: Command) -> Use:
    words = list(command.words[1:])
    while words and words[0].known and re.fullmatch(r"-[LPe@]+", words[0].text):
        del words[0]
    if words and words[0].known and words[0].text == "--":
        del words[0]
    elif words and words[0].prefix.startswith("-"):
        return Use(Effect.READS, folder_unknown=True)
    if not words:
        return Use(Effect.READS, inert=True, folder=_HOME)
    if len(words) > 1 or not words[0].known or words[0].text == "-":
        return Use(Effect.READS, folder_unknown=True)
    return Use(Effect.READS, inert=True, folder=words[0])


def _pushd(command: Command) -> Use:
    words = command.words[1:]
    plain = len(words) == 1 and words[0].known and words[0].text[:1] not in ("-", "+")
    if command.name == "pushd" and plain:
        return Use(Effect.READS, folder=words[0])
    return Use(Effect.READS, folder_unknown=True)


def _wait(command: Command) -> Use:
    words = command.words[1:]
    for place, word in enumerate(words):
        if not word.known and not word.prefix and _splits(word):
            return _READS
        if word.prefix.startswith("-") and "p" in word.prefix:
            glued = word.without(word.prefix.index("p") + 1)
            return assigned((glued,) if glued.text else words[place + 1 : place + 2], "wait -p")
    return _INERT


def _jobs(command: Command) -> Use:
    words = command.words[1:]
    if words and words[0].prefix.startswith("-") and "x" in words[0].prefix:
        return Use(Effect.READS, runs=(Runs(words[1:]),)) if words[1:] else _READS
    return _READS if all(word.known for word in words) else dynamic("`jobs` may run a program")


def _kill(command: Command) -> Use:
    words = command.words[1:]
    if words and words[0].known and words[0].text in ("-l", "-L", "--list"):
        return _READS
    return beyond("it ends or signals other processes")


def _coproc(command: Command) -> Use:
    runs = tuple(Runs(command.words[n:]) for n in (1, 2) if len(command.words) > n)
    return dynamic("it cannot be told which program of `coproc` runs", runs=runs)


PLAIN: Mapping[str, Handler] = MappingProxyType(
    {
        **dict.fromkeys((":", "true", "false", "exit", "return", "break", "continue", "logout"),
                        lambda _: _INERT),
        "shift": lambda _: _SHIFTS,
        **dict.fromkeys(("pwd", "type", "help", "dirs", "times", "fg", "bg", "disown", "caller",
                         "ulimit", "umask", "which", "whence", "where"), lambda _: _READS),
        "test": _test,
        "[": _test,
        "let": _let,
        "cd": _cd,
        "chdir": _cd,
        "pushd": _pushd,
        "popd": _pushd,
        "wait": _wait,
        "jobs": _jobs,
        "kill": _kill,
        "suspend": lambda _: beyond("it stops the shell"),
        "coproc": _coproc,
    }
)  # fmt: skip
