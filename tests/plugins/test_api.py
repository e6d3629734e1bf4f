"""`turnloop_core.api`: its two lists of names agree, every name is there, and it costs nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from turnloop_core import api

HEAVY = {
    "anyio",
    "asyncio",
    "click",
    "httpcore",
    "prompt_toolkit",
    "pydantic",
    "rich",
    "tree_sitter",
    "yaml",
}


def declared_for_type_checkers() -> set[tuple[str, str]]:
    """(module, name) of what stands in the TYPE_CHECKING block."""
    source = Path(str(api.__file__)).read_text()
    (block,) = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    found = set()
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name, f"{alias.name} is not re-exported"
            found.add((str(node.module), alias.name))
    return found


def test_both_lists_name_the_same() -> None:
    imported = {(home, name) for home, names in api._HOMES.items() for name in names}
    assert declared_for_type_checkers() == imported


def test_no_name_has_two_homes() -> None:
    names = [name for names in api._HOMES.values() for name in names]
    assert sorted(names) == api.__all__


@pytest.mark.parametrize("name", api.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(api, name) is getattr(import_module(api._HOME_OF[name]), name)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match=r"turnloop_core\.api has no nothing"):
        _ = api.nothing  # type: ignore[attr-defined]


def modules_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after `code`, beyond those it starts with."""
    script = f"import sys; before = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_importing_it_imports_nothing_else_of_core() -> None:
    loaded = modules_after("import turnloop_core.api")
    assert {m for m in loaded if m.startswith("turnloop_core")} == {
        "turnloop_core",
        "turnloop_core.api",
    }
    assert not loaded & HEAVY


def test_a_plugin_that_only_registers_stays_light() -> None:
    code = "from turnloop_core.api import hookimpl, ToolEntry, ProviderEntry, FactoryEntry"
    assert not modules_after(code) & HEAVY


def test_loading_plugins_imports_nothing_heavy() -> None:
    code = """
from turnloop_core.plugins import Switches, load_plugins
assert {r.status for r in load_plugins(Switches()).records} == {"loaded"}
"""
    assert not modules_after(code) & HEAVY
