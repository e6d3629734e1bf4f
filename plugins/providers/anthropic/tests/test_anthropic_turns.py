"""Whole sessions with a server that seals its thoughts and refuses all that it did not make."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic_server import StrictServer, refusal, think
from anthropic_world import KEY, TEN, ask, fine, read, sent_thoughts, world

from turnloop_core.testing.loopback import Answer

pytest.importorskip("turnloop_files", reason="these sessions read files")


def test_ten_turns_and_another_prompt() -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        outcomes = ask(project, "read them", "and f11")
        fine(outcomes, server)
        assert outcomes[0].text == "They are all there."
        assert len(loopback.requests) == 13
        # each thought goes back byte for byte, at once and to the end
        assert sent_thoughts(loopback) == list(server.made.values())
        for number, request in enumerate(loopback.requests):
            assert "cache_control" in request.body.decode()
            assert request.headers["x-api-key"] == KEY["CLAUDE_KEY"]
            assert request.headers["anthropic-version"] == "2023-06-01"
            assert request.headers["anthropic-beta"] == "interleaved-thinking-2025-05-14"
            kept = sent_thoughts(loopback, number)
            assert kept == list(server.made.values())[: len(kept)]
        results = [
            block
            for message in loopback.requests[-1].json["messages"]
            for block in message["content"]
            if block["type"] == "tool_result"
        ]
        assert len(results) == 13
        assert [block.get("is_error") for block in results].count(True) == 1


def test_resumed_after_each_prompt() -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        fine(ask(project, "read them"), server)
        made = list(server.made.values())
        fine(ask(project, "and f11", resume=""), server)
        assert sent_thoughts(loopback, 11) == made
        fine(ask(project, "more?", resume=""), server)
        assert sent_thoughts(loopback, -1) == list(server.made.values())[:-1]


def test_another_model_gets_no_thought_of_the_first() -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        fine(ask(project, "read them"), server)
        fine(ask(project, "and f11", resume="", model="claude-haiku-4-5"), server)
        assert sent_thoughts(loopback, 11) == []
        assert server.types[-2:] == ["enabled", "enabled"]
        # and back again: the first gets its own, and none of the other
        first = list(server.made.values())[:-1]
        fine(ask(project, "more?", resume=""), server)
        assert sent_thoughts(loopback, -1) == first


def test_thinking_off_and_on_again() -> None:
    server = StrictServer(TEN)
    with world(server) as (project, loopback):
        fine(ask(project, "read them"), server)
        made = list(server.made.values())
        fine(ask(project, "and f11", resume="", thinking="off"), server)
        assert sent_thoughts(loopback, -1) == []
        assert server.types[-2:] == ["disabled", "disabled"]
        assert "anthropic-beta" not in loopback.requests[-1].headers
        fine(ask(project, "more?", resume=""), server)
        assert server.types[-1] == "enabled"
        assert sent_thoughts(loopback, -1) == made


def test_thoughts_that_are_refused_all_the_same_are_left_out_once_and_for_all() -> None:
    words = "messages.1.content.0: Invalid `signature` in `thinking` block"
    refused: list[str] = []

    def first(body: Any) -> Answer | None:
        if len(body["messages"]) >= 5 and not refused:
            refused.append(words)
            return refusal(words)
        return None

    server = StrictServer(TEN, first)
    with world(server) as (project, loopback):
        outcomes = ask(project, "read them", "and f11")
        fine(outcomes, server)
        assert refused == [words]
        assert len(loopback.requests) == 14
        # the same request without thoughts; the turn that began without goes on without
        assert sent_thoughts(loopback, 3) == []
        assert server.types[2:11] == ["disabled"] * 9
        assert server.types[11:] == ["enabled", "enabled"]


def long_thoughts() -> list[Any]:
    steps: list[Any] = [*TEN]
    steps[2] = [think("words that differ, " + " ".join(map(str, range(3_000)))), read(3)]
    return steps


def test_thinking_is_reduced_in_the_middle_of_a_tool_loop() -> None:
    server = StrictServer(long_thoughts())
    with world(server, thinking_cap=1_000) as (project, loopback):
        outcomes = ask(project, "read them", "and f11")
        fine(outcomes, server)
        assert server.types[:4] == ["enabled", "enabled", "enabled", "disabled"]
        assert set(server.types[3:12]) == {"disabled"}, "it holds to the end of the run"
        assert server.types[12:] == ["enabled", "enabled"]
        assert sent_thoughts(loopback, 3) == []
        # at the next prompt what was thought before the cut is there again
        assert len(sent_thoughts(loopback, 12)) == 2
