"""The scripted mock passes the suite that every provider must pass."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_suite import ProviderConformance, Served
from turnloop_core.testing.scenarios import Scenario
from turnloop_core.types.usage import Usage
from turnloop_mock.options import MockOptions
from turnloop_mock.provider import MODEL, create

REFUSALS = {"too_long": "ContextOverflowError", "wrong_key": "AuthError"}


def as_turn(scenario: Scenario) -> dict[str, Any]:
    """A scenario as one turn of a script."""
    if scenario.refusal in REFUSALS:
        return {"error": {"kind": REFUSALS[scenario.refusal], "hint": "set the key"}}
    turn: dict[str, Any] = {
        "text": scenario.text,
        "reasoning": scenario.reasoning,
        "calls": [{"name": c.name, "arguments": c.arguments, "id": c.id} for c in scenario.calls],
        "waits": [{"what": "retry"}] if scenario.refusal else [],
    }
    if scenario.ending == "dropped":
        return turn | {"cut": 10_000}
    usage: Usage = scenario.usage
    counts = {n: getattr(usage, n) for n in ("input", "output", "cache_read", "cache_write")}
    return turn | {"stop": str(scenario.stop), "usage": counts}


class TestScripted(ProviderConformance):
    known_model = MODEL

    @asynccontextmanager
    async def serve(self, scenario: Scenario) -> AsyncIterator[Served]:
        # JSON is YAML: a script of the same turn over and over
        script = json.dumps([as_turn(scenario)] * 3, ensure_ascii=False)
        with temporary_project({"script.yaml": script}) as project:
            options = MockOptions(kind="mock", mode="scripted", script="script.yaml")
            yield Served(create(factory_context(project, "mock", options=options)))
