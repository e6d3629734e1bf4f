"""Options of git's subcommands. Long ones may be shortened: a beginning counts as the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from turnloop_shell.programs.git_listing import names_printed
from turnloop_shell.programs.git_paths import everywhere, is_magic, named, shown_path
from turnloop_shell.programs.git_tables import Roles, Sub
from turnloop_shell.programs.making import HERE, code_text, touch, worst
from turnloop_shell.programs.scan import single
from turnloop_shell.programs.use import Code, Effect, Touch, Use
from turnloop_shell.syntax.words import Word, plain

_EFFECTS = {"n": Effect.NETWORK, "c": Effect.CHANGES, "u": Effect.UNKNOWN}
# The files that were not tracked when a stash was made: `stash@{0}^3`.
_UNTRACKED = re.compile(r"(?:refs/)?stash(?:@\{[^}]*\})?\^3")
# With these `checkout` takes no paths.
_NO_PATHS = frozenset({"b", "B", "orphan", "t", "track", "d", "detach"})
_GRAVE = "xdwWUncu"


@dataclass(slots=True)
class _State:
    """What was found so far."""

    effect: Effect
    code: list[Code] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    paths: list[Word] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    dynamic: str = ""

    def apply(self, role: str, shown: str, value: Word | None) -> None:
        """Note what an option means."""
        kind = role[-1]
        if kind == "d":
            self.dynamic = f"its option `{shown}` makes git run a program"
        elif kind == "i":
            self.names.add("no-index")
        elif kind in _EFFECTS:
            self.effect = worst(self.effect, _EFFECTS[kind])
        elif value is None:
            return
        elif kind == "x":
            self.code.append(Code(code_text(value), f"what git runs for `{shown}`"))
        elif kind == "r":
            self.touches += touch("r", (value,))
        elif kind == "l":  # `1,5:file`, `:function:file`
            self.touches += touch("r", (_behind(value),))
        elif kind in "wWU":
            self.touches += touch("w", (value,), deep=kind != "w")
            self.effect = worst(self.effect, Effect.UNKNOWN if kind == "U" else Effect.CHANGES)

    def write(self, words: Iterable[Word]) -> None:
        """Files that git writes, and all below them."""
        found = tuple(words)
        self.touches += named(found, writes=True, deep=True)
        if everywhere(found):
            self.effect = worst(self.effect, Effect.UNKNOWN)


def _behind(value: Word) -> Word:
    """What stands behind the last colon."""
    return plain(value.text.rpartition(":")[2]) if value.known else value


def sub_use(name: str, sub: Sub, words: tuple[Word, ...]) -> Use:
    state = read(sub.roles, words, sub.effect)
    _operands(name, sub, state)
    if sub.why:
        state.dynamic = state.dynamic or f"`git {name}`: {sub.why}"
    doubt = state.dynamic or _doubt(name, state.effect)
    forms = _push_forms(words) if name == "push" else ()
    places = (*state.operands, *state.paths)
    lists = () if state.dynamic else names_printed(name, state.names, places)
    return Use(
        state.effect,
        tuple(state.code),
        touches=tuple(state.touches),
        forms=forms,
        dynamic=state.dynamic,
        doubt=doubt,
        lists=lists,
    )


def _doubt(name: str, effect: Effect) -> str:
    if effect is Effect.NETWORK:
        return f"`git {name}` talks to other machines"
    return f"`git {name}` reaches beyond the project" if effect is Effect.UNKNOWN else ""


def read(roles: Roles, words: tuple[Word, ...], effect: Effect) -> _State:
    """Tell options and operands apart, noting what options mean."""
    state = _State(effect)
    grave = any(role[-1] in _GRAVE for role in roles.values())
    place = 0
    while place < len(words):
        word, place = words[place], place + 1
        if word.known and word.text == "--":
            state.paths += words[place:]
            break
        if not word.prefix.startswith("-") or word.text == "-":
            if not word.known and not word.prefix and grave:
                state.dynamic = f"`{word.source}` may stand for an option that runs or writes"
            state.operands.append(word)
            continue
        if not word.known and grave and not (len(word.prefix) > 1 and single(word)):
            state.dynamic = f"`{word.source}` may stand for an option that runs or writes"
        option = _long if word.prefix.startswith("--") else _short
        place += option(state, roles, word, words[place : place + 1])
    return state


def _long(state: _State, roles: Roles, word: Word, after: tuple[Word, ...]) -> int:
    name, equals, _ = word.prefix[2:].partition("=")
    role = roles.get(name)
    if role is None:
        matches = [(known, r) for known, r in roles.items() if len(known) > 1 and name]
        matches = [(known, r) for known, r in matches if known.startswith(name)]
        # Of several that it may mean the gravest counts.
        matches.sort(key=lambda pair: pair[1][-1] not in _GRAVE)
        full, role = matches[0] if matches else (name, "f")
        name = full
    state.names.add(name)
    if equals:
        state.apply(role, f"--{name}", word.without(word.prefix.index("=") + 1))
        return 0
    if role[0] in "fo":
        state.apply(role, f"--{name}", None)
        return 0
    return _separate(state, role, f"--{name}", after)


def _separate(state: _State, role: str, shown: str, after: tuple[Word, ...]) -> int:
    if not after:
        return 0
    if not single(after[0]):
        state.dynamic = state.dynamic or f"the value of `{shown}` is not known"
    state.apply(role, shown, after[0])
    return 1


def _short(state: _State, roles: Roles, word: Word, after: tuple[Word, ...]) -> int:
    for place, letter in enumerate(word.prefix[1:], start=2):
        role = roles.get(letter, "f")
        state.names.add(letter)
        if role[0] == "f":
            state.apply(role, f"-{letter}", None)
            continue
        rest = word.without(place)
        if rest.text:
            state.apply(role, f"-{letter}", rest)
            return 0
        if role[0] == "o":
            state.apply(role, f"-{letter}", None)
            return 0
        return _separate(state, role, f"-{letter}", after)
    return 0


def _operands(name: str, sub: Sub, state: _State) -> None:
    """The paths among the operands."""
    operands, paths = list(state.operands), state.paths
    if sub.first and not state.names & set(sub.first):
        operands = operands[1:]
    if _spreads(sub, state.names):
        state.touches += touch("w", (HERE,), deep=True)
        if sub.wide:
            state.effect = worst(state.effect, Effect.UNKNOWN)
    match sub.operands:
        case "o" | "a" | "s":
            _shown_paths(name, sub.operands, state, operands)
        case "p":
            state.write(paths)
            if not state.names & _NO_PATHS:
                state.write([*operands[1:], *(w for w in operands[:1] if _only_path(w))])
        case "t":
            state.touches += touch("w", (*operands, *paths)[1:2], deep=True)
        case "" | "none":
            pass
        case "W":
            below = (*operands, *paths)
            state.write((HERE,) if name == "clean" and not below else below)
        case kind:
            some = [w for w in (*operands, *paths) if not is_magic(w)]
            state.touches += touch(kind, some)


def _shown_paths(name: str, kind: str, state: _State, operands: list[Word]) -> None:
    """What is shown of the files that are named, and of what commits hold of them."""
    paths = state.paths
    inside = [shown_path(word) for word in operands if ":" in word.prefix[1:]]
    if kind == "o":
        state.touches += named(inside)
    elif kind == "a":
        state.touches += named(inside[:1])
        state.touches += named((*operands[1:], *paths), deep=True, visible=True)
    elif "no-index" in state.names or "untracked" in state.names:
        below = [*operands, *paths] or ([HERE] if name == "grep" else [])
        state.touches += touch("r", below, deep=True)
    else:
        if any(_UNTRACKED.match(word.prefix) for word in operands):
            state.touches += touch("r", (HERE,), deep=True)
        shown = [*(shown_path(word) for word in operands if word.prefix), *paths]
        deep = name == "grep"
        state.touches += named(shown or ([HERE] if deep else []), deep=deep, visible=deep)


def _spreads(sub: Sub, names: set[str]) -> bool:
    """Whether it writes files that its words do not name."""
    if names & set(sub.spreads):
        return True
    return "" in sub.spreads and not names & set(sub.spares)


def _only_path(word: Word) -> bool:
    """It can name no branch: no part of the name of one begins with a dot."""
    return word.known and any(part.startswith(".") for part in word.text.split("/"))


def _push_forms(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], ...]:
    """Options first and in full: where they stand, and how short they are, means nothing."""
    short = {"f": "--force", "d": "--delete", "u": "--set-upstream", "n": "--dry-run"}
    long = ("--delete", "--mirror", "--prune", "--no-verify", "--force-with-lease", "--tags",
            "--all", "--branches")  # fmt: skip
    options: list[Word] = []
    operands: list[Word] = []
    for word in words:
        text = word.text
        if not text.startswith("-") or len(text) < 2:
            operands.append(word)
        elif text.startswith("--"):
            full = [name for name in long if text != "--force" and name.startswith(text)]
            options.append(plain(full[0]) if len(full) == 1 else word)
        else:
            options += [plain(short.get(letter, f"-{letter}")) for letter in text[1:]]
    if any(word.text.startswith("+") for word in operands):
        options.insert(0, plain("--force"))
    options.sort(key=lambda word: word.text != "--force")
    start = (plain("git"), plain("push"))
    first = (*start, *options, *operands)
    return () if first == (*start, *words) else (first,)
