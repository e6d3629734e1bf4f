"""Rules that the user answers "always" with: saved to the layer that the user picks."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, get_args

from turnloop_core.config.edit import append_in, change_file
from turnloop_core.config.layer import PROJECT_LAYERS, LayerName
from turnloop_core.config.layers import settings_paths
from turnloop_core.config.sources import file_layer, parse_settings
from turnloop_core.config.startup import StartUpAction
from turnloop_core.config.trust import Trust
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import SettingsError, UsageError
from turnloop_core.permissions.rules import Rule, parse_rule
from turnloop_core.types.subjects import PUBLIC_NAMES, SubjectKind
from turnloop_core.values import dataclass

if TYPE_CHECKING:
    from turnloop_core.config.layer import Layer
    from turnloop_core.environment import Environment

_KEY = ("permissions", "allow")
_SET = "permissions.allow"


def save_rules(env: Environment, rules: Sequence[str], layer: str) -> str:
    """Add allow rules to the settings of one layer.

    A list of a stronger layer replaces those of weaker ones, so a first one carries along what
    held until now. In the project's files the new list counts by itself, whether or not the folder
    is trusted, unless it joins one that does not count; in the user's own, patterns of paths are
    written from the root of the file system, since relative ones would mean another folder in each
    project.

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
    now = _standing(env, env.loaded.trust if env.loaded.trust.everything else _trust(env))
    carried = _carried(now, layer)
    if layer not in PROJECT_LAYERS:
        rules = [_anywhere(rule, env.scope.root) for rule in rules]
        change_file(path, _Change(env, layer, path).edit(carried, rules))
        told = [f"saved to {path}: {', '.join(rules)}", _hidden(now, layer)]
        return "; ".join(filter(None, told))
    _check_place(env, path)
    change = _Change(env, layer, path)
    change_file(path, change.edit(carried, rules))
    told = [_hidden(now, layer), "" if change.approve(carried) else _waits(path)]
    return "; ".join(filter(None, told))


def _waits(path: Path) -> str:
    return f"saved to {path}; it counts in later sessions once you have looked at it: tl trust"


@dataclass(frozen=True, slots=True)
class _AllowList:
    """The allow list of a layer."""

    layer: LayerName
    source: str
    rules: Sequence[str]


def _trust(env: Environment) -> Trust:
    """What the user said about the project by now, beyond this start."""
    return TrustStore(env.scope.home).of(env.scope.root)


def _standing(env: Environment, trust: Trust) -> list[_AllowList]:
    """The lists that would count if this session started now, weakest first."""
    files = settings_paths(env.scope.root, env.scope.home)
    layers = [item for item in env.loaded.layers if item.name not in files]
    for name, path in files.items():
        layer, _ = file_layer(name, path)  # type: ignore[arg-type]  # the keys are layers
        layers += [layer] if layer else []
    found = [_AllowList(x.name, x.source, _allow(x.data)) for x in sorted(layers, key=_rank)]
    return [
        item
        for item in found
        if isinstance(item.rules, list)
        and (item.layer not in PROJECT_LAYERS or trust.allows(_action(item.layer, item.rules)))
    ]


_STRENGTH: Sequence[str] = get_args(LayerName)


def _rank(item: Layer) -> int:
    return _STRENGTH.index(item.name)


def _action(layer: str, rules: Any) -> StartUpAction:
    return StartUpAction("setting", _SET, rules, layer)


def _allow(settings: Mapping[str, Any]) -> Any:
    permissions = settings.get(_KEY[0])
    return permissions.get(_KEY[1]) if isinstance(permissions, Mapping) else None


def _carried(now: Sequence[_AllowList], layer: str) -> Sequence[str]:
    """What holds without this layer and the stronger ones: the strongest list of the others."""
    stronger = _STRENGTH[_STRENGTH.index(layer) :]
    weaker = list(takewhile(lambda item: item.layer not in stronger, now))
    return weaker[-1].rules if weaker else ()


def _hidden(now: Sequence[_AllowList], layer: str) -> str:
    """That a stronger layer has a list of its own, so that this one does not count; or ""."""
    stronger = _STRENGTH[_STRENGTH.index(layer) + 1 :]
    hiding = [item.source for item in now if item.layer in stronger]
    return f"in this project the list in {hiding[-1]} stands in its place" if hiding else ""


def _check_place(env: Environment, path: Path) -> None:
    """A link must not lead the rules into another file."""
    if not Path(os.path.realpath(path)).is_relative_to(env.scope.root):
        raise SettingsError("a link out of the project", where=str(path), hint="remove the link")


class _Change:
    """The change of a file's allow list, which is taken as it was while nobody else writes."""

    def __init__(self, env: Environment, layer: str, path: Path) -> None:
        self._env = env
        self._layer = layer
        self._path = path
        self._old: Any = None
        self._new: Any = None

    def edit(self, carried: Sequence[str], rules: Sequence[str]) -> Callable[[str], str]:
        """The change of the file's text."""

        def change(text: str) -> str:
            self._old = self._read(text)
            self._check_company()
            for item in (*(carried if self._old is None else ()), *rules):
                text = append_in(text, _KEY, item, str(self._path))
            self._new = self._read(text)
            return text

        return change

    def _read(self, text: str) -> Any:
        root = parse_settings(text, str(self._path)).root
        return _allow(root.plain if root else {})

    def _check_company(self) -> None:
        """Beside rules that are ignored for want of trust, a rule of the user's is ignored too."""
        if not self._old or self._env.loaded.trusted or self._layer not in PROJECT_LAYERS:
            return
        if not _trust(self._env).allows(_action(self._layer, self._old)):
            raise UsageError(
                f"the folder is not trusted, and the rules in {self._path} beside it are ignored",
                hint="look at them: tl trust; or save it for all projects",
            )

    def _approved_ones(self) -> Sequence[str]:
        """What would be carried along at a start that counts no more than what was approved."""
        return _carried(_standing(self._env, _trust(self._env)), self._layer)

    def approve(self, carried: Sequence[str]) -> bool:
        """Let what was written count, unless something that was not approved stands in it."""
        if self._old is None and carried != self._approved_ones():
            return False  # this start counts what nobody approved, and has carried it along
        new = _action(self._layer, self._new)
        # An empty list brings nothing along that anybody would have to approve.
        old = _action(self._layer, self._old).digest if self._old else None
        store = TrustStore(self._env.scope.home)
        return store.update(self._env.scope.root, new.label, old, new.digest)


_NO_PATHS = frozenset(
    PUBLIC_NAMES[kind] for kind in (SubjectKind.COMMAND, SubjectKind.URL, SubjectKind.SEARCH)
)


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
