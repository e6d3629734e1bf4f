"""Runs `tl` as its users do: as a process of its own, in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from turnloop_core.testing.project import bare_environment

TIMEOUT_S = 60.0


def run_tl(
    *arguments: str | Path,
    home: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = TIMEOUT_S,
) -> subprocess.CompletedProcess[str]:
    """Run `tl` to its end.

    Args:
        arguments: the command line.
        home: HOME of the process; its settings and sessions lie there.
        cwd: working directory; `home` when none is given.
        env: variables beyond a bare environment (no keys, no `TURNLOOP_*` of the developer).
        stdin: what it reads; empty by default.
        timeout: seconds until it is killed.

    Returns:
        Exit code, stdout and stderr as text.

    Raises:
        subprocess.TimeoutExpired: it did not end.
    """
    return subprocess.run(
        [sys.executable, "-m", "turnloop_core", *map(str, arguments)],
        cwd=cwd or home,
        env=bare_environment(home) | dict(env or {}),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
        check=False,
    )
