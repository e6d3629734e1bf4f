"""Real bash with nothing but stubs on its PATH: each notes what it was called with.

Stubs of wrappers start the program that stands in their words, those of shells are real shells, so
that what is hidden behind them runs as well. Nothing else of this machine can be reached by name.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

PLAIN = (
    *(
        "rm",
        "git",
        "curl",
        "ls",
        "cat",
        "head",
        "tail",
        "tee",
        "grep",
        "awk",
        "sed",
        "diff",
        "sort",
    ),
    *("make", "python3", "perl", "node", "find", "tar", "ssh", "sleep", "base64", "date", "uname"),
    *("a", "b", "c", "d", "e", "f"),
)
STARTING = (
    *("env", "timeout", "nice", "nohup", "stdbuf", "ionice", "chrt", "taskset", "setsid", "sudo"),
    *("doas", "strace", "flock", "busybox", "unshare", "chroot", "numactl", "prlimit", "setpriv"),
)
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash")
LONGEST_S = 1.0

# One write for each call, so that calls side by side do not mix.
_NOTE = """\
printf '%s\\0' "${0##*/}" "$@" '<end>' >> "${SEEN:-/dev/null}"
"""
_START = """\
for word; do
  case ${word##*/} in
    PROGRAMS) exec "$@" ;;
  esac
  shift
done
"""
_XARGS = """\
while read -r line; do set -- "$@" $line; done
"""
_CAT = """\
[ $# = 0 ] && while IFS= read -r line; do printf '%s\\n' "$line"; done
exit 0
"""
_GIT = """\
if [ "$1" = -c ]; then
  case $2 in alias.*=!*) code=${2#*=!}; exec sh -c "$code" ;; esac
fi
exit 0
"""
_LIMITED = """\
ulimit -c 0 -f 4096 -t 3 -n 256
exec "$BASH" --norc --noprofile -c "$1"
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What bash did with a line.

    Attributes:
        calls: programs that ran, each by its bare name and arguments.
        files: paths of files that are there afterwards, relative to the folder of the line.
    """

    calls: tuple[tuple[str, ...], ...]
    files: frozenset[str]


class Stubs:
    """A folder with stubs, and bash in it.

    Attributes:
        late: lines that had to be ended.
    """

    def __init__(self, folder: Path) -> None:
        bash, dash = which("bash"), which("dash") or which("sh")
        assert bash is not None
        assert dash is not None
        self.bash, self.folder, self.count = bash, folder, 0
        self.late: list[str] = []
        programs = "|".join((*PLAIN, *STARTING, *SHELLS, "xargs"))
        start = _START.replace("PROGRAMS", programs)
        (folder / "stubs").mkdir()
        for name in PLAIN:
            more = {"cat": _CAT, "git": _GIT}.get(name, "exit 0\n")
            self._stub(name, dash, _NOTE + more)
        for name in STARTING:
            self._stub(name, dash, _NOTE + start)
        self._stub("xargs", dash, _NOTE + _XARGS + start)
        for name in SHELLS:
            shell = f"'{bash}' --norc --noprofile"
            self._stub(name, dash, f'{_NOTE}exec {shell} "$@"\n')

    def _stub(self, name: str, dash: str, text: str) -> None:
        stub = self.folder / "stubs" / name
        stub.write_text(f"#!{dash}\n{text}")
        stub.chmod(0o700)

    def run(self, lines: Sequence[str]) -> list[Seen]:
        """Run each line in a bash and a folder of its own."""
        return [self._run(line) for line in lines]

    def _run(self, line: str) -> Seen:
        """Run a line, and wait for all that it started; what takes too long is ended."""
        at, log = self.folder / f"at{self.count}", self.folder / f"seen{self.count}"
        self.count += 1
        (at / "src").mkdir(parents=True)
        reader, writer = os.pipe()
        environment = {"PATH": str(self.folder / "stubs"), "HOME": str(self.folder)}
        process = subprocess.Popen(
            [self.bash, "--norc", "--noprofile", "-c", _LIMITED, "limited", line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environment, "SEEN": str(log), "LC_ALL": "C.UTF-8"},
            cwd=at,
            pass_fds=[writer],
            start_new_session=True,
        )
        os.close(writer)
        try:  # it is closed when the last process that came of the line is gone
            ended, _, _ = select.select([reader], [], [], LONGEST_S)
        finally:
            os.close(reader)
        if not ended:
            self.late.append(line)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10 * LONGEST_S)
        return _seen(log, at)


def _seen(log: Path, at: Path) -> Seen:
    text = log.read_bytes().decode("utf-8", "surrogateescape") if log.exists() else ""
    rows = [row.split("\0") for row in text.split("\0<end>\0")[:-1]]
    files = frozenset(str(path.relative_to(at)) for path in at.rglob("*") if not path.is_dir())
    return Seen(tuple(tuple(row) for row in rows), files)
