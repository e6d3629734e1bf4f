"""`ps`: it may print the environment of other processes, and secrets with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from turnloop_shell.programs.making import beyond, worst
from turnloop_shell.programs.options import Given
from turnloop_shell.programs.tables import given_by_table, use_by_table
from turnloop_shell.programs.use import Command, Effect, Use
from turnloop_shell.syntax.words import Word

# Letters without a dash. The value of the last may be glued to it.
_LETTERS = re.compile(r"[acefghjlmnrsuvwxHLSTVXZ]*(?P<value>[oOkptUNqC]?)(?P<rest>.*)", re.DOTALL)
# `ps -auxe` is `ps auxe` where there is no user `xe`.
_BOTH = re.compile(r"-[A-Za-z]*u[A-Za-z]*e[A-Za-z]*")
_WHY = "it prints the environment of other processes"


def ps(command: Command) -> Use:
    use = use_by_table(command) or beyond(_WHY)
    given = given_by_table(command)
    if given is None or _shows(command.words[1:], given):
        return replace(use, effect=worst(use.effect, Effect.UNKNOWN), doubt=use.doubt or _WHY)
    return use


def _shows(words: Sequence[Word], given: Given) -> bool:
    if given.has("E") or any(_BOTH.fullmatch(word.text) for word in words):
        return True
    values = (option.value for option in given.options if option.value is not None)
    if any("environ" in value.text for value in values):
        return True
    taken = False
    for word in given.operands:
        if taken:
            taken = False
            if "environ" in word.text:
                return True
            continue
        if not word.known:
            return True
        found = _LETTERS.match(word.text)
        if found is None or word.text[:1].isdigit():
            continue
        if "e" in word.text[: found.start("value")] or "environ" in found["rest"]:
            return True
        taken = bool(found["value"]) and not found["rest"]
    return False
