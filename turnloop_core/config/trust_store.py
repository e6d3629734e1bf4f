"""What the user said about folders: which are trusted, what was approved or saved in each."""

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
    """The file.

    Attributes:
        folders: trusted folder -> label -> digest of what was approved.
        saved: folder -> label -> digest of settings that count there without trust in the folder.
            It stands apart, so that nothing that reads `folders` takes such a one for trusted.
        declined: folder -> digest of what the user said no to.
    """

    folders: dict[str, dict[str, str] | None] = dataclasses.field(default_factory=dict)
    saved: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    declined: dict[str, str] = dataclasses.field(default_factory=dict)

    def text(self) -> str:
        """The file's text; what is empty is left out, but for the folders."""
        plain = {key: value for key, value in dataclasses.asdict(self).items() if value}
        whole = {"folders": self.folders, **plain}
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


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

    @property
    def with_saved(self) -> tuple[Path, ...]:
        """The folders that are not trusted, and where settings that the user saved count.

        Raises:
            SettingsError: the file cannot be read.
        """
        content = self._read()
        return tuple(Path(folder) for folder in content.saved if folder not in content.folders)

    def of(self, root: Path) -> Trust:
        """What the user said about exactly this folder; what lies above it does not matter.

        Raises:
            SettingsError: the file cannot be read.
        """
        content, folder = self._read(), str(root.resolve())
        known = content.folders.get(folder, {})
        return Trust(folder in content.folders, known, content.saved.get(folder, {}))

    def trust(self, root: Path, approved: Mapping[str, str] | None = None) -> None:
        """Trust a folder, and what stands there now.

        Args:
            root: the folder.
            approved: label -> digest of what the user has seen; what was approved before stays.

        Raises:
            SettingsError: the file cannot be read or written.
        """

        def change(content: _Content, folder: str) -> None:
            before = {**(content.folders.get(folder) or {}), **content.saved.pop(folder, {})}
            content.folders[folder] = {**before, **(approved or {})}
            content.declined.pop(folder, None)

        self._change(root, change)

    def update(self, root: Path, label: str, old: str | None, new: str) -> bool:
        """Approve a setting that the user had saved, where what it joined counts.

        The folder itself is neither trusted by it, nor need it be.

        Args:
            root: the folder.
            label: of the start-up action.
            old: digest of what stood there before, None when nothing did.
            new: digest of what stands there now.

        Returns:
            False when what stood there was not approved.

        Raises:
            SettingsError: the file cannot be read or written.
        """
        counts = False

        def change(content: _Content, folder: str) -> None:
            nonlocal counts
            known = content.folders.get(folder)
            before = content.saved.get(folder, {}) if known is None else known
            counts = old is None or old in before.values()
            if counts and known is None:
                content.saved[folder] = {**before, label: new}
            elif counts:
                content.folders[folder] = {**before, label: new}

        self._change(root, change)
        return counts

    def forget(self, root: Path) -> bool:
        """Trust a folder no longer, and nothing that was saved there.

        Returns:
            False when there was nothing to forget.

        Raises:
            SettingsError: the file cannot be read or written.
        """

        def change(content: _Content, folder: str) -> None:
            content.folders.pop(folder, None)
            content.saved.pop(folder, None)

        return self._change(root, change)

    def declined(self, root: Path) -> str:
        """The digest of what the user said no to here, or `NEVER`, or "".

        Raises:
            SettingsError: the file cannot be read.
        """
        return self._read().declined.get(str(root.resolve()), "")

    def decline(self, root: Path, digest: str) -> None:
        """Remember a no, so that the same is not asked at every start.

        Raises:
            SettingsError: the file cannot be read or written.
        """

        def change(content: _Content, folder: str) -> None:
            content.declined[folder] = digest

        self._change(root, change)

    def _read(self) -> _Content:
        text = read_settings_file(self.path)
        if text is None:
            return _Content()
        root = parse_settings(text, str(self.path)).root
        plain = root.plain if root else {}
        folders: Any = plain.get("folders")
        saved: Any = plain.get("saved", {})
        declined: Any = plain.get("declined", {})
        if isinstance(folders, list):  # as it was when only folders were remembered
            folders = {folder if isinstance(folder, str) else None: None for folder in folders}
        if not (_is_folders(folders) and _is_saved(saved) and _is_texts(declined)):
            raise SettingsError(
                'expected {"folders": { ... }}',
                where=str(self.path),
                hint="remove the file: no folder is trusted then",
            )
        return _Content(folders, saved, declined)

    def _change(self, root: Path, change: Callable[[_Content, str], None]) -> bool:
        """Read, change and write the file while nobody else does; False when nothing changed."""
        folder = str(root.resolve())
        if not folder.isprintable():  # undecodable bytes among them: no JSON text can hold those
            raise SettingsError("a folder of such a name cannot be trusted", where=ascii(folder))
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.path):
                content = self._read()
                before = content.text()
                change(content, folder)
                if content.text() == before:
                    return False
                replace_file(self.path, content.text().encode("utf-8"), new_mode=0o600)
        except OSError as error:
            raise SettingsError(
                f"cannot be written: {error.strerror or error}", where=str(self.path)
            ) from error
        return True


def _is_folders(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(k, str) and (v is None or _is_texts(v)) for k, v in value.items()
    )


def _is_saved(value: Any) -> bool:
    return _is_folders(value) and None not in value.values()


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
