"""Bounds: memory, what the model sees, what is kept in a file; and clean text."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import time

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.api import ErrorKind
from turnloop_shell import output as output_module
from turnloop_shell.clean import clean, cut_lines, decode
from turnloop_shell.output import Output
from turnloop_shell.spool import Spool


def no_space() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_endless_output_is_stopped_in_bounded_memory(in_shell):
    async def work(bench):
        before, started = peak_mb(), time.monotonic()
        result = await bench.run("yes", timeout_s=2)
        assert time.monotonic() - started < 5
        assert result.error is ErrorKind.TIMEOUT
        assert len(result.text) < 26_000
        assert peak_mb() - before < 40
        kept = sum(path.stat().st_size for path in bench.contexts[0].data_dir.iterdir())
        assert kept <= 64 * 1024 * 1024 + 100

    in_shell(work)


def test_one_huge_line_shows_its_end(in_shell):
    async def work(bench):
        before = peak_mb()
        result = await bench.run("head -c 50000000 /dev/zero | tr '\\0' x; echo THE END; exit 1")
        assert result.text.endswith("xTHE END\n[exit code 1]")
        assert len(result.text) < 10_000
        assert peak_mb() - before < 40

    in_shell(work)


def test_long_output_has_head_tail_and_a_file(in_shell):
    async def work(bench):
        result = await bench.run("seq 100000; echo failed at the end; exit 2")
        lines = result.text.splitlines()
        assert lines[0] == "1"
        assert lines[-2:] == ["failed at the end", "[exit code 2]"]
        (path,) = bench.contexts[0].data_dir.iterdir()
        whole = "".join(f"{n}\n" for n in range(1, 100_001)) + "failed at the end\n"
        assert path.read_text() == whole
        assert path.stat().st_mode & 0o777 == 0o600
        (note,) = [line for line in lines if line.startswith("[...")]
        shown = [line for line in lines if line != note][:-1]
        left_out = len(whole) - len("\n".join(shown)) + 1
        assert note == f"[... {left_out:,} bytes left out; the whole output is in {path} ...]"
        assert len(result.text) < 25_000

    in_shell(work)


def test_short_output_makes_no_file(in_shell):
    async def work(bench):
        await bench.run("seq 100")
        assert list(bench.contexts[0].data_dir.iterdir()) == []

    in_shell(work)


def test_output_between_the_bounds_is_whole_in_the_file(tmp_path):
    output = Output(tmp_path / "out.txt")
    data = b"".join(b"%d\n" % n for n in range(20_000))
    for start in range(0, len(data), 5_000):
        output.feed(data[start : start + 5_000])
    text = output.text()
    output.close()
    assert text.startswith("0\n1\n")
    assert text.endswith("\n19998\n19999")
    assert (tmp_path / "out.txt").read_bytes() == data


def test_progress_bars_do_not_hide_what_stands_around_them(tmp_path):
    output = Output(tmp_path / "out.txt")
    output.feed(b"begin\n")
    for n in range(3_000):
        output.feed(b"\r\x1b[K%5d of 3000 [=====>     ]" % n)
    output.feed(b"\nend\n")
    assert output.text() == "begin\n 2999 of 3000 [=====>     ]\nend"
    output.close()


def test_a_full_disk_ends_the_keeping_and_not_the_command(in_shell, monkeypatch):
    def full(spool, data):
        spool._file.write(data[:100_000])
        raise no_space()

    monkeypatch.setattr(Spool, "_write", full)

    async def work(bench):
        result = await bench.run("seq 1000000; echo end")
        assert result.ok
        assert "; the output was not kept: No space left on device ...]" in result.text
        assert result.text.endswith("\nend")
        assert list(bench.contexts[0].data_dir.iterdir()) == []  # it gives its room back

    in_shell(work)


def test_a_disk_that_is_full_when_the_parts_are_joined_gets_its_room_back(tmp_path, monkeypatch):
    def full(*_):
        raise no_space()

    spool = Spool(tmp_path / "out.txt", head=10, tail=10)
    spool.write(b"x" * 15)
    monkeypatch.setattr(shutil, "copyfileobj", full)
    spool.close()
    assert spool.trouble == os.strerror(errno.ENOSPC)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_somebody_else_stays(tmp_path):
    (tmp_path / "out.txt").write_text("mine")
    spool = Spool(tmp_path / "out.txt")
    spool.write(b"x")
    spool.close()
    assert spool.trouble
    assert (tmp_path / "out.txt").read_text() == "mine"


def test_what_goes_on_with_a_full_disk_names_no_file(in_shell, monkeypatch):
    def full(*_):
        raise no_space()

    monkeypatch.setattr(Spool, "_write", full)

    async def work(bench):
        result = await bench.run("sleep 300 &")
        assert "further output" not in result.text
        assert result.text.endswith("[its output is not kept: No space left on device]")

    in_shell(work)


def test_a_folder_that_cannot_be_made_ends_the_keeping(tmp_path):
    (tmp_path / "file").write_text("")
    spool = Spool(tmp_path / "file" / "out.txt")
    spool.write(b"x")
    spool.close()
    assert spool.trouble


@settings(max_examples=100, deadline=None)
@given(st.lists(st.binary(max_size=30), max_size=20))
def test_the_file_keeps_all_or_head_and_tail(tmp_path_factory, chunks):
    path = tmp_path_factory.mktemp("spool") / "out.txt"
    spool = Spool(path, head=50, tail=20)
    for chunk in chunks:
        spool.write(chunk)
    spool.close()
    data, kept = b"".join(chunks), path.read_bytes()
    if len(data) <= 90:
        assert kept == data
    else:
        note = f"\n[... {spool.left_out:,} bytes were not kept ...]\n".encode()
        tail = len(data) - 50 - spool.left_out
        assert 20 <= tail <= 40
        assert kept == data[:50] + note + data[-tail:]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\x1b[1;31mred\x1b[0m \x1b[?25lplain", "red plain"),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"),
        (b"\x1b(Ba\x1b=b\x1bMc", "abc"),
        (b"10%\r50%\r100%\n", "100%\n"),
        (b"a\r\nb\r\r\nc", "a\nb\nc"),
        (b"done\r", "done"),
        (b"N\x08NA\x08AME", "NAME"),
        (b"bell\x07 nul\x00 tab\t", "bell nul tab\t"),
        (b"caf\xe9 \xff", "caf\\xe9 \\xff"),
        ("é\u0085日".encode(), "é日"),
        (b"\x1b[31", ""),
        (b"\x1b", ""),
    ],
)
def test_text_is_clean(raw, text):
    assert clean(decode(raw)) == text


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="\x1b[]m;0a\r\n\x08\x07é", max_size=40).map(str.encode))
def test_clean_text_has_no_control_characters(raw):
    text = clean(decode(raw))
    assert not [c for c in text if ord(c) < 32 and c not in "\n\t"]
    text.encode()


def test_characters_cut_at_the_edge_are_left_out():
    raw = "日本語".encode()
    assert decode(raw[1:], from_middle=True) == "本語"
    assert decode(raw[:-1], to_middle=True) == "日本"


def test_long_lines_lose_their_middle():
    line = "a" * 5_000 + "THE ERROR"
    cut = cut_lines(f"x\n{line}\ny")
    assert cut.startswith("x\n" + "a" * 1_400 + "... [3,109 characters] ...")
    assert cut.endswith("THE ERROR\ny")


def test_cleaning_takes_time_in_proportion():
    text = ("\x1b]" * 20_000) + ("\r" * 50_000) + "x\x08" * 20_000
    started = time.monotonic()
    clean(text)
    assert time.monotonic() - started < 2


def test_many_calls_hold_nothing(in_shell, monkeypatch):
    monkeypatch.setattr(output_module, "_HEAD", 1_000)

    async def work(bench):
        before = peak_mb()
        for _ in range(50):
            await bench.run("head -c 1000000 /dev/zero | tr '\\0' x | fold")
        assert peak_mb() - before < 20

    in_shell(work)
