from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.config.layers import Loaded, read_layers
from turnloop_core.errors import SettingsError

FILES = {
    "user": "home/.turnloop/settings.json",
    "project": "project/.turnloop/settings.json",
    "local": "project/.turnloop/settings.local.json",
    "env": "project/.env",
}


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


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    return World(tmp_path.resolve())
