"""WebFetch in a whole session: how often the user is asked, and what is fetched for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness import opened, run
from turnloop_core.api import PermissionAnswer
from turnloop_core.testing.fakes import ScriptedApprover, call
from turnloop_core.testing.loopback import Answer, Loopback
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.results import ErrorKind, Result
from turnloop_web.fetch import WebFetch
from turnloop_web.page import Pages

WORDS = Answer(headers={"content-type": "text/plain"}, body=b"words")
NAMES = {"page.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]}
RULE = "WebFetch(http://page.example:{port}/*)"


class Fetch(WebFetch):
    """With the flags that its plugin registers."""

    read_only = True
    parallel_safe = True
    bulk_args = ()


async def resolve(host: str, port: int) -> Sequence[str]:
    return NAMES[host]


def to(location: str) -> Answer:
    return Answer(302, {"location": location})


@dataclass
class Seen:
    """What came of one prompt; ports are left out of what was asked."""

    results: list[Result] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    refused: int = 0


def fetched(
    *answers: Answer,
    says: Sequence[bool | PermissionAnswer] = (),
    interactive: bool = True,
    rules: Mapping[str, Sequence[str]] | None = None,
    calls: int = 1,
) -> Seen:
    """Let the model fetch `http://page.example/a`; `{port}` is the server's."""
    seen = Seen()

    async def scenario() -> None:
        with Loopback() as server, temporary_project() as project:
            port = f":{server.port}"
            server.answer(*(_placed(answer, port) for answer in answers))
            approver = ScriptedApprover(says, interactive=interactive)
            written = {
                kind: tuple(rule.replace(":{port}", port) for rule in texts)
                for kind, texts in (rules or {}).items()
            }
            fetch: Any = Fetch(Pages(), resolve=resolve)
            go = call("WebFetch", {"url": f"http://page.example{port}/a"})
            replies = [*[go] * calls, "ok"]
            async with opened(
                project, *replies, tools=[fetch], approver=approver, extra_rules=written
            ) as o:
                outcome = await o.session.run("go")
                seen.refused = outcome.refused
                seen.results = [result for turn in o.session.view.turns for result in turn.results]
            seen.asked = [q.summary.replace(port, "") for q in approver.asked]
            seen.reasons = [q.decision.reason.replace(port, "") for q in approver.asked]
            seen.rules = [q.proposals[0][0].replace(port, "") for q in approver.asked]
            seen.paths = [request.path for request in server.requests]

    run(scenario)
    return seen


def _placed(answer: Answer, port: str) -> Answer:
    headers = {name: value.replace(":{port}", port) for name, value in answer.headers.items()}
    return Answer(answer.status, headers, answer.body)


A = "WebFetch(http://page.example/a)"


def test_a_page_that_moves_about_on_its_server_is_asked_about_once() -> None:
    """A second time for what the name turns out to be, which nobody knew before."""
    seen = fetched(to("/b"), to("/c"), WORDS, says=(True,))
    assert seen.results[0].ok
    assert seen.asked == [A, A]
    needs = "fetching http://page.example/a needs consent in default mode"
    found = "page.example (127.0.0.1) is this machine or its own network"
    assert seen.reasons == [needs, f"{needs}: {found}"]
    assert seen.paths == ["/a", "/b", "/c"]


def test_a_hop_to_another_host_is_asked_about_with_where_it_comes_from() -> None:
    seen = fetched(
        to("http://other.example:{port}/x"),
        to("/y"),
        WORDS,
        says=(True,),
        rules={"allow": (RULE, "WebFetch(http://127.0.0.1:{port}/*)")},
    )
    assert seen.results[0].ok
    hop = "WebFetch(http://other.example/x)"
    assert seen.asked == [hop, hop]
    assert seen.reasons[0].endswith("default mode: http://page.example/a leads there")
    assert seen.rules[0] == "WebFetch(http://other.example/*)"
    assert seen.paths == ["/a", "/x", "/y"]


def test_a_remembered_answer_holds_for_what_is_found_out_later() -> None:
    seen = fetched(
        to("/b"), WORDS, to("/b"), WORDS, says=(PermissionAnswer(True, "session"),), calls=2
    )
    assert [result.ok for result in seen.results] == [True, True]
    assert seen.asked == [A]  # the rule names the host, so it covers what it stands for


@pytest.mark.parametrize(
    ("says", "interactive", "error", "told"),
    [
        ((False,), True, ErrorKind.DECLINED, "the user declined it. "),
        ((), False, ErrorKind.NO_CONSENT, "it needs consent and nobody is there to give it ("),
    ],
)
def test_a_hop_without_consent(
    says: Sequence[bool], interactive: bool, error: ErrorKind, told: str
) -> None:
    seen = fetched(
        to("http://other.example:{port}/x"),
        says=says,
        interactive=interactive,
        rules={"allow": (RULE,)},
    )
    (result,) = seen.results
    assert result.error is error
    assert "/x, which was not followed: " + told in result.text
    assert seen.paths == ["/a"]
    assert seen.refused == (error is ErrorKind.NO_CONSENT)


def test_a_rule_that_asks_asks_about_what_is_new() -> None:
    seen = fetched(to("/b"), WORDS, says=(True,), rules={"ask": (RULE, "WebFetch")})
    assert seen.results[0].ok
    assert seen.asked == [A, A]
    assert seen.reasons[1] == (
        f"{seen.reasons[0]}: page.example (127.0.0.1) is this machine or its own network"
    )
    assert seen.paths == ["/a", "/b"]


def test_a_name_denied_by_what_it_stands_for_is_never_connected_to() -> None:
    rules = {"allow": (RULE,), "deny": ("WebFetch(http://127.0.0.1:{port}/*)",)}
    seen = fetched(rules=rules)
    (result,) = seen.results
    assert result.error is ErrorKind.DENIED
    assert "was not fetched: page.example stands for 127.0.0.1; it is denied: " in result.text
    assert seen.paths == []
