"""One simple command as a subject."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from turnloop_core.api import Subject, SubjectKind
from turnloop_shell.analysis.folders import is_below
from turnloop_shell.analysis.forms import MORE, narrow_form, narrow_word, patterns_for, wide_forms
from turnloop_shell.analysis.lists import placed
from turnloop_shell.analysis.state import State, Surroundings
from turnloop_shell.programs.knowledge import use_of
from turnloop_shell.programs.listing import refined
from turnloop_shell.programs.use import Command, Effect, Runs, Touch, Use
from turnloop_shell.programs.variables import harmless, steers
from turnloop_shell.syntax.words import Word

_WHY: Mapping[Effect, str] = {
    Effect.NETWORK: "it talks to other machines, or brings code from there",
    Effect.UNKNOWN: "what it changes is not known",
}


# Folders from which programs load code of the project; those it would run anyway.
_SEARCHED = frozenset({"PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB"})


@dataclass(frozen=True, slots=True)
class Found:
    """A command where it was found.

    Attributes:
        command: its words, with the values of variables where these are known.
        words: its words as they were written.
        prefix: variables that it gets beside the inherited ones.
        source: the part of the line in which it stands.
        runs: how another command runs it, None where it stands in the line itself.
    """

    command: Command
    words: tuple[Word, ...]
    prefix: tuple[tuple[str, Word | None], ...]
    source: str
    runs: Runs | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A command, what it does, and its subject.

    Attributes:
        own: the subject counts; not so for a wrapper that only starts another command.
    """

    found: Found
    use: Use
    subject: Subject
    own: bool

    @property
    def narrow(self) -> str:
        return self.subject.narrow

    def touched(self, state: State) -> Iterator[tuple[Touch, SubjectKind]]:
        """The paths that it touches, and how."""
        named = (*self.use.touches, *_guessed(self, state.folders))
        for touch in (each for name in named for each in placed(name, state.listed)):
            if touch.word.text == "-":
                continue
            if touch.writes:
                yield touch, SubjectKind.WRITE
            if touch.reads or not touch.writes:
                yield touch, SubjectKind.READ


def judge(found: Found, state: State, around: Surroundings) -> Judged:
    """What a command does, as a subject."""
    use = _local(found.command, refined(found.command, use_of(found.command)), around)
    more = found.runs is not None and found.runs.more
    splits = ("IFS",) if found.command.name == "read" else ()  # how it divides what it reads
    prefix = tuple((n, v) for n, v in found.prefix if not (harmless(n) or n in splits))
    bare = narrow_form(found.words, more=more)
    narrow = " ".join((*map(_assignment, prefix), bare))
    dynamic = use.dynamic or _unknown_value(prefix)
    if any(code.text is None for code in use.code):
        dynamic = dynamic or "the code that it runs is not known before it runs"
    foreign = tuple((n, v) for n, v in prefix if not _of_project(n, v, state, around))
    changed = f"{foreign[0][0]} may change what it does" if foreign else ""
    steered = next((name for name, _ in foreign if steers(name)), "")
    opaque = use.opaque or (f"{steered} may make it run something else" if steered else "")
    known = not (dynamic or opaque or use.doubt or foreign or (more and not state.listed))
    outside = _outside(state, around)
    subject = Subject(
        SubjectKind.COMMAND,
        narrow,
        _wide(found, use, state, bare, more=more),
        display=found.source if found.runs is None else narrow,
        dynamic=bool(dynamic),
        opaque=bool(opaque),
        read_only=known and not prefix and use.effect is Effect.READS,
        contained=known and use.effect not in _WHY and not outside,
        inert=known and not outside and _is_inert(found.command, use, around),
        reason=dynamic or opaque or use.doubt or _WHY.get(use.effect, "") or outside or changed,
        exact=tuple(dict.fromkeys((*state.outer, around.whole))),
        patterns=() if prefix or dynamic else _patterns(found, narrow, use),
    )
    return Judged(found, use, subject, _own(use) or bool(dynamic or opaque))


def _local(command: Command, use: Use, around: Surroundings) -> Use:
    """`npx X` fetches nothing where X is installed in the project."""
    if command.name not in ("npx", "pnpx", "bunx") or use.effect is not Effect.NETWORK:
        return use
    names = [runs.words[0].text for runs in use.runs]
    fetches = any(word.text.startswith(("-p", "--package")) for word in command.words[1:])
    here = f"{around.root}/node_modules/.bin"
    if fetches or len(names) != 1 or "/" in names[0] or not os.path.lexists(f"{here}/{names[0]}"):
        return use
    return replace(use, effect=Effect.PROJECT, doubt="")


def _patterns(found: Found, narrow: str, use: Use) -> tuple[str, ...]:
    reads = use.effect is Effect.READS and not (use.assigns or use.folder)
    return patterns_for(found.words, narrow, reads=reads)


def _is_inert(command: Command, use: Use, around: Surroundings) -> bool:
    """Whether it starts nothing, and changes nothing but the shell's own state."""
    if use.inert:
        return True
    if use.assigns and use.effect is Effect.READS and not use.touches:
        free = (harmless(n) or not (steers(n) or n in around.names) for n, _ in use.assigns)
        return all(free)
    # `cat` with a text that stands in the line, and nothing else.
    return len(command.words) == 1 and command.name == "cat" and isinstance(command.stdin, Word)


def _own(use: Use) -> bool:
    """Whether a command is more than the start of another."""
    only_starts = use.runs and all(runs.plain for runs in use.runs)
    return not only_starts or bool(use.touches or use.code or use.doubt)


def _assignment(pair: tuple[str, Word | None]) -> str:
    name, value = pair
    return f"{name}={MORE if value is None else narrow_word(value)}"


def _of_project(name: str, value: Word | None, state: State, around: Surroundings) -> bool:
    """Whether a variable leads nowhere but into the project."""
    if value is None or not value.known or len(state.folders) != 1:
        return False
    if not steers(name):  # a switch of the program; a path could send what it writes elsewhere
        return not value.tilde and not value.text.startswith("/") and ".." not in value.text
    if name not in _SEARCHED:
        return False
    for place in value.text.split(":"):
        path = os.path.join(state.folders[0], place)  # noqa: PTH118 - kept as text
        if not place or not is_below(os.path.realpath(path), around.root):
            return False
    return True


def _unknown_value(prefix: Sequence[tuple[str, Word | None]]) -> str:
    for name, value in prefix:
        if value is None or not value.known:
            return f"the value of {name} is not known before it runs"
    return ""


def _outside(state: State, around: Surroundings) -> str:
    """Why the folder in which it runs is none of the project, "" when it is one."""
    if not state.folders:
        return "the folder in which it runs is not known"
    for folder in state.folders:
        if not is_below(folder, around.root):
            return f"it runs in {folder}, outside the project"
    return ""


def _wide(found: Found, use: Use, state: State, bare: str, *, more: bool) -> tuple[str, ...]:
    forms = [bare, *wide_forms(found.words, more=more)]
    if found.command.words != found.words:
        forms += wide_forms(found.command.words, more=more)
    for words in use.forms:
        forms += [narrow_form(words, more=more), *wide_forms(words, more=more)]
    return tuple(dict.fromkeys((*forms, *state.outer)))


def _guessed(judged: Judged, folders: Sequence[str]) -> Iterator[Touch]:
    """Words that look like files, of a program whose words nobody knows well: it may read them.

    What turnloop, git or a server read is taken for written: a program may be told to write there
    by options that nobody has listed.
    """
    if judged.use.effect not in (*_WHY, Effect.PROJECT):
        return
    for word in judged.found.command.words[1:]:
        if not word.known:
            continue
        for place, piece in _pieces(word.text):
            if _GUARDED.search(piece):
                yield Touch(word.without(place), writes=True)
            elif piece.startswith("file://"):
                yield Touch(word.without(place + len("file://")))
            elif _LEADS_OUT.match(piece) or _exists(piece, folders):
                yield Touch(word.without(place))


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A word, and what stands in it behind signs that divide values."""
    yield 0, text
    for sign in _SIGN.finditer(text):
        yield sign.end(), text[sign.end() :]


# Names of the files and folders that are guarded, as parts of a path.
_GUARDED = re.compile(r"(?:^|/)(?:\.git|\.turnloop|\.mcp\.json)(?:/|$)")
_LEADS_OUT = re.compile(r"/[\w.-]|~/|(?:[^/]+/)*\.\.(?:/|$)")
_SIGN = re.compile(r"[=,:@]")


def _exists(text: str, folders: Sequence[str]) -> bool:
    if not text or "\0" in text:
        return False
    return any(os.path.lexists(os.path.join(folder, text)) for folder in folders)  # noqa: PTH118


def inert(text: str, around: Surroundings) -> Subject:
    """Something that changes only the shell's own state."""
    return Subject(
        SubjectKind.COMMAND,
        text,
        display=text,
        read_only=True,
        contained=True,
        inert=True,
        exact=(around.whole,),
    )
