"""Trust in folders: which are trusted, and what a project may say before it is.

A repository is not trusted because it is on disk. What counts from the settings of an untrusted
project is listed here; everything else is ignored and named, a key of a plugin that nobody has
thought of among it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnloop_core.config.files import locked, read_settings_file, replace_file
from turnloop_core.config.layer import Folded, Ignored, Layer
from turnloop_core.config.paths import KeyPath, dotted
from turnloop_core.config.root import FOLDER
from turnloop_core.config.sources import parse_settings
from turnloop_core.errors import SettingsError
from turnloop_core.types.subjects import PermissionMode

# What counts from an untrusted project: it can neither run code nor move data.
COUNTS_UNTRUSTED: frozenset[KeyPath] = frozenset(
    {
        ("max_iterations",),
        ("tool_verbosity",),
        ("system_variant",),
        ("thinking",),
        ("compaction",),
        ("permissions", "deny"),
        ("permissions", "ask"),
    }
)

# Rules that tighten always count: a stronger layer adds to these lists, and takes nothing away.
ADDS: frozenset[KeyPath] = frozenset({("permissions", "deny"), ("permissions", "ask")})

_WHY: Mapping[str, str] = {
    "provider": "it chooses who is sent your code",
    "model": "it chooses who is sent your code",
    "providers": "an address, a header or a key name can send your key and code elsewhere",
    "permissions": "it would allow things without asking you",
    "permission_mode": "it would ask you less than your own settings do",
    "plugins": "it would choose which plugins run",
}
_WHY_SECTION = "settings of a plugin can run code or move data"
_UNTRUSTED = "this folder is not trusted, and"

# From the one that asks most to the one that asks least.
_WIDTH = (
    PermissionMode.PLAN,
    PermissionMode.DEFAULT,
    PermissionMode.AUTO,
    PermissionMode.BYPASS,
)


def untrusted(layer: Layer, below: Folded) -> tuple[Layer, tuple[Ignored, ...]]:
    """What counts of a project's layer while the project is not trusted, and what does not.

    Args:
        layer: a layer of the project.
        below: the weaker layers, folded.
    """
    kept: dict[str, Any] = {}
    ignored: list[Ignored] = []
    for key, value in layer.data.items():
        if _counts((key,)) or (key == "permission_mode" and not _widens(value, below)):
            kept[key] = value
        elif isinstance(value, Mapping) and key in _WHY:
            kept[key] = {name: item for name, item in value.items() if _counts((key, name))}
            ignored += (_ignored(layer, (key, name)) for name in value if name not in kept[key])
        else:
            ignored.append(_ignored(layer, (key,)))
    return replace(layer, data=kept), tuple(ignored)


def _counts(path: KeyPath) -> bool:
    return path in COUNTS_UNTRUSTED


def _widens(mode: str, below: Folded) -> bool:
    own = PermissionMode(below.data.get("permission_mode", PermissionMode.DEFAULT))
    return _WIDTH.index(PermissionMode(mode)) > _WIDTH.index(own)


def _ignored(layer: Layer, path: KeyPath) -> Ignored:
    origin = layer.origin(path)
    why = _WHY.get(str(path[0]), _WHY_SECTION)
    return Ignored(dotted(path), origin.file, origin.line, f"{_UNTRUSTED} {why}")


class TrustStore:
    """The folders that the user trusts, in a file of the user's own.

    Args:
        home: the user's home.
    """

    def __init__(self, home: Path) -> None:
        self.path = home / FOLDER / "trust.json"

    @property
    def folders(self) -> tuple[Path, ...]:
        """The trusted folders.

        Raises:
            SettingsError: the file cannot be read.
        """
        return tuple(Path(folder) for folder in self._read())

    def is_trusted(self, root: Path) -> bool:
        """Whether exactly this folder is trusted; what lies above it does not matter.

        Raises:
            SettingsError: the file cannot be read.
        """
        return str(root.resolve()) in self._read()

    def trust(self, root: Path) -> None:
        """Trust a folder.

        Raises:
            SettingsError: the file cannot be read or written.
        """
        self._change(root, trusted=True)

    def forget(self, root: Path) -> bool:
        """Trust a folder no longer; False when it was not trusted."""
        return self._change(root, trusted=False)

    def _read(self) -> list[str]:
        text = read_settings_file(self.path)
        root = parse_settings(text, str(self.path)).root if text is not None else None
        folders = root.plain.get("folders") if root else []
        if not isinstance(folders, list) or not all(isinstance(f, str) for f in folders):
            raise SettingsError(
                'expected {"folders": [ ... ]}',
                where=str(self.path),
                hint="remove the file: no folder is trusted then",
            )
        return folders

    def _change(self, root: Path, *, trusted: bool) -> bool:
        folder = str(root.resolve())
        if not folder.isprintable():  # undecodable bytes among them: no JSON text can hold those
            raise SettingsError("a folder of such a name cannot be trusted", where=ascii(folder))
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path):
                folders = self._read()
                if (folder in folders) == trusted:
                    return False
                changed = [f for f in folders if f != folder] + ([folder] if trusted else [])
                text = json.dumps({"folders": changed}, indent=2, ensure_ascii=False) + "\n"
                replace_file(self.path, text.encode("utf-8"), new_mode=0o600)
        except OSError as error:
            raise SettingsError(
                f"cannot be written: {error.strerror or error}", where=str(self.path)
            ) from error
        return True
