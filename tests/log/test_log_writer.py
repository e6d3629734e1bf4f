import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from log.random_logs import SESSION, as_bytes, check, logs, number
from turnloop_core.errors import LogError
from turnloop_core.log import writer as writer_module
from turnloop_core.log.reader import read_log
from turnloop_core.log.records import (
    CallRecord,
    EndRecord,
    NudgeRecord,
    PromptRecord,
    Record,
    ReplyRecord,
    ResultRecord,
)
from turnloop_core.log.view import fold, unanswered_result
from turnloop_core.log.writer import LogWriter
from turnloop_core.types.content import Call, Text
from turnloop_core.types.events import RunEnd
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import Result

TWO_CALLS = Reply((Call("a", "Read", "{}"), Call("b", "Bash", "{}")), StopReason.TOOL_USE)
RUN = number(
    [
        SESSION,
        PromptRecord("do it ä"),
        ReplyRecord(TWO_CALLS),
        CallRecord(3, 0, "Read"),
        ResultRecord(3, 0, Result.say("a")),
        CallRecord(3, 1, "Bash"),
        ResultRecord(3, 1, Result.say("b")),
        NudgeRecord("go on", "judge"),
        ReplyRecord(Reply((Text("done"),), StopReason.END_TURN)),
        EndRecord(RunEnd.DONE, ""),
    ]
)
INTERRUPTED = EndRecord(RunEnd.INTERRUPTED, "the program ended during the run")


def clock():
    return 5.0


def test_what_is_appended_is_on_disk_at_once_and_folded(tmp_path):
    path = tmp_path / "a" / "b" / "s.jsonl"
    with LogWriter.create(path, SESSION, clock=clock) as log:
        record = log.append(PromptRecord("hello"))
        expected = (Record(1, 5.0, SESSION), Record(2, 5.0, PromptRecord("hello")))
        assert record == expected[1]
        assert read_log(path).records == expected
        assert log.view == fold(expected).view()
        log.sync()
        log.sync()


@pytest.mark.skipif(os.name == "nt", reason="mode bits mean little on Windows")
def test_logs_are_private_to_the_user(tmp_path):
    path = tmp_path / "a" / "b" / "s.jsonl"
    before = os.umask(0)
    try:
        LogWriter.create(path, SESSION).close()
    finally:
        os.umask(before)
    made = [path, path.with_suffix(".lock"), path.parent, path.parent.parent]
    assert [stat.S_IMODE(p.stat().st_mode) for p in made] == [0o600, 0o600, 0o700, 0o700]


def test_an_opened_log_goes_on_where_it_ended(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(as_bytes(RUN))
    with LogWriter.open(path, clock=clock) as log:
        assert log.damage == ()
        assert log.fold.session == SESSION
        assert log.append(PromptRecord("more")) == Record(11, 5.0, PromptRecord("more"))
    assert path.read_bytes() == as_bytes([*RUN, Record(11, 5.0, PromptRecord("more"))])


def test_a_killed_run_is_brought_into_a_legal_state(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(as_bytes(RUN[:4]))
    with LogWriter.open(path, clock=clock) as log:
        assert log.fold.unanswered() == ()
        assert not log.fold.run_open
    assert read_log(path).records == (
        *RUN[:4],
        Record(5, 5.0, ResultRecord(3, 0, unanswered_result(started=True))),
        Record(6, 5.0, ResultRecord(3, 1, unanswered_result(started=False))),
        Record(7, 5.0, INTERRUPTED),
    )
    mended = path.read_bytes()
    LogWriter.open(path).close()
    assert path.read_bytes() == mended


def test_a_log_cut_at_every_byte_opens_and_goes_on(tmp_path):
    data = as_bytes(RUN)
    for cut in range(len(data) + 1):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(data[:cut])
        readable = read_log(path).records
        with LogWriter.open(path) as log:
            last = log.append(PromptRecord("more"))
        after = read_log(path)
        assert path.read_bytes()[:cut] == data[:cut]
        assert after.records[: len(readable)] == readable
        assert after.records[-1] == last
        assert log.view == fold(after.records).view()
        check(log.view)


@settings(max_examples=60, deadline=None)
@given(records=logs(), data=st.data())
def test_a_damaged_log_opens_and_goes_on(tmp_path_factory, records, data):
    stood = bytearray(as_bytes(records))
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(stood) - 1))
        end = data.draw(st.integers(start, min(len(stood), start + 50)))
        stood[start:end] = data.draw(st.sampled_from([b"\0" * (end - start), b"", b"x", b"\n"]))
        if not stood:
            break
    path = tmp_path_factory.mktemp("log") / "s.jsonl"
    path.write_bytes(stood)
    readable = read_log(path)
    with LogWriter.open(path) as log:
        assert log.damage == readable.damage
        assert (log.fold.unanswered(), log.fold.run_open) == ((), False)
        log.append(NudgeRecord("here", "test"))
        view = log.view
    after = read_log(path)
    assert path.read_bytes().startswith(bytes(stood))
    assert after.records[: len(readable.records)] == readable.records
    assert after.records[-1].body == NudgeRecord("here", "test")
    assert fold(after.records).view() == view


def test_an_existing_log_is_not_begun_again(tmp_path):
    path = tmp_path / "s.jsonl"
    LogWriter.create(path, SESSION).close()
    with pytest.raises(LogError, match="cannot create") as caught:
        LogWriter.create(path, SESSION)
    assert caught.value.hint == "go on with it: `tl --resume s`"
    LogWriter.open(path).close()  # the failed attempt holds no lock


def test_a_log_that_is_not_there_is_not_made(tmp_path):
    path = tmp_path / "none" / "s.jsonl"
    with pytest.raises(LogError, match="cannot read"):
        LogWriter.open(path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LogError, match="is no folder") as caught:
        LogWriter.create(tmp_path / "file" / "sub" / "s.jsonl", SESSION)
    assert "out of the way" in caught.value.hint


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="the superuser may write everywhere"
)
def test_an_unwritable_folder_is_one_clear_line(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(LogError, match="Permission denied") as caught:
        LogWriter.create(tmp_path / "s.jsonl", SESSION)
    assert "writable" in caught.value.hint


def test_a_record_that_json_cannot_express_writes_nothing(tmp_path):
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION) as log:
        before = path.read_bytes()
        with pytest.raises(TypeError):
            log.append(PromptRecord(b"bytes"))
        assert path.read_bytes() == before
        assert log.append(PromptRecord("text")).n == 2


def test_a_record_that_could_not_be_read_back_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "MAX_LINE", 1_000)
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION) as log:
        with pytest.raises(LogError, match="too large"):
            log.append(PromptRecord("x" * 1_000))
        assert log.append(PromptRecord("x")).n == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_clear_line_and_loses_nothing(tmp_path):
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION) as log:
        good = os.dup(log._descriptor)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, log._descriptor)
        view = log.view
        with pytest.raises(LogError, match="No space left on device") as caught:
            log.append(PromptRecord("lost"))
        assert caught.value.hint == "free some space, then go on with `tl --resume s`"
        assert log.view is view
        os.dup2(good, log._descriptor)
        os.close(good)
        os.close(full)
        assert log.append(PromptRecord("kept")).n == 2
    assert [r.body for r in read_log(path).records] == [SESSION, PromptRecord("kept")]


def test_writes_that_take_a_part_are_finished(tmp_path, monkeypatch):
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION) as log:
        write = os.write
        monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:7]))
        log.append(PromptRecord("a long prompt"))
    assert read_log(path).records[1].body == PromptRecord("a long prompt")


def test_an_interrupt_within_a_write_leaves_a_line_that_is_ended(tmp_path, monkeypatch):
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION) as log:
        write = os.write

        def interrupted(descriptor, data):
            write(descriptor, data[:9])
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append(PromptRecord("half"))
        monkeypatch.undo()
        log.append(PromptRecord("whole"))
    read = read_log(path)
    assert [(r.n, r.body) for r in read.records] == [(1, SESSION), (3, PromptRecord("whole"))]
    assert [d.reason for d in read.damage] == ["not JSON"]


def test_an_unused_log_can_leave_nothing(tmp_path):
    path = tmp_path / "s.jsonl"
    LogWriter.create(path, SESSION).close(discard_unused=True)
    assert [p for p in tmp_path.iterdir() if os.name != "nt" or p.suffix != ".lock"] == []


def test_a_log_that_was_opened_or_used_is_never_discarded(tmp_path):
    path = tmp_path / "s.jsonl"
    LogWriter.create(path, SESSION).close()
    LogWriter.open(path).close(discard_unused=True)
    used = LogWriter.create(tmp_path / "used.jsonl", SESSION)
    used.append(PromptRecord("x"))
    used.close(discard_unused=True)
    assert path.exists()
    assert (tmp_path / "used.jsonl").exists()
