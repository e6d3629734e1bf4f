"""Runs the real program, in a home and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

LIMIT = 30.0  # seconds for any run of the program


@dataclass(frozen=True)
class Ran:
    """What a run of the program left."""

    status: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Standard output as events: every line must be whole."""
        assert self.out == "" or self.out.endswith("\n")
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Tl:
    """The program, with where it runs."""

    home: Path
    cwd: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "turnloop_core"]

    def variables(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("TURNLOOP_", "PYTHON"))}
        kept.pop("NO_COLOR", None)
        return {**kept, "HOME": str(self.home), **self.environment, **(more or {})}

    def __call__(
        self,
        *arguments: str,
        stdin: bytes | int = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=self.cwd,
            env=self.variables(env),
            capture_output=True,
            timeout=LIMIT,
            **given,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
        """Start it, and let it run."""
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen(
            [*self.command, *arguments], cwd=self.cwd, env=self.variables(), **{**streams, **more}
        )

    def settings(self, values: Any) -> Path:
        """Write the user's settings."""
        path = self.home / ".turnloop" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(values if isinstance(values, str) else json.dumps(values))
        return path

    def script(self, turns: Sequence[Mapping[str, Any]], **options: Any) -> None:
        """Let the mock provider play these turns."""
        path = self.home / "script.yaml"
        path.write_text(json.dumps(turns))
        entry = {"kind": "mock", "mode": "scripted", "script": str(path), **options}
        self.settings({"provider": "played", "providers": {"played": entry}})

    def plugin(self, name: str, source: str) -> None:
        """Install a plugin, by what an installer would leave."""
        site = self.home / "site"
        info = site / f"{name}_dist-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}-dist\nVersion: 1.0\n", "utf-8"
        )
        (info / "entry_points.txt").write_text(f"[turnloop]\n{name} = {name}_plugin\n")
        (site / f"{name}_plugin.py").write_text(source)
        self.environment["PYTHONPATH"] = str(site)


@pytest.fixture
def tl(tmp_path: Path) -> Tl:
    home, cwd = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    cwd.mkdir()
    (cwd / "pyproject.toml").write_text("")
    return Tl(home, cwd)


@pytest.fixture
def talk(tl: Tl) -> Iterator[Callable[..., Any]]:
    """Starts the program on a pseudo-terminal of its own, and waits for its prompt."""
    from talking import Talk  # systems without pseudo-terminals skip the tests that want one

    started: list[Talk] = []

    def start(*arguments: str) -> Talk:
        started.append(Talk(tl, *arguments))
        started[-1].wait("/help for help.")
        started[-1].wait("> ")
        return started[-1]

    yield start
    for talk in started:
        talk.kill()
