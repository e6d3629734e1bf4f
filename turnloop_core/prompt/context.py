"""What changes from prompt to prompt. It goes to the end, so that what was sent before stays."""

from __future__ import annotations

import datetime

from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import PermissionMode

_MODES = {
    PermissionMode.DEFAULT: "",
    PermissionMode.AUTO: "",
    PermissionMode.BYPASS: "",
    PermissionMode.PLAN: (
        "Plan mode: you can look, not change. Find out what is needed, then give the user a plan "
        "to decide on."
    ),
}


def render_context(scope: Scope, mode: PermissionMode, date: datetime.date, platform: str) -> str:
    """The block at the end of a prompt.

    Args:
        scope: where the work goes on.
        mode: the permission mode; only plan mode is worth a word, the others show in results.
        date: today, for the user.
        platform: name of the operating system.
    """
    lines = [f"Working directory: {_one_line(str(scope.cwd))}"]
    if scope.root != scope.cwd:
        lines.append(f"Project root: {_one_line(str(scope.root))}")
    lines += [f"Platform: {platform}", f"Date: {date.isoformat()}", _MODES[mode]]
    body = "\n".join(line for line in lines if line)
    return f"<environment>\n{body}\n</environment>"


def _one_line(path: str) -> str:
    """A folder's name can hold line breaks, and must not write lines of its own here."""
    return "".join(c if c.isprintable() and c not in "<>" else "?" for c in path)
