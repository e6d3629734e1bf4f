"""The least that a harness in Python can do: ask, run what is asked for, ask again.

    python floor_loop.py BASE_URL PROMPT

Nothing but the standard library, no prompt, no log, no permission, no retries. What it takes is the
yardstick of the other numbers.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from typing import Any


def schema(name: str, **properties: str) -> dict[str, Any]:
    fields = {field: {"type": kind} for field, kind in properties.items()}
    parameters = {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [
    schema("Read", file_path="string", offset="integer", limit="integer"),
    schema("Bash", command="string"),
]


def ask(connection: http.client.HTTPConnection, messages: list[Any]) -> tuple[str, list[Any]]:
    """One request; the text and the calls of its reply."""
    body = {"model": "scripted", "stream": True, "tools": TOOLS, "messages": messages}
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    text = ""
    calls: list[Any] = []
    for line in connection.getresponse():
        if not line.startswith(b"data: {"):
            continue
        for choice in json.loads(line[6:])["choices"]:
            delta = choice["delta"]
            text += delta.get("content") or ""
            for part in delta.get("tool_calls") or ():
                if part["index"] == len(calls):
                    calls.append(part | {"type": "function"})
                else:
                    function = calls[part["index"]]["function"]
                    function["arguments"] += part["function"]["arguments"]
    return text, calls


def run(name: str, arguments: Any) -> str:
    if name == "Bash":
        done = subprocess.run(
            ["bash", "-c", arguments["command"]], capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr
    with open(arguments["file_path"], encoding="utf-8") as stream:  # noqa: PTH123 - no more imports
        first = arguments["offset"] - 1
        return "".join(stream.readlines()[first : first + arguments["limit"]])


def main(base: str, prompt: str) -> None:
    host, _, port = base.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port))
    messages: list[Any] = [{"role": "user", "content": prompt}]
    while True:
        text, calls = ask(connection, messages)
        if not calls:
            print(text)
            return
        messages.append({"role": "assistant", "content": text or None, "tool_calls": calls})
        for call in calls:
            function = call["function"]
            output = run(function["name"], json.loads(function["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
