"""From a parsed command line to subjects: every command that may run, wherever it stands."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence as Row
from dataclasses import replace

from turnloop_core.api import Subject, SubjectKind
from turnloop_shell.analysis.ahead import assigned_in, moves_places, value_of
from turnloop_shell.analysis.arithmetic import doubt
from turnloop_shell.analysis.commands import Found, Judged, inert, judge
from turnloop_shell.analysis.compounds import compound
from turnloop_shell.analysis.folders import is_below, other_repository, targets
from turnloop_shell.analysis.lists import further, handed_on
from turnloop_shell.analysis.made import Made
from turnloop_shell.analysis.places import FREE, assigned, path_subjects, resolved
from turnloop_shell.analysis.state import State, Surroundings, united
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Touch
from turnloop_shell.programs.variables import steers
from turnloop_shell.syntax.nodes import (
    AndOr,
    Compound,
    Function,
    Node,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Sequence,
    Simple,
    Subshell,
)
from turnloop_shell.syntax.parse import parse
from turnloop_shell.syntax.words import Word

DEEPEST = 12  # code within code within code
MOST_SUBJECTS = 2_000
MOST_STEPS = 20_000
MOST_VARIANTS = 8


class TooMuchError(Exception):
    """The line holds more than anybody could be asked about."""


class Walker:
    """Walks one command line.

    Args:
        around: where it would run.

    Attributes:
        found: the subjects, in the order of the line.
    """

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self._depth = 0
        self._steps = 0
        self._scripts: list[Script] = []
        self._doubts: dict[str, None] = {}
        self._made = Made(around)
        self._negated = False
        self._disturbed = False  # something may have moved the folders that are here now
        self._active: list[str] = []
        self._uncalled: dict[int, tuple[Node, State]] = {}
        self.found: dict[Subject, None] = {}

    def walk(self, node: Node | None, state: State) -> tuple[str, ...]:
        """Name what a node may run. The state is changed as the shell's would be.

        Returns:
            The folders in which the shell may be if the node succeeded; `state.folders` are those
            in which it may be whatever happened.
        """
        match node:
            case Simple():
                return self._simple(node, state)
            case Sequence(items):
                ended = state.folders
                for item in items:
                    ended = self.walk(item, state)
                return ended
            case AndOr():
                return self._and_or(node, state)
            case Pipeline(items):
                self._pipeline(items, state)
            case Subshell(body):
                self.walk(body, state.copy())
            case Function(name, body):
                state.functions[name] = (body, state.certain)
                self._uncalled[id(body)] = (body, state.copy())
            case Compound():
                return compound(self, node, state)
            case Redirected(body, redirects):
                inner = self._redirected(redirects, state)
                before, state.stdin = state.stdin, inner
                ended = self.walk(body, state)
                state.stdin = before
                return ended
        return state.folders

    def line(self, text: str, state: State) -> tuple[str, ...]:
        """Walk a whole line. Returns why it cannot be known what runs, nothing when it can."""
        script = self._parse(text)
        self.walk(script.body, state)
        while self._uncalled:
            body, inner = self._uncalled.pop(next(iter(self._uncalled)))
            self._unnamed(body, inner)
        calculated = doubt(self._scripts, self.around.names)
        if calculated:
            self._doubts[calculated] = None
        return (*script.doubts, *self._doubts)

    def _parse(self, text: str) -> Script:
        script = parse(text)
        self._scripts.append(script)
        self._negated = self._negated or script.negated
        return script

    def add(self, *subjects: Subject) -> None:
        """Put subjects on the list."""
        for subject in subjects:
            self.found.setdefault(subject)
        if len(self.found) > MOST_SUBJECTS:
            raise TooMuchError

    def code(self, code: Code, state: State, owner: Judged) -> None:
        """Judge code that a command runs like a line of its own."""
        if code.text is None:
            return  # its command is dynamic for that
        if self._depth >= DEEPEST:
            raise TooMuchError
        self._depth += 1
        script = self._parse(code.text)
        inner = state if code.here else state.copy()
        outer = inner.outer
        if code.text in owner.narrow:  # else the text of the command does not tell what it runs
            inner.outer = (*outer, owner.narrow)
        for why in script.doubts:
            reason = f"{code.where}: {why}"
            self.add(replace(owner.subject, dynamic=True, contained=False, reason=reason))
        self.walk(script.body, inner)
        inner.outer = outer
        self._depth -= 1

    def _and_or(self, node: AndOr, state: State) -> tuple[str, ...]:
        succeeded = self.walk(node.left, state)
        whatever = state.folders
        if node.operator == "&&" and not self._negated:
            state.folders = succeeded
        certain, state.certain = state.certain, False
        ended = self.walk(node.right, state)
        state.certain = certain
        state.folders = united(whatever, state.folders)
        return ended if node.operator == "&&" else united(succeeded, ended)

    def _pipeline(self, items: tuple[Node, ...], state: State) -> None:
        listed: tuple[Touch, ...] = ()
        for place, item in enumerate(items):
            inner = state.copy()
            if place:
                inner.stdin, inner.listed = "pipe", listed
            self.walk(item, inner)
            listed = handed_on(item, listed)

    def _unnamed(self, body: Node, inner: State) -> None:
        """Judge the body of a function that is not called in the line, as far as one can see."""
        inner.assign_all(assigned_in((body,)))
        inner.stdin = "pipe"
        inner.certain = False
        self.walk(body, inner)

    def _simple(self, node: Simple, state: State) -> tuple[str, ...]:
        for word in node.words:
            self.nested(word, state)
        for assignment in node.assignments:
            for each in assignment.nested:
                self.walk(each, state.copy())
            if assignment.value is not None:
                self.nested(assignment.value, state)
        stdin = self._redirected(node.redirects, state)
        if not node.words:
            self._assignments(node, state)
            return state.folders
        prefix = tuple((a.name, value_of(a)) for a in node.assignments)
        return self.command(Command(node.words, stdin), prefix, state, node.source)

    def _assignments(self, node: Simple, state: State) -> None:
        for assignment in node.assignments:
            value = value_of(assignment)
            if value is not None:
                value = assigned(value, state, self.around)
            state.assign(assignment.name, value)
            self.reaches_programs(assignment.name, value, state)
            self.add(inert(assignment.source, self.around))

    def reaches_programs(self, name: str, value: Word | None, state: State) -> None:
        """Note a variable that is set, if the programs that follow get it."""
        if steers(name) or name in self.around.names:
            state.exported[name] = value

    def command(
        self,
        command: Command,
        prefix: Row[tuple[str, Word | None]],
        state: State,
        source: str,
        runs: Runs | None = None,
    ) -> tuple[str, ...]:
        """Judge one simple command, and what it runs. Returns the folders after its success."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise TooMuchError
        name = command.words[0].text
        body, certain = state.functions.get(name, (None, False))
        if body is not None and command.words[0].known and runs is None:
            self._call(command, prefix, body, state)
            if certain:
                self.add(inert(source, self.around))
                return state.folders
        everything = tuple({**state.exported, **dict(prefix)}.items())
        ended = state.folders
        for words in self._variants(command.words, state):
            shown = command.words if runs is None else runs.words
            found = Found(Command(words, command.stdin), shown, everything, source, runs)
            ended = self._judged(judge(found, state, self.around), state)
        return ended

    def _judged(self, judged: Judged, state: State) -> tuple[str, ...]:
        use, subject = judged.use, judged.subject
        folders = state.folders
        if use.within is not None:
            folders = targets(use.within, state, self.around)
        if use.repository and other_repository(folders, self.around.root):
            reason = "another repository brings its own configuration, which may name programs"
            subject = replace(subject, dynamic=True, contained=False, reason=reason)
        if use.folder is not None and self._leaves(use.folder, state):
            reason = "it leaves the project"
            subject = replace(subject, inert=False, contained=False, reason=reason)
        paths = [
            replace(path, command=judged.narrow, deep=touch.depth, only=touch.only)
            for touch, kind in judged.touched(state)
            for each in path_subjects(touch.word, kind, state, self.around)
            for path in self._made.seen(each)
        ]
        if self._made.runs_its_own(use, paths):
            reason = "it runs a file that this line makes"
            subject = replace(subject, dynamic=True, contained=False, reason=reason)
        if judged.own or subject.dynamic:
            self.add(subject)
        self.add(*(replace(path, deep="") if path.dynamic else path for path in paths))
        self._made.note(judged.found.command.name, paths)
        for code in use.code:
            self.code(code, state, judged)
        for runs in use.runs:
            self._runs(runs, state, judged)
        return self._changes(judged, state)

    def _leaves(self, folder: Word, state: State) -> bool:
        root = self.around.root
        goals = targets(folder, state, self.around)
        return not goals or not all(is_below(goal, root) for goal in goals)

    def _runs(self, runs: Runs, state: State, judged: Judged) -> None:
        if not runs.words:
            return
        if self._depth >= DEEPEST:
            raise TooMuchError
        self._depth += 1
        inner = state.copy()
        inner.outer = (*state.outer, judged.narrow)
        if runs.folder is not None:
            inner.folders = targets(runs.folder, inner, self.around)
        listed = judged.use.lists or inner.listed
        more = (further(listed),) if runs.more else ()
        inner.listed = listed
        prefix = (*judged.found.prefix, *runs.assigns)
        command = Command((*runs.words, *more), runs.stdin)
        self.command(command, prefix, inner, judged.found.source, runs)
        self._depth -= 1

    def _changes(self, judged: Judged, state: State) -> tuple[str, ...]:
        """What the command makes of the shell's own state."""
        use = judged.use
        quiet = use.effect is Effect.READS and not (use.dynamic or use.opaque)
        self._disturbed = self._disturbed or not quiet
        for name, given in use.assigns:
            value = None if given is None else assigned(given, state, self.around)
            if given is None and state.listed and judged.found.command.name == "read":
                value = further(state.listed)
            state.assign(name, value)
            if use.exports:
                state.exported[name] = value
            else:
                self.reaches_programs(name, value, state)
        if use.positional:
            state.values.update(dict.fromkeys(_PLACES))
        if use.folder_unknown:
            state.folders = ()
        elif use.folder is not None:
            goals = targets(use.folder, state, self.around)
            sure = not self._disturbed and goals and all(os.path.isdir(goal) for goal in goals)  # noqa: PTH112
            state.folders = goals if sure else united(state.folders, goals)  # it may fail
            return goals
        return state.folders

    def _call(
        self,
        command: Command,
        prefix: Row[tuple[str, Word | None]],
        body: Node,
        state: State,
    ) -> None:
        """A call of a function of this line: its body runs in the state of the call.

        Variables in front of the call reach what the body runs. Afterwards they are taken for set,
        which is more than they are.
        """
        name, *given = command.words
        if name.text in self._active:
            why = f"the function `{name.text}` calls itself, nobody knows how often"
            self._doubts[why] = None
            return
        self._uncalled.pop(id(body), None)
        self._active.append(name.text)
        for variable, value in prefix:
            state.assign(variable, value if value is None else assigned(value, state, self.around))
            state.exported[variable] = value
        before = {place: state.values.pop(place, None) for place in _PLACES}
        if not moves_places((body,)):
            for place, word in zip(_PLACES, given, strict=False):
                state.assign(place, assigned(word, state, self.around))
        certain, state.certain = state.certain, False
        stdin, state.stdin = state.stdin, command.stdin
        self.walk(body, state)
        state.stdin, state.certain = stdin, certain
        state.values.update(before)
        self._active.pop()

    def _variants(self, words: tuple[Word, ...], state: State) -> Iterable[tuple[Word, ...]]:
        """The command with the values that its variables may have, where these are known."""
        found: list[tuple[Word, ...]] = [words[:1]]
        for word in words[1:]:
            choices = resolved(word, state, self.around)
            if len(found) * len(choices) > MOST_VARIANTS:
                choices = (word,)
            found = [(*row, choice) for row in found for choice in choices]
        return found

    def nested(self, word: Word, state: State) -> None:
        """Walk what runs while a word is expanded."""
        for node in word.nested:
            inner = state.copy()
            if ">(" in word.source:
                inner.stdin = "pipe"
            self.walk(node, inner)

    def _redirected(self, redirects: Row[Redirect], state: State) -> Word | str | None:
        """Name the files of redirections; what standard input is after them."""
        stdin = state.stdin
        for redirect in redirects:
            self.nested(redirect.target, state)
            named = _DESCRIPTOR.match(redirect.source)
            if named:  # the shell puts the number of the descriptor there
                state.assign(named[1], None)
                self.reaches_programs(named[1], None, state)
            if redirect.kind == "copy":
                continue
            if redirect.kind == "text":
                stdin = redirect.target if redirect.descriptor in (None, 0) else stdin
                continue
            if redirect.kind == "read" and redirect.descriptor in (None, 0):
                stdin = None if redirect.target.text in FREE else "file"
            if redirect.target.nested and redirect.target.source.startswith((">(", "<(")):
                stdin = "pipe" if redirect.kind == "read" else stdin
                continue
            self._redirect(redirect, state)
        return stdin

    def _redirect(self, redirect: Redirect, state: State) -> None:
        kinds = [SubjectKind.READ if redirect.kind == "read" else SubjectKind.WRITE]
        if redirect.both:
            kinds = [SubjectKind.READ, SubjectKind.WRITE]
        for kind in kinds:
            for path in path_subjects(redirect.target, kind, state, self.around):
                self.add(*self._made.seen(path))
                self._made.note("", [path])


_DESCRIPTOR = re.compile(r"\{([A-Za-z_]\w*)\}")
_PLACES = tuple("123456789")  # what a function is called with
