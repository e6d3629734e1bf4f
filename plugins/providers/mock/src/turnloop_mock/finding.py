"""Where the log of a session lies that settings name."""

from __future__ import annotations

from pathlib import Path

from turnloop_core.api import Scope, SessionStore, SettingsError, UsageError


def find_log(wanted: str, as_path: Path, scope: Scope, key: str) -> Path:
    """The log that is meant.

    Args:
        wanted: id of a session, the beginning of one, or the path of a log.
        as_path: the path that it is, should it be one.
        scope: whose sessions come first, and where they lie.
        key: of the setting, for the error.

    Raises:
        SettingsError: there is no such session or file.
    """
    if "/" in wanted or "\\" in wanted or wanted.endswith(".jsonl"):
        if not as_path.is_file():
            raise SettingsError(
                f"{key}: there is no log {as_path}",
                key=key,
                hint="relative paths start at the project root; tl sessions lists what there is",
            )
        return as_path
    store = SessionStore(scope.home / ".turnloop" / "sessions")
    try:
        return store.find(wanted, scope.root)
    except UsageError as error:  # none of that name, or several
        raise SettingsError(f"{key}: {error}", key=key, hint=error.hint) from None
