"""Settings that have been read, checked and laid over each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NoReturn

from turnloop_core.config.check import Issue, check
from turnloop_core.config.layer import Ignored, Layer, Origin, nearest_origin
from turnloop_core.config.models import Settings
from turnloop_core.config.paths import KeyPath, dotted, parse_key
from turnloop_core.config.root import ProjectRoot
from turnloop_core.config.trust import Pending, Trust
from turnloop_core.errors import SettingsError
from turnloop_core.values import dataclass

Effect = Literal["allow", "deny", "ask"]
EFFECTS: tuple[Effect, ...] = ("allow", "deny", "ask")


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A permission rule as written, and where it stands."""

    effect: Effect
    text: str
    origin: Origin


@dataclasses.dataclass(frozen=True)
class Loaded:
    """The settings of this process, and where each comes from.

    Attributes:
        settings: the settings.
        raw: the same as JSON values, sections of plugins included.
        places: path -> where its value stands.
        pending: what stands in the project's files and does not count until the user approves it.
        notes: what else was read and does not count: blanks, misspelt variables, sections of
            plugins that are switched off.
        root: the project root.
        trust: what the user said about the project.
        layers: what was laid over each other, weakest first.
    """

    settings: Settings
    raw: Mapping[str, Any]
    places: Mapping[KeyPath, Origin]
    pending: tuple[Pending, ...]
    notes: tuple[Ignored, ...]
    root: ProjectRoot
    trust: Trust
    layers: Sequence[Layer]

    @property
    def trusted(self) -> bool:
        """The user trusts the project, for good or for this start."""
        return self.trust.trusted

    @cached_property
    def ignored(self) -> tuple[Ignored, ...]:
        """What is pending, in words."""
        return tuple(item.ignored for item in self.pending)

    @cached_property
    def origins(self) -> Mapping[str, Origin]:
        """Dotted key -> where its value stands."""
        return {dotted(path): origin for path, origin in self.places.items()}

    def origin(self, key: str | KeyPath) -> Origin | None:
        """Where a value stands, or the nearest key around it; None when nobody set it."""
        return nearest_origin(self.places, parse_key(key) if isinstance(key, str) else key)

    def section(self, name: str, cls: Any) -> Any:
        """A plugin's section as an object of the type that the plugin registered.

        Raises:
            SettingsError: the section does not fit the type.
        """
        return self.checked(cls, self.raw.get(name, {}), (name,))

    def checked(self, cls: Any, data: Any, path: KeyPath) -> Any:
        """What stands at `path` as an object of type `cls`.

        Raises:
            SettingsError: it does not fit.
        """
        value, issues = check(cls, data, path)
        if issues:
            self.fail(issues)
        return value

    def fail(self, issues: Sequence[Issue]) -> NoReturn:
        raise settings_error([(issue, self.origin(issue.path)) for issue in issues])

    @cached_property
    def rules(self) -> tuple[RuleSource, ...]:
        """The permission rules with their places."""
        return tuple(
            RuleSource(effect, text, self.origin(("permissions", effect, index)) or Origin("core"))
            for effect in EFFECTS
            for index, text in enumerate(getattr(self.settings.permissions, effect))
        )


def settings_error(issues: Sequence[tuple[Issue, Origin | None]]) -> SettingsError:
    """One error for all issues: the first in full, and how many there are besides."""
    issue, origin = min(issues, key=lambda pair: pair[1].line if pair[1] else 0)
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    key = dotted(issue.path)
    return SettingsError(
        f"{key}: {issue.message}{more}",
        where=origin.where if origin else "settings",
        key=key,
        hint=issue.hint,
    )
