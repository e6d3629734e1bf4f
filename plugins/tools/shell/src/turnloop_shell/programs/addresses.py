"""Addresses of other machines among the words of a program that is not known to show them only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from turnloop_shell.programs.builtins_plain import PLAIN
from turnloop_shell.programs.making import one_of
from turnloop_shell.programs.state import STATE
from turnloop_shell.programs.use import Command, Effect, Use
from turnloop_shell.syntax.words import Word

_FRONT = r"(?:-{1,2}[\w.-]*?=?)?"
_ADDRESS = re.compile(
    rf"{_FRONT}(?:(?:https?|ftps?|sftp|ssh|git|svn|wss?|s3|gs)(?:\+[a-z]+)?://"
    r"|git\+[a-z]+:|git\+https?|(?:git|hg|svn|bzr)\+)",
    re.I,
)
# All addresses of this machine: who listens there is heard by others.
_EVERYWHERE = re.compile(rf"{_FRONT}(?:0\.0\.0\.0|\[::\])(?::\d+)?")
# They show their words, search for them, or take them apart. git has commands of its own for it.
_SHOWS = one_of(
    "echo printf yes expr seq basename dirname tr cut grep egrep fgrep zgrep rg ag ack git jq yq "
    "gojq sed gsed awk gawk mawk nawk fd find locate date sleep sort uniq comm head tail wc column "
    "nl fold fmt figlet cowsay diff cmp uname tput touch mkdir rm cp mv ln tee"
)
_SHOWS_TOO = frozenset((*STATE, *PLAIN))


def with_addresses(command: Command, use: Use) -> Use:
    """The use, with the doubt that goes with an address of another machine."""
    name = command.name
    if use.effect in (Effect.NETWORK, Effect.UNKNOWN) or name in _SHOWS or name in _SHOWS_TOO:
        return use
    own = _own(command.words, use)
    found = next((word for word in own if _ADDRESS.match(word.text)), None)
    if found is not None:
        why = f"`{name}` may fetch `{found.text}`"
        return replace(use, effect=Effect.NETWORK, doubt=use.doubt or why)
    runs_project = use.effect is Effect.PROJECT
    found = next((w for w in own if runs_project and _EVERYWHERE.fullmatch(w.text)), None)
    if found is None:
        return use
    why = f"`{name}` may listen to other machines on `{found.text}`"
    return replace(use, effect=Effect.NETWORK, doubt=use.doubt or why)


def _own(words: Sequence[Word], use: Use) -> list[Word]:
    """The words of the command less those of what it starts, which are judged by themselves."""
    given = {word.text for run in use.runs for word in run.words}
    return [word for word in words if word.text not in given]
