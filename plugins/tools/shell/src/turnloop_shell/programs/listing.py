"""Of what lies below a folder, what a command really touches, and which names it hands on.

`ls` shows names, and reads no file. A search leaves out hidden files, or keeps to files of some
names. What a command hands to a program through a pipe lies below the folders that it searches;
where it may show any other text as well, nothing is known of what it hands on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from turnloop_shell.programs.making import HERE, one_of
from turnloop_shell.programs.options import Given
from turnloop_shell.programs.pieces import globs
from turnloop_shell.programs.tables import given_by_table, use_by_table
from turnloop_shell.programs.use import Command, Touch, Use
from turnloop_shell.syntax.words import Word

# They read folders, not the files in them.
_LISTERS = one_of("ls gls dir exa eza lsd vdir tree find gfind fd fdfind du stat")
_NAMES = one_of("ls gls dir exa eza lsd")
# With these and no others `ls` prints bare names.
_LS = one_of(
    "a A all almost-all 1 oneline d list-dirs directory R recurse recursive r reverse t S U"
)
_SEARCHES = one_of("grep egrep fgrep ggrep rgrep rg ag ack ack-grep")
_GREPS = one_of("grep egrep fgrep ggrep rgrep")
_PRINT = ("l", "files-with-matches", "files-without-match", "files-without-matches", "files")
# They put text between the names that is none.
_MIXES = one_of(
    "label json c count count-matches vimgrep passthru passthrough path-separator generate ackmate "
    "type-list output stats debug trace version help"
)
# Kinds of files none of which begins its name with a dot. What a kind or a glob asks for is
# searched though it be hidden.
_KINDS = one_of(
    "py python js ts rust go java c cpp h cs csharp ruby php swift kotlin scala lua perl md "
    "markdown json yaml toml html css sass less sql xml txt make cmake docker tf haskell ocaml "
    "elixir erlang clojure r julia dart vue svelte typescript javascript web jinja rst tex proto"
)
# They hand on lines of their input as they are, with options of these letters.
_FILTERS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        **dict.fromkeys(("head", "tail"), re.compile(r"-[nqvz0-9]+")),
        "sort": re.compile(r"-[bdfghiMnrRsuVzk0-9,.]+"),
        "uniq": re.compile(r"-[iudzfsw0-9]+"),
        "shuf": re.compile(r"-[nrz0-9]+"),
        **dict.fromkeys(("cat", "tac"), re.compile(r"-u")),
        **dict.fromkeys(("grep", "egrep", "fgrep"), re.compile(r"-[vEFiewxqaz]+")),
    }
)


def refined(command: Command, use: Use) -> Use:
    """The use of a command, what it touches narrowed to what is known of that."""
    name = command.name
    if name in _LISTERS:
        touches = tuple(t if t.writes else replace(t, deep=False) for t in use.touches)
        lists = _shown(command, use) if name in _NAMES else use.lists
        if use.runs and command.stdin is not None:
            # In a pipeline: what its programs print is handed on as well, and nobody knows that.
            lists = ()
        return replace(use, touches=touches, lists=lists)
    deep = any(touch.deep and not touch.writes for touch in use.touches)
    if name in _SEARCHES and not deep and command.stdin is not None:
        # It searches its input, if that is not empty; names of files it has none then.
        unfed = Command(command.words)
        return replace(use, lists=refined(unfed, use_by_table(unfed) or use).lists)
    given = given_by_table(command) if deep and name in _SEARCHES else None
    if given is None:
        return use
    touches = tuple(t if t.writes or not t.deep else _kept(name, given, t) for t in use.touches)
    lists = tuple(t for t in touches if t.deep and not t.writes)
    mixes = not given.known or given.has(*_MIXES)
    only_names = given.has(*_PRINT) or (name in _GREPS and given.has("L"))
    return replace(use, touches=touches, lists=lists if only_names and not mixes else ())


def passes_on(command: Command) -> bool:
    """Whether what it prints are lines of its input, unchanged."""
    options = _FILTERS.get(command.name)
    if options is None or not all(word.known for word in command.words):
        return False
    words = command.words[1:]
    others = [word for word in words if not options.fullmatch(word.text)]
    if command.name.endswith("grep"):  # its pattern
        return len(others) == 1 and not others[0].text.startswith("-")
    return all(word.text.lstrip("+").isdigit() for word in others)


def _shown(command: Command, use: Use) -> tuple[Touch, ...]:
    """What `ls` shows are bare names, for whoever reads them those of the current folder."""
    given = given_by_table(command)
    if given is None or not given.known or not all(o.name in _LS for o in given.options):
        return ()
    hidden = given.has("a", "A", "all", "almost-all")
    words = dict.fromkeys((*(touch.word for touch in use.touches), HERE))
    return tuple(Touch(word, deep=True, visible=not hidden) for word in words)


def _kept(name: str, given: Given, touch: Touch) -> Touch:
    """What a search reads of what lies below."""
    if name in _GREPS:
        return replace(touch, only=globs(_values(given, "include")))
    asked = [word for word in _values(given, "g", "glob", "iglob") if word.prefix[:1] != "!"]
    kinds = _values(given, "t", "type")
    odd = any(word.text not in _KINDS for word in kinds)
    shows = bool(asked) or odd or given.has("type-add", "ignore-file", "p", "path-to-ignore")
    only = globs(asked) if name == "rg" else ()
    return replace(touch, visible=touch.visible and not shows, only=only)


def _values(given: Given, *names: str) -> list[Word]:
    return [o.value for o in given.options if o.name in names and o.value is not None]
