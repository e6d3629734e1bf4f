"""Places that cannot be written, disks that fill up, two writers, damaged logs."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from bug_project import FILES, MENDED, Model, write_settings
from story.bad_input import KEY, Bench, bench, say
from turnloop_core.testing.loopback import Answer, Gate, Loopback, sse
from turnloop_core.testing.project import bare_environment, temporary_project
from turnloop_core.testing.wire import chat_chunks

LIMITED = """
import resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
sys.argv = ["tl", *sys.argv[2:]]
from turnloop_core.frontend.main import main
sys.exit(main())
"""


def test_something_in_the_way_of_the_log() -> None:
    with bench(say()) as b:
        way = b.project.home / ".turnloop" / "sessions"
        way.write_text("")
        hint = b.fails(1, f"{way} is no folder", "-p", "go", "--json")
        assert "move it out of the way" in hint
        way.unlink()
        way.symlink_to(b.project.base / "nowhere")
        assert "move it out of the way" in b.fails(1, f"{way} is no folder")
        assert b.server.requests == []


@pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() == 0, reason="root writes everywhere")
def test_a_folder_that_is_not_writable() -> None:
    with bench(say()) as b:
        folder = b.project.home / ".turnloop"
        folder.chmod(0o500)
        try:
            assert "writable" in b.fails(1, "cannot create the session log")
        finally:
            folder.chmod(0o700)


def limited(b: Bench, limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run in which no file grows beyond `limit` bytes: to the log, a full disk."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *arguments],
        cwd=b.project.root,
        env=bare_environment(b.project.home) | {"LOCAL_KEY": KEY},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    b.check(done)
    return done


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of that kind")
@pytest.mark.parametrize("beyond_start", [-6_000, 40, 900, 2_500])
def test_a_disk_that_is_full(beyond_start: int) -> None:
    with bench(handler=Model()) as b:
        write_settings(b.project, b.server)
        limit = 7_000 + beyond_start  # the prefix takes most of it
        done = limited(b, limit, "-p", "fix the failing test", "--json")
        assert done.returncode == 1, done.stderr
        (error,) = [line for line in done.stderr.splitlines() if line.startswith("tl: ")]
        assert "session log" in error
        assert "File too large" in error
        last = json.loads(done.stdout.splitlines()[-1])
        assert (last["exit_code"], last["error"]) == (1, "LogError")
        # With room again all of it goes on, and nothing was done that is not on record.
        resume = ("--resume",) if b.logs() else ()
        assert b.tl("-p", "go on", *resume).returncode == 0
        assert b.project.read("basket.py") == MENDED


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of that kind")
def test_a_log_that_could_not_be_begun_leaves_nothing_behind() -> None:
    with bench(say()) as b:
        done = limited(b, 0, "-p", "go")
        assert done.returncode == 1
        assert "cannot create the session log" in done.stderr
        assert "--resume" not in done.stderr  # there is nothing to go on with
        assert b.logs() == []


def test_two_processes_on_one_session() -> None:
    gate = Gate()
    slow = Answer(body=[sse(*chat_chunks(text="slow", done=False)[:2]), gate, sse(*chat_chunks())])
    with bench(say(), slow, say("other")) as b:
        assert b.tl("-p", "go").returncode == 0
        session = b.logs()[0].stem
        first = subprocess.Popen(
            [sys.executable, "-m", "turnloop_core", "-p", "go", "--resume"],
            cwd=b.project.root,
            env=bare_environment(b.project.home) | {"LOCAL_KEY": KEY},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert gate.reached.wait(30)
            words = f"session {session} is in use by process {first.pid}"
            hint = b.fails(1, words, "-p", "go", "--resume", session, "--json")
            assert "leave out `--resume`" in hint
            assert b.tl("-p", "go").stdout == "other\n"
        finally:
            gate.open()
            first.communicate(timeout=30)
        assert first.returncode == 0


def test_a_log_that_is_removed_while_it_is_written() -> None:
    remove = 'rm -r "$HOME/.turnloop/sessions"'
    model = Model(steps=[("Bash", {"command": remove}), ("Bash", {"command": "touch more"}), "."])
    with bench(handler=model) as b:
        b.fails(1, "was removed while it was in use", "-p", "go", "--permission-mode", "bypass")
        assert not b.project.path("more").exists()


def test_a_disk_that_is_full_for_the_answer() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with bench(say()) as b, Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "turnloop_core", "-p", "go"],
            cwd=b.project.root,
            env=bare_environment(b.project.home) | {"LOCAL_KEY": KEY},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert done.returncode == 1
        assert done.stderr.startswith("tl: the answer could not be written: No space left")
        b.check_log()


@pytest.mark.parametrize("home", ["", ".", "relative/home"])
def test_a_home_that_is_no_absolute_path(home: str) -> None:
    with bench(say()) as b:
        # Here the project's settings would count as the user's own.
        hint = b.fails(2, "HOME is no absolute path", env={"HOME": home, "USERPROFILE": home})
        assert "set HOME" in hint
        assert list(b.project.root.glob("*/.turnloop")) == []


def test_blank_and_missing_folders() -> None:
    with bench(say()) as b:
        b.fails(2, "--cwd: is blank", "-p", "go", "--cwd", "")
        b.fails(2, "there is no folder", "-p", "go", "--cwd", "nowhere")


def damaged(good: bytes, rng: random.Random) -> bytes:
    data = bytearray(good)
    for _ in range(rng.choice((1, 5, 40))):
        place = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                data[place] ^= 1 << rng.randrange(8)
            case 1:
                del data[place : place + rng.randrange(200)]
            case 2:
                data[place:place] = bytes(rng.randrange(4_000))  # zeros
            case 3:
                data[place:place] = rng.randbytes(rng.randrange(20))
    return bytes(data)


def test_a_log_that_was_damaged_by_hand() -> None:
    with temporary_project(FILES) as project:
        with Loopback(handler=Model()) as server:
            write_settings(project, server)
            b = Bench(project, server)
            assert b.tl("-p", "fix the failing test").returncode == 0
            (log,) = b.logs()
        good = log.read_bytes()
        rng = random.Random(7)
        rest = good.split(b"\n", 2)[2]
        bodies = [good.replace(b"\n", b"\r\n"), good + good, rest, b"{", b"\xef\xbb\xbf" + good]
        bodies += [damaged(good, rng) for _ in range(6)]
        with Loopback(handler=lambda _: say()) as server:
            write_settings(project, server)
            b = Bench(project, server)
            for body in bodies:
                log.write_bytes(body)
                done = b.tl("-p", "go", "--resume", log.stem)
                assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
                assert len(done.stderr.splitlines()) <= 4, done.stderr
                assert log.read_bytes().startswith(body), "a log is only ever appended to"
            assert b.tl("sessions").returncode == 0
