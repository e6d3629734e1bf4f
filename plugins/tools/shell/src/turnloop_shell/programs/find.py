"""`find` and `fd`: what they start for the files that they find."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType

from turnloop_shell.programs.env_xargs import replaced
from turnloop_shell.programs.making import HERE, dynamic, one_of, touch
from turnloop_shell.programs.pieces import globs, pattern_of
from turnloop_shell.programs.scan import scan, single
from turnloop_shell.programs.use import Command, Effect, Runs, Touch, Use
from turnloop_shell.syntax.words import Word

_RUNS = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_WRITES = MappingProxyType({"-fls": 1, "-fprint": 1, "-fprint0": 1, "-fprintf": 2})
_READS_FILE = frozenset(("-newer", "-anewer", "-cnewer", "-samefile", "-files0-from"))
_VALUES = one_of(
    "-amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum -ipath "
    "-iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -path "
    "-perm -printf -regex -regextype -size -type -uid -used -user -wholename -xtype "
    "-context -D -flags -xattrname -Bmin -Btime -Bnewer"
)
_FLAGS = one_of(
    "-H -L -P -E -X -d -s -x -daystart -depth -empty -executable -false -follow -ls "
    "-mount -nogroup -noleaf -nouser -nowarn -print -print0 -prune -quit -readable "
    "-true -warn -writable -xdev -ignore_readdir_race -noignore_readdir_race -not "
    "-and -or -a -o ! ( ) , -help --help -version --version -acl -xattr -sparse -O0 "
    "-O1 -O2 -O3"
)
_ENDS = (";", "+")
_ACTS = frozenset((*_RUNS, *_WRITES, "-delete", "-print", "-print0", "-printf", "-ls"))
# With any of these no test holds for all that is found.
_EITHER = frozenset(("-o", "-or", ",", "!", "-not", "("))
# `-newerXY` is an option for every two of these letters.
_NEWER = tuple(f"-newer{x}{y}" for x in "abcm" for y in "abcmt")
_PARTS = (*_VALUES, *_FLAGS, *_RUNS, *_WRITES, *_READS_FILE, *_NEWER, *_ENDS, "-delete")
# Formats of `-printf` that show paths as they are, and nothing else.
_PATHS = re.compile(r"%p(?:\\n|\\0|\n)?")


@dataclass(slots=True)
class _State:
    starts: list[Word] = field(default_factory=list)
    runs: list[Runs] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    names: list[Word] = field(default_factory=list)
    deletes: bool = False
    moves: bool = False
    acts: bool = False
    mixes: bool = False
    problem: str = ""

    def only(self, words: tuple[Word, ...]) -> tuple[str, ...]:
        """A glob that every name has to match before anything is done; none where it is unsure."""
        if any(word.text in _EITHER or pattern_of(word) is None for word in words):
            return ()
        return globs(self.names)[:1]


def find(command: Command) -> Use:
    words = command.words[1:]
    state = _State()
    place = _starts(words, state)
    while place < len(words):
        place = _step(words, place, state, command)
    starts = tuple(state.starts) or (HERE,)
    only = state.only(words)
    # Without `-delete` only names are read, and what runs for a file is judged by itself.
    files = (
        [Touch(word, writes=True, deep=True, only=only) for word in starts]
        if state.deletes
        else touch("r", starts)
    )
    touches = (*files, *state.touches)
    lists = () if state.mixes else tuple(Touch(word, deep=True, only=only) for word in starts)
    written = any(touched.writes for touched in touches)
    effect = Effect.CHANGES if written else Effect.READS
    if state.problem:
        return dynamic(state.problem, runs=tuple(state.runs), touches=touches)
    doubt = "the programs run in folders that only `find` knows" if state.moves else ""
    return Use(effect, (), tuple(state.runs), touches, doubt=doubt, lists=lists)


def _starts(words: tuple[Word, ...], state: _State) -> int:
    """The folders in front of the expression."""
    place = 0
    while place < len(words):
        word = words[place]
        if word.known and word.text in ("-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x", "--"):
            place += 1
            continue
        if word.known and word.text == "-f":  # BSD
            place += 1
        elif word.prefix[:1] == "-" or (word.known and word.text in ("(", "!", ",")):
            break
        elif not word.prefix and not word.known:
            state.problem = f"`{word.source}` may stand for a part of the expression of `find`"
        state.starts += words[place : place + 1]
        place += 1
    return place


def _step(words: tuple[Word, ...], place: int, state: _State, command: Command) -> int:
    """Read one part of the expression; returns where the next one begins."""
    word = words[place]
    text = word.text if word.known else ""
    if text in ("-name", "-iname") and not state.acts:
        state.names += words[place + 1 : place + 2]
    state.acts = state.acts or text in _ACTS
    if text == "-printf":
        shown = words[place + 1 : place + 2]
        state.mixes = not shown or not shown[0].known or not _PATHS.fullmatch(shown[0].text)
    state.mixes = state.mixes or text == "-ls"
    if text in _RUNS:
        return _action(words, place, state, command)
    if text in _WRITES:
        state.touches += touch("w", words[place + 1 : place + 2])
        return place + 1 + _WRITES[text]
    if text in _READS_FILE or text.startswith("-newer"):
        if not (text.startswith("-newer") and text.endswith("t")):
            state.touches += touch("r", words[place + 1 : place + 2])
        if text == "-files0-from":
            state.problem = "the folders that `find` searches stand in a file"
        return place + 2
    if text == "-delete":
        state.deletes = True
    elif text in _VALUES:
        after = words[place + 1 : place + 2]
        if after and not after[0].known and not (single(after[0]) or _is_name(after[0])):
            state.problem = f"`{after[0].source}` may stand for a part of the expression"
        return place + 2
    elif text not in _FLAGS:
        state.problem = f"it is not known what `{word.source}` means to `find`"
    return place + 1


def _is_name(word: Word) -> bool:
    """Whatever names of files come in its place, none is taken for a part of the expression.

    `*.py` may become several words, or `-x.py`, of which `find` says that they are none of its own;
    it looks at all of its words before it does anything.
    """
    if word.prefix[:1].isalnum() or word.prefix.startswith(("./", "/")):
        return True
    pattern = pattern_of(word)
    return pattern is not None and not any(fnmatchcase(p.lower(), pattern) for p in _PARTS)


def _action(words: tuple[Word, ...], place: int, state: _State, command: Command) -> int:
    """`-exec program words ;`"""
    name = words[place].text
    end = place + 1
    while end < len(words) and not _ends(words, end):
        end += 1
    program = words[place + 1 : end]
    if not program:
        state.problem = state.problem or f"`{name}` lacks its program"
        return end + 1
    if any(not word.known and not word.prefix for word in program[1:]) and end >= len(words):
        state.problem = f"it cannot be told where the program of `{name}` ends"
    start = state.starts[0] if len(state.starts) == 1 else None
    before = f"{start.text}/" if start is not None and start.known and not start.tilde else ""
    before = "./" if name.endswith("dir") or not state.starts else before
    filled = tuple(replaced(word, "{}", before) for word in program)
    stdin = None if name.startswith("-ok") else command.stdin
    state.moves = state.moves or name.endswith("dir")
    state.runs.append(Runs(filled, stdin=stdin))
    return end + 1


def _ends(words: tuple[Word, ...], place: int) -> bool:
    word = words[place]
    if not word.known or word.text not in _ENDS:
        return False
    return word.text == ";" or words[place - 1].text == "{}"


_FD = (
    "HIusgFaLlp0d:E:t:e:S:o:x:X:c:j:1qhVi",
    (
        "hidden no-ignore no-ignore-vcs no-ignore-parent no-require-git unrestricted "
        "case-sensitive "
        "ignore-case glob regex fixed-strings and: absolute-path list-details follow full-path "
        "print0 "
        "max-depth: min-depth: exact-depth: exclude: prune type: extension: size: changed-within: "
        "changed-before: owner: format: exec: exec-batch: batch-size: ignore-file: color: "
        "hyperlink? "
        "threads: max-results: quiet show-errors strip-cwd-prefix? one-file-system base-directory: "
        "path-separator: search-path: max-buffer-time: help version no-follow no-global-ignore-file"
    ),
)
_FD_RUNS = ("x", "X", "exec", "exec-batch")


def fd(command: Command) -> Use:
    """The program of `-x` goes on to a `;` or to the end."""
    words = command.words[1:]
    runs: list[Runs] = []
    for count in range(1, len(words) + 1):
        front = scan(words[:count], *_FD, mixed=True)
        given = front.values(*_FD_RUNS)
        glued = [o for o in front.options if o.name in _FD_RUNS]
        if not glued:
            continue
        if not given:
            break  # its value is the next word
        rest = (given[0], *words[count:])
        ends = [n for n, word in enumerate(rest) if word.known and word.text == ";"]
        program = rest[: ends[0]] if ends else rest
        more = not any("{" in word.text for word in program)
        filled = tuple(_placeholders(word) for word in program)
        runs.append(Runs(filled, more=more))
        words = words[: count - 1] if len(given[0].text) else words
        if ends and ends[0] + 1 < len(rest):
            return dynamic("it cannot be told what else `fd` runs", runs=tuple(runs))
        break
    return _fd_use(command, words, tuple(runs))


def _placeholders(word: Word) -> Word:
    for mark in ("{//}", "{/.}", "{/}", "{.}", "{}"):
        word = replaced(word, mark)
    return word


def _fd_use(command: Command, words: tuple[Word, ...], runs: tuple[Runs, ...]) -> Use:
    while runs and words and words[-1].known and words[-1].text.lstrip("-") in _FD_RUNS:
        words = words[:-1]
    found = scan(words, *_FD, mixed=True)
    folders = (*found.rest[1:], *found.values("base-directory", "search-path"))
    touches = touch("r", folders or (HERE,))
    hidden = found.has("H", "u", "hidden", "unrestricted")
    below = (*folders, HERE) if found.has("base-directory") else folders or (HERE,)
    lists = tuple(Touch(word, deep=True, visible=not hidden) for word in below)
    if found.has("format", "l", "list-details", "path-separator"):
        lists = ()
    touches += touch("r", found.values("ignore-file"))
    if found.problem:
        return dynamic(
            f"it cannot be told what `{command.name}` runs: {found.problem}",
            runs=runs,
            touches=touches,
        )
    return Use(Effect.READS, runs=runs, touches=touches, lists=lists)
