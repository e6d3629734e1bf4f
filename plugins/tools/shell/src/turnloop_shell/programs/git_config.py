"""Which settings of git are harmless: many name a program that git will run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import code_text
from turnloop_shell.programs.use import Code
from turnloop_shell.syntax.words import Word, plain

_SECTIONS = ("color.", "column.", "advice.")
_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "author": "name email",
        "blame": "blankboundary coloring date showemail showroot",
        "branch": "autosetupmerge autosetuprebase sort",
        "checkout": "defaultremote guess workers",
        "commit": "cleanup status verbose",
        "committer": "name email",
        "core": "abbrev autocrlf bigfilethreshold checkstat commentchar compression eol filemode "
        "longpaths precomposeunicode preloadindex quotepath safecrlf trustctime untrackedcache "
        "whitespace",
        "diff": "algorithm autorefreshindex colormoved colormovedws context dirstat "
        "ignoresubmodules "
        "indentheuristic interhunkcontext mnemonicprefix noprefix relative renamelimit renames "
        "statgraphwidth submodule suppressblankempty wordregex",
        "fetch": "parallel prune prunetags showforcedupdates",
        "format": "numbered pretty",
        "gc": "auto autodetach autopacklimit",
        "grep": "column fullname linenumber patterntype threads",
        "i18n": "commitencoding logoutputencoding",
        "init": "defaultbranch",
        "log": "abbrevcommit date decorate diffmerges excludedecoration follow graphcolors",
        "merge": "conflictstyle ff log renamelimit renames stat verbosity",
        "pull": "ff rebase",
        "push": "autosetupremote default followtags",
        "rebase": "abbreviatecommands autosquash autostash forkpoint missingcommitscheck stat "
        "updaterefs",
        "rerere": "autoupdate enabled",
        "stash": "showincludeuntracked showpatch showstat",
        "status": "aheadbehind branch displaycommentprefix relativepaths renamelimit renames short "
        "showstash showuntrackedfiles submodulesummary",
        "tag": "sort",
        "user": "name email useconfigonly",
        "versionsort": "suffix",
    }
)
_HARMLESS = frozenset(
    f"{section}.{name}" for section, names in _NAMES.items() for name in names.split()
)
# Values that switch a program off, or are one that only prints.
_NOTHING = frozenset(("", "cat", "true", ":", "false", "/dev/null", "0", "no", "off"))
_SWITCHED_OFF = re.compile(
    r"(?:core\.(?:pager|editor|fsmonitor|hookspath|askpass)|pager\..+|sequence\.editor"
    r"|commit\.gpgsign|tag\.gpgsign|push\.gpgsign|credential\.helper)"
)
_RUNS = re.compile(
    r"(?:alias\..+|.*\.(?:.*command|.*editor|.*pager|fsmonitor|askpass|external|textconv|cmd|clean"
    r"|smudge|process|helper|program|driver|gitproxy|uploadpack|receivepack|browser|path|.*cmd))"
)


def harmless(name: str, value: Word | None) -> bool:
    """Whether git may get this setting without running or reading anything else."""
    name = name.lower()
    nothing = value is not None and value.known and value.text in _NOTHING
    if nothing and value is not None and _SWITCHED_OFF.fullmatch(name):
        return not (name == "core.fsmonitor" and value.text == "true")
    return name in _HARMLESS or name.startswith(_SECTIONS)


def code_of(name: str, value: Word) -> tuple[Code, ...]:
    """The shell code that a setting holds, for deny rules."""
    name = name.lower()
    text = code_text(value)
    if not _RUNS.fullmatch(name):
        return ()
    if name.startswith("alias.") and text is not None:
        text = text[1:] if text.startswith("!") else f"git {text}"
    return (Code(text, f"the setting `{name}` of git"),)


def split_setting(word: Word) -> tuple[str, Word | None]:
    """`name=value` as `git -c` takes it; a name that is not known is ""."""
    name, equals, _ = word.prefix.partition("=")
    if equals:
        return name, word.without(len(name) + 1)
    return (word.text, plain("true")) if word.known else ("", None)
