"""The doubles do what tests rely on."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest

from turnloop_core.errors import PathChangedError, RetryableError
from turnloop_core.loop.assemble import Assembler
from turnloop_core.permissions.paths import path_subject
from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, UserQuestion
from turnloop_core.testing.contexts import call_context, factory_context, registered
from turnloop_core.testing.fakes import (
    FakeClock,
    Pause,
    RecordingObserver,
    ScriptedApprover,
    ScriptedProvider,
    call,
    deltas_of,
)
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_bench import Heard, hear
from turnloop_core.types.content import Call, Reasoning, Text
from turnloop_core.types.deltas import CallStart, End, TextDelta
from turnloop_core.types.events import AttemptStarted, TextShown
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.subjects import Decision, SubjectKind, Verdict
from turnloop_core.types.usage import Usage

QUESTION = PermissionQuestion("1", "Read", "Read a.txt", Decision(Verdict.ASK, "outside"))
REPLY = Reply(
    (
        Reasoning("So.", opaque={"signature": "s"}),
        Text("I look."),
        Call("c1", "Read", '{"file_path": "a"}', opaque="kept"),
        Call("c2", "Read", ""),
    ),
    StopReason.TOOL_USE,
    usage=Usage(3, 4),
)


def ask(provider: ScriptedProvider, times: int = 1) -> list[Heard]:
    async def go() -> list[Heard]:
        return [await hear(provider) for _ in range(times)]

    return anyio.run(go)


def test_a_reply_becomes_a_stream_that_assembles_to_it() -> None:
    assembler = Assembler("seed")
    for delta in deltas_of(REPLY):
        assembler.feed(delta)
    assert assembler.reply("a/b") == replace(REPLY, origin="a/b")


def test_every_kind_of_scripted_reply() -> None:
    provider = ScriptedProvider(
        "hello",
        call("Read", {"file_path": "a"}, id="c1"),
        [TextDelta("cut"), RetryableError("gone")],
        RetryableError("at once"),
        lambda request: f"asked for {request.model}",
        [TextDelta("no end")],
    )
    heard = ask(provider, 6)
    assert [h.text for h in heard] == ["hello", "", "cut", "", "asked for scripted-1", "no end"]
    assert heard[1].deltas[0] == CallStart("0", "Read", "c1")
    assert heard[1].calls == (("Read", '{"file_path": "a"}'),)
    assert [str(h.error or "") for h in heard] == ["", "", "gone", "at once", "", ""]
    assert not heard[5].of(End)
    assert (len(provider.requests), provider.left, provider.open_streams) == (6, 0, 0)


def test_a_script_that_runs_out_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="request 1: the script has no reply left"):
        ask(ScriptedProvider())


def test_a_pause_holds_the_stream_until_it_is_released() -> None:
    async def go() -> list[str]:
        pause, provider, log = Pause(), ScriptedProvider(), list[str]()
        provider.add([TextDelta("a"), pause, TextDelta("b"), End(StopReason.END_TURN)])

        async def listen() -> None:
            log.append((await hear(provider)).text)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await pause.reached()
            log.append(f"{provider.open_streams} open")
            pause.release()
        return [*log, f"{provider.open_streams} open"]

    assert anyio.run(go) == ["1 open", "ab", "0 open"]


def test_the_approver_answers_in_order_and_the_last_answer_holds() -> None:
    approver = ScriptedApprover([True, PermissionAnswer(False, comment="no")], words=["blue"])

    async def go() -> list[object]:
        permissions = [await approver.permission(QUESTION) for _ in range(3)]
        words = [await approver.answer(UserQuestion("2", "Which?")) for _ in range(2)]
        return [*permissions, *words]

    no = PermissionAnswer(False, comment="no")
    assert anyio.run(go) == [PermissionAnswer(True), no, no, "blue", None]
    assert (len(approver.asked), len(approver.questions)) == (3, 2)


def test_without_answers_everything_is_refused() -> None:
    assert anyio.run(ScriptedApprover().permission, QUESTION) == PermissionAnswer(False)


def test_the_clock_moves_only_when_somebody_sleeps() -> None:
    clock = FakeClock(10.0)
    anyio.run(clock.sleep, 2.5)
    clock.advance(1.0)
    assert (clock(), clock.slept) == (13.5, [2.5])


def test_the_observer_keeps_events() -> None:
    observer = RecordingObserver()
    for event in (AttemptStarted(1), TextShown("a"), TextShown("b")):
        observer(event)
    assert observer.kinds == ["attempt_started", "text", "text"]
    assert observer.of(TextShown) == [TextShown("a"), TextShown("b")]


def test_the_call_context_opens_only_what_was_judged() -> None:
    with temporary_project({"a.txt": "hello", "b.txt": ""}) as project:
        a, b = (path_subject(n, project.scope, SubjectKind.READ) for n in ("a.txt", "b.txt"))
        context = call_context(project, [a])
        with context.open_checked(a, "rb") as stream:
            assert stream.read() == b"hello"
        with context.checked_folder(a) as (_, name):
            assert name.endswith("a.txt")
        assert context.opened == [a, a]
        with pytest.raises(PathChangedError, match="not judged"):
            context.open_checked(b, "rb")
        with pytest.raises(PathChangedError, match="not judged"):
            context.checked_folder(b)


def test_the_call_context_answers_questions() -> None:
    with temporary_project() as project:
        context = call_context(project)
        context.answers.append("yes")
        assert anyio.run(context.ask, "Go on?") == "yes"
        assert anyio.run(context.ask, "And now?") is None
        assert context.asked == ["Go on?", "And now?"]


def test_the_factory_context_has_folders_and_secrets() -> None:
    with temporary_project() as project:
        context = factory_context(project, "mine", secrets={"KEY": "value"})
        assert (context.name, context.settings, context.scope) == ("mine", {}, project.scope)
        assert (context.secret("KEY"), context.secret("OTHER")) == ("value", None)
        assert context.data_dir.is_dir()


def test_registered_gives_the_entries_of_a_plugin() -> None:
    import turnloop_mock.plugin

    assert list(registered(turnloop_mock.plugin, "register_providers")) == ["mock"]
