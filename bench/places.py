"""Homes, folders and command lines of the programs that are measured."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROMPT = "Work through the steps one at a time with your tools, and stop when they are done."
LINES = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A home and a folder to work in, both fresh."""

    home: Path
    work: Path

    @property
    def file(self) -> Path:
        return self.work / "steps.py"

    @property
    def environment(self) -> dict[str, str]:
        """A bare environment: no switch of this shell has a say in what is measured."""
        kept = ("PATH", "TMPDIR", "SYSTEMROOT", "TURNLOOP_PLUGINS")
        found = {name: os.environ[name] for name in kept if name in os.environ}
        return found | {"HOME": str(self.home), "LANG": "C.UTF-8", "BENCH_KEY": "dummy"}

    def settle(self, url: str, **more: Any) -> None:
        """Write the user's settings: a provider at `url`."""
        entry = {
            "kind": "openai_compat",
            "base_url": f"{url}/v1",
            "model": "scripted",
            "api_key_env": "BENCH_KEY",
            "caps": {"max_context": 200_000, "max_output": 16_384},
        }
        settings = {"provider": "bench", "providers": {"bench": entry}, **more}
        folder = self.home / ".turnloop"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


@contextmanager
def temporary_place() -> Iterator[Place]:
    """A place, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="turnloop-bench-") as folder:
        place = Place(Path(folder, "home"), Path(folder, "work"))
        place.home.mkdir()
        place.work.mkdir()
        place.file.write_text("".join(f"value_{n:02} = {n}  # line {n}\n" for n in range(LINES)))
        yield place


def tl(*arguments: str) -> list[str]:
    """A command line of `tl`: the installed script where there is one."""
    script = Path(sys.executable).with_name("tl")
    if script.is_file():
        return [str(script), *arguments]
    found = shutil.which("tl", path=str(script.parent))
    return [found, *arguments] if found else [sys.executable, "-m", "turnloop_core", *arguments]


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def ask(turns: int) -> list[str]:
    """`tl` with the prompt, free to run everything."""
    free = ("--permission-mode", "bypass", "--max-iterations", str(turns + 100))
    return tl(*free, "-p", PROMPT)


def floor(url: str) -> list[str]:
    """The yardstick: a bare loop with the same prompt."""
    return python("-P", str(HERE / "floor_loop.py"), url, PROMPT)
