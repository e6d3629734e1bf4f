"""Tools that are remembered from the last start: told at once, made when they are needed."""

from __future__ import annotations

import json
import subprocess
import sys

from turnloop_core.ports.tool import Descriptions
from turnloop_core.remembered import Memory, RememberedTool, Told, key_of
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import bare_environment, temporary_project
from turnloop_core.testing.wire import chat_chunks, sse

TOLD = Told(
    Descriptions("t", "n", "v"), {"type": "object", "properties": {"a": {"type": "string"}}}
)


def test_what_was_put_is_there_at_the_next_start(tmp_path) -> None:
    path = tmp_path / "cache" / "tools.json"
    memory = Memory(path)
    assert memory.get("k") is None
    memory.put("k", TOLD)
    memory.save()
    again = Memory(path)
    assert again.get("k") == TOLD
    again.forget("k")
    again.save()
    assert Memory(path).get("k") is None


def test_a_damaged_or_foreign_file_is_as_good_as_none(tmp_path) -> None:
    path = tmp_path / "tools.json"
    for text in ("", "[]", "{", '{"k": 1}', '{"k": {"descriptions": {"x": 1}, "schema": {}}}'):
        path.write_text(text)
        memory = Memory(path)
        assert memory.get("k") is None
        memory.put("k", TOLD)
        memory.save()
        assert Memory(path).get("k") == TOLD


def test_a_place_that_cannot_be_written_is_no_error(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file" / "tools.json")
    memory.put("k", TOLD)
    memory.save()


def test_the_key_changes_with_the_plugins_code(tmp_path, monkeypatch) -> None:
    package = tmp_path / "some_plugin_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('it was imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    first = key_of("Tool", "some_plugin_package.tool:create")
    assert first and first == key_of("Tool", "some_plugin_package.tool:create")
    (package / "tool.py").write_text("x = 1\n")
    second = key_of("Tool", "some_plugin_package.tool:create")
    assert second not in ("", first)
    assert key_of("Other", "some_plugin_package.tool:create") != second
    assert key_of("Tool", "no_such_package_at_all:create") == ""


def test_a_remembered_tool_is_made_once_and_only_when_needed() -> None:
    made = []

    class Real:
        name = "Real"
        arguments = dict
        descriptions = TOLD.descriptions

        def subjects(self, args, scope):
            return ()

    def make():
        made.append(1)
        return Real()

    tool = RememberedTool("Real", TOLD, make)
    assert (tool.descriptions, tool.schema, made) == (TOLD.descriptions, TOLD.schema, [])
    assert tool.arguments is dict
    assert tool.subjects(None, None) == ()
    assert made == [1]


def test_the_second_start_sends_the_same_request_without_making_a_tool() -> None:
    body = sse(*chat_chunks(text="hi"))
    with (
        temporary_project({"pyproject.toml": ""}) as project,
        Loopback(Answer(body=body), Answer(body=body)) as server,
    ):
        entry = {
            "kind": "openai_compat",
            "base_url": f"{server.url}/v1",
            "model": "m",
            "caps": {"max_context": 100_000},
        }
        folder = project.home / ".turnloop"
        folder.mkdir(exist_ok=True)
        settings = {"provider": "local", "providers": {"local": entry}}
        (folder / "settings.json").write_text(json.dumps(settings))
        first = run_tl("-p", "hi", home=project.home, cwd=project.root)
        code = (
            "import sys\n"
            "from turnloop_core.frontend.main import main\n"
            "status = main(['-p', 'hi'])\n"
            "print('pydantic' in sys.modules, status, file=sys.stderr)\n"
        )
        second = subprocess.run(
            [sys.executable, "-c", code],
            cwd=project.root,
            env=bare_environment(project.home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert first.returncode == 0, first.stderr
        assert second.stderr.splitlines()[-1] == "False 0", second.stderr
        tools = [request.json["tools"] for request in server.requests]
        assert len(tools) == 2
        assert tools[0] == tools[1]
        assert {t["function"]["name"] for t in tools[0]} >= {"Bash", "Edit", "Read", "Write"}
