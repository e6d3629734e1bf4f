"""The temporary project, the process mark, and the watch on what is opened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from turnloop_core.testing.json_span import strings, top_level
from turnloop_core.testing.processes import kill, marked_processes, new_mark
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.schema_check import schema_problems
from turnloop_core.testing.watch import watched


def test_a_project_has_its_files_and_goes_away() -> None:
    with temporary_project({"src/a.py": "x = 1\r\n", "b.bin": b"\0\1"}, name="ä b") as project:
        assert project.root.name == "ä b"
        assert project.read("src/a.py") == "x = 1\r\n"
        assert project.path("b.bin").read_bytes() == b"\0\1"
        assert project.environment["HOME"] == str(project.home)
        assert project.scope.root == Path(os.path.realpath(project.root))
        base = project.base
    assert not base.exists()


def test_a_snapshot_sees_every_change() -> None:
    with temporary_project({"a.txt": "one"}) as project:
        before = project.snapshot()
        assert project.snapshot() == before
        path = project.path("a.txt")
        info = path.stat()
        path.write_text("two")
        os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
        content = project.snapshot()
        os.utime(path, ns=(1, 1))
        touched = project.snapshot()
        path.chmod(0o600)
        mode = project.snapshot()
        project.outside.joinpath("new").symlink_to("nowhere")
        link = project.snapshot()
        states = [before, content, touched, mode, link]
        assert all(a != b for i, a in enumerate(states) for b in states[:i])


def test_a_repository_has_everything_committed() -> None:
    with temporary_project({"a.txt": "one"}, git=True) as project:
        done = subprocess.run(
            ["git", "status", "--porcelain", "--branch"],
            cwd=project.root,
            env=project.environment,
            capture_output=True,
            text=True,
        )
        assert done.stdout.splitlines() == ["## main"]


def test_no_variable_of_the_developer_reaches_children(monkeypatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "x")
    monkeypatch.setenv("TURNLOOP_MODEL", "x")
    with temporary_project() as project:
        assert not {"SOME_API_KEY", "TURNLOOP_MODEL"} & set(project.environment)


def test_marked_processes_are_found_until_they_end() -> None:
    mark = new_mark()
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=dict(os.environ) | mark) as child:
        assert marked_processes(mark) == [child.pid]
        assert marked_processes(new_mark()) == []
        kill([child.pid])
        child.wait()
        assert marked_processes(mark) == []


def test_the_watch_sees_opens_and_changes(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    with watched() as seen:
        file.write_text("x")
        file.read_text()
        (tmp_path / "folder").mkdir()
        subprocess.run([sys.executable, "-c", ""])
    file.read_text()
    assert seen.opened_below(tmp_path) == [(str(file), True), (str(file), False)]
    assert [line.split()[0] for line in seen.other] == ["os.mkdir", "subprocess.Popen"]


def test_looking_is_not_opening(tmp_path: Path) -> None:
    with watched() as seen:
        os.path.realpath(tmp_path / "a")
        (tmp_path / "a").exists()
        list(tmp_path.iterdir())
    assert (seen.opened_below(tmp_path), seen.other) == ([], [])


def test_values_of_a_body_as_they_stand_in_it() -> None:
    body = b' {"a" : [1,  2] , "b":{"a": "\\u00e9}"},"c":null}'
    assert top_level(body) == {"a": "[1,  2]", "b": '{"a": "\\u00e9}"}', "c": "null"}
    assert top_level(b"{}") == {}


def test_strings_come_with_the_key_above_them() -> None:
    value = {"a": ["x", {"b": "y"}], "c": 1, "d": [["z"]]}
    assert list(strings(value)) == [("a", "x"), ("b", "y"), ("d", "z")]


def test_schema_problems() -> None:
    described = {"type": "string", "description": "A text."}
    right = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "An A."}, "b": described},
        "$defs": {"A": {"type": "object", "properties": {"x": described}}},
    }
    assert schema_problems(right) == []
    wrong = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/A", "description": "An A."},
            "gone": {"$ref": "#/$defs/B", "description": "A B."},
        },
        "$defs": {"A": {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}}},
    }
    assert schema_problems(wrong) == [
        "a.x is not described",
        "a.x refers to itself (#/$defs/A): it never ends",
        "gone refers to #/$defs/B, which is not there",
    ]
