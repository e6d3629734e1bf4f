"""Where a shell calculates it reads values once more, and runs what stands in them.

`n='x[$(rm y)]'; ((n))` runs `rm`. So wherever a line calculates with names, their values must be
known to be harmless: text without brackets and dollars, numbers, the output of `wc`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence as Row

from turnloop_shell.analysis.ahead import all_nodes
from turnloop_shell.analysis.outputs import is_number
from turnloop_shell.programs.making import one_of
from turnloop_shell.programs.variables import steers
from turnloop_shell.syntax.nodes import Compound, Node, Script, Simple
from turnloop_shell.syntax.words import Literal, Unknown, Word

_NAME = re.compile(r"[A-Za-z_]\w*")
# What is set: `n = 1`, `n += 1`, `n++`, `++n`; `n == 1` only compares.
_SET = re.compile(
    r"(?:\+\+|--)\s*(?P<before>[A-Za-z_]\w*)"
    r"|(?P<name>[A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
)
# What a function, or the line itself, is called with; nobody looks at the values here.
_GIVEN = re.compile(r"\$\{?[1-9@*_]")
_CALCULATED = ("$((", "$[", "((", "${")
_SETTING = one_of(
    "read mapfile readarray printf export declare typeset local readonly getopts let eval source "
    ". wait"
)
HIDDEN = "it calculates, and a text in it may be read as code there"
UNSURE = "it calculates with a value that is not known before it runs, and may hold code"


def doubt(scripts: Row[Script], inherited: frozenset[str]) -> str:
    """Why it cannot be known what calculating runs, "" when it can.

    Args:
        scripts: the line, and all code in it.
        inherited: variables that programs get; setting one of them changes what they do.
    """
    if not any(script.evaluates for script in scripts):
        return ""
    nodes = [node for script in scripts if script.body for node in all_nodes((script.body,))]
    words = [word for node in nodes for word in _words(node)]
    text = "".join(p.text for word in words for p in word.parts if isinstance(p, Literal))
    if "[" in text and ("$" in text or "`" in text):
        return HIDDEN
    names: set[str] = set()
    for source, nested in _places(nodes, words):
        names |= set(_NAME.findall(source))
        if _GIVEN.search(source):
            return UNSURE
        for found in _SET.finditer(source):
            name = found["before"] or found["name"]
            if steers(name) or name in inherited:
                return f"it sets {name} by calculating, which may make programs run something else"
        if any(not is_number(each) for each in nested):
            return UNSURE
    return UNSURE if names & set(_unsure(nodes)) else ""


def _words(node: Node) -> Iterator[Word]:
    if isinstance(node, Simple):
        test = bool(node.words) and node.words[0].text == "["
        yield from node.words[1:] if test else node.words
        yield from (a.value for a in node.assignments if a.value is not None)
        yield from (r.target for r in node.redirects)
    elif isinstance(node, Compound):
        yield from node.words


def _places(nodes: Iterable[Node], words: Iterable[Word]) -> Iterator[tuple[str, Row[Node]]]:
    """Texts that are calculated, and what runs in them."""
    for word in words:
        for part in word.parts:
            if isinstance(part, Unknown) and part.source.startswith(_CALCULATED):
                yield part.source, word.nested
    for node in nodes:
        if isinstance(node, Compound) and node.kind == "[[":
            yield " ".join(word.source for word in node.words), ()
        elif isinstance(node, Simple):
            for assignment in node.assignments:
                before, bracket, _ = assignment.source.partition("=")[0].partition("[")
                if bracket:
                    yield assignment.source[len(before) :], assignment.nested


def _unsure(nodes: Iterable[Node]) -> Iterator[str]:
    """Variables that may hold anything."""
    for node in nodes:
        if isinstance(node, Compound):
            if node.variable and not all(word.known for word in node.words):
                yield node.variable
        elif isinstance(node, Simple):
            for assignment in node.assignments:
                if not _harmless(assignment.value):
                    yield assignment.name
            if node.words and node.words[0].text in _SETTING:
                for word in node.words[1:]:
                    yield from (_NAME.findall(word.text)[:1])


def _harmless(value: Word | None) -> bool:
    """Text, or a number. An array counts as anything."""
    if value is None:
        return False
    for part in value.parts:
        if isinstance(part, Literal):
            continue
        if not isinstance(part, Unknown):
            return False
        counted = part.source.startswith(("$((", "${#"))
        if not counted and not (value.nested and all(is_number(n) for n in value.nested)):
            return False
    return True
