"""The rules and the tool together: what the engine is asked, before a call and at each hop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from turnloop_core.api import ErrorKind, Refusal, Subject, TurnloopError, Verdict
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import Rules, parse_rule
from turnloop_core.testing.contexts import FakeCallContext, call_context
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.types.subjects import PermissionMode
from turnloop_web.fetch import FetchArguments, WebFetch
from turnloop_web.page import Limits, Pages

CORPUS = Path(__file__).resolve().parents[5] / "shared/corpus/permissions.jsonl"
QUICK = Limits(total_s=20.0, connect_s=0.2, read_s=10.0)
STRICTNESS = ["allow", "ask", "deny"]
WORDS = Answer(headers={"content-type": "text/plain"}, body=b"words")


def engine(project: Project, mode: str = "default", **rules: Sequence[str]) -> Engine:
    lists = {
        kind: tuple(parse_rule(text, "test") for text in rules.get(kind, ())) for kind in KINDS
    }
    return Engine(Rules(**lists), PermissionMode(mode), project.scope)


KINDS = ("allow", "deny", "ask")


class Judging(FakeCallContext):
    """A context that asks an engine, with nobody there to consent."""

    engine: Engine
    asked: list[str]

    async def judge(self, subject: Subject, *, like: Subject | None = None) -> Refusal | None:
        self.judged.append(subject)
        verdict = self.engine.decide("WebFetch", (subject,), read_only=True).verdict
        return REFUSALS[verdict]


REFUSALS = {
    Verdict.ALLOW: None,
    Verdict.ASK: Refusal(ErrorKind.NO_CONSENT, "ask"),
    Verdict.DENY: Refusal(ErrorKind.DENIED, "deny"),
}


class Agent:
    """Calls the tool as the loop does: judge, then run if it is allowed."""

    def __init__(self, project: Project, judge: Engine, resolved: Sequence[str]) -> None:
        async def resolve(host: str, port: int) -> Sequence[str]:
            return resolved

        self.project, self.judge = project, judge
        self.tool = WebFetch(Pages(), QUICK, resolve)

    def verdict(self, url: str) -> str:
        return self.judge.decide("WebFetch", self.subjects(url), read_only=True).verdict.value

    def subjects(self, url: str) -> tuple[Subject, ...]:
        return tuple(self.tool.subjects(FetchArguments(url=url), self.project.scope))

    def call(self, url: str, *, consent: bool = False) -> str:
        """`allow` once it was fetched, else what stood against it.

        Args:
            url: the address.
            consent: the user says yes before the call, where that is asked.
        """
        try:
            subjects = self.subjects(url)
        except TurnloopError:
            return "deny"
        verdict = self.judge.decide("WebFetch", subjects, read_only=True).verdict
        if verdict is Verdict.DENY or (verdict is Verdict.ASK and not consent):
            return verdict.value
        made = call_context(self.project, subjects)
        context = Judging(made.scope, made.data_dir, made.subjects)
        context.engine = self.judge
        try:
            result = anyio.run(self.tool.run, FetchArguments(url=url), context)
        except (TurnloopError, TimeoutError):  # it went as far as connecting
            return "allow"
        return "allow" if result.ok else result.text.rpartition(" ")[2]


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
        hops = (args["url"], *args.get("redirect_chain", ()))
        if "resolved" in args:
            assert agent.verdict(args["url"]) == "allow"  # it shows when the name is looked up
            answers = [agent.call(url) for url in hops]
        else:
            answers = [_verdict(agent, url) for url in hops]
    found = max(answers, key=STRICTNESS.index)
    assert STRICTNESS.index(found) >= STRICTNESS.index(case["expected"]), case["why"]
    assert found == "allow" or case["expected"] != "allow", case["why"]


def _verdict(agent: Agent, url: str) -> str:
    try:
        return agent.verdict(url)
    except TurnloopError:
        return "deny"


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        ({"allow": ["WebFetch"]}, "ask"),
        ({"allow": ["WebFetch(*)"]}, "ask"),
        ({"allow": ["WebFetch(http://*.example:{port}/*)"]}, "ask"),
        ({"allow": ["WebFetch(http://*.example:{port}/*)", "WebFetch"]}, "ask"),
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
        assert agent.call(url, consent=True) == answer
        assert len(server.requests) == (answer == "allow")


@pytest.mark.parametrize(
    ("deny", "answer"),
    [
        ("http://127.0.0.1:{port}/x", "deny"),
        ("http://127.0.0.1:{port}/y", "allow"),
        ("http://page.example:{port}/x", "deny"),
        ("http://192.0.2.7:{port}/*", "deny"),
    ],
)
def test_deny_rules_hold_for_all_that_a_name_stands_for(deny, answer):
    with Loopback(WORDS) as server, temporary_project() as project:
        rule = f"WebFetch({deny.format(port=server.port)})"
        agent = Agent(project, engine(project, "bypass", deny=[rule]), ["127.0.0.1", "192.0.2.7"])
        assert agent.call(f"http://page.example:{server.port}/x") == answer
        assert len(server.requests) == (answer == "allow")


def test_a_rule_for_a_part_of_a_server_does_not_cover_the_rest():
    with Loopback() as server, temporary_project() as project:
        rule = f"WebFetch({server.url}/public/*)"
        server.answer(Answer(302, {"location": "/public/b"}), Answer(302, {"location": "/admin"}))
        agent = Agent(project, engine(project, allow=[rule]), [])
        assert agent.call(f"{server.url}/public/a") == "ask"
        assert [request.path for request in server.requests] == ["/public/a", "/public/b"]


@pytest.mark.parametrize("mode", ["default", "bypass"])
def test_a_rule_that_denies_a_path_holds_for_a_hop(mode):
    with (
        Loopback(Answer(302, {"location": "/%61dmin/x"})) as server,
        temporary_project() as project,
    ):
        rules = {
            "allow": [f"WebFetch({server.url}/*)"],
            "deny": [f"WebFetch({server.url}/admin/*)"],
        }
        agent = Agent(project, engine(project, mode, **rules), [])
        assert agent.call(f"{server.url}/a") == "deny"
        assert len(server.requests) == 1


@pytest.mark.parametrize("known", [False, True])
def test_a_rule_for_one_host_does_not_cover_where_it_leads(known):
    with Loopback(WORDS) as other, Loopback() as server, temporary_project() as project:
        server.answer(Answer(302, {"location": f"{other.url}/x"}))
        rules = [f"WebFetch({server.url}/*)"] + [f"WebFetch({other.url}/*)"] * known
        agent = Agent(project, engine(project, allow=rules), [])
        assert agent.call(f"{server.url}/a") == ("allow" if known else "ask")
        assert len(other.requests) == known


@pytest.mark.parametrize("mode", ["default", "auto", "plan"])
def test_fetching_asks_once_for_each_host_and_searching_does_not_ask(mode):
    with temporary_project() as project:
        judge = engine(project, mode)
        agent = Agent(project, judge, [])
        decision = judge.decide("WebFetch", agent.subjects("https://a.example/x"), read_only=True)
        assert decision.verdict.value == "ask"
        [[rule]] = judge.propose_rules("WebFetch", decision)
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
