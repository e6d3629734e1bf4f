"""What the options and operands of a program mean.

A `Spec` says it of one program. Most programs need nothing more; those with a language of their own
(git, find, sed) have a module each, and use `reading.read_options` too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from turnloop_shell.programs.use import Effect
from turnloop_shell.syntax.words import Word


class Role(StrEnum):
    """What a value or an operand is to the program. A flag's path is the current folder."""

    TEXT = "text"  # a pattern, a number, a name: no file, no code
    READ = "read"
    WRITE = "write"
    CHANGE = "change"  # read and written
    READ_DEEP = "read deep"  # with all below it
    READ_VISIBLE = "read visible"  # with all below it whose name does not begin with a dot
    WRITE_DEEP = "write deep"
    CHANGE_DEEP = "change deep"
    OUTPUT = "output"  # WRITE, unless the value is `-`
    SCRIPT = "script"  # READ, and its content is run: from standard input it cannot be seen
    LIST = "list"  # READ, and it names further files, which nobody knows
    AT = "at"  # TEXT, unless it is `@file`, `name=@file`, `name=<file` or `name@file`: READ
    SAVED = "saved"  # an address; its last part names a file that is written here
    QUERY = "query"  # an expression of jq or yq: TEXT, unless it loads further files
    CODE = "code"  # shell code
    ACTION = "action"  # `exec=CODE`, else TEXT
    FOREIGN = "foreign"  # code in another language: opaque
    PROGRAM = "program"  # words of a program, in one value, split at blanks: `--pre='x y'`
    VARIABLE = "variable"  # a value that the project's build files expand: TEXT while it is simple
    TARGET = "target"  # a name of a target or script of the project
    SOURCE = "source"  # READ, but `@file` holds further options: REFUSED
    MODULE = "module"  # READ, but with `@version` it is fetched: NETWORK
    NETWORK = "network"  # makes the whole command one that talks to other machines
    PLACED = "placed"  # KIND, `KIND:PATH` or `KIND=PATH`: the path is written, with all below it
    LOADED = "loaded"  # names of plugins: READ where they are paths
    SETTING = "setting"  # `NAME=VALUE`: written where it names a place; REFUSED for more options
    CONFIG = "config"  # READ, but settings instead of a file that name programs are REFUSED
    LINKED = "linked"  # VARIABLE, and paths behind `,`, `:` and `=` are written
    LISTENS = "listens"  # an address on which it listens: NETWORK, unless it is this machine's own
    GOAL = "goal"  # TARGET, but goals of plugins that do not only build are NETWORK
    REFUSED = "refused"  # what it would run or change cannot be known: dynamic
    CHANGES = "changes"  # changes more than what is named; a value with `+` in front does not


# The most dangerous first: what an ambiguous shortened option counts as.
DANGER = (
    Role.REFUSED,
    Role.CODE,
    Role.ACTION,
    Role.PROGRAM,
    Role.FOREIGN,
    Role.SCRIPT,
    Role.LINKED,
    Role.VARIABLE,
    Role.SETTING,
    Role.CONFIG,
    Role.QUERY,
    Role.CHANGES,
    Role.NETWORK,
    Role.LISTENS,
    Role.PLACED,
    Role.CHANGE_DEEP,
    Role.WRITE_DEEP,
    Role.CHANGE,
    Role.WRITE,
    Role.OUTPUT,
    Role.SAVED,
    Role.LIST,
    Role.SOURCE,
    Role.MODULE,
    Role.READ_DEEP,
    Role.READ_VISIBLE,
    Role.READ,
    Role.LOADED,
    Role.AT,
    Role.GOAL,
    Role.TARGET,
    Role.TEXT,
    None,
)


@dataclass(frozen=True, slots=True)
class Spec:
    """What the words of a program mean.

    Attributes:
        effect: with known options only.
        flags: options without a value, short ones as single letters in one string ("alR").
        long: long options without a value, without dashes.
        flag_roles: options without a value that mean something: name -> role.
        values: options with a value: "o" or "output" -> role of the value.
        pairs: options with a name and a value (`jq --arg NAME VALUE`): role of the value.
        optional: options whose value may only be glued (`--color=x`, `-w8`): name -> role.
        operands: role of the operands.
        first: role of the first operand where it differs (the pattern of `grep`).
        sole: role of the only operand where it differs.
        last: role of the last operand where there are two or more (the target of `cp`).
        unless: options that take the roles of `first` and `last` away (`grep -e`, `cp -t`).
        single_dash: long options may be written with one dash (`find`, `go`, `java`).
        shortened: long options may be shortened, as GNU programs allow.
        minimum: operands, `first` not counted, that must be there for them to be all that is
            touched; with fewer the program works on the current folder (`ls`, `rg`): `default`.
        default: role of the current folder with fewer operands than `minimum`.
        filters: with fewer operands than `minimum` it takes standard input, where there is some.
        stops: the first operand ends the options (`env`, `timeout`).
        numbers: `-5` is an option (`head`, `git log`).
        literal: there are no options at all (`echo`).
        bundled: the first word may be a cluster without its dash (`tar xf`).
        assigned: operands `NAME=value`: name -> role of the value, "" for all other names.
        into: the last operand, or a value of `unless`, may be a folder, and then the other operands
            come into it under their own names.
        links: a relative operand is meant from the folder of the last one (`ln -s`).
        starts: the operands are the words of a program that it starts.
        lenient: further options are known to mean nothing worse than running the project's code;
            only a path that leads out makes them doubtful.
        remote: `host:path` names another machine.
        cases: options that give the words another meaning; the first one that is there counts.
            The spec of a case has cases of its own, and never those that led to it.
    """

    effect: Effect = Effect.READS
    flags: str = ""
    long: frozenset[str] = frozenset()
    flag_roles: Mapping[str, Role] = field(default_factory=dict)
    values: Mapping[str, Role] = field(default_factory=dict)
    pairs: Mapping[str, Role] = field(default_factory=dict)
    optional: Mapping[str, Role] = field(default_factory=dict)
    operands: Role = Role.READ
    first: Role | None = None
    sole: Role | None = None
    last: Role | None = None
    unless: frozenset[str] = frozenset()
    single_dash: bool = False
    shortened: bool = True
    minimum: int = 0
    default: Role | None = None
    filters: bool = False
    stops: bool = False
    numbers: bool = False
    literal: bool = False
    bundled: bool = False
    assigned: Mapping[str, Role] = field(default_factory=dict)
    into: bool = False
    links: bool = False
    starts: bool = False
    lenient: bool = False
    remote: bool = False
    cases: tuple[tuple[frozenset[str], Spec], ...] = ()


def tables_of(spec: Spec) -> tuple[Mapping[str, Role], ...]:
    """Its tables of names with a role: values, pairs, optional, flag_roles."""
    return spec.values, spec.pairs, spec.optional, spec.flag_roles


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
        doubt: the first option, or word, that is not known, as it was written; "" when all are.
    """

    options: tuple[Option, ...]
    operands: tuple[Word, ...]
    known: bool
    doubt: str = ""

    def has(self, *names: str) -> bool:
        return any(option.name in names for option in self.options)


@dataclass(frozen=True, slots=True)
class Subcommands:
    """A program whose first operand says what it does (`cargo build`).

    Attributes:
        specs: name -> what it means; one more level for `go mod download`.
        options: options in front of the name; `making.group` adds them to the specs as well.
        aliases: other names -> the name in `specs`.
        shortened: names may be shortened while that is unambiguous (npm).
        default: what any other name means, read with that name as the first operand (`yarn build`
            runs a script of the project); None when it is not known.
        bare: what it means without any operand.
        skipped: a word that begins so may stand in front of all (`cargo +nightly`).
    """

    specs: Mapping[str, Spec | Subcommands]
    options: Spec = field(default_factory=Spec)
    aliases: Mapping[str, str] = field(default_factory=dict)
    shortened: bool = False
    default: Spec | None = None
    bare: Spec = field(default_factory=Spec)
    skipped: str = ""
