"""Replies that fail on the way: nothing half runs, and nothing half is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from anthropic_events import begin, call, end, stream, text
from anthropic_server import StrictServer, say
from anthropic_world import fine, views, world

from turnloop_core.api import RunOutcome
from turnloop_core.testing.loopback import Answer, Gate
from turnloop_core.types.events import RunEnd
from turnloop_core.types.items import Turn

pytest.importorskip("turnloop_files", reason="these sessions write files")


def run_one(answer: Answer, **settings: Any) -> tuple[StrictServer, RunOutcome, list[Any], Any]:
    """A session whose first reply is `answer`, and whose further replies are plain."""
    server = StrictServer([answer, [say("Well then.")]])
    with world(server, **settings) as (project, loopback):
        project.write("notes.txt", "n" * 2_000)
        outcome, items = views(project, "go")
        return server, outcome, items, (project.read("notes.txt"), len(loopback.requests))


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
INVALID = {"type": "error", "error": {"type": "invalid_request_error", "message": "no such thing"}}
WRITE = '{"file_path": "notes.txt", "content": "'
HALF_CALL = call(1, "toolu_1", "Write", [WRITE, "half"], whole=False)
WHOLE_CALL = call(1, "toolu_1", "Write", [WRITE, 'half"}'])


def answers(items: Sequence[Any]) -> list[str]:
    return [item.reply.text for item in items if isinstance(item, Turn)]


@pytest.mark.parametrize(
    "body",
    [
        stream(OVERLOADED),
        stream(begin(), *text(0, "one ", "two ", "three"), OVERLOADED),
        stream(begin(), *text(0, "I write."), *HALF_CALL, OVERLOADED),
        json.dumps(OVERLOADED).encode(),
    ],
    ids=["first", "in text", "in a call", "without framing"],
)
def test_an_overload_within_a_good_answer_is_tried_again(body: bytes) -> None:
    server, outcome, items, (notes, requests) = run_one(Answer(body=body))
    fine([outcome], server)
    assert answers(items) == ["Well then."]
    assert (notes, requests) == ("n" * 2_000, 2)


def test_an_invalid_request_within_a_good_answer_is_not_tried_again() -> None:
    _, outcome, items, (_, requests) = run_one(Answer(body=stream(begin(), INVALID)))
    assert outcome.end is RunEnd.FAILED
    assert "no such thing" in outcome.reason
    assert (answers(items), requests) == ([], 1)


@pytest.mark.parametrize("drop", ["close", "reset", None])
@pytest.mark.parametrize(
    "events",
    [
        [*text(0, "one ", "two ", "three")[:-1]],
        [*text(0, "I write."), *HALF_CALL],
        [*text(0, "I write."), *WHOLE_CALL],
    ],
    ids=["in text", "in arguments", "after a call"],
)
def test_a_reply_that_breaks_off_runs_nothing(events: Sequence[Any], drop: Any) -> None:
    answer = Answer(body=[stream(begin(), *events)], drop=drop)
    server, outcome, items, (notes, requests) = run_one(answer)
    fine([outcome], server)
    assert answers(items) == ["Well then."]
    assert (notes, requests) == ("n" * 2_000, 2)


@pytest.mark.parametrize("made", [HALF_CALL, WHOLE_CALL], ids=["cut", "closed by a gateway"])
def test_a_call_that_the_output_limit_cut_never_runs(made: Sequence[Any]) -> None:
    body = stream(begin(), *text(0, "I write."), *made, *end("max_tokens"))
    server, outcome, items, (notes, requests) = run_one(Answer(body=body))
    fine([outcome], server)
    assert answers(items) == ["Well then."]
    assert (notes, requests) == ("n" * 2_000, 2)


def test_a_call_that_is_cut_again_and_again_ends_the_run() -> None:
    body = stream(begin(), *text(0, "I write."), *HALF_CALL, *end("max_tokens"))
    requests = 0

    def always(_: Any) -> Answer:
        nonlocal requests
        requests += 1
        return Answer(body=body)

    with world(always) as (project, _):
        outcome, items = views(project, "go")
        assert outcome.end is not RunEnd.DONE
        assert answers(items) == []
        assert 1 < requests < 10


def test_a_pause_of_the_servers_own_tools_is_no_answer() -> None:
    body = stream(begin(), *text(0, "I search."), *end("pause_turn"))
    server, outcome, items, _ = run_one(Answer(body=body))
    fine([outcome], server)
    assert answers(items) == ["Well then."]


def test_a_stall_is_left() -> None:
    gate = Gate()
    body = [stream(begin(), *text(0, "one ")[:-1]), gate]
    server = StrictServer([Answer(body=body), [say("Well then.")]])
    with world(server) as (project, _):
        path = project.home / ".turnloop" / "settings.json"
        said: Mapping[str, Any] = json.loads(path.read_text())
        said["providers"]["claude"]["timeout_s"] = 0.2
        path.write_text(json.dumps(said))
        outcome, items = views(project, "go")
        fine([outcome], server)
        assert answers(items) == ["Well then."]
        assert gate.left.wait(10.0)
