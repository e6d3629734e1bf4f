"""What was judged is what is opened, whatever happens in between."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.errors import PathChangedError
from turnloop_core.permissions import opening
from turnloop_core.permissions.paths import checked_folder, open_checked
from turnloop_core.types.subjects import Subject, SubjectKind

pytestmark = pytest.mark.filterwarnings("error")
walks = pytest.mark.skipif(not opening.CAN_WALK, reason="the system has no folder descriptors")


@pytest.fixture(params=["walk", "by path"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of opening: along descriptors, and what is left where there are none."""
    if request.param == "by path":
        monkeypatch.setattr(opening, "CAN_WALK", False)
    elif not opening.CAN_WALK:
        pytest.skip("the system has no folder descriptors")
    return str(request.param)


def put(subject: Subject, mode: Any, data: bytes) -> None:
    with open_checked(subject, mode) as file:
        file.write(data)


def get(subject: Subject) -> bytes:
    with open_checked(subject, "rb") as file:
        return file.read()


@pytest.fixture(autouse=True)
def no_descriptor_is_left() -> Any:
    folder = Path("/proc/self/fd")
    before = len(list(folder.iterdir())) if folder.exists() else 0
    yield
    assert (len(list(folder.iterdir())) if folder.exists() else 0) == before


def test_the_four_modes(place: Any, way: str) -> None:
    subject = place.write("a b.txt")
    put(subject, "xb", b"one")
    with pytest.raises(FileExistsError):
        open_checked(subject, "xb")
    put(subject, "ab", b" two")
    assert get(subject) == b"one two"
    put(subject, "wb", b"3")
    assert get(place.read("a b.txt")) == b"3"


def test_new_files_get_the_usual_mode_bits(place: Any, way: str) -> None:
    old = os.umask(0o027)
    try:
        put(place.write("new"), "wb", b"")
    finally:
        os.umask(old)
    assert (place.root / "new").stat().st_mode & 0o777 == 0o640


def test_what_was_judged_for_reading_is_not_written(place: Any, way: str) -> None:
    place.file("proj/a", "kept")
    with pytest.raises(PathChangedError, match="judged for reading only"):
        open_checked(place.read("a"), "wb")
    with (
        pytest.raises(PathChangedError, match="judged for reading only"),
        checked_folder(place.read("b/a"), create=True),
    ):
        pass
    assert (place.root / "a").read_text() == "kept"
    assert not (place.root / "b").exists()


def test_other_subjects_are_no_paths(way: str) -> None:
    with pytest.raises(PathChangedError, match="not a path"):
        open_checked(Subject(SubjectKind.COMMAND, "/etc/hosts"), "rb")


@pytest.mark.parametrize("mode", ["rb", "wb", "ab", "xb"])
def test_a_folder_swapped_for_a_link(place: Any, way: str, mode: Any) -> None:
    place.file("proj/src/out/hosts", "mine")
    place.file("outside/hosts", "theirs")
    subject = place.write("src/out/hosts")
    (place.root / "src/out").rename(place.root / "src/old")
    place.link("proj/src/out", place.top / "outside")
    with pytest.raises(PathChangedError, match="src/out"):
        open_checked(subject, mode)
    with pytest.raises(PathChangedError), checked_folder(subject):
        pass
    assert (place.top / "outside/hosts").read_text() == "theirs"


@pytest.mark.parametrize("mode", ["rb", "wb", "ab", "xb"])
@pytest.mark.parametrize("target", ["outside/secret", "outside/missing"])
def test_the_file_swapped_for_a_link(place: Any, way: str, mode: Any, target: str) -> None:
    place.file("outside/secret", "theirs")
    place.file("proj/a", "mine")
    subject = place.write("a")
    (place.root / "a").unlink()
    place.link("proj/a", place.top / target)
    with pytest.raises(PathChangedError):
        open_checked(subject, mode)
    assert (place.top / "outside/secret").read_text() == "theirs"
    assert not (place.top / "outside/missing").exists()


def test_a_folder_above_the_project_swapped_for_a_link(place: Any, way: str) -> None:
    place.file("proj/a", "mine")
    place.file("outside/a", "theirs")
    subject = place.read("a")
    place.root.rename(place.top / "moved")
    place.link("proj", place.top / "outside")
    with pytest.raises(PathChangedError):
        open_checked(subject, "rb")


@walks
def test_a_swap_in_the_middle_of_the_walk(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is already open when its name is given to a link: the open one is used."""
    place.file("proj/d/a", "mine")
    place.file("outside/a", "theirs")
    subject = place.read("d/a")
    step = opening._step

    def swapping(subject: Subject, folder: int, names: list[str], **rest: Any) -> int:
        below = step(subject, folder, names, **rest)
        if names[-1] == "d":
            (place.root / "d").rename(place.root / "e")
            place.link("proj/d", place.top / "outside")
        return below

    monkeypatch.setattr(opening, "_step", swapping)
    assert get(subject) == b"mine"


def test_a_link_that_was_there_when_judged_is_not_met_again(place: Any, way: str) -> None:
    place.file("outside/hosts", "theirs")
    place.link("proj/out", place.top / "outside")
    assert get(place.read("out/hosts")) == b"theirs"


@walks
def test_a_pipe_neither_blocks_nor_opens(place: Any) -> None:
    place.file("proj/p")
    for mode in ("rb", "wb", "ab"):
        subject = place.write("p")
        (place.root / "p").unlink()
        os.mkfifo(place.root / "p")
        with pytest.raises(PathChangedError):
            open_checked(subject, mode)  # type: ignore[arg-type]


@walks
def test_devices_are_never_opened(place: Any) -> None:
    with pytest.raises(PathChangedError, match="device"):
        open_checked(place.read("/dev/zero"), "rb")


def test_a_folder_is_no_file(place: Any, way: str) -> None:
    (place.root / "src").mkdir()
    for mode in ("rb", "wb"):
        with pytest.raises(IsADirectoryError):
            open_checked(place.write("src"), mode)  # type: ignore[arg-type]


@walks
def test_a_second_name_that_came_after_the_judgement(place: Any) -> None:
    place.file("proj/a", "mine")
    subject = place.write("a")
    (place.root / "a").unlink()
    place.file("outside/a", "theirs")
    os.link(place.top / "outside/a", place.root / "a")
    with pytest.raises(PathChangedError, match="hard links"):
        open_checked(subject, "wb")
    assert (place.top / "outside/a").read_text() == "theirs"
    put(place.write("a"), "wb", b"known")  # judged with both names, and allowed
    assert (place.top / "outside/a").read_text() == "known"


def test_errors_of_the_system_name_the_whole_path(place: Any, way: str) -> None:
    place.file("proj/a")
    with pytest.raises(FileNotFoundError) as missing:
        open_checked(place.read("no/such/file"), "rb")
    assert str(missing.value.filename).startswith(str(place.root / "no"))
    with pytest.raises(NotADirectoryError) as under:
        open_checked(place.write("a/b"), "wb")
    assert str(under.value.filename).startswith(str(place.root / "a"))


def test_missing_folders_are_made_only_when_asked_for(place: Any, way: str) -> None:
    subject = place.write("new/er/a")
    with pytest.raises(FileNotFoundError):
        open_checked(subject, "wb")
    assert not (place.root / "new").exists()
    with checked_folder(subject, create=True) as (folder, name):
        where = {} if folder < 0 else {"dir_fd": folder}
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT, **where))
    assert (place.root / "new/er/a").exists()
    assert (folder, name) == (-1, subject.narrow) if way == "by path" else name == "a"


@walks
def test_a_folder_made_by_somebody_else_at_the_same_time(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = place.write("new/a")
    real = os.mkdir

    def rival(name: str, **rest: Any) -> None:
        real(name, **rest)
        real(name, **rest)

    monkeypatch.setattr(opening.os, "mkdir", rival)
    with checked_folder(subject, create=True) as (_, name):
        assert name == "a"


@walks
def test_a_link_put_where_a_folder_was_to_be_made(
    place: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = place.write("new/a")

    def rival(name: str, **rest: Any) -> None:
        (place.root / "new").symlink_to(place.top / "outside")
        raise FileExistsError

    monkeypatch.setattr(opening.os, "mkdir", rival)
    with pytest.raises(PathChangedError), checked_folder(subject, create=True):
        pass
    assert list((place.top / "outside").iterdir()) == []


@walks
def test_write_beside_and_rename(place: Any) -> None:
    place.file("proj/src/a", "old")
    with checked_folder(place.write("src/a")) as (folder, name):
        descriptor = os.open(".tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=folder)
        os.write(descriptor, b"new")
        os.close(descriptor)
        os.rename(".tmp", name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
        assert os.listdir(folder) == ["a"]  # noqa: PTH208 - a descriptor
    assert (place.root / "src/a").read_text() == "new"


def test_the_folder_of_the_root_of_everything(place: Any) -> None:
    with checked_folder(place.read("/")) as (_, name):
        assert name in (".", "/")
