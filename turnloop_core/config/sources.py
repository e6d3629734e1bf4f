"""From a file, the environment, flags or a plugin's defaults to a layer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from turnloop_core.config.files import read_settings_file
from turnloop_core.config.json_reader import JsonError, parse_document
from turnloop_core.config.json_tree import Document
from turnloop_core.config.layer import Ignored, Layer, LayerName, Origin, walk
from turnloop_core.config.models import CORE_KEYS, Settings
from turnloop_core.config.paths import KeyPath, dotted, parse_key
from turnloop_core.errors import SettingsError
from turnloop_core.nearest import best

ENVIRONMENT_KEYS: Mapping[str, str] = {
    "TURNLOOP_PROVIDER": "provider",
    "TURNLOOP_MODEL": "model",
    "TURNLOOP_PERMISSION_MODE": "permission_mode",
    "TURNLOOP_MAX_ITERATIONS": "max_iterations",
    "TURNLOOP_TOOL_VERBOSITY": "tool_verbosity",
    "TURNLOOP_SYSTEM_VARIANT": "system_variant",
    "TURNLOOP_THINKING": "thinking",
}
_OTHER_VARIABLES = ("TURNLOOP_PLUGINS",)
_EDITORS_KEY = "$schema"  # for editors; means nothing here


def core_layer() -> Layer:
    """The defaults of core itself."""
    data = asdict(Settings())
    plain = json.loads(json.dumps({key: data[key] for key in CORE_KEYS}))
    return Layer("core", "", plain, dict.fromkeys(walk(plain), Origin("core")))


def plugin_layer(owner: str, defaults: Mapping[str, Any]) -> Layer:
    """The defaults that a plugin brings.

    Raises:
        ValueError, TypeError: they are not JSON values.
    """
    plain = json.loads(json.dumps(defaults, allow_nan=False))
    origin = Origin("plugin", owner)
    return Layer("plugin", owner, plain, dict.fromkeys(walk(plain), origin))


def file_layer(name: LayerName, path: Path) -> tuple[Layer | None, tuple[Ignored, ...]]:
    """The layer of a settings file, None when there is no file; and which blanks do not count.

    Raises:
        SettingsError: it cannot be read, or is not one JSON object.
    """
    text = read_settings_file(path)
    if text is None:
        return None, ()
    document = parse_settings(text, str(path))
    data: dict[str, Any] = document.root.plain if document.root else {}
    lines = {p: document.line(at) for p, at in document.root.walk()} if document.root else {}
    origins = {p: Origin(name, str(path), line) for p, line in lines.items()}
    data.pop(_EDITORS_KEY, None)
    blank = [key for key in ENVIRONMENT_KEYS.values() if _is_blank(data.get(key))]
    for key in blank:
        del data[key]
    notes = tuple(Ignored(key, str(path), lines[(key,)], BLANK) for key in blank)
    return Layer(name, str(path), data, origins), notes


BLANK = "blank counts as not set"


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def parse_settings(text: str, file: str) -> Document:
    """Read the text of a settings file.

    Raises:
        SettingsError: it is not one JSON object.
    """
    try:
        return parse_document(text)
    except JsonError as error:
        raise SettingsError(
            error.message, where=f"{file}:{error.line}:{error.column}", hint=error.hint
        ) from error


def environment_layer(environment: Mapping[str, str]) -> tuple[Layer, tuple[Ignored, ...]]:
    """The layer of the `TURNLOOP_*` variables, and those that do not count."""
    data: dict[str, Any] = {}
    origins: dict[KeyPath, Origin] = {}
    notes = []
    for variable in sorted(v for v in environment if v.startswith("TURNLOOP_")):
        text = environment[variable].strip()
        key = ENVIRONMENT_KEYS.get(variable)
        if key is None:
            near = best(variable, list(ENVIRONMENT_KEYS), cutoff=0.85)
            if near and variable not in _OTHER_VARIABLES:
                notes.append(Ignored(variable, "environment", 0, f"did you mean {near}?"))
        elif not text:
            notes.append(Ignored(variable, "environment", 0, BLANK))
        else:
            whole = key == "max_iterations" and re.fullmatch(r"[0-9]{1,18}", text)
            data[key] = int(text) if whole else text
            origins[(key,)] = Origin("environment", variable)
    return Layer("environment", "environment", data, origins), tuple(notes)


def flag_layer(flags: Mapping[str, Any]) -> Layer:
    """The layer of the command line; a flag that is None was not given.

    Raises:
        SettingsError: a flag is blank.
    """
    data: dict[str, Any] = {}
    origins: dict[KeyPath, Origin] = {}
    for key, value in flags.items():
        if value is None:
            continue
        path = parse_key(key)
        flag = "--" + dotted(path).replace("_", "-")
        if _is_blank(value):
            raise SettingsError(
                "is blank", where=flag, key=key, hint="give a value, or leave it out"
            )
        here = data
        for part in path[:-1]:
            here = here.setdefault(part, {})
        here[path[-1]] = json.loads(json.dumps(value))
        for length in range(len(path)):
            origins[path[: length + 1]] = Origin("flag", flag)
        for inner in walk(here[path[-1]], path):
            origins[inner] = Origin("flag", flag)
    return Layer("flag", "command line", data, origins)
