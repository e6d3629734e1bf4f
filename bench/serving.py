"""The scripted server, as a process beside the one that is measured."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from bench.places import HERE, Place, python

ENDS_WITHIN_S = 30.0


@dataclass(slots=True)
class Server:
    """A server that is up. What it saw is there once the block has ended."""

    url: str
    log: list[dict[str, Any]] = field(default_factory=list)
    first: dict[str, Any] = field(default_factory=dict)

    @property
    def overheads(self) -> list[float]:
        """Milliseconds from the last byte of a reply to the headers of the next request."""
        return [(new["arrived"] - old["ended"]) / 1e6 for old, new in pairwise(self.log)]

    @property
    def rewrites(self) -> int:
        """Requests that changed what had been sent before."""
        return sum(not entry["kept"] for entry in self.log)


@contextmanager
def serving(place: Place, turns: int) -> Iterator[Server]:
    """A server that plays `turns` replies with a call, then a text."""
    command = python("-P", str(HERE / "scripted_server.py"), str(turns), str(place.file))
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    with process:
        try:
            assert process.stdout is not None
            server = Server(f"http://127.0.0.1:{int(process.stdout.readline())}")
            yield server
            out, _ = process.communicate(timeout=ENDS_WITHIN_S)
            seen = json.loads(out)
            server.log, server.first = seen["log"], json.loads(seen["first"] or "{}")
        finally:
            process.kill()
