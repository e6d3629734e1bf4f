"""Real bash as the oracle, and walks over the trees that it is compared with.

Bash runs with nothing but stub programs on its PATH, in a folder of its own, with an environment of
its own.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from turnloop_shell.syntax.nodes import (
    AndOr,
    Compound,
    Function,
    Node,
    Pipeline,
    Redirect,
    Redirected,
    Sequence as Row,
    Simple,
    Subshell,
)
from turnloop_shell.syntax.words import Word

PROGRAMS = "abcdef"
FAILING = "f"  # ends with 1, the others with 0
_SEPARATOR, _END = "\x1f", "\x1e"


@dataclass(frozen=True, slots=True)
class Seen:
    """What bash did.

    Attributes:
        calls: programs that ran, each by its name and arguments.
        files: names of files that are there afterwards.
        ended: it ended by itself.
    """

    calls: tuple[tuple[str, ...], ...]
    files: frozenset[str]
    ended: bool


class Bash:
    """Bash with stubs, in a scratch folder."""

    def __init__(self, folder: Path) -> None:
        found, dash = which("bash"), which("dash") or which("sh")
        assert found is not None
        assert dash is not None
        self.program = found
        self.stubs = folder / "stubs"
        self.log = folder / "log"
        self.folder = folder
        self.count = 0
        self.stubs.mkdir()
        for name in PROGRAMS:
            stub = self.stubs / name
            status = 1 if name == FAILING else 0
            stub.write_text(
                f"#!{dash}\n"
                f"printf '%s{_SEPARATOR}' '{name}' \"$@\" '{_END}' >> '{self.log}'\nexit {status}\n"
            )
            stub.chmod(0o700)

    @property
    def environment(self) -> dict[str, str]:
        """All that the shell gets."""
        return {"PATH": str(self.stubs), "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}

    def words(self, words: Sequence[str]) -> list[str] | None:
        """What these words become, None where bash sees an error."""
        line = "printf '%s\\0' " + " ".join(words)
        done = subprocess.run(
            [self.program, "--norc", "--noprofile", "-c", line],
            capture_output=True,
            env=self.environment,
            cwd=self._scratch(),
            timeout=20,
        )
        if done.returncode != 0 or done.stderr:
            return None
        return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def run(self, line: str, timeout: float = 5) -> Seen:
        """Run a line, and wait for all that it started."""
        self.log.unlink(missing_ok=True)
        scratch = self._scratch()
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [self.program, "--norc", "--noprofile", "-c", line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self.environment,
            cwd=scratch,
            pass_fds=[writer],
            start_new_session=True,
        )
        os.close(writer)
        ended = _wait(process, reader, timeout)
        files = frozenset(path.name for path in scratch.iterdir())
        return Seen(self._calls(), files, ended)

    def _calls(self) -> tuple[tuple[str, ...], ...]:
        if not self.log.exists():
            return ()
        text = self.log.read_bytes().decode("utf-8", "surrogateescape")
        rows = text.split(_SEPARATOR + _END + _SEPARATOR)[:-1]
        return tuple(tuple(row.split(_SEPARATOR)) for row in rows)

    def _scratch(self) -> Path:
        self.count += 1
        scratch = self.folder / f"scratch{self.count}"
        scratch.mkdir()
        return scratch


def _wait(process: subprocess.Popen[bytes], reader: int, timeout: float) -> bool:
    """Wait until nobody holds the pipe any more; what outlives the time is ended."""
    try:
        ready, _, _ = select.select([reader], [], [], timeout)
        if not ready:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
        return bool(ready)
    finally:
        os.close(reader)


def commands(node: Node | None) -> Iterator[Simple]:
    """Every simple command in the tree, those in words and redirections included."""
    for found in everything(node):
        if isinstance(found, Simple):
            yield found


def everything(node: Node | None) -> Iterator[Node]:
    """Every node, at any depth."""
    if node is None:
        return
    yield node
    for child in _below(node):
        yield from everything(child)


def redirects(node: Node | None) -> Iterator[Redirect]:
    """Every redirection in the tree."""
    for found in everything(node):
        if isinstance(found, Simple | Redirected):
            yield from found.redirects


def _below(node: Node) -> Iterator[Node]:
    if isinstance(node, Simple):
        for assignment in node.assignments:
            yield from assignment.nested
        yield from _nested(w for a in node.assignments if (w := a.value) is not None)
        yield from _nested(node.words)
        yield from _nested(redirect.target for redirect in node.redirects)
    elif isinstance(node, Row | Pipeline):
        yield from node.items
    elif isinstance(node, AndOr):
        yield from (node.left, node.right)
    elif isinstance(node, Subshell | Function):
        yield node.body
    elif isinstance(node, Compound):
        yield from node.bodies
        yield from _nested(node.words)
    else:
        yield node.body
        yield from _nested(redirect.target for redirect in node.redirects)


def _nested(words: Iterable[Word]) -> Iterator[Node]:
    for word in words:
        yield from word.nested


def covers(words: Sequence[Word], call: Sequence[str]) -> bool:
    """Whether a command of these words may have been called so."""
    if not words:
        return not call
    first = words[0]
    if first.known and not first.tilde:
        return bool(call) and first.text == call[0] and covers(words[1:], call[1:])
    return any(covers(words[1:], call[count:]) for count in range(len(call) + 1))
