"""Files that decide what may be done: writing them is raising one's own rights.

They are never written without a question, and no broad allow rule covers them. Beside the
harness's own settings, hooks and trust these are the places from which git and MCP clients run
programs.
"""

from __future__ import annotations

from turnloop_core.permissions.below import touches
from turnloop_core.permissions.globs import folded, split
from turnloop_core.permissions.paths import is_inside
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import Subject, SubjectKind

_FOLDERS = (".turnloop", ".git")
_FILES = (".mcp.json",)
# What lies in such folders and counts, for a change of all files of some names.
_NAMES = (
    *_FOLDERS,
    *_FILES,
    "settings.json",
    "settings.local.json",
    "trust.json",
    "config",
    "pre-commit",
    "post-checkout",
    "hook.sh",
    "hook.py",
)
# Below home: where systems keep the configuration and data of programs.
_USER_PLACES = (
    ".config/turnloop",
    ".local/share/turnloop",
    ".local/state/turnloop",
    "Library/Application Support/turnloop",
    "AppData/Local/turnloop",
    "AppData/Roaming/turnloop",
)


def own_places(scope: Scope, further: tuple[str, ...]) -> tuple[str, ...]:
    """The folders and files, as paths, that are guarded wherever the project is."""
    home = str(scope.home)
    return (*(f"{home}/{place}" for place in _USER_PLACES), *further)


def guarded(subject: Subject, scope: Scope, places: tuple[str, ...]) -> bool:
    """Whether a subject is the writing of such a file. `places` come from `own_places`."""
    if subject.kind is not SubjectKind.WRITE:
        return False
    if subject.deep and _holds_some(subject, scope, places):
        return True
    return any(
        _by_name(form, str(scope.root)) or any(is_inside(form, place) for place in places)
        for form in subject.forms
    )


def _holds_some(subject: Subject, scope: Scope, places: tuple[str, ...]) -> bool:
    """Whether such files lie below a folder that is changed as a whole."""
    own = (f"{scope.root}/{name}" for name in (*_FOLDERS, *_FILES))
    if not any(is_inside(place, form) for place in (*own, *places) for form in subject.forms):
        return False
    return not subject.only or any(touches(subject, name) for name in _NAMES)


def _by_name(path: str, root: str) -> bool:
    # What stands above the project says nothing about a file in it. Upper and lower case are alike
    # on every system: the worst that comes of it is a question.
    names = split(folded(path[len(root) :] if is_inside(path, root) else path))
    if not names:
        return False
    if names[-1] in _FILES or any(name in _FOLDERS for name in names):
        return True
    return any(name.endswith(".git") for name in names[:-1])
