"""Build every wheel, look into it, and use it where nothing else is installed.

uv run python scripts/check_wheels.py           members that changed since the last commit
uv run python scripts/check_wheels.py --all     all members
uv run python scripts/check_wheels.py --since REV

A member is installed with core only into an empty environment, all its modules are imported, and
its own tests run there. Then all wheels together, as a user would install them. Nothing is written
into the tree.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wheel_contents import problems
from wheels import (
    ROOT,
    Member,
    Place,
    Uv,
    WheelsError,
    build_all,
    core,
    make_place,
    make_uv,
    members as all_members,
)

SIDE_BY_SIDE = 2
FOR_TESTS = ("pytest", "pytest-xdist", "hypothesis", "anyio")
# A change of one of these may break any member.
SHARED = ("turnloop_core/", "pyproject.toml", "conftest.py", "scripts/", ".ci/")
UPSTREAM = ("origin/HEAD", "origin/main", "origin/master", "main", "master")

IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
names = [name for name in names if not name.endswith(".__main__")]
for name in names:
    importlib.import_module(name)
print(len(names) + 1, package.__file__)
"""
INSTALLED = """
from importlib.metadata import distributions
names = {d.metadata["Name"].lower().replace("_", "-") for d in distributions()}
print(*sorted(name for name in names if name.startswith("turnloop")))
"""


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to be tried in an environment of its own: gives what there is to say of it."""

    name: str
    work: Callable[[], str]


def changed(everything: bool, since: str, root: Path = ROOT) -> tuple[list[Member], str]:
    """The members to be tried, and why these.

    Raises:
        WheelsError: git knows no commit `since`.
    """
    found = all_members(root)
    base = "" if everything else _base(root, since)
    if not base:
        return found, "all members" if everything else "all members: there is no older commit"
    paths = _git(root, "diff", "--name-only", "-z", base, "--").split("\0")
    paths += _git(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    if shared := next((path for path in paths if path.startswith(SHARED)), ""):
        return found, f"all members: {shared} changed since {base[:12]}"
    folders = {member.name: f"{member.folder.relative_to(root).as_posix()}/" for member in found}
    touched = [m for m in found if any(path.startswith(folders[m.name]) for path in paths)]
    names = ", ".join(member.name for member in touched) or "no member"
    return touched, f"{names} changed since {base[:12]}"


def _base(root: Path, since: str) -> str:
    """The commit to compare with: where this branch began, or the one before; "" for none."""
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD").strip()
    if since:
        return _git(root, "rev-parse", "--verify", f"{since}^{{commit}}", must=True).strip()
    for upstream in UPSTREAM:
        begun = _git(root, "merge-base", "HEAD", upstream).strip()
        if begun and begun != head:
            return begun
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD~1").strip()


def _git(root: Path, *arguments: str, must: bool = False) -> str:
    """What git says; "" when it fails, unless it must not."""
    try:
        done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, check=must)
    except FileNotFoundError:
        return ""
    except subprocess.CalledProcessError as error:
        raise WheelsError(error.stderr.decode().strip()) from None
    return done.stdout.decode() if done.returncode == 0 else ""


def alone(uv: Uv, base: Path, member: Member, built: Mapping[str, Path]) -> str:
    """Install a member with core only, import it, and run its tests there."""
    place = make_place(uv, base)
    ours = {name: built[name] for name in (core().name, member.name)}
    place.install(*ours.values(), *FOR_TESTS)
    _expect_only(place, sorted(ours))
    count = _import_all(place, member)
    if not member.tests.is_dir():
        return f"{count} modules imported"
    tests = base / "tests"
    tests.mkdir()
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(member.tests, tests / "tests", ignore=ignored)
    for name in ("conftest.py", "pyproject.toml"):  # fixtures, and how pytest is set up
        shutil.copy(ROOT / name, tests / name)
    shutil.copy(member.tests.parent / "README.md", tests)  # tests hold it to what the code says
    options = ("-n0", "--tb=short", f"--basetemp={base / 'pytest'}")
    said = place.run(place.python, "-m", "pytest", "tests", *options, cwd=tests)
    return f"{count} modules imported, {said.strip().splitlines()[-1]}"


def core_alone(uv: Uv, base: Path, built: Mapping[str, Path]) -> str:
    """Without any plugin `tl` still says what is the matter."""
    place = make_place(uv, base)
    place.install(built[core().name])
    for arguments in (("--version",), ("--help",)):
        place.run(place.tl, *arguments)
    if listed := _listed(place):
        raise WheelsError(f"core alone lists plugins: {listed}")
    place.install("pytest")  # turnloop_core.testing needs it
    _expect_only(place, [core().name])
    return f"{_import_all(place, core())} modules imported, tl answers"


def _expect_only(place: Place, names: Sequence[str]) -> None:
    found = place.run(place.python, "-I", "-c", INSTALLED).split()
    if found != list(names):
        raise WheelsError(f"installed are {found}, not {list(names)}")


def _import_all(place: Place, member: Member) -> int:
    count, file = place.run(place.python, "-I", "-c", IMPORT_ALL, member.package).split(" ", 1)
    if not Path(file.strip()).is_relative_to(place.folder):
        raise WheelsError(f"{member.package} was imported from {file.strip()}")
    return int(count)


def together(uv: Uv, base: Path, built: Mapping[str, Path]) -> str:
    """All wheels, by way of the extra that names them; then one plugin less."""
    place = make_place(uv, base)
    wheels = dict(built)
    whole = f"{core().name}[standard] @ {wheels.pop(core().name).as_uri()}"
    place.install(whole, *wheels.values())
    version = place.run(place.tl, "--version").strip()
    if version != f"turnloop {core().project['version']}":
        raise WheelsError(f"tl --version says {version}")
    wanted = {next(iter(m.project["entry-points"]["turnloop"])): "loaded" for m in all_members()}
    if (listed := _listed(place)) != wanted:
        raise WheelsError(f"tl plugins lists {listed}, not {wanted}")
    _expect_command(place, "demo", there=True)
    place.run(place.tl, "demo", "--into", base / "demo")
    place.uninstall("turnloop-mock")  # it brings a command, a provider and a default
    del wanted["mock"]
    if (listed := _listed(place)) != wanted:
        raise WheelsError(f"without turnloop-mock tl plugins lists {listed}, not {wanted}")
    _expect_command(place, "demo", there=False)
    return f"{version}, {len(built)} wheels, demo done, turnloop-mock gone without a trace"


def _listed(place: Place) -> dict[str, str]:
    """Name -> status of what `tl plugins` shows."""
    said = json.loads(place.run(place.tl, "plugins", "--json"))
    for record in said["plugins"]:
        if record["problems"]:
            raise WheelsError(f"plugin {record['name']}: {record['problems']}")
    return {record["name"]: record["status"] for record in said["plugins"]}


def _expect_command(place: Place, name: str, *, there: bool) -> None:
    told = place.run(place.tl, "--help").partition("Commands:")[2].split()
    if (name in told) is not there:
        raise WheelsError(f"tl --help {'does not name' if there else 'still names'} {name}")


def check(base: Path, chosen: Sequence[Member]) -> int:
    """Do all of it in the folder `base`; how many things failed."""
    uv = make_uv()
    begun = time.monotonic()
    built = build_all(uv, base / "wheels")
    print(f"built {len(built)} wheels in {time.monotonic() - begun:.1f} s")
    failed = 0
    for member in (core(), *all_members()):
        for problem in problems(built[member.name], member):
            failed += 1
            print(f"FAILED {built[member.name].name}: {problem}")
    jobs = [
        Job(member.name, partial(alone, uv, base / member.name, member, built))
        for member in sorted(chosen, key=_weight, reverse=True)  # the longest first
    ]
    jobs.append(Job("core alone", partial(core_alone, uv, base / "core-alone", built)))
    jobs.append(Job("all together", partial(together, uv, base / "together", built)))
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        failed += sum(pool.map(_do, jobs))
    return failed


def _weight(member: Member) -> int:
    return sum(path.stat().st_size for path in member.tests.rglob("*.py"))


def _do(job: Job) -> int:
    begun = time.monotonic()
    try:
        said = job.work()
    except (WheelsError, subprocess.TimeoutExpired) as error:
        print(f"FAILED {job.name}: {error}", flush=True)
        return 1
    print(f"{job.name}: {said} ({time.monotonic() - begun:.0f} s)", flush=True)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build, inspect and use the wheels.")
    parser.add_argument("--all", action="store_true", help="try all members")
    parser.add_argument("--since", default="", metavar="REV", help="those that changed since then")
    chosen = parser.parse_args(arguments)
    try:
        members, why = changed(chosen.all, chosen.since)
        print(why, flush=True)
        with tempfile.TemporaryDirectory(prefix="turnloop-wheels-") as folder:
            failed = check(Path(folder).resolve(), members)
    except WheelsError as error:
        print(f"FAILED {error}")
        return 1
    if failed:
        print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
