"""Substitutions whose output is known well enough: it is one word, and never an option."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from turnloop_shell.analysis.state import State, Surroundings
from turnloop_shell.syntax.nodes import Node, Pipeline, Sequence as Lines, Simple, Subshell
from turnloop_shell.syntax.words import Literal, Unknown, Word

# Stands for a hash, a number, a date: nobody needs to know which.
_SOME = Literal("0", quoted=True)
_REVISION = re.compile(r"[A-Za-z0-9_@][\w@./~^{}-]*")
_REFERENCES = frozenset(
    ("--short", "--abbrev-ref", "--verify", "--quiet", "-q", "--all", "--tags", "--always")
)
_HASH = frozenset(("--short", "--verify", "--quiet", "-q", "HEAD"))
# No blank, no slash, no dot: what it prints is no path but a plain name.
_FORMAT = re.compile(r"\+(?:%[aAbBdeFgGHIjklmMNsSTuUVwWyYzZ]|[-_:T])+")


Row = tuple[Literal | Unknown, ...]


def put_there(word: Word, state: State, around: Surroundings) -> tuple[Row, ...] | None:
    """What a word's one substitution may put there; None where that is not known.

    A name that somebody chose (of a branch, say) is no option, but may be any path: it begins with
    something known, and goes on with something unknown.
    """
    unknown = [part for part in word.parts if isinstance(part, Unknown)]
    if len(unknown) != 1 or len(word.nested) != 1:
        return _number(unknown[0]) if len(unknown) == 1 and not word.nested else None
    if unknown[0].source.startswith("$(("):
        return ((_SOME,),)
    command = _only(word.nested[0])
    if command is None or not unknown[0].source.startswith(("$(", "`")):
        return None
    words = [each.text for each in command.words]
    if not all(each.known for each in command.words) or words[0] in state.functions:
        return None
    if words in (["pwd"], ["git", "rev-parse", "--show-toplevel"]):
        folders = state.folders if words == ["pwd"] else (around.root,)
        return tuple((Literal(folder, quoted=True),) for folder in folders) or None
    known = _KNOWN.get(words[0])
    if known is None or not known(words[1:]):
        return None
    name = words[0] == "git" and not (words[1] == "rev-parse" and _HASH.issuperset(words[2:]))
    if name and words[1] != "merge-base":
        return ((_SOME, Unknown(unknown[0].source, quoted=True)),)
    return ((_SOME,),)


def _number(part: Unknown) -> tuple[Row, ...] | None:
    """The value of an arithmetic expansion is a number; a negative one has no letters."""
    return ((_SOME,),) if part.source.startswith(("$((", "${#")) else None


def _only(node: Node) -> Simple | None:
    """The one simple command that a substitution runs."""
    while True:
        match node:
            case Subshell(body):
                node = body
            case Lines((only,)):
                node = only
            case Simple():
                bare = node.words and not node.assignments
                free = all(r.target.text == "/dev/null" or r.kind == "copy" for r in node.redirects)
                return node if bare and free else None
            case _:
                return None


def is_number(node: Node) -> bool:
    """Whether the output of a substitution is a number, or a word without any bracket."""
    while isinstance(node, Subshell) or (isinstance(node, Lines) and len(node.items) == 1):
        node = node.body if isinstance(node, Subshell) else node.items[0]
    if isinstance(node, Pipeline):
        node = node.items[-1]
    if not isinstance(node, Simple) or not node.words or node.assignments:
        return False
    words = [word.text for word in node.words]
    if not all(word.known for word in node.words):
        return False
    if words[0] in ("wc", "grep"):  # of several files they print the names too
        return _counts(words)
    known = _KNOWN.get(words[0])
    return known is not None and known(words[1:])


def _counts(words: Sequence[str]) -> bool:
    options = [word for word in words[1:] if word.startswith("-")]
    others = len(words) - 1 - len(options)
    if words[0] == "wc":  # of one file, too
        return others == 0 and all(re.fullmatch(r"-[clmwL]+", word) for word in options)
    plain = all(re.fullmatch(r"-[civwxEFP]+", word) for word in options)
    return plain and others <= 2 and any("c" in word for word in options)


def _git(words: Sequence[str]) -> bool:
    if not words:
        return False
    if list(words) == ["branch", "--show-current"]:
        return True
    if words[0] not in ("rev-parse", "merge-base", "describe", "symbolic-ref"):
        return False
    return all(word in _REFERENCES or _REVISION.fullmatch(word) for word in words[1:])


def _date(words: Sequence[str]) -> bool:
    return all(word in ("-u", "-I", "-Iseconds") or _FORMAT.fullmatch(word) for word in words)


def _nothing(words: Sequence[str]) -> bool:
    return not words


def _flags(words: Sequence[str]) -> bool:
    return all(re.fullmatch(r"-[a-z]+", word) for word in words)


_KNOWN: Mapping[str, Callable[[Sequence[str]], bool]] = MappingProxyType(
    {
        "git": _git,
        "date": _date,
        "nproc": _nothing,
        "whoami": _nothing,
        "hostname": _nothing,
        "id": _flags,
        "uname": _flags,
    }
)
