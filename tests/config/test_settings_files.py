"""A settings file that is wrong stops the program; it is never skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.config.files import MAX_BYTES
from turnloop_core.config.layers import read_layers
from turnloop_core.config.models import Permissions
from turnloop_core.errors import SettingsError

WHICH = ("user", "project", "local")


@pytest.mark.parametrize("which", WHICH)
@pytest.mark.parametrize("trusted", [True, False])
def test_a_trailing_comma_stops_with_file_line_and_cause(world, which: str, trusted: bool) -> None:
    path = world.write(which, '{\n  "permissions": {\n    "deny": ["Bash(rm *)",]\n  }\n}\n')
    assert world.error(trusted=trusted) == (
        f"{path}:3:26: trailing comma: nothing follows it before ']'",
        "remove that comma",
    )


SCHEMA: dict[str, tuple[Any, int, str, str]] = {
    "wrong type of a list": (
        {"permissions": {"deny": "Bash(rm *)"}},
        3,
        "permissions.deny: expected a list, found a text",
        "",
    ),
    "wrong item": (
        {"permissions": {"deny": ["a", 1]}},
        5,
        "permissions.deny[1]: expected a text, found a number",
        "",
    ),
    "wrong type of a map": (
        {"permissions": []},
        2,
        "permissions: expected an object { ... }, found a list",
        "",
    ),
    "misspelt inner key": (
        {"permissions": {"denny": ["a"]}},
        3,
        "permissions.denny: no setting is called so",
        "did you mean permissions.deny?",
    ),
    "misspelt key": (
        {"permision_mode": "plan"},
        2,
        "permision_mode: no setting is called so",
        "did you mean permission_mode?",
    ),
    "case": ({"Model": "m"}, 2, "Model: no setting is called so", "did you mean model?"),
    "internal name": (
        {"sections": {}},
        2,
        "sections: no setting is called so",
        (
            "known here: compaction, max_iterations, model, permission_mode, permissions, plugins, "
            "provider, providers, repetition_limit, system_variant, thinking, thinking_cap, "
            "tool_verbosity"
        ),
    ),
    "mode": (
        {"permission_mode": "bypas"},
        2,
        "permission_mode: expected 'default', 'auto', 'plan' or 'bypass', found \"bypas\"",
        'did you mean "bypass"?',
    ),
    "number as text": (
        {"max_iterations": "40"},
        2,
        "max_iterations: expected a whole number, found a text",
        "",
    ),
    "number as boolean": (
        {"max_iterations": True},
        2,
        "max_iterations: expected a whole number, found true",
        "",
    ),
    "fraction": (
        {"max_iterations": 1.5},
        2,
        "max_iterations: expected a whole number, found a number",
        "",
    ),
    "too small": ({"max_iterations": 0}, 2, "max_iterations: must be at least 1", ""),
    "null list": (
        {"permissions": {"allow": None}},
        3,
        "permissions.allow: expected a list, found null",
        "",
    ),
    "provider entry": (
        {"providers": {"x": "y"}},
        3,
        "providers.x: expected an object { ... }, found a text",
        "",
    ),
    "two mistakes": (
        {"model": 1, "thinking": "of"},
        2,
        "model: expected a text, found a number (and 1 more)",
        "",
    ),
    "nested deeply": (
        {"compaction": {"strategie": "x"}},
        3,
        "compaction.strategie: no setting is called so",
        "did you mean compaction.strategy?",
    ),
}


@pytest.mark.parametrize("case", SCHEMA)
@pytest.mark.parametrize("trusted", [True, False])
def test_a_wrong_value_stops_with_line_key_and_expectation(world, case: str, trusted: bool) -> None:
    content, line, message, hint = SCHEMA[case]
    path = world.write("project", content)
    assert world.error(trusted=trusted) == (f"{path}:{line}: {message}", hint)


def test_a_wrong_value_stops_also_where_a_stronger_layer_has_a_good_one(world) -> None:
    path = world.write("user", {"permissions": {"deny": "x"}})
    world.write("project", {"permissions": {"deny": ["y"]}})
    assert world.error()[0] == f"{path}:3: permissions.deny: expected a list, found a text"


def test_a_value_that_may_be_a_secret_is_not_shown(world) -> None:
    world.write("user", {"providers": {"x": "sk-secret-secret"}, "max_iterations": "sk-other"})
    message, hint = world.error()
    assert "sk-" not in message + hint


@pytest.mark.parametrize("text", ["", " \n ", "\ufeff", "{}", "{ }\r\n", '{"$schema": "x"}'])
def test_an_empty_file_is_empty_settings(world, text: str) -> None:
    world.write("project", text)
    assert world.load().settings.permissions == Permissions()


def test_byte_order_mark_and_carriage_returns_are_accepted(world) -> None:
    path = world.write("user", '\ufeff{\r\n"model": "m",\r\n"max_iterations": 0}')
    assert world.error()[0] == f"{path}:3: max_iterations: must be at least 1"


UNREADABLE = {
    b'{"a": "\xff"}': (":1", "the byte 0xff is not UTF-8"),
    b'{\n"a": "\xe9"}': (":2", "the byte 0xe9 is not UTF-8"),
    '{"model": "m"}'.encode("utf-16"): ("", "the text is UTF-16; settings are UTF-8"),
    b" " * (MAX_BYTES + 1): ("", f"larger than {MAX_BYTES} bytes"),
}


@pytest.mark.parametrize("content", UNREADABLE, ids=["latin", "latin-2", "utf-16", "large"])
def test_bytes_that_are_no_settings_stop(world, content: bytes) -> None:
    path = world.write("user", content)
    place, message = UNREADABLE[content]
    assert world.error()[0] == f"{path}{place}: {message}"


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _closed(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path.write_text("{}")
    path.chmod(0)


@pytest.mark.skipif(os.name == "nt", reason="POSIX files")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_folder, "cannot be read: it is a folder"),
        (_pipe, "cannot be read: it is no regular file"),
        (_dangling, "a link to a file that does not exist"),
        (_loop, "cannot be read: Too many levels of symbolic links"),
        (_closed, "cannot be read: Permission denied"),
    ],
)
def test_what_cannot_be_read_stops(world, make, message: str) -> None:
    path = world.path("project")
    path.parent.mkdir()
    make(path)
    assert world.error()[0] == f"{path}: {message}"


def test_a_file_in_the_place_of_the_folder_is_no_settings(world) -> None:
    (world.root / ".turnloop").write_text("x")
    assert world.load().settings.model is None


def test_plugin_switches_are_checked_before_anything_is_loaded(world) -> None:
    path = world.write("user", {"plugins": {"disabled": "mcp"}})
    layers = read_layers(world.root, world.home, {}, {})
    with pytest.raises(SettingsError) as caught:
        layers.plugin_switches()
    assert str(caught.value) == f"{path}:3: plugins.disabled: expected a list, found a text"


LIGHT = """
import sys
from pathlib import Path
from turnloop_core.config.layers import read_layers
read_layers(Path(sys.argv[1]), Path(sys.argv[1]), {}).plugin_switches()
heavy = ("pydantic", "httpcore", "click", "asyncio", "difflib")
print([name for name in heavy if name in sys.modules])
"""


def test_reading_and_switches_need_nothing_heavy(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIGHT, str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert (run.stdout, run.stderr) == ("[]\n", "")
