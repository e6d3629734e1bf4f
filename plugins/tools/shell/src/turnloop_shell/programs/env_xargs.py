"""`env` and `xargs`: the program's words come out of a text, or out of the input."""

from __future__ import annotations

import shlex
from dataclasses import replace

from turnloop_shell.programs.making import code_text, dynamic, touch
from turnloop_shell.programs.scan import Scan, scan, single
from turnloop_shell.programs.use import Command, Effect, Runs, Use
from turnloop_shell.programs.wrapper_tables import Wrapper
from turnloop_shell.programs.wrappers import split_assignments, wrapped
from turnloop_shell.syntax.words import Literal, Part, Unknown, Word, plain

_ENV = (
    "iu:0C:S:v",
    (
        "ignore-environment unset: null chdir: split-string: block-signal? default-signal? "
        "ignore-signal? list-signal-handling debug help version"
    ),
)
_XARGS = (
    "0a:d:E:e?I:i?J:L:l?n:oP:prR:S:s:tx",
    (
        "null arg-file: delimiter: eof? replace? max-lines? max-args: open-tty max-procs: "
        "interactive "
        "process-slot-var: no-run-if-empty max-chars: show-limits verbose exit help version"
    ),
)


def env(command: Command) -> Use:
    words = command.words[1:]
    for _ in range(8):  # a string that is split may hold another one
        cut = _split_at(words)
        if cut is None:
            break
        place, value = cut
        text = code_text(value)
        if text is None or not {"$", "\\", "#"}.isdisjoint(text):
            return dynamic("it cannot be told how `env -S` splits its text")
        try:
            split = tuple(plain(part) for part in shlex.split(text))
        except ValueError:
            return dynamic("the text of `env -S` has an open quote")
        words = (*split, *words[place:])
    found = scan(words, *_ENV)
    rest = found.rest
    if rest and not found.problem and rest[0].known and rest[0].text == "-":
        rest = rest[1:]
    if found.problem:
        return wrapped(command, Wrapper(*_ENV), words)
    assigns, rest = split_assignments(rest)
    if not all(single(value) for _, value in assigns):
        return dynamic("it cannot be told where the program of `env` stands")
    if not rest:
        return Use(Effect.READS)
    folders = found.values("C", "chdir")
    folder = folders[-1] if folders else None
    runs = Runs(rest, True, assigns, stdin=command.stdin, folder=folder)
    return Use(Effect.READS, runs=(runs,))


def _split_at(words: tuple[Word, ...]) -> tuple[int, Word] | None:
    """The first `-S`: how many words it ends after, and its text."""
    if not scan(words, *_ENV).has("S", "split-string"):
        return None
    for count in range(1, len(words) + 1):
        values = scan(words[:count], *_ENV).values("S", "split-string")
        if values:
            return count, values[0]
    return None


def replaced(word: Word, mark: str, before: str = "") -> Word:
    """The word with something unknown wherever `mark` stands, and `before` in front of that."""
    parts: list[Part] = []
    for part in word.parts:
        if not isinstance(part, Literal) or mark not in part.text:
            parts.append(part)
            continue
        for place, text in enumerate(part.text.split(mark)):
            if place:
                parts += [Literal(before, quoted=True)] * bool(before)
                parts.append(Unknown(mark, quoted=True))
            if text:
                parts.append(Literal(text, part.quoted))
    return replace(word, parts=tuple(parts))


def xargs(command: Command) -> Use:
    found = scan(command.words[1:], *_XARGS)
    files = found.values("a", "arg-file")
    touches = touch("r", files)
    if found.problem:
        use = wrapped(command, Wrapper(*_XARGS))
        return replace(use, touches=touches)
    rest = found.rest or (plain("echo"),)
    mark = _mark(found)
    if mark is None:
        return dynamic("it cannot be told what `xargs` replaces", touches=touches)
    if mark:
        rest = tuple(replaced(word, mark) for word in rest)
    assigns = tuple((v.text, plain("0")) for v in found.values("process-slot-var"))
    stdin = command.stdin if files else None
    more = not mark or found.has("J")
    return Use(Effect.READS, runs=(Runs(rest, True, assigns, more, stdin),), touches=touches)


def _mark(found: Scan) -> str | None:
    """The text that `xargs` replaces, "" for none, None when it is not known."""
    mark: str | None = ""
    for option in found.options:
        if option.name in ("I", "J", "i", "replace"):
            mark = "{}" if option.value is None else code_text(option.value)
        elif option.name in ("L", "l", "n", "max-lines", "max-args"):
            mark = ""
    return mark
