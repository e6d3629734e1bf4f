"""The files of the demo, as they lie in this package.

Python files of the project carry `.txt` behind their name here, so that no tool takes the failing
test of the demo for one of ours, and no installer compiles it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

_DISGUISE = ".txt"
_PLACEHOLDER = "@TEST_COMMAND@"


def source_files() -> dict[str, bytes]:
    """Path below the project, with `/` -> content, sorted."""
    found = dict(_walk(files("turnloop_mock") / "demo_project", ""))
    return dict(sorted(found.items()))


def _walk(folder: Traversable, above: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        if item.is_file():
            yield above + item.name.removesuffix(_DISGUISE), item.read_bytes()
        elif item.is_dir():
            yield from _walk(item, f"{above}{item.name}/")


def copy_project(target: Path) -> None:
    """Write the project to a folder that is not there yet."""
    for name, content in source_files().items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def script_text(command: str) -> str:
    """The script, with the command that runs the tests put in."""
    text = (files("turnloop_mock") / "demo_script.yaml").read_text(encoding="utf-8")
    return text.replace(_PLACEHOLDER, json.dumps(command, ensure_ascii=False))
