"""What a command does with its words: the contract between program knowledge and analysis."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from turnloop_shell.syntax.words import Word


class Effect(StrEnum):
    """What a program does beside reading and writing the paths that are named."""

    READS = "reads"  # changes nothing at all: may be proved read-only
    CHANGES = "changes"  # changes only the paths that are named, or local state of the project
    PROJECT = "project"  # runs code of the project: tests, builds, scripts that lie in it
    NETWORK = "network"  # talks to other machines, installs, publishes
    UNKNOWN = "unknown"  # not known, or beyond the project: the system, other processes, settings


@dataclass(frozen=True, slots=True)
class Command:
    """A command as program knowledge sees it.

    Attributes:
        words: the program and its arguments; at least one.
        stdin: what it reads on standard input: the literal text of a heredoc or here-string (a
            Word), `"pipe"` for another command's output, `"file"` for a redirection, None for
            nothing that anybody gave.
    """

    words: tuple[Word, ...]
    stdin: Word | str | None = None

    @property
    def name(self) -> str:
        """The program's bare name: without its folder."""
        return self.words[0].text.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Code:
    """Shell code that the command runs: judged like a line of its own.

    Attributes:
        text: the code, None where it cannot be known.
        where: whose code it is, for the user ("the script of `sh -c`").
        here: it runs in this very shell (`eval`): what it sets, and where it goes, lasts.
    """

    text: str | None
    where: str
    here: bool = False


@dataclass(frozen=True, slots=True)
class Runs:
    """A program that the command starts, by its words: judged like a command of its own.

    Attributes:
        words: program and arguments.
        plain: the command only starts it (`timeout 5`, `nice`): it needs no rule of its own.
        assigns: NAME, value: variables that it gets (`env A=1 ...`).
        more: further words follow that nobody knows (`xargs`, `find -exec {} +`).
        stdin: as in `Command`.
        folder: where it runs, None for the current folder (`env -C`).
    """

    words: tuple[Word, ...]
    plain: bool = False
    assigns: tuple[tuple[str, Word], ...] = ()
    more: bool = False
    stdin: Word | str | None = None
    folder: Word | None = None


@dataclass(frozen=True, slots=True)
class Touch:
    """A path that the command reads or writes.

    Attributes:
        word: the path.
        writes: it is written, made, or removed; else read.
        deep: with everything below it.
        reads: it is written and read as well (`sed -i`, `mv` of its source).
        visible: of what lies below, names that begin with a dot are left out.
        only: globs for names: of what lies below, files of other names are left out.
    """

    word: Word
    writes: bool = False
    deep: bool = False
    reads: bool = False
    visible: bool = False
    only: tuple[str, ...] = ()

    @property
    def depth(self) -> Literal["", "visible", "all"]:
        """What lies below it and is touched too."""
        if not self.deep:
            return ""
        return "visible" if self.visible else "all"


@dataclass(frozen=True, slots=True)
class Use:
    """What a command does.

    Attributes:
        effect: of the program itself, what it runs not counted.
        code: shell code that it runs.
        runs: programs that it starts.
        touches: paths that it reads or writes.
        forms: the command in other words that mean the same for a deny rule (global options left
            out: `git --no-pager push` -> `git push`), each as its words.
        dynamic: why it cannot be known before running what it runs, "" when it can.
        opaque: it runs code in another language, or code that is not there yet, which deny rules
            cannot look into; why, "" when it does not.
        doubt: why its effects are not known or not contained, for the user; "" when they are.
        inert: it changes only the shell's own state, and starts nothing.
        folder: for `cd` and its kind: where it goes; what comes after runs there.
        folder_unknown: it changes the folder, and nobody knows to which.
        assigns: variables of the shell that it sets (`export`, `read`, `printf -v`, ...): name, and
            value where it is known.
        exports: what it assigns reaches programs (`export`, `declare -x`).
        repository: it works on the git repository of its folder.
        within: the folder in which it works, None for the current one (`git -C`). Relative paths in
            `touches` are joined with it already.
        positional: it changes the positional parameters ($1, $2, ...).
        lists: it prints, or hands on, names of files that lie below these.
    """

    effect: Effect = Effect.UNKNOWN
    code: tuple[Code, ...] = ()
    runs: tuple[Runs, ...] = ()
    touches: tuple[Touch, ...] = ()
    forms: tuple[tuple[Word, ...], ...] = ()
    dynamic: str = ""
    opaque: str = ""
    doubt: str = ""
    inert: bool = False
    folder: Word | None = None
    folder_unknown: bool = False
    assigns: tuple[tuple[str, Word | None], ...] = field(default=())
    exports: bool = False
    repository: bool = False
    within: Word | None = None
    positional: bool = False
    lists: tuple[Touch, ...] = ()
