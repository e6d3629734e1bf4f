"""Paths are judged by where they lead."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.errors import TurnloopError
from turnloop_core.permissions.paths import folds_case, is_inside, path_subject
from turnloop_core.ports.tool import Scope
from turnloop_core.types.subjects import Subject, SubjectKind, Verdict


def plain(place: Any, real: str, kind: SubjectKind = SubjectKind.READ, **rest: Any) -> Subject:
    """The subject expected of a path below the top folder."""
    full = str(place.top / real)
    inside = real.startswith("proj/")
    shown = real.removeprefix("proj/") if inside else full
    wide = tuple(str(place.top / form) for form in rest.pop("wide", ()))
    return Subject(kind, full, wide, shown, **rest)


@pytest.mark.parametrize(
    "given",
    [
        "src/a.py",
        "./src//./a.py",
        "src/a.py/",
        "src/../src/a.py",
        "../proj/src/a.py",
        "src/missing/../a.py",
    ],
)
def test_spellings_of_one_file(place: Any, given: str) -> None:
    place.file("proj/src/a.py")
    assert place.read(given) == plain(place, "proj/src/a.py")


def test_absolute_home_and_address(place: Any) -> None:
    place.file("home/dev/n o.txt")
    full = place.home / "n o.txt"
    expected = plain(place, "home/dev/n o.txt")
    assert place.read(full) == expected
    assert place.read("~/n o.txt") == expected
    assert place.read(f"/{full}") == expected
    assert place.read(f"file://{place.home}/n%20o.txt") == expected
    assert place.read(f"FILE://localhost{full}") == expected


def test_home_itself(place: Any) -> None:
    assert place.read("~").narrow == str(place.home)


def test_a_path_is_relative_to_cwd_and_shown_from_the_root(place: Any) -> None:
    place.file("proj/src/a.py")
    scope = Scope(place.root / "src", place.root, place.home)
    subject = path_subject("a.py", scope, SubjectKind.WRITE)
    assert subject == plain(place, "proj/src/a.py", SubjectKind.WRITE)


@pytest.mark.parametrize(
    "name",
    [
        "a b.txt",
        " a",
        "naïve.txt",
        "文件.txt",
        "[a].py",
        "a*b",
        "{x}",
        "$id.tsx",
        "~",
        "..a",
        "a..b",
    ],
)
def test_odd_names_are_names(place: Any, name: str) -> None:
    place.file(f"proj/src/{name}")
    assert place.read(f"src/{name}") == plain(place, f"proj/src/{name}")


def test_names_with_line_ends_are_shown_in_one_line(place: Any) -> None:
    place.file("proj/a\nb\x1b[31m")
    subject = place.read("a\nb\x1b[31m")
    assert subject.narrow == str(place.root / "a\nb\x1b[31m")
    assert subject.display == "a\\nb\\x1b[31m"


def test_links_are_followed_and_every_form_is_kept(place: Any) -> None:
    place.file("outside/hosts")
    place.link("proj/b", place.top / "outside")
    place.link("proj/a", "b")
    assert place.read("a/hosts") == plain(
        place, "outside/hosts", wide=("proj/a/hosts", "proj/b/hosts")
    )


def test_a_link_that_stays_inside(place: Any) -> None:
    place.file("proj/src/real/mod.py")
    place.link("proj/src/link", "real")
    assert place.write("src/link/mod.py") == plain(
        place, "proj/src/real/mod.py", SubjectKind.WRITE, wide=("proj/src/link/mod.py",)
    )


def test_a_dangling_link_means_its_target(place: Any) -> None:
    place.link("proj/new.txt", place.top / "outside/new.txt")
    assert place.write("new.txt").narrow == str(place.top / "outside/new.txt")


def test_two_dots_come_after_the_link(place: Any) -> None:
    (place.top / "outside/dir").mkdir()
    place.link("proj/sub", place.top / "outside/dir")
    subject = place.read("sub/../secret.txt")
    assert subject.narrow == str(place.top / "outside/secret.txt")
    assert str(place.root / "secret.txt") in subject.wide


def test_a_link_after_a_missing_folder_and_back_is_followed(place: Any) -> None:
    place.file("outside/x")
    place.link("proj/notes", place.top / "outside/x")
    assert place.read("missing/../notes").narrow == str(place.top / "outside/x")


def test_a_link_with_dots_in_its_target(place: Any) -> None:
    place.file("outside/x")
    (place.root / "deep").mkdir()
    place.link("proj/deep/l", "../../outside/./x")
    assert place.read("deep/l").narrow == str(place.top / "outside/x")


def test_the_project_reached_through_a_link(place: Any) -> None:
    place.link("data", "proj")
    place.file("proj/src/a.py")
    assert place.read(place.top / "data/src/a.py") == plain(
        place, "proj/src/a.py", wide=("data/src/a.py",)
    )


@pytest.mark.parametrize("length", [1, 2, 3])
def test_links_in_a_circle(place: Any, length: int) -> None:
    for number in range(length):
        place.link(f"proj/l{number}", f"l{(number + 1) % length}")
    with pytest.raises(TurnloopError, match="round in a circle"):
        place.read("l0/a")


def test_the_deepest_chain_that_the_system_follows_is_followed(place: Any) -> None:
    place.file("proj/l40")
    for number in range(40):
        place.link(f"proj/l{number}", f"l{number + 1}")
    assert place.read("l0").narrow == os.path.realpath(place.root / "l0")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "is empty"),
        ("src/a.py\0/../../etc/passwd", "NUL"),
        ("file:///etc/a%00b", "NUL"),
        ("\ud800", "no file name can have"),
        ("a" * 5000, "too long"),
    ],
)
def test_what_is_no_path(place: Any, path: str, message: str) -> None:
    with pytest.raises(TurnloopError, match=message) as caught:
        place.read(path)
    assert caught.value.hint
    assert "\n" not in caught.value.for_model


def test_other_kinds_are_refused(place: Any) -> None:
    with pytest.raises(ValueError, match="read or written"):
        path_subject("a", place.scope, SubjectKind.COMMAND)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/fd/3", "/proc/self/environ", "/sys/x", "/dev"])
def test_files_of_the_system_are_undecidable(place: Any, path: str) -> None:
    subject = place.read(path)
    assert subject.dynamic
    assert subject.reason
    for mode, expected in (("default", "ask"), ("auto", "ask"), ("plan", "ask")):
        assert place.verdict(place.engine(mode, allow=["Read"]), "Read", subject) == expected


@pytest.mark.skipif(not Path("/proc/self/root").exists(), reason="needs /proc")
def test_through_proc_to_a_plain_file(place: Any) -> None:
    place.file("proj/.env")
    subject = place.read(f"/proc/self/root{place.root}/.env")
    assert (subject.narrow, subject.dynamic) == (str(place.root / ".env"), True)


def test_pipes_and_sockets_are_undecidable(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(place.root / "pipe")
    monkeypatch.chdir(place.root)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("sock")
        for name in ("pipe", "sock"):
            assert place.read(name).dynamic


def test_a_file_with_two_names_is_not_written_without_a_question(place: Any) -> None:
    place.file("outside/cache.bin")
    os.link(place.top / "outside/cache.bin", place.root / "cache.bin")
    assert place.write("cache.bin").dynamic
    assert not place.read("cache.bin").dynamic
    engine = place.engine("auto", allow=["Edit(**)"])
    assert place.verdict(engine, "Write", place.write("cache.bin")) is Verdict.ASK


@pytest.mark.parametrize("path", ["$HOME/.aws/credentials", "${HOME}/x", "$X", "~root/x", "%A%/x"])
def test_what_looks_like_a_variable_is_undecidable_until_it_is_there(place: Any, path: str) -> None:
    assert place.read(path).dynamic
    place.file(f"proj/{path}")
    assert not place.read(path).dynamic


def test_a_folder_that_may_not_be_entered_is_undecidable(place: Any) -> None:
    if os.geteuid() == 0:
        pytest.skip("root enters every folder")
    place.file("proj/closed/a")
    (place.root / "closed").chmod(0)
    try:
        assert place.read("closed/a").dynamic
    finally:
        (place.root / "closed").chmod(0o700)


@pytest.mark.parametrize(
    ("path", "root", "inside"),
    [
        ("/proj", "/proj", True),
        ("/proj/a", "/proj", True),
        ("/proj-evil/a", "/proj", False),
        ("/pro", "/proj", False),
        ("/", "/proj", False),
        ("/a", "/", True),
    ],
)
def test_inside_is_not_a_prefix_of_a_string(path: str, root: str, inside: bool) -> None:
    assert is_inside(path, root) is inside


def test_case_is_probed_on_the_disk(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = place.file("proj/Src/a.py")
    real_answer = (place.root / "sRC").exists()
    assert folds_case(str(made)) is real_answer
    assert folds_case(str(place.root / "Src/missing.py")) is real_answer
    assert folds_case("/123/4") is False
    known = {str(made): made.lstat(), str(made.parent / "A.PY"): made.lstat()}

    def folding(path: str) -> os.stat_result:
        return known[str(path)]

    monkeypatch.setattr("turnloop_core.permissions.case.os.lstat", folding)
    assert folds_case(str(made)) is True


def test_agrees_with_the_system_on_a_tangle_of_links(place: Any) -> None:
    place.file("proj/a/b/c/f")
    place.file("outside/d/f")
    for name, target in (
        ("a/up", ".."),
        ("a/b/out", "../../../outside/d"),
        ("a/b/self", "."),
        ("a/b/c/top", "../../up/a"),
        ("abs", str(place.root / "a/b")),
    ):
        place.link(f"proj/{name}", target)
    for path in (
        "a/up/a/b/c/f",
        "a/b/out/f",
        "a/b/out/../d/f",
        "a/b/self/self/c/f",
        "a/b/c/top/b/out/f",
        "abs/c/top/up/abs/c/f",
        "abs/../b/c/f",
        "a/b/c/top/up/../proj/abs/out",
    ):
        assert Path(place.read(path).narrow) == (place.root / path).resolve()
