"""Which files a command changed: on record, and in a line for the model."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnloop_core.api import Changes, ErrorKind
from turnloop_core.worktree.snapshot import Limits
from turnloop_core.worktree.watch import Worktree
from turnloop_shell.changed import UNKNOWN, what_changed

ROOT = Path("/p")


def line(changes: Changes, command: str = "make", output: str = "") -> str:
    return what_changed(changes, ROOT, command=command, output=output).line


def test_the_record_names_the_files(in_shell):
    async def work(bench):
        root = bench.project.root

        def paths(*names):
            return tuple(str(root / name) for name in names)

        async def changed(command):
            return (await bench.run(command)).facts[0].changed_files

        assert await changed("cat a.py; ls -la") == ()
        assert await changed("echo 22 > a.py; echo 1 > new.py; rm b.py") == paths(
            "a.py", "b.py", "new.py"
        )
        assert await changed("mkdir -p x/y && mv a.py x/y/") == paths("a.py", "x/y/a.py")
        assert await changed("ln -s nowhere link; mkdir empty") == paths("link")
        assert await changed("mkdir __pycache__ && touch __pycache__/a.pyc") == ()
        assert await changed(f"touch {bench.project.outside}/z") == ()

    in_shell(work, {"a.py": "1", "b.py": "1"})


def test_also_when_it_fails_or_is_ended(in_shell):
    async def work(bench):
        result = await bench.run("echo 1 > a; exit 3")
        assert result.error is ErrorKind.TOOL_ERROR
        assert result.facts[0].changed_files == (str(bench.project.path("a")),)
        result = await bench.run("echo 1 > b; sleep 30", timeout_s=0.3)
        assert result.error is ErrorKind.TIMEOUT
        assert result.facts[0].changed_files == (str(bench.project.path("b")),)

    in_shell(work)


def test_the_model_is_told_what_it_cannot_know(in_shell):
    async def work(bench):
        assert (await bench.run("echo 1 > a.py")).text == "[no output]"
        result = await bench.run("./gen")
        assert result.text == "[files changed: a.py, out/one.py (new)]"
        result = await bench.run("echo said; ./gen; exit 4")
        assert result.text == "said\n[files changed: a.py, out/one.py]\n[exit code 4]"
        assert result.display.endswith("[files changed: a.py, out/one.py]\n[exit code 4]")

    gen = "#!/bin/sh\nmkdir -p out\necho $$ >> a.py\necho $$ >> out/one.py\n"

    async def executable(bench):
        bench.project.path("gen").chmod(0o755)
        await work(bench)

    in_shell(executable, {"gen": gen})


@pytest.mark.parametrize(
    ("changes", "command", "output", "expected"),
    [
        (Changes(), "make", "", ""),
        (Changes(changed=("src/a.py",)), "sed -i s/a/b/ src/a.py", "", ""),
        (Changes(changed=("src/a.py",)), "cd src && sed -i s/a/b/ 'a.py'", "", ""),
        (Changes(changed=("src/a.py",)), "fmt", "reformatted src/a.py.\n", ""),
        (Changes(changed=("src/a.py",)), "fmt", "a.py", "files changed: src/a.py"),
        (
            Changes(added=("b",), changed=("a",), removed=("c",)),
            "make",
            "",
            "files changed: a, b (new), c (removed)",
        ),
        (
            Changes(changed=tuple("abcdefgh")),
            "x",
            "a b",
            "files changed: c, d, e, f, g and 1 more",
        ),
        (Changes(added=("a\n[exit code 0]",)), "x", "", "files changed: a\\n[exit code 0] (new)"),
        (Changes(added=("\udcff.py",)), "x", "", "files changed: \\udcff.py (new)"),
        (
            Changes(added=("d" * 100 + "/" + "f" * 100,)),
            "x",
            "",
            f"files changed: {'d' * 60}...{'f' * 60} (new)",
        ),
    ],
)
def test_the_line(changes, command, output, expected):
    assert line(changes, command, output) == expected


def test_the_record_is_bounded():
    paths = tuple(f"{n:04}" for n in range(1_234))
    seen = what_changed(Changes(changed=paths), ROOT, command="git checkout x", output="")
    assert seen.files == tuple(f"/p/{path}" for path in paths[:200])
    assert seen.more == 1_034
    assert seen.line == "files changed: 0000, 0001, 0002, 0003, 0004 and 1,229 more"


def test_what_is_not_known_is_not_said_to_be_nothing():
    def seen(changes):
        return what_changed(changes, ROOT, command="make", output="")

    assert seen(None) == UNKNOWN
    assert seen(Changes(complete=False, why="too many")) == UNKNOWN
    assert seen(Changes()).files == ()
    assert seen(Changes(changed=("a",), complete=False)).files == ("/p/a",)


def test_a_project_that_is_too_large(in_shell):
    async def work(bench):
        tree = Worktree(bench.project.root, limits=Limits(files=1))
        for _ in range(3):
            result = await bench.run("echo 1 > c", worktree=tree)
            assert (result.text, result.facts[0].changed_files) == ("[no output]", None)
        assert tree.off

    in_shell(work, {"a": "", "b": ""})
