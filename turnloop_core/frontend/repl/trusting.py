"""The question at the start of a loop of lines: may this project's settings count?

It is asked before a session is opened, so that nothing of the project has had any effect yet.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from turnloop_core.errors import TurnloopError
from turnloop_core.frontend.complain import say
from turnloop_core.frontend.console import Output, wants_colour
from turnloop_core.frontend.trusting import approve, digest_of_wanted, wanted
from turnloop_core.permissions.text import printable

if TYPE_CHECKING:
    from turnloop_core.environment import Environment, SessionOptions

_YES, _NO, _NEVER = ("y", "yes"), ("n", "no"), ("v", "never")
MOST_LINES = 60


def settle(options: SessionOptions) -> Environment:
    """Load the environment; ask the user first where the project wants what needs trust.

    Args:
        options: what the session is to be.

    Raises:
        TurnloopError: the settings, or the list of trusted folders, cannot be read.
    """
    from turnloop_core.config.trust_store import NEVER, TrustStore
    from turnloop_core.environment import load_environment

    env = load_environment(options)
    lines = wanted(env)
    if not lines:
        return env
    store, digest = TrustStore(env.scope.home), digest_of_wanted(env)
    if store.declined(env.scope.root) in (digest, NEVER):
        return env
    answer = _ask(env, lines)
    try:
        if answer in _YES:
            approve(env)
            return load_environment(options)
        if answer is not None:
            store.decline(env.scope.root, NEVER if answer in _NEVER else digest)
    except TurnloopError as error:
        say(str(error), error.hint)
    return env


def _ask(env: Environment, lines: tuple[str, ...]) -> str | None:
    """One of the words for an answer, None at the end of input."""
    terminal = Output(sys.stdout, colour=wants_colour(sys.stdout, os.environ))
    if env.loaded.trusted:
        terminal.line("? New or changed since you trusted this project's settings:", "warning")
        question = "Let them count? [y]es, [n]o, ne[v]er: "
    else:
        terminal.line("? This project's settings want to set:", "warning")
        question = f"Trust {printable(str(env.scope.root))}? [y]es, [n]o, ne[v]er: "
    many = len(lines) > MOST_LINES
    if many:  # what scrolls away is not read, so each gets one line
        lines = wanted(env, short=True)
    for line in lines:
        terminal.line(f"  {line}")
    if many:
        terminal.line(f"  {len(lines):,} settings in all; tl trust shows more of their values")
    _forget_typed()
    while True:
        terminal.fresh_line()
        terminal.write(question)
        typed = _read_line()
        if typed is None:
            terminal.fresh_line()
            return None
        terminal.entered()
        word = typed.strip().lower()
        if word in (*_YES, *_NO, *_NEVER):
            return word


def _read_line() -> str | None:
    """The next line; from the descriptor, so that nothing is kept back from the loop of lines."""
    try:
        piece = os.read(sys.stdin.fileno(), 4096)
    except OSError:
        return None
    return piece.decode(errors="replace") if piece else None


def _forget_typed() -> None:
    """What was typed before the question stood is no answer to it."""
    with suppress(ImportError, OSError, ValueError):
        import termios

        with suppress(termios.error):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
