"""Examples of what a rule's pattern covers."""

from __future__ import annotations

from turnloop_core.errors import TurnloopError
from turnloop_core.frontend.commands.permissions_calls import Tools
from turnloop_core.permissions.paths import path_subject
from turnloop_core.permissions.rules import Rule
from turnloop_core.permissions.urls import url_subject
from turnloop_core.permissions.wildcards import expand_braces, fold_blanks
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import PUBLIC_NAMES, Subject, SubjectKind
from turnloop_core.values import dataclass

_KINDS = {name: kind for kind, name in PUBLIC_NAMES.items()} | {"Write": SubjectKind.WRITE}
_PATHS = (SubjectKind.READ, SubjectKind.WRITE)
MOST = 3


@dataclass(frozen=True, slots=True)
class Sample:
    """Something that a rule covers.

    Attributes:
        text: for the user.
        tool: who would touch it.
        subject: it.
    """

    text: str
    tool: str
    subject: Subject


def kind_of(rule: Rule, tools: Tools) -> SubjectKind:
    """What sort of thing a rule speaks of."""
    if rule.name.startswith("mcp__"):
        return SubjectKind.MCP
    known = _KINDS.get(rule.name)
    if known is not None:
        return known
    offered = tools.find(rule.name) if rule.name in tools.names else None
    if offered is None or rule.pattern is None:
        return SubjectKind.TOOL
    return SubjectKind.READ if offered.entry.read_only else SubjectKind.WRITE


def samples(rule: Rule, kind: SubjectKind, scope: Scope) -> tuple[Sample, ...]:
    """A few things that a rule covers; none where it has no pattern, and is of no server."""
    if kind is SubjectKind.MCP:
        name = rule.name.removeprefix("mcp__")
        narrow = (name if "__" in name else f"{name}__*").replace("*", "x")
        subject = Subject(kind, narrow, display=narrow)
        return (Sample(f"mcp__{narrow}", f"mcp__{narrow}", subject),)
    if rule.pattern is None or kind is SubjectKind.TOOL:
        return ()
    texts = _path_texts(rule.pattern) if kind in _PATHS else _texts(rule.pattern)
    found = []
    for text in texts[:MOST]:
        try:
            subject = _subject(text, kind, scope)
        except TurnloopError:  # no path that a file can have
            continue
        found.append(Sample(text, rule.name, subject))
    return tuple(found)


def _texts(pattern: str) -> list[str]:
    words = ("x", "x y") if " *" in pattern else ("", "x", "x y")
    filled = (pattern.replace("*", word) for word in words)
    return list(dict.fromkeys(text for each in filled if (text := fold_blanks(each))))


def _path_texts(pattern: str) -> list[str]:
    """Paths that a glob covers, for each of its alternatives."""
    found = []
    for choice in expand_braces(pattern):
        text = choice + "**" if choice.endswith("/") else choice
        text = text.removesuffix("/**") + "/a/b" if text.endswith("/**") else text
        found.append(text.replace("**/", "a/").replace("**", "a/b").replace("*", "x"))
    return found


def _subject(text: str, kind: SubjectKind, scope: Scope) -> Subject:
    if kind in _PATHS:
        return path_subject(text.replace("?", "x"), scope, kind)
    if kind is SubjectKind.URL:
        return url_subject(text)
    return Subject(kind, text, display=text)
