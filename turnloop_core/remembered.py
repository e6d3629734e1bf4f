"""What the model was told of tools at the last start, so that this one need not make them first.

Making a tool imports its module and builds its model of arguments with pydantic; the first request
needs only names, descriptions and schemas. Those are kept in `~/.turnloop/cache/tools.json`, each
under a key over the files of its plugin and the versions that matter. A remembered tool is made
while the first reply is awaited, and compared: what has changed is forgotten.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from turnloop_core import __version__
from turnloop_core.disk import read_cache, write_cache
from turnloop_core.errors import TurnloopError
from turnloop_core.loop.parts import Offered
from turnloop_core.ports.tool import CallContext, Descriptions, Scope, Tool
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import Subject
from turnloop_core.values import dataclass

MOMENT_S = 0.1
MOST = 200  # tools that are kept; a cache that grew beyond begins anew


@dataclass(frozen=True, slots=True)
class Told:
    """What the model is told of a tool."""

    descriptions: Descriptions
    schema: dict[str, Any]


class RememberedTool:
    """A tool that is made when it is first needed.

    Args:
        name: its name.
        told: what the model was told of it.
        make: makes the tool.
    """

    def __init__(self, name: str, told: Told, make: Callable[[], Tool]) -> None:
        self.name = name
        self.descriptions = told.descriptions
        self.schema = told.schema
        self._make = make
        self._made: Tool | None = None
        self._lock = threading.Lock()

    @property
    def made(self) -> Tool:
        """The tool itself.

        Raises:
            TurnloopError: it cannot be made.
        """
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    @property
    def arguments(self) -> type[Any]:
        return self.made.arguments

    def subjects(self, args: Any, scope: Scope) -> Sequence[Subject]:
        return self.made.subjects(args, scope)

    @property
    def preview(self) -> Any:
        """The tool's own look at what it would write.

        Raises:
            AttributeError: it has none, so that this one has none.
        """
        made: Any = self.made
        return made.preview

    async def run(self, args: Any, context: CallContext) -> Result:
        return await self.made.run(args, context)

    async def aclose(self) -> None:
        close = getattr(self._made, "aclose", None)
        if close is not None:
            await close()


class WarmUp:
    """Makes the remembered tools in a thread of its own, a moment after it is first called: by then
    the request is on its way, and the thread does not hold it up.
    """

    def __init__(self, tools: Iterable[Offered]) -> None:
        self._waiting = [o.tool for o in tools if isinstance(o.tool, RememberedTool)]

    def __call__(self) -> None:
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            thread = threading.Thread(target=self._make, args=(waiting,), daemon=True)
            asyncio.get_running_loop().call_later(MOMENT_S, thread.start)

    @staticmethod
    def _make(waiting: Sequence[RememberedTool]) -> None:
        for tool in waiting:
            with suppress(TurnloopError):  # it is said where the tool is called
                assert tool.arguments is not None


class Memory:
    """The file of what was told.

    Args:
        path: the file; it and its folder are made when something is kept.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told = read_cache(path)
        self._changed = False

    def get(self, key: str) -> Told | None:
        """What was told of the tool with this key, None when it is not known or not readable."""
        try:
            kept = self._told[key]
            return Told(Descriptions(**kept["descriptions"]), dict(kept["schema"]))
        except (KeyError, TypeError, ValueError):
            return None

    def put(self, key: str, told: Told) -> None:
        if len(self._told) >= MOST:
            self._told.clear()
        self._told[key] = {"descriptions": asdict(told.descriptions), "schema": told.schema}
        self._changed = True

    def forget(self, key: str) -> None:
        self._changed = self._told.pop(key, None) is not None or self._changed

    def save(self) -> None:
        """Write the file if anything changed. A cache that cannot be written is none."""
        if not self._changed:
            return
        self._changed = False
        write_cache(self._path, self._told)


def key_of(name: str, load: str) -> str:
    """The key of a tool: another one as soon as anything changes that it may depend on.

    Args:
        name: the tool's name.
        load: `module:attribute` of its factory. Nothing is imported.

    Returns:
        "" where the files cannot be found: then nothing is remembered.
    """
    files = _files(load.partition(":")[0].partition(".")[0], "")
    model = _files("pydantic", "version.py")
    if not files or not model:
        return ""
    place = (name, load, __version__, sys.version, sys.platform, os.environ.get("PATH", ""))
    parts = repr((place, files, model))
    return blake2b(parts.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _files(package: str, only: str) -> list[tuple[str, int, int]]:
    """Name, size and time of a package's own Python files, or of the one called `only`."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return []
    places = (spec.submodule_search_locations or []) if spec is not None else []
    found = []
    for place in places:
        with suppress(OSError):
            names = [only] if only else [n for n in os.listdir(place) if n.endswith(".py")]  # noqa: PTH208
            for name in names:
                status = os.stat(f"{place}/{name}")  # noqa: PTH116 - at every start
                found.append((name, status.st_size, status.st_mtime_ns))
    return sorted(found)
