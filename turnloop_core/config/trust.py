"""What a project may say before the user trusts it, and what it may say once they do.

A repository is not trusted because it is on disk, and what was trusted once is not trusted in
every later form: what is not listed as harmless counts when the user has approved exactly that
value, and is ignored and named otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, Literal

from turnloop_core.config.layer import Folded, Ignored, Layer
from turnloop_core.config.needs_trust import COUNTS_UNTRUSTED, WHY, WHY_SECTION
from turnloop_core.config.paths import KeyPath, dotted
from turnloop_core.config.startup import StartUpAction, decide
from turnloop_core.types.subjects import PermissionMode, Verdict
from turnloop_core.values import dataclass

# Objects of which each member is looked at by itself; any other setting is one whole.
_BY_MEMBER = frozenset({"providers", "permissions", "plugins"})

Standing = Literal["untrusted", "unseen", "new", "changed"]

IN_WORDS: Mapping[Standing, str] = MappingProxyType(
    {
        "untrusted": "this folder is not trusted",
        "unseen": "this folder was trusted before single settings were looked at",
        "new": "new since you trusted this folder",
        "changed": "changed since you trusted this folder",
    }
)

# From the one that asks most to the one that asks least.
_WIDTH = (
    PermissionMode.PLAN,
    PermissionMode.DEFAULT,
    PermissionMode.AUTO,
    PermissionMode.BYPASS,
)


@dataclass(frozen=True, slots=True)
class Trust:
    """What the user said about one project.

    Attributes:
        trusted: the user trusts its folder.
        approved: label of a start-up action -> digest of what the user approved; None for a
            folder that was trusted when only folders were remembered.
        saved: the same of single settings that the user had saved there while the folder was not
            trusted: they count by themselves.
        everything: for this start all counts, approved or not, and nothing is remembered.
    """

    trusted: bool = False
    approved: Mapping[str, str] | None = field(default_factory=dict)
    saved: Mapping[str, str] = field(default_factory=dict)
    everything: bool = False

    @classmethod
    def of(cls, given: Trust | bool) -> Trust:
        """`True` is trust in everything for this start, `False` is none."""
        return given if isinstance(given, Trust) else cls(given, everything=given)

    def decide(self, action: StartUpAction) -> tuple[Verdict, str]:
        """Whether a start-up action may happen without a question, and why.

        Raises:
            TypeError, ValueError: its content is no JSON value.
        """
        known = (self.approved or {}).values()
        digests = {action.digest} if self.everything else frozenset(known)
        saved = frozenset(self.saved.values())
        return decide(action, trusted=self.trusted, approved=digests, saved=saved)

    def allows(self, action: StartUpAction) -> bool:
        """Whether a start-up action may happen without a question.

        Raises:
            TypeError, ValueError: its content is no JSON value.
        """
        return self.decide(action)[0] is Verdict.ALLOW

    def standing(self, action: StartUpAction) -> Standing:
        """Why an action that is not allowed is not."""
        if not self.trusted:
            return "untrusted"
        if self.approved is None:
            return "unseen"
        return "changed" if action.label in self.approved else "new"


@dataclass(frozen=True, slots=True)
class Pending:
    """A setting of the project that does not count until the user approves it.

    Attributes:
        path: the setting.
        action: the same with its value, as it was read.
        standing: why it does not count.
        ignored: where it stands, for the user.
    """

    path: KeyPath
    action: StartUpAction
    standing: Standing
    ignored: Ignored


def setting(layer: Layer, path: KeyPath, value: Any) -> StartUpAction:
    """The start-up action that a setting of the project is."""
    return StartUpAction("setting", dotted(path), value, layer.name)


def hear(layer: Layer, below: Folded, trust: Trust) -> tuple[Layer, tuple[Pending, ...]]:
    """What counts of a project's layer, and what does not.

    Args:
        layer: a layer of the project.
        below: the weaker layers, folded.
        trust: what the user said about the project.
    """
    if trust.everything:
        return layer, ()
    kept: dict[str, Any] = {}
    pending: list[Pending] = []
    for path, value in _parts(layer.data):
        place = kept if len(path) == 1 else kept.setdefault(str(path[0]), {})
        free = path in COUNTS_UNTRUSTED or (path == _MODE and not _widens(value, below))
        if free or trust.allows(setting(layer, path, value)):
            place[str(path[-1])] = value
        else:
            pending.append(_pending(layer, path, value, trust))
    return replace(layer, data=kept), tuple(pending)


_MODE: KeyPath = ("permission_mode",)


def _parts(data: Mapping[str, Any]) -> list[tuple[KeyPath, Any]]:
    """Settings as they are looked at: by member where an object holds things of several sorts."""
    parts: list[tuple[KeyPath, Any]] = []
    for key, value in data.items():
        if key in _BY_MEMBER and isinstance(value, Mapping):
            parts += (((key, name), item) for name, item in value.items())
        else:
            parts.append(((key,), value))
    return parts


def _widens(mode: str, below: Folded) -> bool:
    own = PermissionMode(below.data.get("permission_mode", PermissionMode.DEFAULT))
    return _WIDTH.index(PermissionMode(mode)) > _WIDTH.index(own)


def _pending(layer: Layer, path: KeyPath, value: Any, trust: Trust) -> Pending:
    action = setting(layer, path, value)
    standing = trust.standing(action)
    origin = layer.origin(path)
    why = f"{IN_WORDS[standing]}, and {WHY.get(str(path[0]), WHY_SECTION)}"
    return Pending(path, action, standing, Ignored(dotted(path), origin.file, origin.line, why))
