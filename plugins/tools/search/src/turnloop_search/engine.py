"""Searches the contents of files: by ripgrep where it is, else by our own scanner.

Both get the same list of files, made by us, and answer in the same form, so a search means the same
on every machine. ripgrep is faster on large trees, and takes no expression for ever.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from turnloop_search.expression import Expression
from turnloop_search.hits import Hits
from turnloop_search.messages import messages
from turnloop_search.stop import Stop, StoppedError, complaints_of

_BATCH = 100_000 if os.name == "posix" else 20_000  # bytes of names in one command line
_OWN = str(Path(__file__).with_name("scan.py"))


@dataclass(slots=True)
class Search:
    """One search for an expression.

    Attributes:
        expression: what is looked for.
        ignore_case: upper and lower case are alike.
        context: lines before and after each match.
        keep: lines are wanted, not only numbers.
        rg: path of ripgrep, None when it is not there.
        environment: for the programs.
        stop: the brake.
    """

    expression: Expression
    ignore_case: bool
    context: int
    keep: bool
    rg: str | None
    environment: Mapping[str, str]
    stop: Stop
    hits: Hits = field(default_factory=Hits)

    def files(self, base: str, names: Sequence[str]) -> Hits:
        """Search files, given relative to `base`."""
        for batch in self._batches(names):
            if not self._over():
                self._go(base, batch, None)
        return self._done()

    def opened(self, base: str, file: IO[bytes]) -> Hits:
        """Search one file that is open already."""
        self._go(base, (), file)
        return self._done()

    def _batches(self, names: Sequence[str]) -> Iterator[Sequence[str]]:
        """What fits one command line; our own scanner takes all at once."""
        size, start = 0, 0
        for at, name in enumerate(names):
            size += len(os.fsencode(name)) + 16
            if size > _BATCH and self.rg is not None and not self.expression.own_only:
                yield names[start:at]
                size, start = 0, at
        if start < len(names):
            yield names[start:]

    def _over(self) -> bool:
        return bool(self.stop or self.hits.cut)

    def _go(self, base: str, names: Sequence[str], file: IO[bytes] | None) -> None:
        if self.rg is not None and not self.expression.own_only:
            paths = ["./-" if name == "-" else name for name in names] or ["-"]
            if self._run([*self._rg(self.rg), *paths], base, file):
                return
            self.rg = None  # it does not take this expression
        mode = "files" if file is None else "input"
        case = "i" if self.ignore_case else "-"
        python = [sys.executable, "-I", "-S", "-W", "ignore", _OWN]
        command = [*python, self.expression.python, case, str(self._beside), mode]
        if file is not None:
            file.seek(0)
            self._run(command, base, file)
            return
        with _listed(names) as source:
            self._run(command, base, source)

    @property
    def _beside(self) -> int:
        return self.context if self.keep else 0

    def _rg(self, rg: str) -> list[str]:
        return [
            rg,
            "--no-config",
            "--json",
            "--crlf",
            "--no-mmap",  # or a null byte far into a file may go unseen
            "--ignore-case" if self.ignore_case else "--case-sensitive",
            f"--context={self._beside}",
            f"--regexp={self.expression.text}",
            "--",
        ]

    def _run(self, command: list[str], base: str, stdin: IO[bytes] | None) -> bool:
        """Run one program; False when it would not take the expression."""
        said = False
        try:
            with self.stop.process(
                command, cwd=base, environment=self.environment, stdin=stdin
            ) as (process, complaints):
                assert process.stdout is not None
                for line in messages(process.stdout):
                    said = True
                    self.hits.take(line, keep=self.keep)
                    if self.hits.cut:
                        return True
                code = process.wait()
                told = complaints_of(complaints)
        except StoppedError:
            return True
        except OSError as error:
            if command[0] == self.rg:
                return False  # our own scanner does it
            self.hits.cut = f"{Path(command[0]).name} could not be started: {error.strerror}"
            return True
        if self.stop:
            return True
        if code == 2 and not said and command[0] == self.rg:
            return False
        self._complaints(told, code)
        return True

    def _complaints(self, told: str, code: int) -> None:
        for line in told.splitlines():
            if "(os error 2)" not in line and "No such file" not in line:  # gone meanwhile
                self.hits.unread.append(line)
        if code not in (0, 1, 2) or (code and not told and code != 1):
            self.hits.cut = f"the search program ended with status {code}"

    def _done(self) -> Hits:
        if self.stop:
            self.hits.cut = f"the search was stopped after {self.stop.seconds:g} seconds"
        self.hits.files.sort(key=lambda hit: hit.name)
        return self.hits


@contextmanager
def _listed(names: Sequence[str]) -> Iterator[IO[bytes]]:
    """The names, with NUL after each, as a file to be read."""
    with TemporaryFile() as file:
        file.write(b"".join(os.fsencode(name) + b"\0" for name in names))
        file.seek(0)
        yield file
