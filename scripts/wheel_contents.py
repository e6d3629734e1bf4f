"""What a wheel of ours must hold, and what it may not."""

from __future__ import annotations

import configparser
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

from wheels import ROOT, Member

CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")
# Left by editors, merges, runs and builds; and tests, which belong beside the package.
STRAY = re.compile(
    r"(^|/)(\.|conftest\.py$|test_[^/]*\.py$)|~$"
    r"|\.(pyc|pyo|so|orig|rej|bak|swp|tmp|log|db|sqlite3?|whl)$"
)


def problems(wheel: Path, member: Member) -> list[str]:
    """What is wrong with the wheel of a member, one line each; empty when nothing is."""
    with zipfile.ZipFile(wheel) as opened:
        files = {name: opened.read(name) for name in opened.namelist() if name[-1] != "/"}
    info = f"{member.package}-{member.project['version']}.dist-info"
    metadata = BytesParser().parsebytes(files.get(f"{info}/METADATA", b""))
    return [
        *_places(files, (member.package, info)),
        *_package(files, member),
        *_stray(files),
        *_metadata(metadata, member),
        *_licence(files, info, metadata),
        *_entry_points(files.get(f"{info}/entry_points.txt", b""), member),
        *_paths_of_this_machine(files),
    ]


def on_disk(sources: Path) -> set[str]:
    """Files of a package as its wheel should hold them: everything but caches."""
    return {
        path.relative_to(sources.parent).as_posix()
        for path in sources.rglob("*")
        if path.is_file() and not set(CACHES) & set(path.parts)
    }


def _places(files: Mapping[str, bytes], folders: Sequence[str]) -> Iterator[str]:
    for name in files:
        if name.split("/")[0] not in folders or ".." in name.split("/"):
            yield f"{name} lies outside of {' and '.join(folders)}"
    for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt"):
        if f"{folders[1]}/{name}" not in files:
            yield f"{folders[1]}/{name} is missing"


def _package(files: Mapping[str, bytes], member: Member) -> Iterator[str]:
    held = {name for name in files if name.startswith(f"{member.package}/")}
    wanted = on_disk(member.sources) | {f"{member.package}/py.typed"}
    for name in sorted(wanted - held):
        yield f"{name} is missing"
    for name in sorted(held - wanted):
        yield f"{name} is not in the tree"


def _stray(files: Mapping[str, bytes]) -> Iterator[str]:
    for name in files:
        if STRAY.search(name):
            yield f"{name} does not belong into a wheel"


def _metadata(metadata: Message, member: Member) -> Iterator[str]:
    wanted = {
        "Name": member.name,
        "Version": member.project["version"],
        "Summary": member.project["description"],
        "License-Expression": "MIT",
        "Requires-Python": member.project["requires-python"],
    }
    for field, value in wanted.items():
        if metadata[field] != value:
            yield f"METADATA says {field}: {metadata[field]}, not {value}"
    if not str(metadata.get_payload()).strip():
        yield "METADATA has no description: it is to be the README"
    for requirement in metadata.get_all("Requires-Dist", ()):
        if "@" in requirement:
            yield f"METADATA requires an address: {requirement}"


def _licence(files: Mapping[str, bytes], info: str, metadata: Message) -> Iterator[str]:
    for name in metadata.get_all("License-File", ()):
        if not files.get(f"{info}/licenses/{name}", b"").strip():
            yield f"{info}/licenses/{name} is missing"


def _entry_points(text: bytes, member: Member) -> Iterator[str]:
    parser = configparser.ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    parser.read_string(text.decode())
    held = {section: dict(parser[section]) for section in parser.sections()}
    wanted = dict(member.project.get("entry-points", {}))
    if scripts := member.project.get("scripts"):
        wanted["console_scripts"] = scripts
    if held != wanted:
        yield f"entry points are {held}, not {wanted}"


def _paths_of_this_machine(files: Mapping[str, bytes]) -> Iterator[str]:
    home = Path.home()
    places = [str(ROOT), *([str(home)] if len(home.parts) > 2 else [])]
    for name, content in files.items():
        for place in places:
            if f"{place}/".encode() in content:
                yield f"{name} names a place of this machine: {place}"
