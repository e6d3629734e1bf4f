"""Entry points read from files are those that the standard library finds."""

from __future__ import annotations

import sys
import zipfile
from importlib.metadata import distributions

import pytest

from turnloop_core.installed import EntryPoint, entry_points


def by_the_library(group, paths):
    found = {}
    for distribution in distributions(path=[str(path) for path in paths]):
        points = [p for p in distribution.entry_points if p.group == group]
        found.setdefault(distribution.metadata["Name"].lower().replace("_", "-"), points)
    return sorted((p.name, p.value) for points in found.values() for p in points)


def install(place, folder, points, metadata="METADATA", name="some-thing", version="1.2"):
    info = place / folder
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(points)
    (info / metadata).write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: x"
    )
    return info


@pytest.mark.parametrize("group", ["turnloop", "console_scripts", "pytest11", "nobody"])
def test_in_this_environment(group):
    assert [(p.name, p.value) for p in entry_points(group)] == by_the_library(group, sys.path)


POINTS = """
# a comment
[console_scripts]
tl=a:b

[turnloop]
  one = some_thing.one
# two = commented.out
two-and = some_thing.two [extra]

[turnloop.other]
three = some_thing.three
"""


@pytest.mark.parametrize(
    ("folder", "metadata"),
    [("some_thing-1.2.dist-info", "METADATA"), ("some_thing.egg-info", "PKG-INFO")],
)
def test_sections_and_comments(tmp_path, folder, metadata):
    install(tmp_path, folder, POINTS, metadata)
    (tmp_path / "not-1.0.dist-info").write_text("a file")
    assert entry_points("turnloop", [str(tmp_path)]) == [
        EntryPoint("one", "some_thing.one", "some-thing", "1.2"),
        EntryPoint("two-and", "some_thing.two [extra]", "some-thing", "1.2"),
    ]


def test_the_first_on_the_path_counts(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    install(old, "some_thing-1.0.dist-info", "[turnloop]\none = old\n", version="1.0")
    install(new, "Some.Thing-2.0.dist-info", "[turnloop]\none = new\n", version="2.0")
    paths = [str(new), str(old), str(tmp_path / "nowhere")]
    assert entry_points("turnloop", paths) == [EntryPoint("one", "new", "some-thing", "2.0")]


def test_packages_in_an_archive_are_left_to_the_library(tmp_path):
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("packed-1.0.dist-info/METADATA", "Name: packed\nVersion: 1.0\n")
        packed.writestr("packed-1.0.dist-info/entry_points.txt", "[turnloop]\npacked = packed.it\n")
    install(tmp_path, "some_thing-1.2.dist-info", POINTS)
    points = entry_points("turnloop", [str(tmp_path), str(archive)])
    assert [point.name for point in points] == ["one", "packed", "two-and"]


def test_damage_is_not_fatal(tmp_path):
    info = install(tmp_path, "some_thing-1.2.dist-info", "[turnloop]\none = a\n")
    (info / "METADATA").unlink()
    (tmp_path / "other-1.dist-info").mkdir()
    (tmp_path / "bytes-1.dist-info").mkdir()
    (tmp_path / "bytes-1.dist-info" / "entry_points.txt").write_bytes(b"[turnloop]\n\xff = b\n")
    found = entry_points("turnloop", [str(tmp_path)])
    assert found == [EntryPoint("one", "a"), EntryPoint("\ufffd", "b")]
