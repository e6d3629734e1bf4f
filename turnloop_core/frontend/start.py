"""From the command line to a run: what `tl` does when no subcommand is named."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from turnloop_core.errors import UsageError
from turnloop_core.frontend.console import is_terminal
from turnloop_core.frontend.options import FLAGS, Top
from turnloop_core.frontend.places import home, working_folder

if TYPE_CHECKING:
    from turnloop_core.app import SessionOptions

USAGE = 'give a prompt, tl -p "fix the failing test", or see tl --help'


def start(top: Top) -> int:
    """Run the prompt, or open the loop of lines when there is none and a human is there.

    Raises:
        TurnloopError: it could not begin.
    """
    if top.prompt is None and not top.json and is_terminal(sys.stdin) and is_terminal(sys.stdout):
        from turnloop_core.frontend.repl.line import run_lines
        from turnloop_core.frontend.repl.trusting import settle

        options = session_options(top)
        return run_lines(options, settle(options))
    from turnloop_core.frontend.stdin import join, read_piped

    if top.prompt in FLAGS:
        raise UsageError(
            f"the prompt is missing: {top.prompt} stands in its place",
            hint=f'put it right after -p: tl -p "..." {top.prompt}',
        )
    piped = read_piped()
    prompt = join(top.prompt or "", piped)
    if not prompt.strip():
        raise UsageError(_no_prompt(top), hint=USAGE)
    from turnloop_core.frontend.headless import run_headless
    from turnloop_core.types.events import Notice

    notices = (Notice("warning", piped.notice),) if piped.notice else ()
    return run_headless(session_options(top), prompt, json=top.json, notices=notices)


def _no_prompt(top: Top) -> str:
    if top.prompt is not None:
        return "the prompt is empty"
    if is_terminal(sys.stdin):
        return "there is no prompt, and output is not a terminal"
    return "there is no prompt, and no terminal to ask for one"


def session_options(top: Top) -> SessionOptions:
    """What the command line says about a session.

    Raises:
        UsageError: the folder to work in is not there.
    """
    cwd = working_folder(top.cwd)
    from turnloop_core.environment import SessionOptions

    return SessionOptions(
        cwd=cwd,
        home=home(),
        environment=dict(os.environ),
        provider=top.provider,
        model=top.model,
        permission_mode=top.permission_mode,
        thinking=top.thinking,
        max_iterations=top.max_iterations,
        resume=top.resume,
        extra_rules=top.rules,
        disabled_plugins=top.disabled,
        trust_project=top.trust_project,
    )
