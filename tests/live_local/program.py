"""The real program, set up for that server."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from live_local.llama import WINDOW, LlamaServer
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.project import Project
from turnloop_core.types.items import Turn

LIMIT_S = 300.0  # for any run of the program: the machine may be busy
NAME = "local"

# The model is so small that what it says is anybody's guess; a grammar of the server's own makes
# it say these words, whatever came before. They are its tokens all the same, one after the other.
COUNTING = " ".join(str(number) for number in range(1, 41))


def words(text: str) -> dict[str, Any]:
    """Fields of a request that make the model say `text`."""
    return {"grammar": f"root ::= {json.dumps(text)}"}


def forced(tool: str) -> dict[str, Any]:
    """Fields of a request that make the model call `tool`."""
    return {"tool_choice": {"type": "function", "function": {"name": tool}}}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run of the program left."""

    status: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The events of one kind."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def end(self) -> dict[str, Any]:
        """The last event."""
        return self.events[-1]


@dataclass
class Program:
    """`tl`, its project, and the plugins that it has."""

    project: Project
    plugins: tuple[str, ...] = ("openai-compat",)
    _environment: dict[str, str] = field(default_factory=dict)

    def use(
        self,
        server: LlamaServer,
        *plugins: str,
        window: int = WINDOW,
        output: int = 200,
        body: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Write the settings for this server.

        Args:
            server: where the requests go.
            plugins: what is loaded beside the adapter.
            window: `caps.max_context`.
            output: `caps.max_output`.
            body: fields that are added to each request.
            options: further fields of the provider's entry.
        """
        self._environment = {"TURNLOOP_PLUGINS": ",".join((*self.plugins, *plugins))}
        entry = {
            "kind": "openai_compat",
            "base_url": server.url,
            "model": "smollm2",
            "max_retries": 1,
            "extra_body": {"temperature": 0, "seed": 1, **(body or {})},
            "caps": {"max_context": window, "max_output": output},
            **options,
        }
        folder = self.project.home / ".turnloop"
        folder.mkdir(exist_ok=True)
        settings = {"provider": NAME, "providers": {NAME: entry}}
        (folder / "settings.json").write_text(json.dumps(settings))

    def run(self, prompt: str, *arguments: str) -> Ran:
        """Run one prompt to its end."""
        done = run_tl(
            *arguments,
            "-p",
            prompt,
            home=self.project.home,
            cwd=self.project.root,
            env=self._environment,
            timeout=LIMIT_S,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(self, prompt: str, *arguments: str) -> Going:
        """Begin a run, with its events as they come."""
        return Going(self, ("--json", *arguments, "-p", prompt), self._environment)

    @property
    def logs(self) -> list[Path]:
        """The logs of all sessions, oldest first."""
        found = (self.project.home / ".turnloop" / "sessions").rglob("*.jsonl")
        return sorted(found, key=lambda path: path.stat().st_mtime)

    @property
    def turns(self) -> list[Turn]:
        """What the next request would carry; the newest log must be whole, and its run ended."""
        read = read_log(self.logs[-1])
        assert read.damage == ()
        folded = fold(read.records)
        assert not folded.run_open
        return list(folded.view().turns)


class Going:
    """A run that is going on. A context, so that nothing is left running."""

    def __init__(self, program: Program, arguments: Sequence[str], env: dict[str, str]) -> None:
        project = program.project
        self._errors = project.base / "stderr.txt"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "turnloop_core", *arguments],
                cwd=project.root,
                env=project.environment | env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
            )
        self._lines: list[str] = []
        self._watchdog = threading.Timer(LIMIT_S, self._process.kill)

    def __enter__(self) -> Self:
        self._watchdog.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._watchdog.cancel()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def said(self, pieces: int) -> None:
        """Wait until so many pieces of the answer have come."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)
            pieces -= json.loads(line)["event"] == "text"
            if not pieces:
                return
        raise AssertionError(f"it ended before: {''.join(self._lines)}{self._errors.read_text()}")

    def interrupt(self) -> None:
        """As ctrl-c does."""
        self._process.send_signal(signal.SIGINT)

    def finish(self) -> Ran:
        """Wait for its end."""
        assert self._process.stdout is not None
        self._lines += self._process.stdout
        status = self._process.wait(LIMIT_S)
        return Ran(status, "".join(self._lines), self._errors.read_text())
