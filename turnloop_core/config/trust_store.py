"""The folders that the user trusts, and what was approved in each, in a file of the user's own."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from turnloop_core.config.files import locked, read_settings_file, replace_file
from turnloop_core.config.root import FOLDER
from turnloop_core.config.sources import parse_settings
from turnloop_core.config.trust import Trust
from turnloop_core.errors import SettingsError

NEVER = "never"  # in the place of a digest: the user does not want to be asked about this folder


@dataclasses.dataclass(slots=True)
class _Content:
    """The file: folder -> label -> digest, and folder -> digest of what the user said no to."""

    folders: dict[str, dict[str, str] | None]
    declined: dict[str, str]


class TrustStore:
    """What the user said about folders, of which only the exact real one counts.

    Nothing that lies in a folder can make it another one: neither a `.git` that names a folder
    elsewhere, nor being moved to the place of another, since what counts there goes by content.

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
        return tuple(Path(folder) for folder in self._read().folders)

    def is_trusted(self, root: Path) -> bool:
        """Whether exactly this folder is trusted; what lies above it does not matter.

        Raises:
            SettingsError: the file cannot be read.
        """
        return str(root.resolve()) in self._read().folders

    def of(self, root: Path) -> Trust:
        """What the user said about this folder.

        Raises:
            SettingsError: the file cannot be read.
        """
        content, folder = self._read(), str(root.resolve())
        if folder not in content.folders:
            return Trust()
        return Trust(True, content.folders[folder])

    def trust(self, root: Path, approved: Mapping[str, str] | None = None) -> None:
        """Trust a folder, and what stands there now.

        Args:
            root: the folder.
            approved: label -> digest of what the user has seen; what was approved before stays.

        Raises:
            SettingsError: the file cannot be read or written.
        """

        def change(content: _Content, folder: str) -> None:
            content.folders[folder] = {**(content.folders.get(folder) or {}), **(approved or {})}
            content.declined.pop(folder, None)

        self._change(root, change)

    def update(self, root: Path, label: str, old: str | None, new: str) -> bool:
        """Approve what turnloop itself wrote, where what it wrote to was approved.

        Args:
            root: the folder.
            label: of the start-up action.
            old: digest of what stood there before, None when nothing did.
            new: digest of what stands there now.

        Returns:
            False when the folder is not trusted, or what stood there was not approved.
        """

        def change(content: _Content, folder: str) -> None:
            known = content.folders.get(folder)
            if known is not None and (old is None or known.get(label) == old):
                content.folders[folder] = {**known, label: new}

        self._change(root, change)
        return (self.of(root).approved or {}).get(label) == new

    def forget(self, root: Path) -> bool:
        """Trust a folder no longer; False when it was not trusted."""
        return self._change(root, lambda content, folder: content.folders.pop(folder, None))

    def declined(self, root: Path) -> str:
        """The digest of what the user said no to here, or `NEVER`, or ""."""
        return self._read().declined.get(str(root.resolve()), "")

    def decline(self, root: Path, digest: str) -> None:
        """Remember a no, so that the same is not asked at every start."""

        def change(content: _Content, folder: str) -> None:
            content.declined[folder] = digest

        self._change(root, change)

    def _read(self) -> _Content:
        text = read_settings_file(self.path)
        if text is None:
            return _Content({}, {})
        root = parse_settings(text, str(self.path)).root
        plain = root.plain if root else {}
        folders: Any = plain.get("folders")
        declined: Any = plain.get("declined", {})
        if isinstance(folders, list):  # as it was when only folders were remembered
            folders = {folder if isinstance(folder, str) else None: None for folder in folders}
        if not (_is_folders(folders) and _is_texts(declined)):
            raise SettingsError(
                'expected {"folders": { ... }}',
                where=str(self.path),
                hint="remove the file: no folder is trusted then",
            )
        return _Content(folders, declined)

    def _change(self, root: Path, change: Callable[[_Content, str], Any]) -> bool:
        """Read, change and write the file while nobody else does; False when nothing changed."""
        folder = str(root.resolve())
        if not folder.isprintable():  # undecodable bytes among them: no JSON text can hold those
            raise SettingsError("a folder of such a name cannot be trusted", where=ascii(folder))
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path):
                content, before = self._read(), self._read()
                change(content, folder)
                if content == before:
                    return False
                text = json.dumps(_plain(content), indent=2, ensure_ascii=False) + "\n"
                replace_file(self.path, text.encode("utf-8"), new_mode=0o600)
        except OSError as error:
            raise SettingsError(
                f"cannot be written: {error.strerror or error}", where=str(self.path)
            ) from error
        return True


def _is_folders(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(k, str) and (v is None or _is_texts(v)) for k, v in value.items()
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())


def _plain(content: _Content) -> dict[str, Any]:
    plain: dict[str, Any] = {"folders": content.folders}
    return {**plain, "declined": content.declined} if content.declined else plain
