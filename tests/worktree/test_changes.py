"""What changed between two looks, against a plain model of a tree."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings, strategies as st

from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.changes import Changes
from turnloop_core.worktree.compare import changes, fingerprint
from turnloop_core.worktree.scan import scan
from turnloop_core.worktree.snapshot import Limits

NAMES = ("a", "b", "c.log", "d")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
ACTS = st.tuples(
    st.sampled_from(["write", "same", "remove", "link", "mode", "move", "fifo", "touch"]),
    PATHS,
    PATHS,
)


@dataclass
class Model:
    """A tree, and for each file a version that grows with every act upon it."""

    root: Path
    files: dict[str, int] = field(default_factory=dict)
    ticks: Iterator[int] = field(default_factory=lambda: count(1_000_000_000))

    def act(self, what: str, path: str, other: str) -> None:
        target = self.root / path
        if what in ("remove", "mode", "move", "touch"):
            if not (target.exists() or target.is_symlink()):
                return
            getattr(self, what)(target, path, other)
            return
        if target.is_dir() and not target.is_symlink():
            return
        if any(_is_no_folder(self.root / above) for above in _above(path)):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        getattr(self, what)(target, path, other)

    def write(self, target: Path, path: str, other: str) -> None:
        if target.is_symlink():
            return
        tick = next(self.ticks)
        if path not in self.files:
            target.unlink(missing_ok=True)  # a pipe, which would wait for a reader
        target.write_text(str(tick))
        os.utime(target, ns=(tick, tick))
        self.files[path] = tick

    def same(self, target: Path, path: str, other: str) -> None:
        """Write as many bytes as before, in place: only the time tells."""
        if path in self.files and not target.is_symlink():
            self.write(target, path, other)

    def touch(self, target: Path, path: str, other: str) -> None:
        """Read it, and look into the folder: that changes nothing."""
        if path in self.files and target.is_file():
            target.read_text()

    def link(self, target: Path, path: str, other: str) -> None:
        target.unlink(missing_ok=True)
        target.symlink_to("/" + other)
        tick = next(self.ticks)
        os.utime(target, ns=(tick, tick), follow_symlinks=False)
        self.files[path] = tick

    def fifo(self, target: Path, path: str, other: str) -> None:
        target.unlink(missing_ok=True)
        os.mkfifo(target)
        self.files.pop(path, None)

    def remove(self, target: Path, path: str, other: str) -> None:
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()
        self.files = {p: v for p, v in self.files.items() if p != path and path not in _above(p)}

    def mode(self, target: Path, path: str, other: str) -> None:
        if path in self.files and not target.is_symlink():
            target.chmod(0o600 if target.stat().st_mode & 0o100 else 0o700)
            self.files[path] = next(self.ticks)

    def move(self, target: Path, path: str, other: str) -> None:
        if path not in self.files or (self.root / other).exists() or other in self.files:
            return
        if not (self.root / other).parent.is_dir():
            return
        target.rename(self.root / other)
        self.files[other] = next(self.ticks)
        del self.files[path]


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]


def _is_no_folder(path: Path) -> bool:
    return path.is_symlink() or (path.exists() and not path.is_dir())


@contextmanager
def _model() -> Iterator[Model]:
    with TemporaryDirectory() as folder:
        yield Model(Path(folder).resolve())


@settings(max_examples=150, deadline=None)
@given(first=st.lists(ACTS, max_size=12), then=st.lists(ACTS, max_size=8), rules=st.booleans())
def test_every_change_is_seen_and_nothing_else(
    first: list[tuple[str, str, str]], then: list[tuple[str, str, str]], rules: bool
) -> None:
    with _model() as model:
        if rules:
            (model.root / ".gitignore").write_text("*.log\n")
        for act in first:
            model.act(*act)
        before, old = scan(model.root), dict(model.files)
        for act in then:
            model.act(*act)
        after, new = scan(model.root, previous=before), dict(model.files)
        differing = {p for p in {*old, *new} if old.get(p) != new.get(p)}
        ignored = {p for p in differing if rules and ".log" in p}
        expected = differing - ignored
        seen = changes(before, after)
        assert seen.complete
        assert seen.added == tuple(sorted(p for p in expected if p not in old))
        assert seen.removed == tuple(sorted(p for p in expected if p not in new))
        assert seen.changed == tuple(sorted(p for p in expected if p in old and p in new))
        assert seen.paths == tuple(sorted(expected))
        assert set(seen.ignored) <= ignored
        assert (fingerprint(before) == fingerprint(after)) is (not expected)
        assert scan(model.root).files == after.files  # with or without an earlier look


def test_reading_and_listing_change_nothing() -> None:
    with temporary_project({"a": "1", "b/c": "2"}, git=True) as project:
        before = scan(project.root)
        project.read("a")
        list(project.root.rglob("*"))
        os.utime(project.path("b"))  # of a folder
        project.path("b/empty").mkdir()
        assert changes(before, scan(project.root)) == Changes()


def test_rules_that_change_meanwhile_show_nothing_that_was_hidden() -> None:
    files = {".gitignore": "gen/\n", "gen/a": "1", "src/b": "1", "node_modules/c": "1"}
    with temporary_project(files) as project:
        before = scan(project.root)
        project.write(".gitignore", "src/\n")
        project.write("src/b", "22")
        project.write("gen/a", "22")
        shutil.rmtree(project.path("node_modules"))
        seen = changes(before, scan(project.root, previous=before))
        assert seen == Changes(changed=(".gitignore",))


def test_ignored_files_are_named_apart_and_not_all_of_them() -> None:
    with temporary_project({".gitignore": "*.log\n", "a.py": "1"}) as project:
        before = scan(project.root)
        for n in range(80):
            project.write(f"{n:02}.log", "x")
        seen = changes(before, scan(project.root, previous=before))
        assert seen == Changes(ignored=tuple(f"{n:02}.log" for n in range(50)))


def test_a_look_that_gave_up_says_nothing_about_changes() -> None:
    with temporary_project({"a": "1", "b": "2"}) as project:
        whole, cut = scan(project.root), scan(project.root, Limits(files=1))
        why = "there are more than 1 files"
        assert changes(whole, cut) == changes(cut, whole) == Changes(complete=False, why=why)
        assert fingerprint(cut) == ""


def _rewrite(project: Project, name: str) -> None:
    """As editors save: a new file takes the place of the old, with the same size and time."""
    old = project.path(name)
    info = old.stat()
    new = project.write(f"{name}.new", old.read_bytes()[::-1])
    os.utime(new, ns=(info.st_atime_ns, info.st_mtime_ns))
    new.replace(old)


def test_a_file_that_was_replaced_by_one_of_the_same_size_and_time() -> None:
    with temporary_project({"a": "12"}) as project:
        before = scan(project.root)
        _rewrite(project, "a")
        assert changes(before, scan(project.root)).changed == ("a",)


def test_fingerprints_are_of_size_time_and_mode_and_leave_out_ignored_files() -> None:
    with temporary_project({".gitignore": "*.log\n", "a": "12", "x.log": "1"}) as project:
        first = fingerprint(scan(project.root))
        assert len(first) == 32
        project.write("x.log", "12345")
        _rewrite(project, "a")
        assert fingerprint(scan(project.root)) == first
        project.path("a").chmod(0o755)
        assert fingerprint(scan(project.root)) != first
