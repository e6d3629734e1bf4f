"""Two processes, a kill, and a disk without room: real ones."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from log.random_logs import SESSION
from turnloop_core.errors import SessionLockedError
from turnloop_core.log.reader import read_log
from turnloop_core.log.records import PromptRecord
from turnloop_core.log.writer import LogWriter


def test_a_second_writer_in_this_process_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION), pytest.raises(SessionLockedError):
        LogWriter.open(path)
    LogWriter.open(path).close()


SECOND = """
import sys
from pathlib import Path
from turnloop_core.errors import SessionLockedError
from turnloop_core.log.writer import LogWriter
try:
    LogWriter.open(Path(sys.argv[1])).close()
except SessionLockedError as error:
    print(error)
    print(error.hint)
"""


def script(text, *arguments):
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_second_process_is_told_who_holds_the_session(tmp_path):
    path = tmp_path / "s.jsonl"
    with LogWriter.create(path, SESSION):
        error, hint = script(SECOND, path).splitlines()
    assert error.startswith(f"session s is in use by process {os.getpid()} (since ")
    assert "wait" in hint
    assert script(SECOND, path) == ""


WRITING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from log.random_logs import SESSION
from turnloop_core.log.records import PromptRecord
from turnloop_core.log.writer import LogWriter
log = LogWriter.create(Path(sys.argv[1]), SESSION)
while True:
    print(log.append(PromptRecord("x" * 3_000)).n, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is a matter of Unix")
@pytest.mark.parametrize("acknowledged", [1, 7, 50])
def test_what_was_appended_before_a_kill_is_there(tmp_path, acknowledged):
    path = tmp_path / "s.jsonl"
    tests = Path(__file__).parents[1]
    command = [sys.executable, "-c", WRITING, str(path), str(tests)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        for _ in range(acknowledged):
            last = int(process.stdout.readline())
        process.kill()
    with LogWriter.open(path) as log:  # and the lock went with its holder
        records = read_log(path).records
        assert [r.n for r in records] == list(range(1, len(records) + 1))
        assert len(records) >= last
        assert log.fold.session == SESSION


LIMITED = """
import json, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from log.random_logs import SESSION
from turnloop_core.errors import LogError
from turnloop_core.log.records import PromptRecord
from turnloop_core.log.writer import LogWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
log = LogWriter.create(Path(sys.argv[1]), SESSION)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
told = []
try:
    while True:
        log.append(PromptRecord("x" * 200))
except LogError as error:
    told += [str(error), error.hint]
try:
    log.append(PromptRecord("still full"))
except LogError as error:
    told.append(str(error))
folded = log.fold.last_number
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.append(PromptRecord("room again"))
log.sync()
print(json.dumps([told, folded]))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file sizes")
def test_a_write_that_stops_in_the_middle_tears_one_line_only(tmp_path):
    path = tmp_path / "s.jsonl"
    told, folded = json.loads(script(LIMITED, path, Path(__file__).parents[1]))
    assert told == [
        f"cannot write the session log {path}: {os.strerror(errno.EFBIG)}",
        "free some space, then go on with `tl --resume s`",
        f"cannot write the session log {path}: {os.strerror(errno.EFBIG)}",
    ]
    read = read_log(path)
    assert [d.reason for d in read.damage] == ["not JSON"]
    assert [r.n for r in read.records[:-1]] == list(range(1, folded + 1))
    assert read.records[-1].body == PromptRecord("room again")
