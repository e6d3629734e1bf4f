"""Whether ripgrep may help: never one that the project brings."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from turnloop_core.api import Scope

# What changes what rg does is for the user's shell, not for us.
_CONFIGURED = "RIPGREP_CONFIG_PATH"


def find(name: str, environment: Mapping[str, str], scope: Scope) -> str | None:
    """The program's path, None when it is not there or lies within the project."""
    found = shutil.which(name, path=environment.get("PATH", ""))
    if found is None or not Path(found).is_absolute():
        return None
    real = Path(found).resolve()
    return None if real.is_relative_to(scope.root) else found


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables for such a program."""
    return {k: v for k, v in environment.items() if k != _CONFIGURED}
