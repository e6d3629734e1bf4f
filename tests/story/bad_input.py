"""Runs `tl` on bad input, and holds what must be true of every end of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bug_project import FILES, legal, settings
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.loopback import Answer, Loopback, Recorded
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.testing.wire import chat_chunks, sse

KEY = "sk-this-value-is-never-shown-0123456789"
Settings = dict[str, Any]


def say(text: str = "Done.") -> Answer:
    return Answer(body=sse(*chat_chunks(text=text)))


def call(*calls: tuple[str, str | dict[str, Any]], finish: str | None = None) -> Answer:
    """A reply with these calls: name, and arguments as a value or as raw text."""
    made = [
        (f"call_{number}", name, args if isinstance(args, str) else json.dumps(args))
        for number, (name, args) in enumerate(calls)
    ]
    return Answer(body=sse(*chat_chunks(text="Look.", calls=made, finish=finish)))


@dataclass
class Bench:
    """A project, and a server that answers as scripted."""

    project: Project
    server: Loopback

    def configure(self, change: Callable[[Settings], Any] = lambda _: None) -> None:
        """Write the user's settings, changed by `change`."""
        data = settings(self.server, ())
        change(data)
        self.write_settings(json.dumps(data, indent=1))

    def write_settings(self, text: str) -> None:
        folder = self.project.home / ".turnloop"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(text)

    def tl(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """One run of the program; holds what is true of every run."""
        env = {"LOCAL_KEY": KEY} | options.pop("env", {})
        cwd = options.pop("cwd", self.project.root)
        done = run_tl(*arguments, home=self.project.home, cwd=cwd, env=env, **options)
        self.check(done)
        return done

    def check(self, done: subprocess.CompletedProcess[str]) -> None:
        told = done.stdout + done.stderr
        assert not any(line.startswith("Traceback") for line in told.splitlines()), told
        assert "this is a bug" not in told, told
        assert KEY not in told
        for path in (self.project.home / ".turnloop").rglob("*"):
            if path.is_file() and path.name != "settings.json":
                assert KEY.encode() not in path.read_bytes(), path
        assert all(legal(request.json["messages"]) for request in self.server.requests)

    def fails(self, status: int, words: str, *arguments: str, **options: Any) -> str:
        """A run that ends in exactly one error, with this status and these words in it; its hint.

        With `--json` the last event says the same.
        """
        done = self.tl(*(arguments or ("-p", "go")), **options)
        assert done.returncode == status, done.stderr
        lines = done.stderr.splitlines()
        errors = [line for line in lines if line.startswith("tl: ")]
        assert len(errors) == 1, done.stderr
        assert words in errors[0], errors[0]
        assert all(line.startswith("    ") for line in lines[lines.index(errors[0]) + 1 :])
        if "--json" in arguments:
            last = json.loads(done.stdout.splitlines()[-1])
            assert (last["exit_code"], words in last["message"]) == (status, True), last
        return "\n".join(lines[lines.index(errors[0]) + 1 :])

    def told(self) -> list[str]:
        """The results that the model was sent with the last request."""
        messages = self.server.requests[-1].json["messages"]
        return [message["content"] for message in messages if message["role"] == "tool"]

    def logs(self) -> list[Path]:
        return sorted((self.project.home / ".turnloop").rglob("*.jsonl"))

    def check_log(self) -> None:
        """The one log can be read, and no run stands open in it."""
        (log,) = self.logs()
        read = read_log(log)
        assert read.damage == ()
        assert not fold(read.records).run_open


@contextmanager
def bench(*answers: Answer, handler: Callable[[Recorded], Answer] | None = None) -> Iterator[Bench]:
    with temporary_project(FILES) as project, Loopback(*answers, handler=handler) as server:
        made = Bench(project, server)
        made.configure()
        yield made


def outside_plugin(folder: Path, name: str, source: str) -> dict[str, str]:
    """Install a plugin in `folder` as a stranger's; the variables by which it is found."""
    (folder / f"stranger_{name}.py").write_text("from turnloop_core.api import *\n" + source)
    info = folder / f"stranger_{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: stranger_{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[turnloop]\n{name} = stranger_{name}\n")
    return {"PYTHONPATH": str(folder)}


def pieces_before(data: bytes, mark: bytes) -> bytes:
    """`data` up to the middle of `mark`, which must stand in it."""
    return data[: data.index(mark) + len(mark) // 2]
