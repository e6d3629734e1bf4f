"""One look at the files: what is seen, what is left out, and when it gives up."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from turnloop_core.testing.project import Project, bare_environment, temporary_project
from turnloop_core.worktree.compare import changes
from turnloop_core.worktree.scan import scan
from turnloop_core.worktree.snapshot import Limits, Snapshot

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def counting(look: Snapshot) -> set[str]:
    return {path for path in look.files if not look.rules.ignore(path)}


def git(project: Project, *arguments: str, cwd: Path | None = None) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
    subprocess.run(
        ("git", *who, *arguments),
        cwd=cwd or project.root,
        env=bare_environment(project.home),
        check=True,
        capture_output=True,
        timeout=60,
    )


def test_files_are_seen_with_size_time_inode_and_mode() -> None:
    with temporary_project({"a.py": "12345", "b/c.py": ""}) as project:
        project.path("a.py").chmod(0o640)
        os.utime(project.path("a.py"), ns=(5, 1_700_000_000_123_456_789))
        info = project.path("a.py").stat()
        look = scan(project.root)
        assert look.files["a.py"] == (
            5,
            1_700_000_000_123_456_789,
            info.st_ino,
            stat.S_IFREG | 0o640,
        )
        assert (set(look.files), look.complete, look.why) == ({"a.py", "b/c.py"}, True, "")


def test_links_are_seen_and_never_followed() -> None:
    with temporary_project({"d/a": "x"}) as project:
        project.path("d/loop").symlink_to("..")
        project.path("self").symlink_to("self")
        project.path("gone").symlink_to("nowhere")
        (project.outside / "secret").write_text("x")
        project.path("out").symlink_to(project.outside)
        look = scan(project.root)
        assert set(look.files) == {"d/a", "d/loop", "self", "gone", "out"}
        assert stat.S_ISLNK(look.files["out"][3])


def test_pipes_and_sockets_are_no_files() -> None:
    with temporary_project({"a": ""}) as project:
        os.mkfifo(project.path("pipe"))
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(project.path("s")))
            assert set(scan(project.root).files) == {"a"}


def test_odd_names() -> None:
    names = [b"\xff\xfe.py", b"new\nline", b"-rf", "ü 日本".encode(), b"a\\b", b"*"]
    with temporary_project() as project:
        for name in names:
            (project.root / os.fsdecode(name)).write_bytes(b"")
        assert set(scan(project.root).files) == {os.fsdecode(name) for name in names}


def test_a_folder_that_cannot_be_looked_into_is_named_and_the_rest_is_seen() -> None:
    with temporary_project({"a": "x"}) as project:
        here = os.open(project.root, os.O_RDONLY)
        try:  # a path so long that it cannot be opened as one
            for _ in range(20):
                os.mkdir("d" * 250, dir_fd=here)
                below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
                os.close(here)
                here = below
            os.close(os.open("deep", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        finally:
            os.close(here)
        look = scan(project.root)
        assert (set(look.files), look.complete) == ({"a"}, True)
        (blind,) = look.unreadable
        assert set(blind) == {"d", "/"}
        other = Snapshot(look.files, unreadable=frozenset())
        seen = changes(other, look)
        assert (seen.complete, seen.why) == (False, f"{blind} could not be read")
        assert changes(look, look).complete  # what nobody could read, nobody could change


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="rights do not bind the superuser"
)
def test_without_rights() -> None:
    with temporary_project({"a": "", "no/b": "", "nox/c": ""}) as project:
        before = scan(project.root)
        project.path("no").chmod(0)
        project.path("nox").chmod(0o400)
        try:
            look = scan(project.root)
        finally:
            project.path("no").chmod(0o700)
            project.path("nox").chmod(0o700)
        assert (set(look.files), look.unreadable) == ({"a"}, frozenset({"no", "nox"}))
        seen = changes(before, look)
        assert (seen.removed, seen.complete) == ((), False)


def acting_clock(act: Callable[[], None], when: int) -> Callable[[], float]:
    """A clock that does something when it is looked at for the `when`th time."""
    looked = 0

    def clock() -> float:
        nonlocal looked
        looked += 1
        if looked == when:
            act()
        return 0.0

    return clock


@pytest.mark.parametrize("when", range(2, 7))
def test_what_vanishes_meanwhile_is_no_error(when: int) -> None:
    files = {f"{folder}/{name}": "" for folder in "abc" for name in ("x", "y/z")}
    with temporary_project({**files, "top": ""}) as project:

        def act() -> None:
            for folder in "abc":
                shutil.rmtree(project.path(folder))

        look = scan(project.root, clock=acting_clock(act, when))
        assert look.complete
        assert "top" in look.files
        assert len(look.files) < 7


def test_a_folder_that_becomes_a_file_meanwhile() -> None:
    with temporary_project({"a/x": "", "b": ""}) as project:

        def act() -> None:
            shutil.rmtree(project.path("a"))
            project.path("a").write_text("")

        look = scan(project.root, clock=acting_clock(act, 2))
        assert (set(look.files), look.complete) == ({"b"}, True)


def test_the_root_is_gone() -> None:
    with temporary_project({"a": ""}) as project:
        before = scan(project.root)
        shutil.rmtree(project.root)
        look = scan(project.root, previous=before)
        assert (look.complete, look.why, look.files) == (False, "the project folder is gone", {})
        assert changes(before, look).removed == ()
        project.root.write_text("now a file")
        assert scan(project.root).why == "the project folder is gone"


def test_it_gives_up_at_a_number_of_files() -> None:
    with temporary_project({f"{n % 7}/{n}": "" for n in range(40)}) as project:
        look = scan(project.root, Limits(files=39))
        assert (look.complete, look.why, look.files) == (
            False,
            "there are more than 39 files",
            {},
        )
        assert scan(project.root, Limits(files=40)).complete


def test_it_gives_up_within_one_large_folder() -> None:
    with temporary_project({str(n): "" for n in range(2_000)}) as project:
        times = iter(range(10_000))
        look = scan(project.root, Limits(seconds=3), clock=lambda: float(next(times)))
        assert (look.complete, look.why) == (False, "looking at the files takes more than 3 s")
        assert look.seconds < 8  # it did not list the rest


GENERATED = {
    "src/a.py": "",
    "src/__pycache__/a.pyc": "",
    "node_modules/x/index.js": "",
    "env/pyvenv.cfg": "",
    "env/lib/b.py": "",
    "cache/CACHEDIR.TAG": "",
    "cache/c": "",
    "CACHEDIR.TAG": "",
    ".turnloop/settings.json": "{}",
    ".hg/store": "",
    "build/out.js": "",
    "lib/target/t": "",
    "rust/target/t": "",
    "rust/Cargo.toml": "",
}


def test_what_programs_make_is_left_out_without_a_repository() -> None:
    with temporary_project(GENERATED) as project:
        assert counting(scan(project.root)) == {
            "src/a.py",
            "build/out.js",  # nothing says that a build made it
            "lib/target/t",
            "rust/Cargo.toml",
            "CACHEDIR.TAG",  # the project itself is never taken for one
        }
        project.write("package.json", "{}")
        project.write(".gitignore", "lib/\n")
        assert counting(scan(project.root)) == {
            "src/a.py",
            "package.json",
            ".gitignore",
            "rust/Cargo.toml",
            "CACHEDIR.TAG",
        }


@needs_git
def test_in_a_repository_what_is_tracked_counts() -> None:
    files = {
        ".gitignore": "*.log\ngen/\n",
        "build/own.sh": "",
        "gen/kept.py": "",
        "gen/deep/kept.py": "",
        "node_modules/kept.js": "",
        "kept.log": "",
        "package.json": "{}",
    }
    with temporary_project(files) as project:
        git(project, "init", "--quiet")
        git(project, "add", "--force", "--all")
        for name in (
            "build/new.sh",
            "gen/new.py",
            "gen/other/new.py",
            "node_modules/new.js",
            "new.log",
        ):
            project.write(name, "")
        seen = counting(scan(project.root))
        # A folder that only its name makes suspect is ordinary once git tracks something in it.
        assert seen == {*files, "build/new.sh", "node_modules/new.js"}
        look = scan(project.root)
        assert look.skipped >= {"gen/other"}
        project.write("gen/kept.py", "changed")
        project.write("gen/new.py", "changed")
        project.write("kept.log", "changed")
        project.write("new.log", "changed")
        found = changes(look, scan(project.root, previous=look))
        assert (found.paths, found.ignored) == (("gen/kept.py", "kept.log"), ("new.log",))


@needs_git
@pytest.mark.parametrize("version", ["2", "4"])
def test_the_index_is_read_in_all_its_versions(version: str) -> None:
    names = {f"d{n % 5}/{'long' * (n % 9)}-{n}.py": "" for n in range(120)}
    with temporary_project({**names, ".gitignore": "*\n", "ü.py": ""}) as project:
        git(project, "init", "--quiet")
        git(project, "config", "index.version", version)
        git(project, "add", "--force", "--all")
        project.write("d1/later.py", "")
        git(project, "add", "--intent-to-add", "--force", "d1/later.py")  # an entry with more flags
        project.write("d1/untracked.py", "")
        look = scan(project.root)
        assert counting(look) == {*names, ".gitignore", "ü.py", "d1/later.py"}
        index = project.path(".git/index")
        index.write_bytes(index.read_bytes()[:-700])  # damaged: nothing is known to be tracked
        assert counting(scan(project.root, previous=look)) == set()


@needs_git
@pytest.mark.parametrize("content", [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\1", b"x" * 4000])
def test_what_is_no_index(content: bytes) -> None:
    with temporary_project({"a": "", ".gitignore": "a"}, git=True) as project:
        project.path(".git/index").write_bytes(content)
        assert counting(scan(project.root)) == {".gitignore"}


@needs_git
def test_a_project_inside_a_repository_and_a_linked_working_folder() -> None:
    files = {
        ".gitignore": "*.log\n/sub/x\n",
        "sub/.gitignore": "y\n",
        "sub/a.py": "",
        "sub/kept.log": "",
    }
    with temporary_project(files) as project:
        git(project, "init", "--quiet")
        git(project, "add", "--force", "--all")
        git(project, "commit", "--quiet", "-m", "x")
        linked = project.outside / "linked"
        git(project, "worktree", "add", "--quiet", str(linked))
        (project.root / ".git" / "info" / "exclude").write_text("z\n")
        for top in (project.root, linked):
            for name in ("x", "y", "z", "n.log", "new.py", "deep/x"):
                (top / "sub" / name).parent.mkdir(exist_ok=True)
                (top / "sub" / name).write_text("")
            look = scan(top / "sub")
            assert counting(look) == {".gitignore", "a.py", "kept.log", "new.py", "deep/x"}


@needs_git
def test_the_users_own_rules_count_in_repositories() -> None:
    with temporary_project({"a.swp": "", "b.py": ""}) as project:
        rules = project.home / ".config" / "git" / "ignore"
        rules.parent.mkdir(parents=True)
        rules.write_text("*.swp\n")
        assert counting(scan(project.root, home=project.home)) == {"a.swp", "b.py"}
        git(project, "init", "--quiet")
        assert counting(scan(project.root, home=project.home)) == {"b.py"}
        assert counting(scan(project.root)) == {"a.swp", "b.py"}


def test_no_program_of_a_repository_runs(tmp_path: Path) -> None:
    with temporary_project({"a": "", ".gitignore": "*.log"}, git=True) as project:
        trap = tmp_path / "sprung"
        with project.path(".git/config").open("a") as config:
            config.write(f"[core]\n fsmonitor = touch {trap}\n hooksPath = {tmp_path}\n")
        scan(project.root)
        assert not trap.exists()


def test_a_link_is_no_file_of_rules() -> None:
    with temporary_project({"a": "", "b": ""}) as project:
        (project.outside / "rules").write_text("a\n")
        project.path(".gitignore").symlink_to(project.outside / "rules")
        assert counting(scan(project.root)) == {"a", "b", ".gitignore"}


def test_rules_that_change_are_read_again_and_those_that_do_not_are_not() -> None:
    with temporary_project({".gitignore": "a\n", "a": "", "b": "", "d/.gitignore": "!a"}) as p:
        first = scan(p.root)
        second = scan(p.root, previous=first)
        assert second.rules.levels["d"] is first.rules.levels["d"]
        assert counting(second) == {".gitignore", "b", "d/.gitignore"}
        p.write(".gitignore", "b\n#\n")
        third = scan(p.root, previous=second)
        assert counting(third) == {".gitignore", "a", "d/.gitignore"}
        assert third.rules.levels["d"].parent is third.rules.levels[""]
        assert third.files["d/.gitignore"] is first.files["d/.gitignore"]  # kept once
