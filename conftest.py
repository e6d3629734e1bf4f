"""For the whole suite: no real network, no real HOME, none of the developer's settings."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest

# Their assertions are part of the tests: failing ones should show the values.
pytest.register_assert_rewrite("turnloop_core.testing")

pytest_plugins = ["turnloop_core.testing.network", "pytester"]


@pytest.fixture(scope="session", autouse=True)
def own_home() -> Iterator[None]:
    """HOME is an empty folder, and no `TURNLOOP_*` or `XDG_*` variable is set."""
    with (
        tempfile.TemporaryDirectory(prefix="turnloop-home-") as home,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in list(os.environ):
            if name.startswith(("TURNLOOP_", "XDG_")):
                patch.delenv(name)
        patch.setenv("HOME", home)
        patch.setenv("USERPROFILE", home)
        yield
