"""A small project with a bug and a failing test, and the model's way to mend it, for stories."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from turnloop_core.testing.loopback import Answer, Loopback, Recorded, pieces
from turnloop_core.testing.project import Project
from turnloop_core.testing.wire import chat_chunks, sse

FILES = {
    "pyproject.toml": "[project]\nname = 'basket'\n",
    "basket.py": "def total(prices):\n    return sum(prices[1:])\n",
    "test_basket.py": (
        "import unittest\n"
        "from basket import total\n\n"
        "class Totals(unittest.TestCase):\n"
        "    def test_all_prices_count(self):\n"
        "        self.assertEqual(total([1, 2, 3]), 6)\n\n"
        "if __name__ == '__main__':\n"
        "    unittest.main()\n"
    ),
}
TEST_COMMAND = f"{shlex.quote(sys.executable)} -B -m unittest -q test_basket"
MENDED = "def total(prices):\n    return sum(prices)\n"

Step = tuple[str, dict[str, Any]] | str

# What the scripted model asks for, turn by turn; the last one is its answer in words.
STEPS: list[Step] = [
    ("Bash", {"command": TEST_COMMAND}),
    ("Read", {"file_path": "basket.py"}),
    (
        "Edit",
        {"file_path": "basket.py", "old_string": "sum(prices[1:])", "new_string": "sum(prices)"},
    ),
    ("Bash", {"command": TEST_COMMAND}),
    "All prices count now; the test passes.",
]


ALLOWED = (f"Bash({TEST_COMMAND})", "Edit(basket.py)")


def settings(server: Loopback, allow: Sequence[str]) -> dict[str, Any]:
    """User settings: the loopback server, and rules that allow exactly these."""
    return {
        "provider": "local",
        "providers": {
            "local": {
                "kind": "openai_compat",
                "base_url": f"{server.url}/v1",
                "model": "test-model",
                "api_key_env": "LOCAL_KEY",
                "caps": {"max_context": 100_000, "max_output": 4_096},
            }
        },
        "permissions": {"allow": list(allow)},
    }


def write_settings(project: Project, server: Loopback, allow: Sequence[str] = ALLOWED) -> None:
    folder = project.home / ".turnloop"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(settings(server, allow)))


class Model:
    """Plays its steps: which one comes next is read from the request, so it survives any restart.

    Args:
        piece: bytes that go out at a time; 0 for the whole body at once.
        steps: what to play.
        again: ask again for a call that was lost or not run, as a model would.
    """

    def __init__(
        self, piece: int = 0, steps: Sequence[Step] = STEPS, *, again: bool = True
    ) -> None:
        self._piece = piece
        self._steps = steps
        self._again = again

    def __call__(self, request: Recorded) -> Answer:
        messages = json.loads(request.body)["messages"]
        asked = sum(message["role"] == "assistant" for message in messages)
        failed = sum(_came_to_nothing(message) for message in messages)
        done = asked - failed if self._again else asked
        step = self._steps[min(done, len(self._steps) - 1)]
        if isinstance(step, str):
            chunks = chat_chunks(text=step)
        else:
            name, arguments = step
            calls = [(f"call_{asked}", name, json.dumps(arguments))]
            chunks = chat_chunks(text=f"Step {done + 1}.", calls=calls)
        body = sse(*chunks)
        return Answer(body=pieces(body, self._piece) if self._piece else body)


def _came_to_nothing(message: dict[str, Any]) -> bool:
    if message["role"] != "tool":
        return False
    return "was not run" in message["content"] or "may or may not" in message["content"]


def legal(messages: list[dict[str, Any]]) -> bool:
    """Whether every call has its result and every result its call, as strict providers demand."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                return False
            open_calls.remove(message["tool_call_id"])
            continue
        if open_calls:
            return False
        open_calls = [call["id"] for call in message.get("tool_calls") or []]
        if message["role"] == "assistant" and not (message.get("content") or open_calls):
            return False
    return not open_calls
