"""Rules that the user answers "always" with: saved to the layer that the user picks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from turnloop_core.config.edit import append_in, change_file
from turnloop_core.config.layer import PROJECT_LAYERS, Layer, fold
from turnloop_core.config.layers import settings_paths
from turnloop_core.config.sources import parse_settings
from turnloop_core.config.startup import StartUpAction
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import SettingsError, UsageError
from turnloop_core.permissions.rules import Rule, parse_rule
from turnloop_core.types.subjects import PUBLIC_NAMES, SubjectKind

if TYPE_CHECKING:
    from turnloop_core.environment import Environment

_KEY = ("permissions", "allow")
_SET = "permissions.allow"


def save_rules(env: Environment, rules: Sequence[str], layer: str) -> str:
    """Add allow rules to the settings of one layer.

    A list of a stronger layer replaces those of weaker ones, so a first one carries along what
    held until now. In the project's files the new list stays approved if the old one was; in the
    user's own, patterns of paths are written from the root of the file system, since relative
    ones would mean another folder in each project.

    Args:
        env: the settings of this session.
        rules: as `Tool` or `Tool(pattern)`.
        layer: `local` or `project` for the files of the project, `user` for all projects.

    Returns:
        What the user should know about it, "" for nothing.

    Raises:
        UsageError: the rules would not count there.
        SettingsError: the file cannot be read or written.
    """
    path = settings_paths(env.scope.root, env.scope.home).get(layer)
    if path is None:
        raise UsageError(f"this folder has no {layer} settings", hint="save it for all projects")
    if layer in PROJECT_LAYERS:
        _check_place(env, path)
    else:
        rules = [_anywhere(rule, env.scope.root) for rule in rules]
    written = _Lists()
    change_file(path, written.edit(_carried(env, layer), rules, path))
    hiding = _hidden_by(env, layer)
    told = [f"saved to {path}: {', '.join(rules)}"] if layer == "user" else []
    if hiding:
        told.append(f"in this project the list in {hiding.source} stands in its place")
    if layer in PROJECT_LAYERS and not _approve(env, layer, written):
        told.append(
            f"saved to {path}; it counts in later sessions once you have looked at it: tl trust"
        )
    return "; ".join(told)


class _Lists:
    """The allow list of a file, as it was and as it is, taken while nobody else writes."""

    old: Any = None
    new: Any = None

    def edit(
        self, carried: Sequence[str], rules: Sequence[str], path: Path
    ) -> Callable[[str], str]:
        """The change of the file's text."""

        def change(text: str) -> str:
            self.old = _allow(text, path)
            for item in (*(carried if self.old is None else ()), *rules):
                text = append_in(text, _KEY, item, str(path))
            self.new = _allow(text, path)
            return text

        return change


def _allow(text: str, path: Path) -> Any:
    root = parse_settings(text, str(path)).root
    permissions = (root.plain if root else {}).get(_KEY[0])
    return permissions.get(_KEY[1]) if isinstance(permissions, Mapping) else None


def _check_place(env: Environment, path: Path) -> None:
    """Rules count only in a trusted folder; and a link must not lead them into another file."""
    if not env.loaded.trusted:
        raise UsageError(
            "rules of a folder that is not trusted are ignored",
            hint="trust it first: tl trust; or save it for all projects",
        )
    if not Path(os.path.realpath(path)).is_relative_to(env.scope.root):
        raise SettingsError("a link out of the project", where=str(path), hint="remove the link")


def _carried(env: Environment, layer: str) -> Sequence[str]:
    """The allow rules of weaker layers, as far as they count."""
    weaker = [item for item in env.loaded.layers if not _is_stronger(item, layer)]
    allowed: Sequence[str] = fold(weaker).data.get(_KEY[0], {}).get(_KEY[1], ())
    return allowed


_NO_PATHS = frozenset(
    PUBLIC_NAMES[kind] for kind in (SubjectKind.COMMAND, SubjectKind.URL, SubjectKind.SEARCH)
)
_RANK = ("core", "plugin", "user", "project", "local", "environment", "flag")


def _is_stronger(item: Layer, layer: str) -> bool:
    return _RANK.index(item.name) >= _RANK.index(layer)


def _hidden_by(env: Environment, layer: str) -> Layer | None:
    """A stronger layer with a list of its own, in the place of which this one does not count."""
    for item in env.loaded.layers:
        stronger = item.name != layer and _is_stronger(item, layer)
        if stronger and _KEY[1] in item.data.get(_KEY[0], {}):
            return item
    return None


def _approve(env: Environment, layer: str, lists: _Lists) -> bool:
    """Let what was written count, unless something that was not approved stands beside it."""
    if env.loaded.trust.everything:
        return False  # this start counts what nobody approved, and may have carried it along
    old, new = (StartUpAction("setting", _SET, value, layer) for value in (lists.old, lists.new))
    before = None if lists.old is None else old.digest
    store = TrustStore(env.scope.home)
    return store.update(env.scope.root, new.label, before, new.digest)


def _names_path(rule: Rule) -> bool:
    return rule.name not in _NO_PATHS and not rule.name.startswith("mcp__")


def _anywhere(text: str, root: Path) -> str:
    """A rule that means in every project what it means in this one."""
    rule = parse_rule(text, "answer")
    if rule.pattern is None or not _names_path(rule):
        return rule.text
    if f"{rule.pattern}/".startswith("~/") or PurePath(rule.pattern).is_absolute():
        return rule.text
    if any(c in str(root) for c in "*?"):
        raise UsageError(f"no rule can name a folder such as {root}", hint="save it here instead")
    return f"{rule.name}({root.as_posix().rstrip('/')}/{rule.pattern})"
