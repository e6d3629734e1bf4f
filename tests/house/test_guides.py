"""The code in the guides works as it stands there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from turnloop_core.testing.project import bare_environment, temporary_project

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_plugin_of_the_guide_works() -> None:
    (project_file,) = blocks("docs/plugins.md", "toml")
    plugin, tool = blocks("docs/plugins.md", "python")
    ((name, module),) = tomllib.loads(project_file)["project"]["entry-points"]["turnloop"].items()
    info = "turnloop_shout-0.1.0.dist-info"
    files = {
        "site/turnloop_shout/__init__.py": "",
        "site/turnloop_shout/plugin.py": plugin,
        "site/turnloop_shout/tool.py": tool,
        f"site/{info}/METADATA": "Metadata-Version: 2.1\nName: turnloop-shout\nVersion: 0.1.0\n",
        f"site/{info}/entry_points.txt": f"[turnloop]\n{name} = {module}\n",
        "script.yaml": (
            "- calls:\n    - {name: Shout, arguments: {text: hear me}}\n- text: done\n"
        ),
        "pyproject.toml": "",
    }
    with temporary_project(files) as project:
        folder = project.home / ".turnloop"
        folder.mkdir(exist_ok=True)
        provider = {"kind": "mock", "mode": "scripted", "script": str(project.path("script.yaml"))}
        settings = {"provider": "s", "providers": {"s": provider}}
        (folder / "settings.json").write_text(json.dumps(settings))
        done = subprocess.run(
            [sys.executable, "-m", "turnloop_core", "-p", "go", "--json"],
            cwd=project.root,
            env=bare_environment(project.home) | {"PYTHONPATH": str(project.path("site"))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        (ended,) = [event for event in events if event["event"] == "call_ended"]
        assert "HEAR ME" in json.dumps(ended["result"])


def test_json_in_the_guides_is_json() -> None:
    pages = ["README.md", *(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md"))]
    for page in pages:
        for block in blocks(page, "json"):
            json.loads(block)
