"""The language of `sed`, read far enough to know what a script writes, reads and runs."""

from __future__ import annotations

from dataclasses import dataclass, field

_BLANK = " \t"
_PLAIN = frozenset("=dDgGhHnNpPxFz{}")
_FLAGS = frozenset("gpiImM0123456789")


class Unread(Exception):  # noqa: N818 - a sign that reading stops, no error of the user
    """The script is not understood from here on."""


@dataclass(slots=True)
class Script:
    """What a script does beside editing lines.

    Attributes:
        writes: files that it writes.
        reads: files that it reads.
        code: shell code that its `e` commands run.
        runs: it runs what only its input will tell.
    """

    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    runs: bool = False


class _Reader:
    def __init__(self, text: str, *, brackets: bool) -> None:
        self.text, self.place, self.script = text, 0, Script()
        self.brackets = brackets

    def peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def take(self) -> str:
        char = self.peek()
        self.place += 1
        return char

    def skip(self, chars: str) -> None:
        while self.peek() and self.peek() in chars:
            self.place += 1

    def line(self) -> str:
        """The rest of the line."""
        end = self.text.find("\n", self.place)
        end = len(self.text) if end < 0 else end
        found, self.place = self.text[self.place : end], end + 1
        return found

    def delimited(self, mark: str, *, pattern: bool) -> None:
        """Skip to the delimiter behind a pattern or a replacement."""
        while True:
            char = self.take()
            if not char or (char == "\n" and pattern):
                raise Unread
            if char == "\\":
                if not self.take():
                    raise Unread
            elif char == mark:
                return
            elif char == "[" and pattern and self.brackets:
                self.place = self._bracket_end()

    def _bracket_end(self) -> int:
        """Where a bracket expression ends, behind its `]`."""
        place = self.place + (self.text[self.place : self.place + 1] == "^")
        place += self.text[place : place + 1] == "]"
        while place < len(self.text) and self.text[place] != "\n":
            kind = self.text[place + 1 : place + 2]
            if self.text[place] == "[" and kind and kind in ":.=":
                end = self.text.find(kind + "]", place + 2)
                if end < 0:
                    raise Unread
                place = end + 2
            elif self.text[place] == "]":
                return place + 1
            else:
                place += 1
        raise Unread

    def address(self) -> bool:
        """Skip one address; whether there was one."""
        char = self.peek()
        if char.isdigit():
            self.skip("0123456789")
            if self.peek() == "~":
                self.take()
                self.skip("0123456789")
        elif char == "$":
            self.take()
        elif char and char in "/\\":
            self.take()
            mark = self.take() if char == "\\" else "/"
            if mark in ("", "\n", "\\"):
                raise Unread
            self.delimited(mark, pattern=True)
            self.skip("IM")
        else:
            return False
        return True

    def addresses(self) -> None:
        if not self.address():
            return
        self.skip(_BLANK)
        if self.peek() == ",":
            self.take()
            self.skip(_BLANK)
            if self.peek() in ("+", "~"):
                self.take()
                self.skip("0123456789")
            elif not self.address():
                raise Unread

    def command(self) -> None:
        self.skip(_BLANK + "\n;")
        self.addresses()
        self.skip(_BLANK)
        self.skip("!" + _BLANK)
        char = self.take()
        if char in _PLAIN:
            self.end(braces=True, opened=char == "{")
        elif char == "s":
            self.substitute()
        elif char == "y":
            mark = self.mark()
            self.delimited(mark, pattern=False)
            self.delimited(mark, pattern=False)
            self.end(braces=True)
        elif char and char in "wWrR":
            self.file(char)
        elif char == "e":
            self.skip(_BLANK)
            code = self.line()
            self.script.runs = self.script.runs or not code.strip()
            if code.strip():
                self.script.code.append(code)
        elif char and char in "aic":
            self.text_command()
        elif char and char in "btT:":
            self.label()
        elif char and char in "qQlL":
            self.skip(_BLANK)
            self.skip("0123456789")
            self.end(braces=True)
        elif char == "#":
            self.line()
        elif char:
            raise Unread

    def mark(self) -> str:
        mark = self.take()
        if mark in ("", "\n", "\\"):
            raise Unread
        return mark

    def substitute(self) -> None:
        mark = self.mark()
        self.delimited(mark, pattern=True)
        self.delimited(mark, pattern=False)
        while True:
            char = self.peek()
            if char in ("w", "e"):
                self.take()
                if char == "w":
                    self.file("w")
                    return
                self.script.runs = True
            elif char and char in _FLAGS:
                self.take()
            else:
                self.end(braces=True)
                return

    def file(self, kind: str) -> None:
        self.skip(_BLANK)
        name = self.line()
        if not name:
            raise Unread
        (self.script.writes if kind in "wW" else self.script.reads).append(name)

    def text_command(self) -> None:
        """`a text`, or lines that go on behind a backslash."""
        while True:
            line = self.line()
            slashes = len(line) - len(line.rstrip("\\"))
            if slashes % 2 == 0 or self.place > len(self.text):
                return

    def label(self) -> None:
        """Some seds end a label at a semicolon, others at the line: the shorter one hides less."""
        self.skip(_BLANK)
        if self.text[self.place :].partition("\n")[0].endswith("\\"):
            raise Unread
        while self.peek() and self.peek() not in " \t\n;}":
            self.take()
        self.end(braces=True)

    def end(self, *, braces: bool, opened: bool = False) -> None:
        """Behind a command only blanks may follow up to its end."""
        self.skip(_BLANK)
        char = self.peek()
        if char in ("", "\n", ";"):
            self.place += 1
        elif not (opened or (braces and char in "}#")):
            raise Unread


def read_script(text: str) -> Script:
    """Read a script.

    Raises:
        Unread: it was not understood.
    """
    script = _read(text, brackets=True)
    try:
        other = _read(text, brackets=False)
    except Unread:  # an error to such a sed: it does nothing
        return script
    for mine, more in ((script.writes, other.writes), (script.reads, other.reads)):
        mine += [name for name in more if name not in mine]
    script.code += [code for code in other.code if code not in script.code]
    script.runs = script.runs or other.runs
    return script


def _read(text: str, *, brackets: bool) -> Script:
    """Read it, where `brackets` say whether the delimiter is plain text inside them.

    Seds differ there: what counts is all that either reading does.
    """
    reader = _Reader(text, brackets=brackets)
    for _ in range(len(text) + 1):
        if reader.place >= len(reader.text):
            break
        reader.command()
    return reader.script
