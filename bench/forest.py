"""A folder with many files of all sorts, the same at every run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

_WORDS = ("alpha", "beta", "gamma", "return value", "def f(x):", "import os", "naïve", "日本", "x")
_ENDINGS = (".py", ".py", ".js", ".md", ".txt", ".log", ".json", ".min.js", ".tmp", "")
_STEMS = ("main", "test", "view", "a b", "ünï", "-dash", "new\nline", ".hidden", "[x]", "data")
# What ignore files say; the nearer the root, the more of it.
_RULES = (
    "*.log\n!keep*.log\n",
    "build/\n/top-only.txt\n**/gen/**\n",
    "*.tmp\n\\#odd\n!/d*/main*.tmp\n",
    "doc/*.md\n!doc/main*.md\n",
    "# nothing\n[tv]*.json\n",
    "*\n!*.py\n!*/\n",
)
MARK = "MARK"


@dataclass(slots=True)
class Forest:
    """What is planted.

    Attributes:
        root: a repository, as far as its `.git` folder says so.
        home: the user's home, with ignore rules in it.
        size: files, about.
        random: decides everything.
        folders: those there are.
    """

    root: Path
    home: Path
    size: int
    random: Random
    folders: list[Path] = field(default_factory=list)

    def plant(self) -> None:
        self._repository(self.root)
        self.folders.append(self.root)
        for number in range(max(8, self.size // 20)):
            self._folder(number)
        rules = (".gitignore", ".gitignore", ".ignore", ".rgignore")
        _write(self.root / ".gitignore", _RULES[0].encode())
        for place in self.random.sample(self.folders, len(self.folders) // 12):
            some = self.random.sample(_RULES, 2)
            _write(place / self.random.choice(rules), "".join(some).encode())
        for number in range(self.size):
            self._file(self.folders[number % len(self.folders)], number)
        self._links()
        settings = self.home / ".config" / "git"
        settings.mkdir(parents=True, exist_ok=True)
        _write(settings / "ignore", b"*.swp\n.idea/\nview-9*\n")

    def _repository(self, folder: Path) -> None:
        _write(folder / ".git" / "HEAD", b"ref: refs/heads/main\n")
        _write(folder / ".git" / "info" / "exclude", b"*.orig\nexcluded*/\n")

    def _folder(self, number: int) -> None:
        names = ("src", "src", "src", "lib", "doc", "d", ".github", "build", "gen", "excluded")
        name = f"{self.random.choice(names)}{self.random.choice(('', '', number))}"
        above = self.random.choice(self.folders[-50:] if number % 3 else self.folders[:20])
        if len(above.parts) > len(self.root.parts) + 12:
            above = self.root
        folder = above / name
        if folder not in self.folders[-200:]:
            folder.mkdir(exist_ok=True)
            self.folders.append(folder)
        if number % 97 == 41:
            self._repository(folder)

    def _file(self, folder: Path, number: int) -> None:
        name = f"{self.random.choice(_STEMS)}-{number}{self.random.choice(_ENDINGS)}"
        data = self._content(number)
        if number % 501 == 7 and os.name == "posix":
            _write(Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff-%d.py" % number)), data)
        else:
            _write(folder / name, data)

    def _content(self, number: int) -> bytes:
        match number % 200:
            case 3:
                return b""
            case 19:
                return b"\0binary " + self._text("\n").encode()
            case 37:
                return f"{'long ' * 3000}{MARK}{' end' * 2000}".encode()
            case 41:
                return ("\ufeff" + self._text("\r\n")).encode("utf-16-le")
            case 53:
                return ("\ufeff" + self._text("\n")).encode()
            case 71:
                return b"caf\xe9 " + self._text("\r\n").encode()
        return self._text("\n").encode()

    def _text(self, end: str) -> str:
        lines: Sequence[str] = [
            " ".join(self.random.choices(_WORDS, k=6)) for _ in range(self.random.randint(1, 30))
        ]
        if self.random.random() < 0.1:
            lines = [*lines, f"the {MARK} is here", *lines[:2]]
        return end.join(lines) + (end if self.random.random() < 0.9 else "")

    def _links(self) -> None:
        if os.name != "posix":
            return
        (self.root / "loop").symlink_to(".")
        (self.folders[-1] / "up").symlink_to("..")
        (self.root / "nowhere").symlink_to("not/there")
        (self.root / "a-link.py").symlink_to("b.py")


def plant(root: Path, home: Path, size: int, seed: int = 1) -> None:
    """Fill two empty folders."""
    Forest(root, home, size, Random(seed)).plant()


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
