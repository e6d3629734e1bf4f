"""The look into a wheel finds what does not belong there, and what is missing."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from wheel_contents import problems
from wheels import ROOT, Member, core, members, pins

INFO = "some_thing-1.0.dist-info"
PROJECT = {
    "name": "some-thing",
    "version": "1.0",
    "description": "Some thing",
    "requires-python": ">=3.11",
    "entry-points": {"turnloop": {"thing": "some_thing.plugin"}},
}
METADATA = """\
Metadata-Version: 2.4
Name: some-thing
Version: 1.0
Summary: Some thing
License-Expression: MIT
Requires-Python: >=3.11
Requires-Dist: turnloop-core==1.0

# some-thing
"""
GOOD = {
    "some_thing/__init__.py": "",
    "some_thing/plugin.py": "X = 1\n",
    "some_thing/py.typed": "",
    "some_thing/data/tests/example.txt": "data",
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\n",
    f"{INFO}/RECORD": "",
    f"{INFO}/entry_points.txt": "[turnloop]\nthing = some_thing.plugin\n",
}


def look(folder: Path, held: Mapping[str, str], more_in_tree: Mapping[str, str]) -> list[str]:
    """What is said of a wheel with these files, made from a tree with those."""
    sources = folder / "src" / "some_thing"
    in_tree = {n: text for n, text in GOOD.items() if n.startswith("some_thing/")}
    for name, text in (in_tree | dict(more_in_tree)).items():
        path = sources.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    wheel = folder / "some_thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in held.items():
            archive.writestr(name, text)
    return problems(wheel, Member(folder, sources, PROJECT))


def test_a_good_one(tmp_path: Path) -> None:
    caches = {"some_thing/__pycache__/plugin.cpython-311.pyc": "x"}
    assert look(tmp_path, GOOD, caches) == []


@pytest.mark.parametrize("name", sorted(GOOD))
def test_whatever_is_missing_is_named(tmp_path: Path, name: str) -> None:
    held = {n: text for n, text in GOOD.items() if n != name}
    assert f"{name} is missing" in look(tmp_path, held, {})


@pytest.mark.parametrize(
    "name",
    [
        "some_thing/.hidden",
        "some_thing/conftest.py",
        "some_thing/test_plugin.py",
        "some_thing/plugin.py.orig",
        "some_thing/plugin.py~",
        "some_thing/session.log",
        "some_thing/plugin.pyc",
    ],
)
def test_what_is_stray_is_named(tmp_path: Path, name: str) -> None:
    found = look(tmp_path, GOOD | {name: "x"}, {name: "x"})
    assert found == [f"{name} does not belong into a wheel"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"some_thing/more.py": ""}, "some_thing/more.py is not in the tree"),
        ({"tests/test_it.py": ""}, f"tests/test_it.py lies outside of some_thing and {INFO}"),
        (
            {"some_thing/../../x.py": ""},
            f"some_thing/../../x.py lies outside of some_thing and {INFO}",
        ),
        (
            {"some_thing/plugin.py": f"PATH = '{ROOT}/x'"},
            f"some_thing/plugin.py names a place of this machine: {ROOT}",
        ),
        (
            {f"{INFO}/METADATA": METADATA.replace("MIT", "ISC")},
            "METADATA says License-Expression: ISC, not MIT",
        ),
        (
            {f"{INFO}/METADATA": METADATA.replace("==1.0\n", " @ file:///x\n")},
            "METADATA requires an address: turnloop-core @ file:///x",
        ),
        (
            {f"{INFO}/METADATA": METADATA.partition("\n\n")[0] + "\nLicense-File: LICENSE\n"},
            f"{INFO}/licenses/LICENSE is missing",
        ),
        (
            {f"{INFO}/METADATA": METADATA.partition("\n\n")[0] + "\n"},
            "METADATA has no description: it is to be the README",
        ),
        (
            {f"{INFO}/entry_points.txt": "[turnloop]\nthing = other\n"},
            (
                "entry points are {'turnloop': {'thing': 'other'}}, "
                "not {'turnloop': {'thing': 'some_thing.plugin'}}"
            ),
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changed: Mapping[str, str], told: str) -> None:
    assert told in look(tmp_path, GOOD | dict(changed), {})


def test_the_members_are_those_of_the_workspace() -> None:
    found = [core(), *members()]
    assert all((member.sources / "__init__.py").is_file() for member in found)
    assert len({member.name for member in found}) == len(found)
    assert all("==" in pin for pin in pins())
