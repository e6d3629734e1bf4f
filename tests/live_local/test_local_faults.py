"""What goes wrong with a server that none of us wrote: too long, killed, silent, taken away."""

from __future__ import annotations

import time

import pytest

from live_local.llama import WINDOW, LlamaServer
from live_local.program import COUNTING, Program, words

pytestmark = pytest.mark.live_local

TOO_LONG = "Tell me about these words. " + "garden river window " * 1_000
SOON_S = 60.0  # an end within this is an end in bounded time


def test_a_prompt_that_the_server_has_no_room_for(server: LlamaServer, program: Program) -> None:
    """It answers 200 and an empty body, which is said, and not tried again and again."""
    program.use(server, window=16 * WINDOW)  # more than it has
    ran = program.run(TOO_LONG)
    assert (ran.status, ran.out) == (1, "")
    assert "answered 200 with an empty body" in ran.err
    assert "often the prompt is too long for it" in ran.err
    again = program.run(TOO_LONG, "--json")
    assert (again.end["attempts"], again.end["error"]) == (1, "BadReplyError")
    assert again.of("wait_started") == []


def test_a_prompt_that_cannot_fit_is_not_sent(server: LlamaServer, program: Program) -> None:
    program.use(server)
    before = server.log.count("POST /v1/chat/completions")
    ran = program.run(TOO_LONG, "--json")
    assert (ran.status, ran.end["error"]) == (1, "ContextOverflowError")
    assert ran.of("attempt_started") == []
    assert ran.err.startswith("tl: the prompt is about ")
    assert server.log.count("POST /v1/chat/completions") == before


def test_a_server_that_is_killed_and_started_again(
    own_server: LlamaServer, program: Program
) -> None:
    program.use(own_server, output=600, body=words(COUNTING))
    with program.start("Count.") as going:
        going.said(5)
        own_server.kill()
        killed = time.monotonic()
        ran = going.finish()
    assert time.monotonic() - killed < SOON_S
    ends = [(event["end"], event["reason"]) for event in ran.of("attempt_ended")]
    nobody = f"local: cannot reach 127.0.0.1:{own_server.port}: All connection attempts failed"
    assert ends == [("cut_stream", "local: the connection was lost"), ("fault", nobody)]
    assert [event["reason"] for event in ran.of("reply_voided")] == [ends[0][1]]
    assert (ran.status, ran.end["error"], ran.end["text"]) == (5, "UnreachableError", "")
    assert nobody in ran.err
    assert "check base_url, and that the server is running" in ran.err
    assert program.turns == []
    own_server.start()
    assert program.run("Once more.", "--resume").out.strip() == COUNTING
    assert len(program.logs) == 1


def test_a_server_that_falls_silent(server: LlamaServer, program: Program) -> None:
    program.use(server, output=600, body=words(COUNTING))
    assert program.run("Count.").status == 0  # so that it need not read the long beginning again
    program.use(server, output=600, body=words(COUNTING), timeout_s=2)
    with program.start("Count.") as going:
        going.said(5)
        server.pause()
        paused = time.monotonic()
        try:
            ran = going.finish()
        finally:
            server.resume()
    assert time.monotonic() - paused < SOON_S
    first, *others = ran.of("attempt_ended")
    assert first["end"] == "cut_stream"
    assert first["reason"].startswith("local: the server fell silent for 2")
    assert len(others) == 1
    assert (ran.status, ran.end["error"]) == (5, "RetryableError")
    assert "within 2" in ran.err
    assert "a larger timeout_s waits longer" in ran.err
    assert program.turns == []
    program.use(server, output=600, body=words(COUNTING))
    assert program.run("Once more.", "--resume").out.strip() == COUNTING


def test_a_reply_that_another_request_ended_is_not_whole(
    server: LlamaServer, program: Program
) -> None:
    """This server ends a stream for a newer request: the older one gets `[DONE]`, and no reason."""
    program.use(server, output=600, body=words(COUNTING))
    with program.start("Count.") as going:
        going.said(5)
        other = program.run("Count too.")
        ran = going.finish()
    assert "cut_stream" in [event["end"] for event in ran.of("attempt_ended")]
    # Each try ends the other's stream in turn: either may come to nothing, but not to a half.
    assert {ran.end["text"], other.out.strip()} <= {"", COUNTING}
    assert (ran.status == 0) is (ran.end["text"] == COUNTING)
