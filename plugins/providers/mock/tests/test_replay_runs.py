"""Replay: a recorded run is seen again, through the whole program; and which log it takes."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest

from turnloop_core.api import (
    SettingsError,
    Turn,
    fold,
    read_log,
)
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.testing.provider_bench import Heard, hear
from turnloop_mock.options import MockOptions
from turnloop_mock.provider import create
from turnloop_mock.recording import read_recording

# -- through the whole program: record a scripted run, replay it, compare the logs

SCRIPT = """
- reasoning: Let me see.
  text: I look at both.
  waits: [{what: retry, seconds: 0}]
  calls:
    - {name: Read, arguments: {file_path: notes.txt}, id: one}
    - {name: Nothing, arguments: '{"broken": '}
  usage: {input: 10, output: 3, cache_read: 90}
- {text: This is where the connection, cut: 12}
- {text: "A long", stop: max_tokens}
- {text: " answer."}
- {reasoning: only thoughts}
- {text: I will not., stop: refusal}
- {text: Half a, error: {kind: RequestRefusedError, message: not allowed}}
"""
PROMPTS = ("first", "second", "third")


def tl(project: Project, provider: dict[str, Any], prompt: str, *more: str) -> int:
    folder = project.home / ".turnloop"
    folder.mkdir(exist_ok=True)
    data = {"provider": "it", "providers": {"it": {"kind": "mock"} | provider}}
    (folder / "settings.json").write_text(json.dumps(data))
    return run_tl("-p", prompt, *more, home=project.home, cwd=project.root).returncode


def logs(project: Project) -> list[Path]:
    return sorted((project.home / ".turnloop" / "sessions").rglob("*.jsonl"))


def play(project: Project, provider: dict[str, Any]) -> tuple[Path, list[int]]:
    """A session of all prompts, each in a process of its own."""
    known = logs(project)
    codes = [tl(project, provider, PROMPTS[0])]
    (log,) = [path for path in logs(project) if path not in known]
    codes += [tl(project, provider, prompt, "--resume", log.stem) for prompt in PROMPTS[1:]]
    return log, codes


def what_happened(log: Path) -> tuple[list[Any], list[Any]]:
    """Attempts and items of a session, without times and places."""
    read = read_log(log)
    assert read.damage == ()
    bodies: list[Any] = [record.body for record in read.records]
    attempts = [
        (b.number, b.end, b.reason, b.partial, b.usage, b.retries)
        for b in bodies
        if b.kind == "attempt"
    ]
    return attempts, [_plain(item) for item in fold(read.records).view().items]


def _plain(item: Any) -> Any:
    if isinstance(item, Turn):
        return item.reply.blocks, item.reply.stop, item.reply.usage, item.reply.cut, item.results
    return item.text


def test_a_recorded_session_is_seen_again() -> None:
    with temporary_project({"notes.txt": "milk\n", "script.yaml": SCRIPT}) as project:
        log, codes = play(project, {"mode": "scripted", "script": "script.yaml"})
        attempts, items = what_happened(log)
        assert [str(attempt[1]) for attempt in attempts] == [
            *("turn", "cut_stream", "cut_text", "turn"),
            *("reasoning", "refused"),
            "fault",
        ]
        replay, codes_again = play(project, {"mode": "replay", "session": log.stem[:-1]})
        assert codes_again == codes
        assert what_happened(replay) == (attempts, items)

        assert tl(project, {"mode": "replay", "session": str(log)}, "more", "--resume") == 0
        last = list(fold(read_log(replay).records).view().turns)[-1]
        assert last.reply.text == (
            f"The recording is over: session {log.stem} has 7 replies, and this was request 8."
        )


def test_a_run_that_goes_astray_says_so_once() -> None:
    script = "- calls: [{name: Read, arguments: {file_path: notes.txt}}]\n" * 3 + "- text: Done."
    with temporary_project({"notes.txt": "milk\n", "s.yaml": script}) as project:
        tl(project, {"mode": "scripted", "script": "s.yaml"}, "go")
        (log,) = logs(project)
        project.path("notes.txt").unlink()
        folder = project.home / ".turnloop"
        replay = {"kind": "mock", "mode": "replay", "session": log.stem}
        data = {"provider": "it", "providers": {"it": replay}}
        (folder / "settings.json").write_text(json.dumps(data))
        done = run_tl("-p", "go", home=project.home, cwd=project.root)
        assert done.returncode == 0
        assert done.stdout.strip() == "Done."
        complaint = "the result of Read is not the recorded one"
        there_is_read = find_spec("turnloop_files") is not None  # else nothing can differ
        assert done.stderr.count(complaint) == there_is_read


# -- which log


def heard(session: str, files: dict[str, str], **options: Any) -> Heard:
    async def go() -> Heard:
        with temporary_project(files) as project:
            made = MockOptions(kind="mock", mode="replay", session=session, **options)
            return await hear(create(factory_context(project, "mine", options=made)))

    return anyio.run(go)


ONE_REPLY = """\
{"v": 1, "n": 1, "t": 1, "kind": "prompt", "text": "go"}
{"v": 1, "n": 2, "t": 1, "kind": "reply", "reply":
 {"blocks": [{"kind": "text", "text": "one"}], "stop": "end_turn"}}
""".replace("\n ", " ")


def test_a_log_is_found_by_its_path() -> None:
    assert heard("sub/a.jsonl", {"sub/a.jsonl": ONE_REPLY}).text == "one"
    assert heard("a.jsonl", {"a.jsonl": ONE_REPLY}).text == "one"
    assert heard("~/../project/a", {"a": ONE_REPLY}).text == "one"


@pytest.mark.parametrize(
    ("session", "content", "complaint", "hint"),
    [
        ("", "", "is missing, and mode replay needs it", "tl sessions"),
        ("2026", "", "there is no session '2026'", "tl sessions"),
        ("other.jsonl", "", "there is no log .*other.jsonl", "project root"),
        ("sub/", "", "there is no log", "project root"),
        ("a.jsonl", "no log\n", ".*is no session log", "tl sessions"),
        ("a.jsonl", '{"n": 1, "t": 1, "v": 1, "kind": "new"}\n', ".*holds no reply", "choose"),
    ],
)
def test_a_log_that_cannot_be_replayed_is_named(session, content, complaint, hint) -> None:
    with pytest.raises(SettingsError, match=rf"providers\.mine\.session:? {complaint}") as caught:
        heard(session, {"a.jsonl": content, "sub/x": ""})
    assert hint in caught.value.hint
    assert caught.value.key == "providers.mine.session"


def test_damage_is_told_and_the_rest_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_text(ONE_REPLY.replace('"go"}', '"go'))
    told: list[Any] = []
    recording = read_recording(path, "key", told.append)
    assert [a.reply.text for a in recording.answers if a.reply] == ["one"]
    assert ["damaged in 1 place;" in notice.text for notice in told] == [True]
