"""Options, read as programs read them: clustered, glued, shortened, ended by `--`.

A `Spec` says what the options and operands of one program mean. Most programs need nothing more;
those with a language of their own (git, find, sed) have a module each, and use `read_options` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from turnloop_shell.programs.use import Effect
from turnloop_shell.syntax.words import Word


class Role(StrEnum):
    """What a value or an operand is to the program."""

    TEXT = "text"  # a pattern, a number, a name: no file, no code
    READ = "read"
    WRITE = "write"
    CHANGE = "change"  # read and written
    READ_DEEP = "read deep"  # with all below it
    WRITE_DEEP = "write deep"
    CODE = "code"  # shell code
    PROGRAM = "program"  # words of a program, in one value, split at blanks: `--pre='x y'`
    NETWORK = "network"  # makes the whole command one that talks to other machines
    REFUSED = "refused"  # what it would run or change cannot be known: dynamic
    CHANGES = "changes"  # turns a reading program into one that changes more than its operands
    OUTPUT = "output"  # WRITE, unless the value is `-`


@dataclass(frozen=True, slots=True)
class Spec:
    """What the words of a program mean.

    Attributes:
        effect: with known options only.
        flags: options without a value, short ones as single letters in one string ("alR").
        long: long options without a value, without dashes.
        flag_roles: options without a value that mean something: name -> role.
        values: options with a value: "o" or "output" -> role of the value.
        optional: long options whose value may only be glued with `=`: name -> role.
        operands: role of the operands.
        first: role of the first operand where it differs (the pattern of `grep`).
        last: role of the last operand where there are two or more (the target of `cp`).
        unless: options that take the role of `first` away (`grep -e`, `-f`).
        single_dash: long options may be written with one dash (`find`, `go`, `java`).
        shortened: long options may be shortened, as GNU programs allow.
        minimum: operands that must be there for `operands` to be all that is touched; with fewer
            the program works on the whole current folder (`ls`, `rg`): role `default`.
        default: role of the current folder with fewer operands than `minimum`.
    """

    effect: Effect = Effect.READS
    flags: str = ""
    long: frozenset[str] = frozenset()
    flag_roles: Mapping[str, Role] = field(default_factory=dict)
    values: Mapping[str, Role] = field(default_factory=dict)
    optional: Mapping[str, Role] = field(default_factory=dict)
    operands: Role = Role.READ
    first: Role | None = None
    last: Role | None = None
    unless: frozenset[str] = frozenset()
    single_dash: bool = False
    shortened: bool = True
    minimum: int = 0
    default: Role | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One option as it was given.

    Attributes:
        name: without dashes, in full where it was shortened and that is certain.
        value: its value, None where it has none.
        role: what it means, None for an option without a meaning of its own.
        known: the program is known to have it.
    """

    name: str
    value: Word | None
    role: Role | None
    known: bool


@dataclass(frozen=True, slots=True)
class Given:
    """The words of a command, told apart.

    Attributes:
        options: in order.
        operands: in order.
        known: every option is known, and no word that could be an option is unknown.
    """

    options: tuple[Option, ...]
    operands: tuple[Word, ...]
    known: bool

    def has(self, *names: str) -> bool:
        return any(option.name in names for option in self.options)
