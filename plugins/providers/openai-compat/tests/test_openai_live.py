"""The presets against the real endpoints: `pytest -m live`, with the keys in the environment.

One prompt of several turns each: a file names the next, and the last one holds the answer. A single
turn would prove nothing, since it sends nothing back.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.testing.cli import run_tl
from turnloop_openai_compat.presets import PRESETS

pytestmark = pytest.mark.live

# What must be set for a preset, beside its key: the address of a workspace, a server that runs.
NEEDS = {"blaxel": "BLAXEL_BASE_URL", "ollama": "OLLAMA_HOST"}
SEES = ("openai", "blaxel")
WORD = "quillwort"


def needed(name: str) -> list[str]:
    return [v for v in (PRESETS[name].get("api_key_env"), NEEDS.get(name)) if v]


def ask(name: str, prompt: str, folder: Path) -> dict[str, Any]:
    """How the run of one prompt ended, in a project of its own."""
    missing = [variable for variable in needed(name) if not os.environ.get(variable)]
    if missing:
        pytest.skip(f"not set: {', '.join(missing)}")
    home = folder / "home"
    (home / ".turnloop").mkdir(parents=True)
    entry = {"base_url": os.environ["BLAXEL_BASE_URL"]} if name == "blaxel" else {}
    settings = {"providers": {name: entry}} if entry else {}
    (home / ".turnloop" / "settings.json").write_text(json.dumps(settings))
    env = {variable: os.environ[variable] for variable in needed(name)}
    done = run_tl(
        *("--provider", name, "--json", "-p", prompt),
        home=home,
        cwd=folder,
        env=env,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    ended: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert ended["event"] == "run_ended"
    return ended


@pytest.mark.parametrize("name", PRESETS)
def test_several_turns_with_a_tool(name: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "start.txt").write_text("The next file is middle.txt\n")
    (tmp_path / "middle.txt").write_text("The next file is end.txt\n")
    (tmp_path / "end.txt").write_text(f"The word is {WORD}.\n")
    prompt = (
        "Read start.txt with the Read tool. It names another file: read that one, and go on until a"
        " file holds the word. Answer with the word alone."
    )
    ended = ask(name, prompt, tmp_path)
    assert WORD in ended["text"].lower()
    assert ended["attempts"] >= 4


@pytest.mark.parametrize("name", SEES)
def test_a_picture(name: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "picture.png").write_bytes(red_square(64))
    prompt = "Read picture.png with the Read tool. Answer with the one word for its colour."
    assert "red" in ask(name, prompt, tmp_path)["text"].lower()


def red_square(size: int) -> bytes:
    """A PNG."""

    def part(name: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    rows = (b"\0" + b"\xff\0\0" * size) * size
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + part(b"IHDR", header)
        + part(b"IDAT", zlib.compress(rows))
        + part(b"IEND", b"")
    )
