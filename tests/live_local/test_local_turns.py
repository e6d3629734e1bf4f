"""What goes well with a server and a model that none of us wrote: words, and calls of tools."""

from __future__ import annotations

import pytest

from live_local.llama import LlamaServer
from live_local.program import COUNTING, Program, forced, words

pytestmark = pytest.mark.live_local


def test_the_answer_of_a_model_is_printed(server: LlamaServer, program: Program) -> None:
    program.use(server)
    ran = program.run("Say hello in one sentence.", "--max-iterations", "4")
    assert ran.out.strip()
    assert ran.status in (0, 3), ran.err  # a model this small may not find an end


def test_words_come_in_pieces(server: LlamaServer, program: Program) -> None:
    program.use(server, output=600, body=words(COUNTING))
    ran = program.run("Count.", "--json")
    pieces = [event["text"] for event in ran.of("text")]
    assert len(pieces) > 50
    assert "".join(pieces) == ran.end["text"] == COUNTING
    assert (ran.status, ran.end["end"], ran.end["attempts"]) == (0, "done", 1)
    usage = ran.end["usage"]  # this server tells none in a stream; another version may
    assert usage == {"reported": False} or usage["output"] > 0


def test_what_was_said_comes_back(server: LlamaServer, program: Program) -> None:
    program.use(server, body=words("The second."))
    assert program.run("Count.").status == 0
    ran = program.run("And now?", "--resume", "--json")
    assert (ran.status, ran.end["text"], ran.of("wait_started")) == (0, "The second.", [])
    assert len(program.turns) == 2


@pytest.mark.parametrize(("tool", "plugin"), [("Read", "files"), ("TodoWrite", "todo")])
def test_calls_over_two_turns(
    server: LlamaServer, program: Program, tool: str, plugin: str
) -> None:
    """What the model asks for may make no sense: then the second request carries an error."""
    program.use(server, plugin, output=60, body=forced(tool), no_content="empty")
    ran = program.run("Read notes.txt", "--max-iterations", "2", "--json")
    ends = [(event["end"], event["reason"]) for event in ran.of("attempt_ended")]
    assert ends == [("turn", ""), ("turn", "")]
    assert ran.of("wait_started") == []  # the server took the history at once
    assert (ran.status, ran.end["end"]) == (3, "limit")
    turns = program.turns
    assert [[call.name for call in turn.reply.calls] for turn in turns] == [[tool], [tool]]
    assert [len(turn.results) for turn in turns] == [1, 1]
    assert all(result.text.strip() for turn in turns for result in turn.results)


def test_an_interrupt_ends_the_stream(server: LlamaServer, program: Program) -> None:
    program.use(server, output=600, body=words(COUNTING))
    with program.start("Count.") as going:
        going.said(5)
        going.interrupt()
        ran = going.finish()
    assert (ran.status, ran.end["end"]) == (130, "interrupted")
    assert program.turns == []
    assert program.run("Once more.", "--resume").out.strip() == COUNTING
