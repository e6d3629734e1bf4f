"""A project, the rules of somebody who works in it, and the words of their lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

FILES: Mapping[str, str] = MappingProxyType(
    {
        ".env": "KEY=1\n",
        ".env.example": "KEY=\n",
        ".gitignore": ".env\nbuild/\n",
        ".git/HEAD": "ref: refs/heads/main\n",
        "README.md": "# A project\n",
        "Makefile": "test:\n\tpytest\n",
        "package.json": '{"name": "app", "scripts": {"test": "vitest"}}\n',
        "pyproject.toml": "[project]\nname = 'app'\n",
        "src/app.py": "import os\n",
        "src/util.py": "x = 1\n",
        "src/api/routes.py": "y = 2\n",
        "src/index.ts": "export {}\n",
        "tests/test_app.py": "def test_it(): ...\n",
        "tests/test_util.py": "def test_it(): ...\n",
        "docs/guide.md": "# Guide\n",
        "scripts/build.sh": "#!/bin/sh\necho built\n",
        "data/items.json": '{"items": []}\n',
        "data/rows.csv": "a,b\n1,2\n",
    }
)

_PROGRAMS = (
    *("git", "ls", "cat", "head", "tail", "wc", "grep", "rg", "find", "sed", "awk", "jq", "sort"),
    *("uniq", "cut", "tr", "xargs", "diff", "tee", "echo", "printf", "test", "[", "pytest", "cd"),
    *("python", "python3", "npm", "npx", "node", "cargo", "go", "make", "ruff", "mkdir", "cp"),
    *("mv", "touch", "pwd", "date", "which", "file", "stat", "du", "tree", "export", "sleep"),
    *("basename", "dirname", "uv", "tsc", "mypy", "column", "nl", "tox", "comm", "paste", "seq"),
    *("env", "sha256sum", "pnpm", "yarn", "black", "eslint", "prettier", "jest", "vitest", "read"),
    *("chmod", "ln", "bash", "tar", "uname", "whoami", "df", "pushd", "popd", "coverage", "type"),
    *("command", "set", "wait", "vite"),
)

# What somebody who works like this has allowed.
RULES = (
    *(f"Bash({name} *)" for name in _PROGRAMS),
    *(f"Bash({name})" for name in _PROGRAMS),
    *("Bash(./scripts/*)", "Bash(PYTHONPATH=src *)", "Bash(NODE_ENV=test *)", "Bash(CI=true *)"),
    *("Bash(FORCE_COLOR=0 *)", "Edit(src/**)", "Edit(docs/**)", "Edit(build/**)", "Edit(*.log)"),
    *("Edit(data/**)", "Edit(README.md)"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        text: the line.
        kind: what sort of line it is.
        local: it stays in the project, and needs no network (`npx` may fetch what it runs).
    """

    text: str
    kind: str
    local: bool = True


class Words:
    """Makes the words of harmless lines; the same seed, the same words."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    @property
    def file(self) -> str:
        return self.pick(
            *("src/app.py", "src/util.py", "README.md", "tests/test_app.py", "package.json"),
            *("docs/guide.md", "src/api/routes.py", "pyproject.toml", "./src/app.py", "Makefile"),
            *("src/index.ts", "tests/test_util.py", "data/items.json", ".gitignore"),
        )

    @property
    def folder(self) -> str:
        return self.pick("src", "tests", "docs", "src/", "./src", "src/api", ".", "tests/", "data")

    @property
    def globs(self) -> str:
        return self.pick(
            *("src/*.py", "tests/test_*.py", "*.md", "src/**/*.py", "docs/*", "src/*.{py,ts}"),
            *("{src,tests}/*.py", "tests/test_{app,util}.py", "src/[au]*.py", "src/*/*.py"),
        )

    @property
    def text(self) -> str:
        """What is looked for."""
        return self.pick(
            *("TODO", "def main", "import os", "class User", "foo\\(bar\\)", "^import", "error"),
            *(
                "Traceback",
                "[A-Z]+_KEY",
                "get_user|set_user",
                "it's",
                "user_id",
                "x = 1",
                "\\bfn\\b",
            ),
            *("console.log", "useState(", "\\.unwrap()", "$HOME", "FIXME|XXX", "a && b", "<div>"),
        )

    @property
    def pattern(self) -> str:
        text = self.text
        if "'" in text or self.random.random() < 0.4:
            return '"' + text.replace("\\", "\\\\").replace("$", "\\$") + '"'
        return f"'{text}'"

    @property
    def message(self) -> str:
        return self.pick(
            *("fix: handle empty input", "Add tests for the parser", "WIP", "Don't crash on EOF"),
            *(
                "feat(api): add /users route",
                "Bump version to 1.2.3",
                "Refactor; no change",
                "typo",
            ),
            *("Use `foo` instead of bar", "Cost is $5 (was $10)", "Merge a & b | c", "Fix #123"),
            *("rm the old cache", "Say hello -> world", "50% faster *", "Update README.md"),
        )

    @property
    def quoted(self) -> str:
        text = self.message
        if "'" not in text and self.random.random() < 0.4:
            return f"'{text}'"
        return '"' + text.replace("`", "\\`").replace("$", "\\$") + '"'

    @property
    def cut(self) -> str:
        """What is done with much output."""
        return self.pick(
            *("", "", " | head", " | head -20", " | head -n 50", " 2>&1 | tail -20", " | wc -l"),
            *(" 2>&1 | tail -n 30", " 2>/dev/null", " 2>&1", " | cat", " 2>&1 | head -100"),
            *(" | sort | uniq -c | sort -rn | head", " 2>/dev/null | head -5", " || true"),
            *(" 2>&1 | grep -v warning | tail -5", " > /dev/null 2>&1", " | tee out.log"),
        )
