"""Cuts are said, giant trees and hostile expressions end, an interrupt stops everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from turnloop_core.api import ErrorKind
from turnloop_core.testing.contexts import call_context
from turnloop_core.testing.processes import marked_processes, new_mark
from turnloop_core.testing.project import temporary_project
from turnloop_search import engine, found, hits, stop as brake, walk
from turnloop_search.grep import Grep, GrepArguments
from turnloop_search.stop import Stop, StoppedError, in_thread


@pytest.mark.parametrize("count", [4, 5])
def test_a_cut_is_said_with_the_total_and_the_way_on(make_desk, count):
    files = {f"{'ab'[n % 2]}/{n}.txt": "MARK\n" for n in range(count)}
    desk = make_desk(files)
    for result in (desk.glob("*.txt", limit=4), desk.grep("MARK", output="files", limit=4)):
        notes = [note for note in desk.notes(result) if "first" in note]
        assert len(desk.listed(result)) == 4
        cut = (
            "[first 4 of 5 files, in path order; offset=4 goes on, or narrow the search. "
            "Not shown: b/ 1]"
        )
        assert notes == ([] if count == 4 else [cut])
    rest = desk.glob("*.txt", limit=4, offset=4)
    assert rest.text == (
        "there are 4 files; none after offset 4."
        if count == 4
        else "b/3.txt\n[5 to 5 of 5 files, in path order]"
    )


def test_lines_are_cut_at_the_limit_and_go_on(make_desk):
    text = "".join(f"MARK {n}\n" for n in range(1, 8))
    desk = make_desk({"a.txt": text, "b/x.txt": text, "c.txt": "MARK\n"})
    first = desk.grep("MARK", limit=5)
    assert desk.listed(first) == ["a.txt", *(f"{n}:MARK {n}" for n in range(1, 6))]
    (note,) = desk.notes(first)
    assert note == (
        "[first 5 of 15 matching lines, in path order; offset=5 goes on, or narrow the search. "
        "Not shown: b/ 7, a.txt 2, c.txt 1]"
    )
    seen = desk.listed(first)
    for offset in (5, 10):
        seen += desk.listed(desk.grep("MARK", limit=5, offset=offset))
    whole = desk.listed(desk.grep("MARK"))
    assert [line for line in seen if ":" in line] == [line for line in whole if ":" in line]
    assert desk.notes(desk.grep("MARK", limit=5, offset=10)) == [
        "[11 to 15 of 15 matching lines, in path order]"
    ]
    assert desk.grep("MARK", offset=15).text.startswith(
        "nothing after offset 15: 15 matching lines in 3 files."
    )


def test_exactly_the_limit_is_no_cut(make_desk):
    desk = make_desk({"a.txt": "MARK\n" * 5})
    assert desk.notes(desk.grep("MARK", limit=5)) == ["[5 matching lines in 1 file]"]


def test_many_characters_are_cut_too(make_desk):
    desk = make_desk({f"{n}.txt": f"MARK{'x' * 250}\n" * 100 for n in range(5)})
    result = desk.grep("MARK", limit=500)
    assert len(result.text) < 35_000
    assert "first 116 of 500 matching lines" in result.text
    assert "offset=116 goes on" in result.text


def test_the_order_is_the_same_each_time(make_desk):
    desk = make_desk({f"d{n % 7}/f{n}.txt": "MARK\n" for n in range(60)})
    texts = {desk.grep("MARK").text for _ in range(3)}
    assert len(texts) == 1


def test_too_many_matches_end_the_search(make_desk, monkeypatch):
    monkeypatch.setattr(hits, "MOST_LINES", 50)
    result = make_desk({f"{n}.txt": "MARK\n" * 20 for n in range(9)}).grep("MARK", limit=3)
    assert "first 3 of at least 50 matching lines" in result.text
    assert "[not complete: it ended after 50 matching lines]" in result.text
    assert not result.facts[0].complete


def test_too_many_files_end_the_listing(make_desk, monkeypatch):
    monkeypatch.setattr(found, "MOST_FILES", 5)
    monkeypatch.setattr(walk, "MOST_FILES", 5)
    desk = make_desk({f"{n}/a.txt": "x" for n in range(9)})
    result = desk.glob("*.rs")
    assert result.text.startswith("no file found so far for *.rs: the search was not complete.")
    assert "[not complete: only the first 5 files were looked at]" in result.text
    assert not result.facts[0].complete


def no_seconds(monkeypatch, seconds: float) -> None:
    monkeypatch.setattr(brake, "SECONDS", seconds)


def test_an_expression_that_takes_for_ever_ends_with_the_time(plain_desk, monkeypatch):
    no_seconds(monkeypatch, 1.0)
    # Looking round is what ripgrep does not do, so our own scanner gets it.
    result = plain_desk({"a.txt": "MARK\n", "b.txt": "a" * 60 + "\n"}).grep(
        r"MARK|(?=(a+)+$)(a+)+b"
    )
    assert desk_lines(result.text) == ["a.txt", "1:MARK"]
    assert "[not complete: the search was stopped after 1 seconds]" in result.text
    assert not result.facts[0].complete


def desk_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("[")]


def test_no_time_at_all(make_desk, monkeypatch):
    no_seconds(monkeypatch, 0.0)
    desk = make_desk({"a.txt": "MARK\n"})
    for result in (desk.grep("NOT THERE"), desk.glob("*.rs")):
        if not result.facts[0].complete:  # the clock may be late; then the answer is a whole one
            assert "so far" in result.text


def test_a_brake_that_was_set_starts_nothing(tmp_path):
    stop = Stop()
    stop.now()
    with pytest.raises(StoppedError), stop.process(["true"], cwd=str(tmp_path), environment={}):
        pass


async def until(true: Callable[[], bool]) -> None:
    """Wait for what has no event that we could wait for."""
    while not true():  # noqa: ASYNC110
        await anyio.sleep(0.005)


def test_an_interrupt_ends_the_walk_and_its_processes(tmp_path):
    hanging = tmp_path / "bin"
    hanging.mkdir()
    # Our own scanner is the process that hangs: an expression without an end in sight.
    mark = new_mark()
    with temporary_project({"a.txt": "a" * 60 + "\n"}) as project:
        tool = Grep()
        args = GrepArguments.model_validate({"pattern": r"(?=(a+)+$)(a+)+b"})
        environment = {"PATH": str(hanging), **mark}
        context = call_context(project, tool.subjects(args, project.scope), environment=environment)

        async def go() -> float:
            with anyio.fail_after(30):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(tool.run, args, context)
                    await until(lambda: bool(marked_processes(mark)))
                    began = time.monotonic()
                    tasks.cancel_scope.cancel()
                took = time.monotonic() - began
                await until(lambda: not marked_processes(mark))
                return took

        assert anyio.run(go) < 1.0


def test_a_cancelled_thread_is_told(tmp_path):
    stopped: list[bool] = []
    started = []

    async def go() -> None:
        def work(stop: Stop) -> None:
            started.append(True)
            while not stop:
                time.sleep(0)
            stopped.append(stop.expired)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(in_thread, work)
            await until(lambda: bool(started))
            tasks.cancel_scope.cancel()
        with anyio.CancelScope(shield=True), anyio.fail_after(10):
            await until(lambda: bool(stopped))

    anyio.run(go)
    assert stopped == [False]


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def false_program(tmp_path, plain_desk) -> Callable[[str, str], object]:
    """A desk where a program of this name does what the script says."""

    def make(name: str, text: str) -> object:
        desk = plain_desk({"a.txt": "MARK\n", ".gitignore": "*.log\n", "b.log": "MARK"}, git=True)
        place = Path(desk.programs) / name
        place.unlink(missing_ok=True)
        script(place, text)
        return desk

    return make


@pytest.mark.parametrize("text", ["exit 2", "exit 127", "kill -9 $$", "echo nonsense"])
def test_a_broken_ripgrep_is_no_empty_answer(false_program, text):
    desk = false_program("rg", text)
    result = desk.grep("MARK")
    found_it = desk.listed(result)[:1] == ["a.txt"]
    assert found_it or result.text.startswith("nothing found so far")


def test_programs_of_the_project_are_not_run(plain_desk):
    desk = plain_desk({"a.txt": "MARK\n"}, git=True)
    proof = desk.project.outside / "ran"
    folder = desk.project.path("bin")
    folder.mkdir()
    for name in ("git", "rg"):
        script(folder / name, f"touch {proof}")
    desk.programs = str(folder)
    assert desk.files("MARK") == ["a.txt"]
    assert not proof.exists()


def test_rg_settings_of_the_user_do_not_count(make_desk, monkeypatch):
    desk = make_desk({"a.txt": "mark\n"})
    rc = desk.project.outside / "rc"
    rc.write_text("--ignore-case\n--max-count=1\n")
    desk.environment["RIPGREP_CONFIG_PATH"] = str(rc)
    assert desk.files("MARK") == []


def test_batches_fit_command_lines(make_desk, monkeypatch):
    monkeypatch.setattr(engine, "_BATCH", 100)
    desk = make_desk({f"file{n:02}.txt": "MARK\n" for n in range(30)})
    assert desk.files("MARK") == [f"file{n:02}.txt" for n in range(30)]


def test_large_files_are_said(make_desk, monkeypatch):
    monkeypatch.setattr("turnloop_search.grep.LARGEST", 10)
    desk = make_desk({"big.txt": "MARK" * 10, "a.txt": "MARK"})
    assert "[too large to be searched (use grep in the shell): big.txt]" in desk.notes(
        desk.grep("MARK")
    )
    assert desk.grep("NOT THERE").text.startswith("nothing found so far")
    assert desk.grep("MARK", path="big.txt").error is ErrorKind.TOOL_ERROR
