"""The code in the guides works as it stands there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from turnloop_core.testing.loopback import Answer, Loopback, sse
from turnloop_core.testing.project import Project, bare_environment, temporary_project

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def named_files(page: str) -> dict[str, str]:
    """Path -> content of every file that a guide shows under its name."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.compile(r"`([\w./-]+\.\w+)`[^`]*:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    empty = dict.fromkeys(re.findall(r"^`([\w./-]+)`, empty", text, re.MULTILINE), "")
    return empty | dict(named.findall(text))


def installed(name: str) -> dict[str, str]:
    """The files of a plugin of the guide, and the metadata that an installer would write."""
    shown = named_files("docs/plugins.md")
    points = tomllib.loads(shown["pyproject.toml"])["project"]["entry-points"]["turnloop"]
    lines = "".join(f"{point} = {module}\n" for point, module in points.items())
    info = f"src/turnloop_{name}-0.1.0.dist-info"
    return {path: text for path, text in shown.items() if name in path} | {
        f"src/turnloop_{name}/__init__.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: turnloop-{name}\nVersion: 0.1.0\n",
        f"{info}/entry_points.txt": f"[turnloop]\n{lines}".replace("shout", name),
        "pyproject.toml": "",
    }


def run_python(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=project.root,
        env=bare_environment(project.home) | {"PYTHONPATH": str(project.path("src"))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def choose(project: Project, provider: dict[str, str]) -> None:
    """Make this the provider of the user's settings."""
    folder = project.home / ".turnloop"
    folder.mkdir(exist_ok=True)
    settings = {"provider": "s", "providers": {"s": provider}}
    (folder / "settings.json").write_text(json.dumps(settings))


def test_the_guide_shows_every_file_of_its_tool() -> None:
    assert sorted(named_files("docs/plugins.md")) == [
        "pyproject.toml",
        "src/turnloop_lines/plugin.py",
        "src/turnloop_lines/provider.py",
        "src/turnloop_shout/__init__.py",
        "src/turnloop_shout/plugin.py",
        "src/turnloop_shout/tool.py",
        "tests/test_shout.py",
    ]


def test_the_tool_of_the_guide_works() -> None:
    script = "- calls:\n    - {name: Shout, arguments: {text: hear me}}\n- text: done\n"
    with temporary_project(installed("shout") | {"script.yaml": script}) as project:
        script = str(project.path("script.yaml"))
        choose(project, {"kind": "mock", "mode": "scripted", "script": script})
        done = run_python(project, "-m", "turnloop_core", "-p", "go", "--json")
        assert done.returncode == 0, done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        (ended,) = [event for event in events if event["event"] == "call_ended"]
        assert "HEAR ME" in json.dumps(ended["result"])


def test_the_proof_of_the_guide_holds() -> None:
    with temporary_project(installed("shout")) as project:
        done = run_python(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "passed" in done.stdout


def test_the_provider_of_the_guide_works() -> None:
    whole = sse({"text": "Hello "}, {"text": "you."}, {"stop": "end"})
    cut = sse({"text": "Hel"})
    server = Loopback(Answer(body=cut), Answer(body=whole))
    with server, temporary_project(installed("lines")) as project:
        choose(project, {"kind": "lines", "base_url": server.url, "model": "m"})
        done = run_python(project, "-m", "turnloop_core", "-p", "go")
        assert (done.returncode, done.stdout) == (0, "Hello you.\n"), done.stderr
        assert [got.json for got in server.requests] == [{"model": "m", "prompt": "go"}] * 2


def test_json_in_the_guides_is_json() -> None:
    pages = ["README.md", *(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))]
    for page in pages:
        for block in blocks(page, "json"):
            json.loads(block)
