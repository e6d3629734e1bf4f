"""Many turns with tools on a Gemini server that takes back nothing but what it said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import anyio
import pytest

from gemini_server import (
    AFTER,
    CORRUPTED,
    COUNT,
    MISSING,
    PLACEHOLDER,
    STEPS,
    GeminiServer,
    read,
    text,
    thought,
)
from turnloop_core.app import Session, SessionOptions, open_session
from turnloop_core.loop.pressure import drop_reasoning
from turnloop_core.testing.fakes import ScriptedApprover
from turnloop_core.testing.loopback import Answer, Loopback, Recorded, sse
from turnloop_core.testing.project import Project, bare_environment, temporary_project
from turnloop_core.types.events import RunEnd

FILES = {"pyproject.toml": "", "a.txt": "alpha\n", "b.txt": "beta\n", "c.txt": "gamma\n"}
KEY = {"GEM_KEY": "key-of-the-test"}

# Runs `tl` in this process and kills it, without any warning, after a record of the log.
KILLER = """
import os, signal, sys
number = int(sys.argv[1])
sys.argv = ["tl", *sys.argv[2:]]
from turnloop_core.log.writer import LogWriter
append = LogWriter.append
seen = 0
def killing(self, body):
    global seen
    record = append(self, body)
    seen += 1
    if seen == number:
        os.kill(os.getpid(), signal.SIGKILL)
    return record
LogWriter.append = killing
from turnloop_core.frontend.main import main
main()
"""


def write_settings(project: Project, server: Loopback, **more: Any) -> None:
    entry = {
        "kind": "gemini",
        "base_url": f"{server.url}/v1beta",
        "model": "gemini-flash-latest",
        "api_key_env": "GEM_KEY",
    }
    folder = project.home / ".turnloop"
    folder.mkdir()
    settings = {"provider": "gem", "providers": {"gem": entry}, **more}
    (folder / "settings.json").write_text(json.dumps(settings))


@asynccontextmanager
async def opened(project: Project, **options: Any) -> AsyncIterator[Session]:
    chosen = SessionOptions(project.root, project.home, project.environment | KEY, **options)
    async with open_session(chosen, approver=ScriptedApprover(interactive=False)) as session:
        yield session


def play(
    server: GeminiServer, story: Callable[[Project], Any], **settings: Any
) -> list[dict[str, Any]]:
    """Run a story against a server; gives the bodies of the requests, none of them refused."""

    async def bounded(project: Project) -> None:
        with anyio.fail_after(60):
            await story(project)

    with temporary_project(FILES) as project, Loopback(handler=server) as loopback:
        write_settings(project, loopback, **settings)
        anyio.run(bounded, project)
    assert server.refused == []
    return [json.loads(body) for body in server.bodies]


def signatures(contents: Any) -> list[str]:
    return [
        part["thoughtSignature"]
        for content in contents
        for part in content["parts"]
        if "thoughtSignature" in part
    ]


def given(server: GeminiServer, steps: range, model: str = "gemini-flash-latest") -> list[str]:
    """The signatures of these steps, in their order."""
    return signatures([{"parts": server.said(number, model)} for number in steps])


def config(body: Any) -> Any:
    return body["generationConfig"]["thinkingConfig"]


def test_ten_turns() -> None:
    server = GeminiServer()

    async def story(project: Project) -> None:
        async with opened(project) as session:
            outcome = await session.run("look around")
            assert outcome.end is RunEnd.DONE
            assert len(list(session.view.turns)) == len(STEPS)
            # the signature of an answer goes back with the next prompt
            assert (await session.run("thanks")).end is RunEnd.DONE

    bodies = play(server, story)
    assert len(bodies) == len(STEPS) + 1
    assert signatures(bodies[-1]["contents"]) == given(server, range(len(STEPS)))
    for before, after in pairwise(server.bodies):
        assert after.startswith(before.removesuffix(b"]}")), "what was sent was written anew"
    errors = [
        part["functionResponse"]["response"]
        for content in bodies[-1]["contents"]
        for part in content["parts"]
        if "error" in part.get("functionResponse", {}).get("response", {})
    ]
    assert len(errors) == 1, "the file that is missing"


@pytest.mark.parametrize("number", [7, 9, 12, 13, 20, 27, 33, 40])
def test_killed_and_resumed(number: int) -> None:
    """What was opaque comes back out of the log as it came over the wire."""

    def tl(project: Project, kill_at: int, *arguments: str) -> int:
        return subprocess.run(
            [sys.executable, "-c", KILLER, str(kill_at), *arguments],
            cwd=project.root,
            env=bare_environment(project.home) | KEY,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        ).returncode

    server = GeminiServer()
    with temporary_project(FILES) as project, Loopback(handler=server) as loopback:
        write_settings(project, loopback)
        assert tl(project, number, "-p", "look around") == -signal.SIGKILL
        assert tl(project, 0, "--resume", "-p", "go on") == 0
    assert server.refused == []
    last = json.loads(server.bodies[-1])["contents"]
    made = sum(content["role"] == "model" for content in last)
    assert made == len(STEPS) - 1
    assert signatures(last) == given(server, range(made))


def test_switches_of_the_model() -> None:
    """Each gets back its own signatures, and a placeholder for the calls of the other."""
    one, other = "gemini-flash-latest", "gemini-3.1-pro-preview"
    steps = [*STEPS[:3], (text("Three."),), *STEPS[3:6], (text("Six."),), *STEPS[6:]]
    server = GeminiServer(steps)

    async def story(project: Project) -> None:
        for model, resume in ((one, None), (other, ""), (one, "")):
            async with opened(project, model=model, resume=resume) as session:
                assert (await session.run("go on")).end is RunEnd.DONE

    bodies = play(server, story)
    second = next(b for b in reversed(bodies) if len(given_by(b)) == 7)
    assert signatures(second["contents"]) == [PLACEHOLDER] * 3 + given(server, range(4, 7), other)
    first = bodies[-1]
    assert signatures(first["contents"]) == [
        *given(server, range(3), one),
        *[PLACEHOLDER] * 3,
        *given(server, range(8, len(steps) - 1), one),
    ]


def given_by(body: Any) -> list[Any]:
    return [content for content in body["contents"] if content["role"] == "model"]


def test_reasoning_that_is_dropped_leaves_the_calls_signed() -> None:
    server = GeminiServer([*STEPS[:7], (text("Done."),)])

    async def story(project: Project) -> None:
        async with opened(project) as session:
            await session.run("look around")
            assert drop_reasoning(session.parts)
            server.thoughts = False
            assert (await session.run("and now?")).end is RunEnd.DONE

    before, after = play(server, story)[-2:]
    lost = set(signatures(before["contents"])) - set(signatures(after["contents"]))
    thoughts = [
        part["thoughtSignature"]
        for number in range(7)
        for part in server.said(number, "gemini-flash-latest")
        if part.get("thought") and "thoughtSignature" in part
    ]
    assert lost == set(thoughts)
    assert len(thoughts) == 2


def test_thinking_is_reduced_at_the_third_turn_of_a_tool_loop() -> None:
    """The history stays as it was, the request asks for less, and so until the next prompt."""
    endless = sse(
        *[
            {"candidates": [{"content": {"parts": [thought(f"Thought {i} of a very long one. ")]}}]}
            for i in range(400)
        ]
    )

    def before(number: int, body: Any) -> Answer | None:
        thinks = "thinkingLevel" not in config(body)
        return Answer(body=endless) if number == 2 and thinks else None

    server = GeminiServer([*STEPS[:5], (text("Done."),)], before)

    async def story(project: Project) -> None:
        async with opened(project) as session:
            assert (await session.run("look around")).end is RunEnd.DONE
            assert (await session.run("thanks")).end is RunEnd.DONE

    bodies = play(server, story, thinking_cap=500)
    on = {"includeThoughts": True}
    low = {"thinkingLevel": "low", "includeThoughts": True}
    assert [config(body) for body in bodies] == [on, on, on, low, low, low, low, on]
    assert bodies[2]["contents"] == bodies[3]["contents"]


@pytest.mark.parametrize("size", [0, 40])
def test_a_call_that_the_output_limit_cut_is_not_run(size: int) -> None:
    """Neither when nothing of it came, nor when a gateway closed its braces."""
    notes = "x" * 2_000
    write = {"name": "Write", "args": {"file_path": "notes.txt", "content": "y" * size}}
    parts = [{"text": "I write."}, {"functionCall": write}] if size else []
    cut = sse(
        {"candidates": [{"content": {"parts": parts}, "finishReason": "MAX_TOKENS"}]},
    )

    def always(_: Recorded) -> Answer:
        return Answer(body=cut)

    with temporary_project({**FILES, "notes.txt": notes}) as project:
        with Loopback(handler=always) as loopback:
            write_settings(project, loopback)

            async def story() -> None:
                with anyio.fail_after(30):
                    async with opened(project, permission_mode="bypass") as session:
                        outcome = await session.run("write it")
                        assert outcome.end is not RunEnd.DONE
                        assert all(not turn.reply.calls for turn in session.view.turns)

            anyio.run(story)
            assert 1 < len(loopback.requests) < 30
        assert project.read("notes.txt") == notes


def test_a_malformed_call_is_told_to_the_model() -> None:
    bad = sse({"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL"}]})
    answers = iter([bad])

    def before(_: int, __: Any) -> Answer | None:
        body = next(answers, None)
        return None if body is None else Answer(body=body)

    async def story(project: Project) -> None:
        async with opened(project) as session:
            assert (await session.run("look")).end is RunEnd.DONE

    bodies = play(GeminiServer([(text("Done."),)], before), story)
    assert len(bodies) == 2
    assert len(bodies[1]["contents"]) > len(bodies[0]["contents"])


def test_the_server_is_strict() -> None:
    server = GeminiServer([(read("a.txt", signed=True), read("b.txt")), (text("Done."),)])
    said = server.said(0, "m")
    answer = {"functionResponse": {"name": "Read", "response": {"output": "x"}}}
    user = {"role": "user", "parts": [{"text": "x"}]}

    def told(model: list[Any], *results: Any) -> str:
        contents = [user, {"role": "model", "parts": model}, {"role": "user", "parts": results}]
        return server._problem(contents, "m")

    assert told(said, answer, answer) == ""
    assert told(said, answer) == COUNT
    assert told(said, answer, answer, {"text": "x"}) == COUNT
    bare = [{"functionCall": part["functionCall"]} for part in said]
    assert told(bare, answer, answer) == MISSING.format("Read", 1)
    moved = [bare[0], {**bare[1], "thoughtSignature": said[0]["thoughtSignature"]}]
    assert told(moved, answer, answer) == MISSING.format("Read", 1)
    for signature in ("other", PLACEHOLDER, said[0]["thoughtSignature"].lower()):
        altered = [{**said[0], "thoughtSignature": signature}, said[1]]
        assert told(altered, answer, answer).startswith(CORRUPTED)
    order = [user, {"role": "model", "parts": [{"text": "Hm."}]}, {"role": "model", "parts": said}]
    assert GeminiServer([(text("Hm."),)] * 2)._problem(order, "m") == AFTER
