"""Output of any size: the memory of the process that takes it, and what is kept on disk."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

if sys.platform != "linux":
    pytest.skip("reads its own peak of memory in /proc", allow_module_level=True)

MB = 1024 * 1024
# A process of its own: the peak of this one has seen other tests.
MEASURED = """
import json, re, sys, time
import anyio
from turnloop_core.testing.contexts import call_context, factory_context
from turnloop_core.testing.project import temporary_project
from turnloop_shell import reading, tool

megabytes, background = int(sys.argv[1]), sys.argv[2] == "background"
COMMAND = f"head -c {megabytes}000000 /dev/zero | tr '\\\\0' x | fold -w 200; echo THE END"

def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) / 1024

async def call(made, project, **arguments):
    args = made.arguments.model_validate(arguments)
    return await made.run(args, call_context(project, made.subjects(args, project.scope)))

async def main():
    with temporary_project() as project:
        context = factory_context(project)
        bash, look = tool.create(context), reading.create(context)
        await call(bash, project, command="echo warm; (sleep 0.01 &)")
        before, started = peak(), time.monotonic()
        result = await call(
            bash, project, command=COMMAND, timeout_s=600, run_in_background=background
        )
        while background and "exit code" not in result.text:
            result = await call(look, project, id="bg1", wait_s=600)
        await bash.aclose()
        return {
            "text": result.text,
            "seconds": time.monotonic() - started,
            "memory": peak() - before,
            "peak": peak(),
            "disk": sum(p.stat().st_size for p in (project.base / "data").iterdir()),
        }

print(json.dumps(anyio.run(main)))
"""


def measured(megabytes: int, how: str) -> dict[str, Any]:
    """What it took to take so much output."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(megabytes), how],
        capture_output=True,
        text=True,
        timeout=550,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("how", ["foreground", "background"])
def test_300_mb_take_a_fixed_amount_of_memory_and_of_disk(how: str) -> None:
    found = measured(300, how)
    assert "THE END" in found["text"]
    assert len(found["text"]) < 26_000
    assert found["memory"] < 20, f"{found['memory']:.1f} MB for 300 MB of output"
    assert 48 * MB < found["disk"] <= 64 * MB + 100


if __name__ == "__main__":  # python test_shell_memory.py 10000 foreground
    figures = measured(int(sys.argv[1]), sys.argv[2])
    print({key: value for key, value in figures.items() if key != "text"})
