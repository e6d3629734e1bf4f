"""Where we are: the folder to work in, the home, and whether settings switch plugins off."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from turnloop_core.errors import UsageError

if TYPE_CHECKING:
    from turnloop_core.plugins import Plugins


def working_folder(given: str | None) -> Path:
    """The real path of `--cwd`, or of the current folder.

    Raises:
        UsageError: there is no such folder.
    """
    if given is not None and not given.strip():
        # A variable that is not set, mostly: it must not mean the folder that happens to be here.
        raise UsageError("--cwd: is blank", hint="give a folder, or leave it out")
    try:
        folder = Path(given or ".").expanduser().resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        if given is None:
            raise UsageError("the current folder is gone", hint="cd to another one") from None
        raise UsageError(f"--cwd: there is no folder {given}") from None
    if not folder.is_dir():
        raise UsageError(f"--cwd: {given} is not a folder")
    return folder


def home() -> Path:
    """The user's home.

    Raises:
        UsageError: the system does not say where it is.
    """
    variable = os.environ.get("USERPROFILE" if os.name == "nt" else "HOME")
    if variable is not None and not os.path.isabs(variable):  # noqa: PTH117 - "" is no path
        # It would be another folder from each place that `tl` is started in, and there the
        # settings of a project would count as the user's own. Empty would mean `/`.
        raise UsageError(
            f"HOME is no absolute path: {variable!r}", hint="set HOME to your home folder"
        )
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        raise UsageError("there is no home folder", hint="set HOME") from None


def load_quietly(off: Sequence[str], cwd: str | None = None) -> Plugins:
    """The plugins, whatever is wrong with the settings: those are another command's matter.

    Args:
        off: plugins that the command line switches off.
        cwd: `--cwd`.
    """
    from turnloop_core.installed import entry_points
    from turnloop_core.plugins import GROUP, Found, Switches, load_plugins

    try:
        in_settings = switches_in_settings(cwd)[0] if _settings_may_switch(cwd) else ()
    except UsageError:
        in_settings = ()
    switches = Switches.make((*off, *in_settings), environment=os.environ)
    return load_plugins(switches, lambda: [Found(*point) for point in entry_points(GROUP)])


def switches_in_settings(cwd: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Plugins that settings switch off, and those that they require.

    Raises:
        UsageError: the settings cannot be read, or there is no such folder.
    """
    from turnloop_core.config.layers import read_layers
    from turnloop_core.config.trust_store import TrustStore

    layers = read_layers(working_folder(cwd), home(), os.environ)
    return layers.plugin_switches(TrustStore(home()).of(layers.root.path))


def _settings_may_switch(cwd: str | None) -> bool:
    """Whether a settings file mentions plugins at all.

    Most do not, and then `tl --help` need not import what reads them.
    """
    folder = working_folder(cwd)
    for place in (home(), folder, *folder.parents):
        for name in ("settings.json", "settings.local.json"):
            try:
                text = (place / ".turnloop" / name).read_bytes()
            except OSError:
                continue
            if b"plugins" in text or b"\\u" in text:
                return True
    return False
