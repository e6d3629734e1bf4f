"""The rules and the tool together: what the engine is asked, before a call and at each hop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from turnloop_core.api import Subject, TurnloopError
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import Rules, parse_rule
from turnloop_core.testing.contexts import call_context
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.subjects import PermissionMode
from turnloop_web.addresses import Addresses
from turnloop_web.fetch import FetchArguments, WebFetch
from turnloop_web.page import Pages

CORPUS = Path(__file__).resolve().parents[5] / "shared/corpus/permissions.jsonl"
STRICTNESS = ["allow", "ask", "deny"]
WORDS = Answer(headers={"content-type": "text/plain"}, body=b"words")


def engine(project: Project, mode: str = "default", **rules: Sequence[str]) -> Engine:
    lists = {
        kind: tuple(parse_rule(text, "test") for text in rules.get(kind, ())) for kind in KINDS
    }
    return Engine(Rules(**lists), PermissionMode(mode), project.scope)


KINDS = ("allow", "deny", "ask")


class Agent:
    """Calls the tool as the loop does: judge, then run if it is allowed."""

    def __init__(self, project: Project, judge: Engine, resolved: Sequence[str]) -> None:
        async def resolve(host: str, port: int) -> Sequence[str]:
            return resolved

        self.project, self.judge = project, judge
        self.tool = WebFetch(Addresses(resolve), Pages())

    def verdict(self, url: str) -> str:
        return self.judge.decide("WebFetch", self.subjects(url), read_only=True).verdict.value

    def subjects(self, url: str) -> tuple[Subject, ...]:
        return tuple(self.tool.subjects(FetchArguments(url=url), self.project.scope))

    def call(self, url: str) -> str:
        """`allow` once it was fetched, else what stood against it."""
        try:
            subjects = self.subjects(url)
        except TurnloopError:
            return "deny"
        verdict = self.judge.decide("WebFetch", subjects, read_only=True).verdict.value
        if verdict != "allow":
            return verdict
        context = call_context(self.project, subjects)
        anyio.run(self.tool.run, FetchArguments(url=url), context)
        return "allow"


def corpus() -> list[dict[str, Any]]:
    if not CORPUS.exists():
        return []
    cases = [json.loads(line) for line in CORPUS.read_text("utf-8").split("\n") if line]
    return [case for case in cases if case["tool"] == "WebFetch"]


@pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpus is not here")
@pytest.mark.parametrize("case", corpus(), ids=lambda case: case["id"])
def test_the_tool_is_as_strict_as_the_corpus(case: dict[str, Any]) -> None:
    """With what the running tool finds out: addresses, and each hop as a call of its own."""
    args = case["args"]
    with temporary_project() as project:
        judge = engine(project, case["mode"], **case["rules"])
        agent = Agent(project, judge, args.get("resolved", ["8.8.8.8"]))
        answers = []
        for url in (args["url"], *args.get("redirect_chain", ())):
            if "resolved" in args:
                answers.append(_when_it_is_run(agent, url))
            else:
                try:
                    answers.append(agent.verdict(url))
                except TurnloopError:
                    answers.append("deny")
    found = max(answers, key=STRICTNESS.index)
    assert STRICTNESS.index(found) >= STRICTNESS.index(case["expected"]), case["why"]
    assert found == "allow" or case["expected"] != "allow", case["why"]


def _when_it_is_run(agent: Agent, url: str) -> str:
    """The first call finds out what the name stands for, and is not made; the second is judged."""
    assert agent.verdict(url) == "allow"
    with pytest.raises(TurnloopError, match="stands for"):
        agent.call(url)
    return agent.verdict(url)


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        ({"allow": ["WebFetch"]}, "ask"),
        ({"allow": ["WebFetch(*)"]}, "ask"),
        ({"allow": ["WebFetch(http://page.example:{port}/*)"]}, "allow"),
        ({"allow": ["WebFetch(http://127.0.0.1:{port}/*)"]}, "ask"),
        (
            {
                "allow": ["WebFetch(http://page.example:{port}/*)"],
                "deny": ["WebFetch(http://127.0.0.1:{port}/*)"],
            },
            "deny",
        ),
    ],
)
def test_a_public_name_of_a_private_machine(rules, answer):
    with Loopback(WORDS) as server, temporary_project() as project:
        written = {k: [r.format(port=server.port) for r in texts] for k, texts in rules.items()}
        agent = Agent(project, engine(project, **written), ["127.0.0.1"])
        url = f"http://page.example:{server.port}/"
        with_first_answer(agent, url)
        assert server.requests == []
        assert agent.call(url) == answer
        assert len(server.requests) == (answer == "allow")


def with_first_answer(agent: Agent, url: str) -> None:
    """The call that finds out what the name stands for; where a rule lets it get so far."""
    if agent.verdict(url) == "allow":
        with pytest.raises(TurnloopError, match="stands for"):
            agent.call(url)
    else:  # somebody was asked, and said yes
        subjects = agent.subjects(url)
        context = call_context(agent.project, subjects)
        with pytest.raises(TurnloopError, match="stands for"):
            anyio.run(agent.tool.run, FetchArguments(url=url), context)


def test_a_rule_for_one_host_does_not_cover_where_it_leads():
    with Loopback(WORDS) as other, Loopback() as server, temporary_project() as project:
        server.answer(Answer(302, {"location": f"{other.url}/x"}))
        rule = f"WebFetch({server.url}/*)"
        agent = Agent(project, engine(project, allow=[rule]), [])
        assert agent.call(f"{server.url}/a") == "allow"
        assert other.requests == []
        assert agent.call(f"{other.url}/x") == "ask"


@pytest.mark.parametrize("mode", ["default", "auto", "plan"])
def test_fetching_asks_once_for_each_host_and_searching_does_not_ask(mode):
    with temporary_project() as project:
        judge = engine(project, mode)
        agent = Agent(project, judge, [])
        decision = judge.decide("WebFetch", agent.subjects("https://a.example/x"), read_only=True)
        assert decision.verdict.value == "ask"
        rule = judge.propose_rule("WebFetch", decision)
        assert rule == "WebFetch(https://a.example/*)"
        agent.judge = judge.with_rule("allow", rule)
        assert agent.verdict("https://a.example/y?z") == "allow"
        assert agent.verdict("https://b.example/") == "ask"
        from turnloop_web.search import SearchArguments, WebSearch
        from turnloop_web.settings import SearchSettings

        searching = WebSearch(SearchSettings(), {}.get)
        subjects = searching.subjects(SearchArguments(query="a  b"), project.scope)
        assert judge.decide("WebSearch", subjects, read_only=True).verdict.value == "allow"
        deny = engine(project, mode, deny=["WebSearch(a b)"])
        assert deny.decide("WebSearch", subjects, read_only=True).verdict.value == "deny"
