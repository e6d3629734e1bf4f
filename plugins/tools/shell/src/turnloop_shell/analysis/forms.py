"""A command in the words of rules: the one narrow form, and the wide ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from turnloop_shell.programs.making import one_of
from turnloop_shell.syntax.words import Word

# What a word may hold without quotes in a rule.
_SPECIAL = re.compile(r"[\s'\"\\$`]")
MORE = "…"  # stands for words that nobody knows yet


def narrow_word(word: Word) -> str:
    """A word as allow rules see it: two words are never taken for one, nor one for two."""
    text = word.text
    if not word.known:
        return text
    if text and not _SPECIAL.search(text) and text.isprintable():
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def narrow_form(words: Iterable[Word], *, more: bool = False) -> str:
    """The words, each quoted where it must be, joined by one blank."""
    return " ".join([*map(narrow_word, words), *([MORE] if more else [])])


def wide_forms(words: Sequence[Word], *, more: bool = False) -> Iterator[str]:
    """Everything that a deny rule may have meant: without quotes, by the program's bare name.

    A name in capital letters is the same program on some file systems, and `=name` is the path of
    `name` in some shells.
    """
    program, rest = words[0].text, " ".join(w.text for w in words[1:])
    tail = " ".join(part for part in (rest, MORE if more else "") if part)
    bare = program.rpartition("/")[2]
    for name in (program, bare, bare.lower(), bare.lstrip("=")):
        if name:
            yield f"{name} {tail}" if tail else name


def patterns_for(words: Sequence[Word], narrow: str, *, reads: bool) -> tuple[str, ...]:
    """Patterns of rules for a command: exactly this one, then the like of it.

    The like is all that the program, or its subcommand, may be told to do: that is more than this
    command does, so that it never comes first.
    """
    exact = () if "*" in narrow or MORE in narrow else (narrow,)
    start = narrow_word(words[0])
    if words[0].text in GROUPS:
        if len(words) < 3 or not words[1].known or not _SUBCOMMAND.fullmatch(words[1].text):
            return exact
        start = f"{start} {words[1].text}"
    elif not reads or len(words) < 2:
        return exact
    return exact if "*" in start else (*exact, f"{start} *")


# Programs that do many things: their second word says which.
GROUPS = one_of(
    "git npm yarn pnpm bun cargo go pip pip3 uv poetry pdm conda docker podman kubectl gh make "
    "bundle composer dotnet gradle mvn mix terraform helm systemctl apt brew rustup"
)
_SUBCOMMAND = re.compile(r"[a-z][a-z-]*[a-z]")
