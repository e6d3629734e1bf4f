"""What the values and operands of one command add up to."""

from __future__ import annotations

import re
from types import MappingProxyType

from turnloop_shell.programs.making import HERE, worst
from turnloop_shell.programs.options import Role
from turnloop_shell.programs.pieces import attached, split_program
from turnloop_shell.programs.use import Code, Effect, Runs, Touch, Use
from turnloop_shell.programs.values import PARTS, parts_of
from turnloop_shell.syntax.words import Word, plain

# How a path is touched: written, with all below it, read as well, without hidden names.
_TOUCHES = MappingProxyType(
    {
        Role.READ: (False, False, False),
        Role.SCRIPT: (False, False, False),
        Role.LIST: (False, False, False),
        Role.WRITE: (True, False, False),
        Role.OUTPUT: (True, False, False),
        Role.CHANGE: (True, False, True),
        Role.READ_DEEP: (False, True, False),
        Role.READ_VISIBLE: (False, True, False),
        Role.WRITE_DEEP: (True, True, False),
        Role.CHANGE_DEEP: (True, True, True),
    }
)
_STANDARD = frozenset({"-", "/dev/stdin", "/dev/stdout", "/dev/fd/0", "/dev/fd/1"})
_INPUTS = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
# What a value of make may hold without meaning anything to make or to a shell.
_SIMPLE = re.compile(r"[\w.,:=+/%@ -]*")
# Variables of build files that name a program, as they are shown.
_PROGRAMS = re.compile(
    r"`(?:[A-Z0-9_]*_)?(?:(?:HOST|BUILD|TARGET)?(?:CC|CXX|CPP|LD|AR|AS)|NM|RANLIB|STRIP|OBJCOPY"
    r"|OBJDUMP|FC|F77|LEX|YACC|RM|CP|MV|MKDIR|INSTALL|SHELL|BASH|MAKE|CMAKE|PYTHON[23]?|PY|PIP"
    r"|NODE|NPM|NPX|YARN|PNPM|BUN|RUBY|PERL|GO|CARGO|RUSTC|JAVA|JAVAC|DOCKER|SED|AWK|GREP|CURL"
    r"|WGET|GIT|TAR|RUN|RUNNER|EXEC|CMD|COMMAND|TOOL|PYTEST|TEST_RUNNER|EDITOR|PAGER|BROWSER"
    r"|SUDO|TIDY|FORMATTER|LINTER|CLANG[A-Z_]*|[A-Z0-9_]*_(?:BIN|CMD|COMMAND|PROGRAM|EXE))="
    r"`",
    re.I,
)
_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|php|lua|node|deno|bun|bash|sh|dash|zsh|ksh|tclsh|java|npm|npx|yarn"
    r"|pnpm|uv|poetry|go|cargo|make|cmake)[0-9.]*"
)
_STEERS = re.compile(r"extld|wrapper|plugin|toolexec|linker|OnError|OnOutOfMemory|specs=|-B")
_OUTSIDE = re.compile(r"(?:.*[=: ])?(?:/|~|(?:[^=: ]*/)?\.\.(?:/|$))")
_LOADS = re.compile(r"\b(load\w*|system|import|include)\b")
_EXECUTES = re.compile(r"(^|:)exec(-maven-plugin)?(:|$)")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# First words of names that publish or install, and words that do so anywhere in a name.
_OUTGOING = frozenset({"publish", "deploy", "upload", "push", "install", "uninstall", "release"})
_ALWAYS_OUTGOING = frozenset({"publish", "deploy", "upload"})


def leads_out(text: str) -> bool:
    """A value that may name a path outside the current folder."""
    return _OUTSIDE.match(text) is not None


def is_deep(role: Role) -> bool:
    return _TOUCHES[role][1]


class Tally:
    """Adds up what the words of one command do."""

    def __init__(self, program: str, effect: Effect, *, remote: bool = False) -> None:
        """`remote`: `host:path` names another machine."""
        self._program = program
        self._remote = remote
        self._effect = effect
        self._code: list[Code] = []
        self._runs: list[Runs] = []
        self._touches: list[Touch] = []
        self._forms: list[tuple[Word, ...]] = []
        self._dynamic = self._opaque = self._doubt = ""

    def made(self) -> Use:
        if any(touch.writes for touch in self._touches):
            self.worsen(Effect.CHANGES, "")
        if self._effect in (Effect.NETWORK, Effect.UNKNOWN) and not self._doubt:
            self._doubt = self._reason()
        return Use(
            self._effect,
            tuple(self._code),
            tuple(self._runs),
            tuple(dict.fromkeys(self._touches)),
            tuple(self._forms),
            dynamic=self._dynamic,
            opaque=self._opaque,
            doubt=self._doubt,
        )

    def _reason(self) -> str:
        if self._effect is Effect.NETWORK:
            return f"`{self._program}` talks to other machines"
        return f"`{self._program}` may change more than the project"

    def worsen(self, effect: Effect, doubt: str) -> None:
        self._effect = worst(self._effect, effect)
        self._doubt = self._doubt or doubt

    def _refuse(self, reason: str) -> None:
        self._dynamic = self._dynamic or reason
        self.worsen(Effect.UNKNOWN, reason)

    def start(self, words: tuple[Word, ...]) -> None:
        """A program that is started with just these words."""
        self._runs.append(Runs(words))

    def touch(self, touch: Touch) -> None:
        self._touches.append(touch)

    def take(self, role: Role | None, value: Word | None, shown: str) -> None:
        """One value, or operand, or flag (no value), in its role."""
        for part, word in parts_of(role, value) if role in PARTS else ((role, value),):
            self._take(part, word, shown)

    def _take(self, role: Role | None, value: Word | None, shown: str) -> None:
        match role:
            case None | Role.TEXT:
                return
            case Role.CHANGES if value is not None and value.prefix.startswith("+"):
                return  # `date +%F` only shows
            case Role.NETWORK:
                self.worsen(Effect.NETWORK, f"{shown} reaches other machines")
            case Role.CHANGES:
                self.worsen(Effect.UNKNOWN, f"{shown} changes more than what is named")
            case Role.REFUSED:
                self._refuse(f"what {shown} makes `{self._program}` run cannot be known")
                if value is not None:
                    self._names_program(value, shown)
            case Role.FOREIGN:
                self._opaque = self._opaque or f"{shown} is code in another language"
                self.worsen(Effect.UNKNOWN, self._opaque)
            case Role.CODE | Role.ACTION | Role.PROGRAM | Role.VARIABLE:
                if value is not None:
                    self._execute(role, value, shown)
            case Role.AT | Role.SAVED | Role.TARGET | Role.SOURCE | Role.MODULE | Role.QUERY:
                if value is not None:
                    self._text(role, value, shown)
            case _:
                self._path(role, HERE if value is None else value, shown)

    def _path(self, role: Role, word: Word, shown: str) -> None:
        if role is Role.SCRIPT and word.known and word.text in _INPUTS:
            self._opaque = self._opaque or f"{shown} takes its code from standard input"
            self.worsen(Effect.UNKNOWN, self._opaque)
        if role is Role.LIST:
            self.worsen(Effect.UNKNOWN, f"{shown} names files that are not known")
        if self._remote and ":" in word.text.partition("/")[0]:
            self.worsen(Effect.NETWORK, f"`{word.text}` is on another machine")
            return
        writes, deep, reads = _TOUCHES[role]
        standard = word.known and word.text in _STANDARD
        if standard and (not writes or role is Role.OUTPUT):
            return
        visible = role is Role.READ_VISIBLE
        self._touches.append(Touch(word, writes, deep, reads, visible=visible))

    def _text(self, role: Role, value: Word, shown: str) -> None:
        """A value that names a path only in one of its forms."""
        match role:
            case Role.TARGET:
                self._target(value)
            case Role.QUERY:
                if not value.known or _LOADS.search(value.text):
                    self.worsen(Effect.UNKNOWN, f"{shown} may load further files")
            case Role.SOURCE if value.prefix.startswith("@"):
                self._refuse(f"the options in {shown} are not known")
                self._path(Role.READ, value.without(1), shown)
            case Role.MODULE if "@" in value.text:
                self.worsen(Effect.NETWORK, f"{shown} is fetched from another machine")
            case Role.SOURCE | Role.MODULE:
                self._path(Role.READ, value, shown)
            case Role.AT:
                path = attached(value)
                if path is not None:
                    self._path(Role.READ, path, shown)
            case _:
                self._saved(value, shown)

    def _target(self, value: Word) -> None:
        text = value.text
        tokens = [token.lower() for token in _WORDS.findall(text)]
        if not _OUTGOING.isdisjoint(tokens[:1]) or not _ALWAYS_OUTGOING.isdisjoint(tokens):
            self.worsen(Effect.UNKNOWN, f"`{text}` may publish or install")
        elif _EXECUTES.search(text):
            self._refuse(f"which program `{text}` runs is not known")
        elif not value.known:
            self.worsen(Effect.UNKNOWN, f"it is not known what `{text}` is")

    def _saved(self, value: Word, shown: str) -> None:
        name = re.split(r"[?#]", value.text)[0].rpartition("/")[2]
        if value.known:
            self._path(Role.WRITE, plain(name) if name else HERE, shown)
        else:
            self._path(Role.WRITE_DEEP, HERE, shown)

    def _execute(self, role: Role, value: Word, shown: str) -> None:
        match role:
            case Role.VARIABLE:
                self._variable(value, shown)
            case Role.PROGRAM:
                self._run(value, shown)
            case Role.ACTION if value.text.startswith("exec="):
                self._shell(value.without(len("exec=")), shown)
            case Role.ACTION if value.known or not "exec=".startswith(value.prefix[:5]):
                return
            case _:
                self._shell(value, shown)

    def _shell(self, value: Word, shown: str) -> None:
        text = value.text if value.known else None
        self._code.append(Code(text, f"{shown} of `{self._program}`"))

    def _variable(self, value: Word, shown: str) -> None:
        self._names_program(value, shown)
        simple = value.known and _SIMPLE.fullmatch(value.text)
        if not simple or _STEERS.search(value.text):
            self._refuse(f"what {shown} makes `{self._program}` run cannot be known")
        elif leads_out(value.text):
            self.worsen(Effect.UNKNOWN, f"{shown} leads `{self._program}` out of the project")

    def _names_program(self, value: Word, shown: str) -> None:
        """`CC=clang`: a rule for `clang` holds, and what an interpreter gets is not known yet."""
        words = split_program(value) if _PROGRAMS.fullmatch(shown) else None
        if not words or words[0].text[:1] in ("", "-"):
            return
        self._forms += [words, (*words, plain("…"))]  # it gets more words
        if not _INTERPRETERS.fullmatch(words[0].text.rpartition("/")[2]):
            self._runs.append(Runs(words))

    def _run(self, value: Word, shown: str) -> None:
        words = split_program(value)
        if words is None:
            self._refuse(f"which program {shown} makes `{self._program}` run is not known")
        elif words:
            # It gets words of its own, and the data on its standard input.
            self._runs.append(Runs(words, more=True, stdin="pipe"))
