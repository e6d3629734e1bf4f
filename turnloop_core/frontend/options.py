"""The options of `tl` itself, once: click's declarations and the direct parser read this table.

A run needs no click: `parse_plain` understands every well-formed command line that has options
only, in a fraction of the time that importing click takes. Help, subcommands and mistakes go to
click (`cli.py`), which is built from the same table, so both agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from turnloop_core.values import dataclass

Kind = Literal["flag", "value", "many", "whole", "optional", "choice"]
MODES = ("default", "plan", "auto", "bypass")
LEVELS = ("on", "off", "low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        flags: as typed; the long form last.
        field: the attribute of `Top` that takes it.
        kind: `flag` takes no value, `value` one, `many` one each time, `whole` a number from 1,
            `optional` one or none, `choice` one of `choices`.
        help: for `tl --help`.
        metavar: what the value is called there.
    """

    flags: tuple[str, ...]
    field: str
    kind: Kind
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()


OPTIONS = (
    Option(("-p", "--print"), "prompt", "value", "Run one prompt and exit.", "PROMPT"),
    Option(("--json",), "json", "flag", "With a prompt: one event a line, as JSON."),
    Option(("--provider",), "provider", "value", "The provider to use.", "NAME"),
    Option(("--model",), "model", "value", "The model to use, instead of the provider's.", "NAME"),
    Option(
        ("--permission-mode",),
        "permission_mode",
        "choice",
        "What needs consent: default asks for writes and commands, plan changes nothing, auto "
        "asks outside the project, bypass never asks.",
        "MODE",
        MODES,
    ),
    Option(
        ("--thinking",),
        "thinking",
        "choice",
        "How much the model is to think before it answers.",
        "LEVEL",
        LEVELS,
    ),
    Option(("--cwd",), "cwd", "value", "The folder to work in.", "PATH"),
    Option(
        ("--max-iterations",), "max_iterations", "whole", "How many attempts a run may have.", "N"
    ),
    Option(
        ("--resume",),
        "resume",
        "optional",
        "Go on with a session: the latest of this project, or the one of that id.",
        "[ID]",
    ),
    Option(("--allow",), "allow", "many", "Add an allow rule; may be given again.", "RULE"),
    Option(("--deny",), "deny", "many", "Add a deny rule; may be given again.", "RULE"),
    Option(("--ask",), "ask", "many", "Add an ask rule; may be given again.", "RULE"),
    Option(("-x",), "disabled", "many", "Switch a plugin off; may be given again.", "NAME"),
    Option(
        ("--trust-project",),
        "trust_project",
        "flag",
        "Trust this project's settings, for this once.",
    ),
    Option(("--debug",), "debug", "flag", "Show the traceback of an unexpected error."),
)
FLAGS = frozenset(flag for option in OPTIONS for flag in option.flags)


@dataclass(frozen=True, slots=True)
class Top:
    """What stood on the command line, before any subcommand."""

    prompt: str | None = None
    json: bool = False
    provider: str | None = None
    model: str | None = None
    permission_mode: str | None = None
    thinking: str | None = None
    cwd: str | None = None
    max_iterations: int | None = None
    resume: str | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    trust_project: bool = False
    debug: bool = False

    @property
    def rules(self) -> Mapping[str, tuple[str, ...]]:
        """Rules by verb, without the verbs that have none."""
        rules = {"allow": self.allow, "deny": self.deny, "ask": self.ask}
        return {verb: given for verb, given in rules.items() if given}


def parse_plain(arguments: Sequence[str]) -> Top | None:
    """The options of a command line that has nothing but known and well-formed options.

    None means that click has to look at it: a subcommand, a request for help, or a mistake.
    """
    known = {flag: option for option in OPTIONS for flag in option.flags}
    found: dict[str, Any] = {}
    rest = list(reversed(arguments))
    while rest:
        flag, equals, value = rest.pop().partition("=")
        option = known.get(flag)
        if option is None or (equals and not flag.startswith("--")):
            return None
        if not _take(option, value if equals else None, rest, found):
            return None
    return Top(**found)


def _take(option: Option, given: str | None, rest: list[str], found: dict[str, Any]) -> bool:
    """Put the value of one option into `found`; False when it is not well-formed."""
    if option.kind == "flag":
        found[option.field] = True
        return given is None
    if option.kind == "optional":
        if given is None:
            given = rest.pop() if rest and not _looks_like_option(rest[-1]) else ""
        found[option.field] = given
        return not _looks_like_option(given)
    if given is None:
        if not rest:
            return False
        given = rest.pop()
    return _put(option, given, found)


def _looks_like_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-")


def _put(option: Option, given: str, found: dict[str, Any]) -> bool:
    if option.kind == "many":
        found[option.field] = (*found.get(option.field, ()), given)
    elif option.kind == "whole":
        if not (given.isascii() and given.isdecimal() and int(given) > 0):
            return False
        found[option.field] = int(given)
    elif option.kind == "choice":
        if given not in option.choices:
            return False
        found[option.field] = given
    else:
        found[option.field] = given
    return True


def wanted_off(arguments: Sequence[str]) -> tuple[str, ...]:
    """Plugins that `-x` names anywhere before a subcommand: help is shown without them."""
    names: list[str] = []
    for index, word in enumerate(arguments):
        if word == "-x":
            names += arguments[index + 1 : index + 2]
        elif word.startswith("-x"):
            names.append(word[2:])
    return tuple(names)
