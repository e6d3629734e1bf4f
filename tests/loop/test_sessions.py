"""Sessions as a whole: opening, resuming, locking, trouble with the log."""

from __future__ import annotations

import pytest

from harness import FakeTool, opened, run
from turnloop_core.errors import (
    LogError,
    PluginError,
    SessionLockedError,
    UnknownNameError,
    UsageError,
)
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.log.writer import LogWriter
from turnloop_core.testing.fakes import ScriptedProvider, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.events import RunEnd
from turnloop_core.types.items import Prompt
from turnloop_core.types.subjects import PermissionMode


def test_a_session_is_resumed_whole() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(
                project, call("Say", {"text": "x"}), "first", tools=[FakeTool()]
            ) as o:
                await o.session.run("go")
                view, name = o.session.view, o.session.id
            async with opened(project, "second", tools=[FakeTool()], resume="") as o:
                assert o.session.id == name
                assert o.session.view == view
                await o.session.run("and on")
                sent = o.provider.requests[0].view.items
                assert sent[: len(view.items)] == view.items
            async with opened(project, tools=[FakeTool()], resume=name[:-2]) as o:
                assert len(o.session.view.items) == 5

    run(scenario)


def test_a_prefix_is_put_on_record_only_when_it_changes() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "1", "2", "3", tools=[FakeTool()]) as o:
                await o.session.run("a")
                await o.session.run("b")
                o.session.mode = PermissionMode.PLAN
                await o.session.run("c")
                records = read_log(o.session.log_path).records
            reasons = [r.body.reason for r in records if r.body.kind == "prefix"]
            assert reasons == ["start", "changed: mode"]  # the tool is still offered: read-only
            async with opened(project, "4", resume="") as o:
                await o.session.run("d")
                records = read_log(o.session.log_path).records
            reasons = [r.body.reason for r in records if r.body.kind == "prefix"]
            assert "tools" in reasons[-1]

    run(scenario)


def test_a_session_without_a_prompt_leaves_no_file() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project) as o:
                path = o.session.log_path
            assert not path.exists()

    run(scenario)


def test_a_second_writer_is_refused_and_told_who_writes() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "1") as o:
                await o.session.run("go")
                with pytest.raises(SessionLockedError, match=r"\d"):
                    async with opened(project, resume=o.session.id):
                        pass

    run(scenario)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"provider": "nobody"}, UnknownNameError, "nobody"),
        ({"resume": "20000101"}, UnknownNameError, "20000101"),
        ({"resume": ""}, UnknownNameError, "no session"),
        ({"settings": {"compaction": {"strategy": "magic"}}}, UsageError, "magic"),
        ({"settings": {"plugins": {"required": ["absent"]}}}, PluginError, "absent"),
        ({"disabled_plugins": ("harness",)}, UsageError, "no provider is configured"),
        ({"permission_mode": "wild"}, UsageError, "'default', 'auto', 'plan' or 'bypass'"),
        ({"max_iterations": 0}, UsageError, "at least 1"),
    ],
)
def test_what_cannot_be_opened_says_why(options, error, says) -> None:
    async def scenario() -> None:
        with temporary_project() as project, pytest.raises(error, match=says):
            async with opened(project, **options):
                pass

    run(scenario)


def test_a_log_that_cannot_be_written_stops_the_run_before_anything_runs(monkeypatch) -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, call("Say", {"text": "x"}), "never", tools=[say]) as o:
                append = LogWriter.append

                def full(self, body):
                    if body.kind == "call":
                        raise LogError("no space left", hint="free some")
                    return append(self, body)

                with monkeypatch.context() as patch:
                    patch.setattr(LogWriter, "append", full)
                    outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.FAILED, 1)
                assert say.ran == []
                assert o.observer.kinds[-1] == "run_ended"
                path = o.session.log_path
            folded = fold(read_log(path).records)
            assert [item.kind for item in folded.view().items] == ["prompt", "turn"]

    run(scenario)


def test_the_context_stands_at_the_end_of_the_prompt_and_not_in_the_prefix() -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            async with opened(project, "1") as o:
                await o.session.run("go")
                request = o.provider.requests[0]
                prompt = request.view.items[0]
                assert isinstance(prompt, Prompt)
                assert str(project.root) in prompt.context
                assert str(project.root) not in request.view.prefix.system

    run(scenario)


def test_everything_that_opened_is_closed() -> None:
    async def scenario() -> None:
        provider = ScriptedProvider("1")
        with temporary_project() as project:
            async with opened(project, scripted=provider) as o:
                await o.session.run("go")
            assert provider.closed

    run(scenario)
