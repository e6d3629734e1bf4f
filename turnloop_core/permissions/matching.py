"""Whether a rule binds a subject.

Allow rules are narrow: they look at the subject's one narrow form. Deny and ask rules are wide:
any form will do. A rule binds by its name: the public name of the subject's kind, or the name of
the calling tool. So `Read(...)` binds every tool that reads, `Grep(...)` only Grep. `Write` in a
deny or ask rule binds everything that writes, in an allow rule only the tool of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from turnloop_core.permissions.globs import (
    Path,
    PathPattern,
    compile_glob,
    fold_pattern,
    literal_path,
)
from turnloop_core.permissions.rules import Rule
from turnloop_core.permissions.urls import UrlPattern, is_private, parse_address, parse_url_pattern
from turnloop_core.permissions.wildcards import fold_blanks, pieces_match
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import PUBLIC_NAMES, Subject, SubjectKind
from turnloop_core.values import dataclass

PATHS = (SubjectKind.READ, SubjectKind.WRITE)
_NAMED = (SubjectKind.MCP, SubjectKind.TOOL)

_WRITE_TOOL = "Write"
_OWN_KIND = {name: kind for kind, name in PUBLIC_NAMES.items()}


@dataclass(frozen=True, slots=True)
class Target:
    """A subject made ready for matching.

    Attributes:
        subject: what is judged.
        tool: name of the calling tool.
        folds: the file system takes upper and lower case for the same there.
        paths: of a path subject, its forms taken apart; the narrow one first.
        texts: of any other subject, its forms as they are and with blanks folded.
    """

    subject: Subject
    tool: str
    folds: bool = False
    paths: tuple[Path, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, subject: Subject, tool: str, folds_case: Callable[[str], bool]) -> Target:
        if subject.kind not in PATHS:
            forms = subject.forms
            return cls(subject, tool, texts=tuple({*forms, *map(fold_blanks, forms)}))
        folds = folds_case(subject.narrow)
        paths = tuple(Path.of(form, fold=folds) for form in subject.forms)
        return cls(subject, tool, folds, paths)


@dataclass(frozen=True, slots=True)
class Matcher:
    """A rule made ready for matching.

    Attributes:
        rule: the rule.
        wide: it stands in a deny or ask list.
        needles: of one of these, every path that it matches holds all texts; empty where none are
            known. For paths of ASCII letters, in lower case.
    """

    rule: Rule
    wide: bool
    needles: frozenset[tuple[str, ...]] = frozenset()
    _globs: tuple[PathPattern, ...] = ()
    _folded: tuple[PathPattern, ...] = ()
    _texts: tuple[tuple[str, ...], ...] = ()
    _url: UrlPattern | None = None
    _path: tuple[str, ...] = field(default=())

    def binds(self, kind: SubjectKind, tool: str) -> bool:
        """Whether the rule's name means subjects of this kind, or this tool."""
        name = self.rule.name
        if name.startswith("mcp__"):
            return kind in _NAMED or (self.wide and covers_mcp(name, tool))
        if name == PUBLIC_NAMES.get(kind) or (self.wide and name == tool and self._blanket):
            return True
        if name == _WRITE_TOOL and self.wide and kind is SubjectKind.WRITE:
            return True
        own = _OWN_KIND.get(name)
        if own is None or (own is SubjectKind.WRITE and kind is SubjectKind.READ):
            return name == tool
        return False

    @property
    def _blanket(self) -> bool:
        """It means all of what it binds."""
        return self.rule.pattern is None

    def matches(self, target: Target) -> bool:
        """Whether the rule binds and covers a subject that may be known before running."""
        return self.binds(target.subject.kind, target.tool) and self.covers(target)

    def covers(self, target: Target) -> bool:
        """Whether the rule, which binds it, covers a subject."""
        kind = target.subject.kind
        if self.rule.name.startswith("mcp__"):
            return covers_mcp(self.rule.name, mcp_name(target))
        if kind is SubjectKind.URL:
            return self._matches_url(target.subject)
        if self._blanket:
            return True
        if kind in PATHS:
            return self._matches_path(target)
        return self._matches_text(target)

    def _matches_text(self, target: Target) -> bool:
        # The narrow form comes folded from its tool, which knows where blanks may be folded; a
        # deny rule is not to hang on that.
        forms = target.texts if self.wide else (target.subject.narrow,)
        return any(pieces_match(pieces, form) for form in forms for pieces in self._texts)

    def _matches_path(self, target: Target) -> bool:
        globs = self._folded if target.folds else self._globs
        for path in target.paths if self.wide else target.paths[:1]:
            for glob in globs:
                if glob.matches(path):
                    return True
        return False

    def equals(self, target: Target) -> bool:
        """Whether the rule names exactly this subject: what counts where it is dynamic."""
        subject, pattern = target.subject, self.rule.pattern
        if not self.binds(subject.kind, target.tool):
            return False
        if pattern is None or subject.kind is SubjectKind.MCP:
            return subject.kind is SubjectKind.MCP and self.rule.name == mcp_name(target)
        if subject.kind in PATHS:
            return self._path == Path.of(subject.narrow).names
        if subject.kind is SubjectKind.URL:
            return pattern == subject.narrow
        same = (pattern, fold_blanks(pattern))
        return subject.narrow in same or any(form in same for form in subject.exact)

    def _matches_url(self, subject: Subject) -> bool:
        # Who allows many hosts without naming them means the internet.
        unnamed = self._blanket or self._url is None or self._url.many_hosts
        if unnamed and not self.wide and _reaches_inside(subject):
            return False
        if self._url is None:
            return True
        for form in subject.forms if self.wide else (subject.narrow,):
            address = parse_address(form)
            if address is not None and self._url.matches(address, wide=self.wide):
                return True
        return False


def needles_of(matchers: Sequence[Matcher]) -> tuple[tuple[str, ...], ...] | None:
    """Groups of texts: without all texts of some group no matcher covers an ASCII path.

    Returns:
        In lower case; None when that cannot be told: a rule for all.
    """
    found: set[tuple[str, ...]] = set()
    for matcher in matchers:
        if not matcher.needles:
            return None
        found |= matcher.needles
    return tuple(sorted(found))


def may_match(needles: Sequence[tuple[str, ...]] | None, path: str) -> bool:
    """Whether a path may be covered, by its texts alone."""
    if needles is None or not path.isascii():
        return True
    text = path.lower()
    for texts in needles:  # noqa: SIM110 - a generator is slower, and this runs for every file
        if texts[0] in text and all(more in text for more in texts):
            return True
    return False


def compile_rule(rule: Rule, scope: Scope, *, wide: bool) -> Matcher:
    """Make a rule ready. Looks at the disk once, for links in the fixed part of path patterns."""
    pattern = rule.pattern
    kind = _OWN_KIND.get(rule.name)
    if pattern is None or rule.name.startswith("mcp__"):
        return Matcher(rule, wide)
    if kind is SubjectKind.URL:
        return Matcher(rule, wide, _url=None if pattern == "*" else parse_url_pattern(pattern))
    texts = _texts(pattern, wide=wide)
    if kind not in (None, *PATHS):
        return Matcher(rule, wide, _texts=texts)
    globs = compile_glob(pattern, scope, wide=wide)
    folded = tuple(fold_pattern(glob) for glob in globs)
    needles = _needles((*globs, *folded))
    return Matcher(rule, wide, needles, globs, folded, texts, _path=literal_path(pattern, scope))


def _needles(globs: tuple[PathPattern, ...]) -> frozenset[tuple[str, ...]]:
    texts = frozenset(tuple(text.lower() for text in glob.texts) for glob in globs)
    return frozenset() if () in texts else texts


def _texts(pattern: str, *, wide: bool) -> tuple[tuple[str, ...], ...]:
    """The pieces of a text pattern. Wide rules also read `prefix:*` as other harnesses mean it."""
    text = fold_blanks(pattern)
    texts = [pattern, text] if text != pattern else [text]
    if wide and text.endswith(":*"):
        texts += [text[:-2], f"{text[:-2]} *"]
    return tuple(tuple(each.split("*")) for each in dict.fromkeys(texts))


def mcp_name(target: Target) -> str:
    """The name by which rules know an MCP subject, or the tool's own name for other kinds."""
    if target.subject.kind is SubjectKind.MCP:
        return f"mcp__{target.subject.narrow}"
    return target.tool


def covers_mcp(name: str, tool: str) -> bool:
    """Whether `mcp__server`, `mcp__server__*` or `mcp__server__tool` names an MCP tool.

    The server is what stands before the next double underscore: names of servers hold none.
    """
    server, _, rest = name.removeprefix("mcp__").partition("__")
    mark, _, named = tool.partition("__")
    its_server, _, its_tool = named.partition("__")
    if mark != "mcp" or server not in ("*", its_server):
        return False
    return not rest or pieces_match(tuple(rest.split("*")), its_tool)


def _reaches_inside(subject: Subject) -> bool:
    """Whether an address may mean this machine or its network, which no blanket rule covers."""
    addresses = [parse_address(form) for form in subject.forms]
    return any(address is None or is_private(address.host) for address in addresses)
