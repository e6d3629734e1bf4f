"""What a project's settings would do, shown to the user, and what the user says to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from turnloop_core.frontend.console import one_line

if TYPE_CHECKING:
    from turnloop_core.environment import Environment

WIDEST_VALUE = 1_000  # what is approved should be read whole
_MARK: Mapping[str, str] = {"changed": " (changed)", "new": " (new)"}


def wanted(env: Environment) -> tuple[str, ...]:
    """One line for each setting that would count with the user's consent.

    Values are shown in short, without what looks like a secret and without control characters.
    """
    from turnloop_core.config.explain import shown

    lines = []
    for item in env.loaded.pending:
        value = env.secrets.mask(shown(item.path, item.action.content))
        where = f"{item.ignored.file}:{item.ignored.line}"
        mark = _MARK.get(item.standing, "")
        lines.append(f"{one_line(item.action.name)}{mark}  ({where})")
        cut = f" (cut: {len(value):,} characters)" if len(value) > WIDEST_VALUE else ""
        lines.append(f"  {one_line(value, WIDEST_VALUE)}{cut}")
    lines += (f"{entry.key}  ({entry.file}:{entry.line})" for entry in env.secrets.ignored)
    return tuple(lines)


def digest_of_wanted(env: Environment) -> str:
    """The same as long as the project wants the same."""
    from turnloop_core.config.startup import digest_of

    pending = {item.action.label: item.action.digest for item in env.loaded.pending}
    return digest_of([pending, sorted(entry.key for entry in env.secrets.ignored)])


def approve(env: Environment) -> None:
    """Trust the folder, and exactly what was shown.

    Raises:
        SettingsError: the list of trusted folders cannot be read or written.
    """
    from turnloop_core.config.trust_store import TrustStore

    approved = {item.action.label: item.action.digest for item in env.loaded.pending}
    TrustStore(env.scope.home).trust(env.scope.root, approved)
