"""What holds of the repository itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 400

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MEMBERS = PROJECT["tool"]["uv"]["workspace"]["members"]


def sources() -> list[Path]:
    """Python files of the project, wherever git would see them."""
    folders = ("turnloop_core", "plugins", "tests", "docs", "scripts", "bench")
    return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]


def test_no_file_is_over_the_limit() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in sources()
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }
    assert long == {}


def test_the_workspace_lists_every_member() -> None:
    folders = {str(p.parent.relative_to(ROOT)) for p in ROOT.glob("plugins/*/*/pyproject.toml")}
    assert set(MEMBERS) == folders
    assert len(MEMBERS) == len(set(MEMBERS))


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_is_laid_out_like_the_others(member: str) -> None:
    folder = ROOT / member
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == PROJECT["project"]["version"]
    assert f"turnloop-core=={project['version']}" in project["dependencies"]
    assert project["license"] == "MIT"
    ((name, module),) = project["entry-points"]["turnloop"].items()
    assert project["name"] == f"turnloop-{name}"
    assert (
        f"{project['name']}=={project['version']}"
        in (PROJECT["project"]["optional-dependencies"]["standard"])
    )
    plugin = folder / "src" / Path(*module.split(".")).with_suffix(".py")
    assert len(plugin.read_text(encoding="utf-8").splitlines()) <= 40
    assert (folder / "README.md").exists()
    assert list((folder / "tests").glob("test_*.py"))


VENDORS = re.compile(
    r"openai|anthropic|claude|gemini|google|groq|nvidia|ollama|blaxel|mistral|deepseek|"
    r"openrouter|azure|\bgpt|\bglm|\bmodal\b|duckduckgo|tavily|\bbrave\b",
    re.IGNORECASE,
)
PLUGINS = re.compile("|".join(rf"\bturnloop_{Path(m).name.replace('-', '_')}\b" for m in MEMBERS))


def test_core_names_no_vendor_and_no_plugin() -> None:
    found = []
    for path in (ROOT / "turnloop_core").rglob("*.py"):
        if path.name == "rules.py":
            continue  # the places of secrets that are denied from the start have names
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            told = line.replace("CLAUDE.md", "")  # a file that projects have, not a vendor
            if VENDORS.search(told) or PLUGINS.search(told):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert found == []


def test_every_hook_says_what_it_takes() -> None:
    from turnloop_core import hookspecs

    hooks = [value for name, value in vars(hookspecs).items() if name.startswith("register_")]
    assert len(hooks) == 15
    for hook in hooks:
        doc = hook.__doc__ or ""
        assert "Args:\n        registrar: takes `" in doc, hook.__name__


def test_the_reference_is_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    pages += [ROOT / member / "README.md" for member in MEMBERS]
    broken = []
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)} -> {target}")
    assert broken == []


def test_no_place_of_one_machine_stands_in_the_tree() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=True
    ).stdout.decode()
    here = str(ROOT.parent) + "/"
    named = [
        name
        for name in listed.split("\0")
        if name and (ROOT / name).is_file() and here.encode() in (ROOT / name).read_bytes()
    ]
    assert named == []
