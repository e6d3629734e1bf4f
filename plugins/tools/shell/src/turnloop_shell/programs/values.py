"""Paths inside of values: `xml:cov.xml`, `asm=out.s`, `-Wl,-Map=out.map`, `cache_dir=x`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from turnloop_shell.programs.options import Role
from turnloop_shell.syntax.words import Word, plain

# A value of theirs is taken apart, and each part has a role of its own.
PARTS = frozenset(
    {
        *(Role.PLACED, Role.LOADED, Role.SETTING, Role.CONFIG),
        *(Role.LINKED, Role.LISTENS, Role.GOAL),
    }
)
_MARKS = re.compile(r"([,:=])")
# Words that stand where a path may stand.
_NO_PATH = frozenset(("", "-", "skip-covered", "skip-empty"))
_SUFFIX = re.compile(r"\.[A-Za-z]\w*")
# What follows these is a path, whatever it looks like; what is written, unless it is one of _TAKEN.
_NAMES_PATH = re.compile(r"-o|-?-?MM?[DF]|-a[a-z]*=?|.*(?:map|file|filename|path|dir)", re.I)
_NAMES_TEXT = re.compile(r"-?-?(?:rpath|rpath-link|soname|dynamic-linker|install_name|R|h|e|z)")
_TAKEN = re.compile(r"-T|--?(?:version-script|dynamic-list|retain-symbols-file|just-symbols)")
_REMAPPED = re.compile(r".*prefix-map")
# Settings of test runners that hold further options.
_OPTIONS = frozenset({"addopts", "require", "import", "loader", "r"})
_INLINE = re.compile(r"\s*[\w.-]+\s*=[\w.,\"' \[\]-]*")
_ELSEWHERE = re.compile(r"[^=]*(?:dir|file|extend|path|exec\w*|command)\"?\s*=", re.I)
_LOOPBACK = re.compile(r"(?:localhost|127(?:\.\d+){3}|\[?::1\]?)(?::\d*)?", re.I)
# Plugins of Maven that only build, by their short names.
_LOCAL_GOALS = re.compile(
    r"(?:compiler|surefire|failsafe|resources|clean|jar|war|ear|source|javadoc|spotless|checkstyle"
    r"|pmd|spotbugs|jacoco|enforcer|help|spring-boot|quarkus|antrun|assembly|shade|fmt|license):.*"
    r"|dependency:(?:tree|list|analyze[\w-]*|display-ancestors)"
)


def parts_of(role: Role | None, value: Word | None) -> Iterator[tuple[Role, Word | None]]:
    """What the parts of a value are to the program, each with its role."""
    match role:
        case Role.LISTENS:
            if value is None or not value.known or not _LOOPBACK.fullmatch(value.text):
                yield Role.NETWORK, None
        case _ if value is None:
            return
        case Role.PLACED:
            yield from _placed(value)
        case Role.LOADED:
            yield from _loaded(value)
        case Role.SETTING:
            yield from _setting(value)
        case Role.CONFIG:
            yield from _config(value)
        case Role.LINKED:
            yield Role.VARIABLE, value
            if value.known:
                yield from _linked(value.text)
        case _:
            yield Role.TARGET, value
            if ":" in value.text and not _LOCAL_GOALS.fullmatch(value.text):
                yield Role.NETWORK, None


def _placed(value: Word) -> Iterator[tuple[Role, Word]]:
    if not value.known:
        yield Role.WRITE_DEEP, value
        return
    for piece in value.text.split(","):
        place = re.split("[:=]", piece, maxsplit=1)[1:]
        if place and place[0] not in _NO_PATH:
            yield Role.WRITE_DEEP, plain(place[0])


def _loaded(value: Word) -> Iterator[tuple[Role, Word]]:
    if not value.known or value.tilde:
        yield Role.READ, value
        return
    for piece in value.text.split(","):
        if "/" in piece or piece.startswith("."):
            yield Role.READ, plain(piece)


def _setting(value: Word) -> Iterator[tuple[Role, Word]]:
    name, equals, text = value.text.partition("=")
    name = name.strip()
    if not value.known or name in _OPTIONS:
        yield Role.REFUSED, value
    elif name.endswith(("dir", "file", "path", "output")) and name != "pythonpath":
        yield Role.WRITE_DEEP, value.without(len(value.text) - len(text.lstrip()))
    elif equals:
        for piece in text.split():
            if _is_path(piece):
                yield Role.READ, plain(piece)


def _config(value: Word) -> Iterator[tuple[Role, Word]]:
    text = value.text
    if text.lstrip().startswith("{"):
        yield Role.REFUSED, value
    elif "=" not in text:
        yield Role.READ, value
    elif _ELSEWHERE.match(text) or not _INLINE.fullmatch(text):
        yield Role.REFUSED, value


def _linked(text: str) -> Iterator[tuple[Role, Word]]:
    pieces = _MARKS.split(text)[::2]
    if len(pieces) == 1 and ("/" in text or text.startswith(".")):
        yield Role.WRITE, plain(text)
    for before, piece in pairwise(pieces):
        if piece[:1] in ("-", "") or _NAMES_TEXT.fullmatch(before) or _REMAPPED.match(pieces[0]):
            continue
        if _TAKEN.fullmatch(before):
            yield Role.READ, plain(piece)
        elif _is_path(piece) or _NAMES_PATH.fullmatch(before):
            yield Role.WRITE, plain(piece)


def _is_path(text: str) -> bool:
    return "/" in text or text[:1] in (".", "~") or bool(_SUFFIX.search(text))
