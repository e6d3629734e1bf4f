"""Plugins as strangers ship them: a module on disk, with the metadata of an installed package."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

MakePlugin = Callable[..., str]


@pytest.fixture
def make_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakePlugin]:
    """Installs a plugin from its source; returns the name of its module.

    `make_plugin(name, source, distribution=..., **modules)`; further modules stand beside it. The
    folder is on `sys.path`, and for child processes in PYTHONPATH.
    """
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    before = set(sys.modules)

    def make(name: str, source: str, *, distribution: str = "", **modules: str) -> str:
        package = f"outside_{name.replace('-', '_')}"
        files = {f"{package}.py": source, **{f"{m}.py": text for m, text in modules.items()}}
        for file, text in files.items():
            (tmp_path / file).write_text("from turnloop_core.api import *\n" + dedent(text))
        info = tmp_path / f"{distribution or package}-1.2.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Name: {distribution or package}\nVersion: 1.2\n")
        with (info / "entry_points.txt").open("a") as points:
            points.write(f"[turnloop]\n{name} = {package}\n")
        return package

    yield make
    for module in set(sys.modules) - before:
        if module.startswith("outside_"):
            del sys.modules[module]
