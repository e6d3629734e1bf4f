"""How large the first request is: what the model is told before anything happened."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.children import run as run_child
from bench.measured import Budget, Figure, Measured
from bench.places import ask, temporary_place
from bench.serving import serving

LIMITS = {"terse": 1_400, "normal": 2_200, "verbose": None}
ENCODING = "o200k_base"
SOURCE = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"

Count = Callable[[str], int]


def by_bytes(text: str) -> int:
    return len(text.encode()) // 4


def counters() -> dict[str, Count]:
    """Ways to count. A tokenizer only where its data is there already: nothing is fetched."""
    found: dict[str, Count] = {"bytes/4": by_bytes}
    data = Path(os.environ.get("TIKTOKEN_CACHE_DIR", ""), hashlib.sha1(SOURCE.encode()).hexdigest())
    if os.environ.get("TIKTOKEN_CACHE_DIR") and data.is_file():
        try:
            tiktoken = import_module("tiktoken")
        except ImportError:
            return found
        encoding = tiktoken.get_encoding(ENCODING)
        found[ENCODING] = lambda text: len(encoding.encode(text, disallowed_special=()))
    return found


def first_request(verbosity: str) -> dict[str, Any]:
    """The body of the first request at that verbosity."""
    with temporary_place() as place, serving(place, 0) as server:
        place.settle(server.url, tool_verbosity=verbosity)
        run_child(ask(0), place)
    return server.first


def sizes(body: dict[str, Any], count: Count) -> dict[str, int]:
    """Tokens of the system prompt, of each tool, and of the prompt."""
    by_role: dict[str, int] = {"system": 0, "prompt": 0}
    for message in body["messages"]:
        role = "system" if message["role"] == "system" else "prompt"
        by_role[role] += count(message["content"])
    tools = {f"tool {tool['function']['name']}": count(_json(tool)) for tool in body["tools"]}
    return {"system": by_role["system"], **tools, "prompt": by_role["prompt"]}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def run(quick: bool) -> Measured:
    figures: list[Figure] = []
    budgets: list[Budget] = []
    for verbosity, limit in LIMITS.items():
        if quick and limit is None:
            continue
        body = first_request(verbosity)
        for way, count in counters().items():
            found = sizes(body, count)
            whole = sum(found.values())
            name = f"{verbosity}, {way}"
            figures.append(Figure(f"{name}: whole", whole, "tokens"))
            figures += [Figure(f"{name}: {what}", n, "tokens") for what, n in found.items()]
            if limit is not None:
                note = f"{len(body['tools'])} tools; the budget is for 11"
                budgets.append(Budget(f"first request, {name}", whole, limit, "tokens", note=note))
    return Measured(tuple(figures), tuple(budgets))
