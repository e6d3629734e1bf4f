from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.config.layers import Loaded, read_layers
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import SettingsError

FILES = {
    "user": "home/.turnloop/settings.json",
    "project": "project/.turnloop/settings.json",
    "local": "project/.turnloop/settings.local.json",
    "env": "project/.env",
}
SECTIONS = {"hooks": None, "mcp_servers": None}
SAID: dict[str, Any] = {
    "provider": "ours",
    "providers": {"ours": {"kind": "wire", "base_url": "https://ours"}, "b": {"kind": "wire"}},
    "permissions": {"allow": ["Bash(make)"], "deny": ["Read(x)"]},
    "plugins": {"disabled": ["noisy"]},
    "hooks": {"Stop": ["./check.sh"]},
}
NEEDING = (
    "provider",
    "providers.ours",
    "providers.b",
    "permissions.allow",
    "plugins.disabled",
    "hooks",
)


@dataclass(frozen=True)
class World:
    """A home and a project in a temporary folder."""

    base: Path

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def root(self) -> Path:
        return self.base / "project"

    def path(self, which: str) -> Path:
        return self.base / FILES[which]

    def write(self, which: str, content: Any) -> Path:
        """Write a file: bytes and texts as they are, anything else as JSON."""
        path = self.path(which)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, (bytes, str)) else json.dumps(content, indent=2)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def load(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        flags: Mapping[str, Any] | None = None,
        defaults: Sequence[tuple[str, Mapping[str, Any]]] = (),
        sections: Mapping[str, Any] | None = None,
        trusted: bool = True,
        switched_off: Sequence[str] = (),
    ) -> Loaded:
        layers = read_layers(self.root, self.home, environment or {}, flags)
        return layers.resolve(defaults, sections or {}, trusted, switched_off)

    def error(self, **how: Any) -> tuple[str, str]:
        """Message and hint of the error that loading leads to."""
        with pytest.raises(SettingsError) as caught:
            self.load(**how)
        return str(caught.value), caught.value.hint

    # What follows looks at trust as it is remembered, in a project that says what
    # `said` gives; `NEEDING` is what of it needs trust.

    @property
    def needing(self) -> list[str]:
        return list(NEEDING)

    @property
    def sections(self) -> Mapping[str, Any]:
        return SECTIONS

    def said(self, *, providers: Mapping[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
        """What the project says, with these keys and these providers in the place of its own."""
        said = {**deepcopy(SAID), **keys}
        said["providers"] |= providers or {}
        return said

    @property
    def remembered(self) -> TrustStore:
        return TrustStore(self.home)

    def start(self) -> Loaded:
        """Load with the trust that is remembered."""
        known = self.remembered.of(self.root)
        return read_layers(self.root, self.home, {}).resolve([], SECTIONS, known)

    def trust(self, loaded: Loaded | None = None) -> None:
        """What `tl trust` does after the user's yes."""
        pending = (loaded or self.start()).pending
        seen = {item.action.label: item.action.digest for item in pending}
        self.remembered.trust(self.root, seen)

    def standing(self) -> list[tuple[str, str]]:
        """What is pending, and why."""
        return [(item.action.name, item.standing) for item in self.start().pending]


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return World(tmp_path.resolve())
