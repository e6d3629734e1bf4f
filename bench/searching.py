"""Searches a folder by both of our engines and by ripgrep itself, and compares what they find."""

from __future__ import annotations

import json
import os
import subprocess
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnloop_core.ports.tool import Scope
from turnloop_core.testing.project import bare_environment
from turnloop_search.engine import Search
from turnloop_search.expression import parse
from turnloop_search.hits import Hit
from turnloop_search.listing import Lister
from turnloop_search.stop import Stop

# What Glob and Grep mean, in ripgrep's words.
LIKE_OURS = ("--no-config", "--hidden", "--no-require-git", "--glob=!.git")

Lines = dict[str, tuple[int, ...]]  # file -> numbers of its matching lines


@dataclass(frozen=True, slots=True)
class Ground:
    """Where searches take place.

    Attributes:
        root: a real absolute path.
        home: the user's home.
        rg: path of ripgrep.
    """

    root: Path
    home: Path
    rg: str

    @property
    def environment(self) -> Mapping[str, str]:
        return bare_environment(self.home)

    def files(self) -> list[str]:
        """The files that Glob and Grep see."""
        scope = Scope(self.root, self.root, self.home)
        found = Lister(scope, self.environment, Stop(600)).files(str(self.root))
        return found.files

    def files_by_rg(self) -> list[str]:
        """The files that ripgrep sees."""
        out = self.run_rg("--files", "--null")
        return sorted(os.fsdecode(out).split("\0")[:-1])

    def lines(self, expression: str, names: list[str], *, by_rg: bool) -> Lines:
        """What Grep finds in these files, by ripgrep or by our own scanner."""
        search = Search(
            parse(expression),
            ignore_case=False,
            context=0,
            keep=True,
            rg=self.rg if by_rg else None,
            environment=self.environment,
            stop=Stop(600),
        )
        hits = search.files(str(self.root), names)
        if hits.cut or hits.unread:
            raise AssertionError(f"not complete: {hits.cut} {hits.unread}")
        return {hit.name: _numbers(hit) for hit in hits.files if not hit.binary}

    def lines_by_rg(self, expression: str) -> Lines:
        """What ripgrep finds by itself."""
        found: Lines = {}
        for text in self.run_rg("--json", "--crlf", "--no-mmap", "-e", expression).splitlines():
            message: dict[str, Any] = json.loads(text)
            data = message["data"]
            if message["type"] == "match":
                name = _name(data["path"])
                found[name] = (*found.get(name, ()), data["line_number"])
            elif message["type"] == "end" and data["binary_offset"] is not None:
                found.pop(_name(data["path"]), None)
        return found

    def run_rg(self, *arguments: str) -> bytes:
        """What ripgrep prints.

        Raises:
            CalledProcessError: it broke. That nothing was found is no error.
        """
        command = [self.rg, *LIKE_OURS, *arguments]
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise subprocess.CalledProcessError(
                done.returncode, command, stderr=done.stderr.decode(errors="replace")
            )
        return done.stdout


def _numbers(hit: Hit) -> tuple[int, ...]:
    return tuple(number for number, _, matches in hit.lines if matches)


def _name(told: Mapping[str, str]) -> str:
    return os.fsdecode(b64decode(told["bytes"])) if "bytes" in told else told["text"]
