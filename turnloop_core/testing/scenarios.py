"""Scenarios: replies that a provider under test must be able to receive.

A scenario says what happens on the wire without saying which wire. A provider's tests translate it
into their own, in a small loopback server, and the suite compares what comes out of the provider
with the scenario.
"""

from __future__ import annotations

from typing import Literal

from turnloop_core.types.items import StopReason
from turnloop_core.types.usage import Usage
from turnloop_core.values import dataclass

Ending = Literal["whole", "dropped", "held"]
Refusal = Literal["", "overloaded", "too_long", "wrong_key"]

USAGE = Usage(input=90, output=17, cache_read=40)


@dataclass(frozen=True, slots=True)
class ScenarioCall:
    """A call in a scenario.

    Attributes:
        name: name of the tool.
        arguments: JSON text; incomplete where the scenario ends within it.
        pieces: in how many pieces the arguments are to be sent, where the wire has pieces.
        id: where the wire has ids.
    """

    name: str
    arguments: str
    pieces: int = 1
    id: str = "call_1"

    @property
    def fragments(self) -> tuple[str, ...]:
        """The arguments in `pieces` pieces."""
        size = max(1, -(-len(self.arguments) // self.pieces))
        starts = range(0, len(self.arguments), size)
        return tuple(self.arguments[start : start + size] for start in starts)


@dataclass(frozen=True, slots=True)
class Scenario:
    """What the server does with a request.

    The order is reasoning, text, calls, then the ending.

    Attributes:
        name: for messages.
        text: the visible answer, to be sent in more than one piece.
        reasoning: thinking before the answer, where the wire has any.
        calls: the calls.
        stop: why the reply ends, in the wire's own word.
        usage: what the wire reports. `input` and `cache_read` never overlap here: a wire that
            counts cached tokens within the input reports their sum.
        ending: `whole` ends as the protocol says. `dropped` closes the connection after the content
            without any ending mark. `held` sends the content and then nothing, until the client
            closes the connection.
        refusal: the answer instead of a reply. `overloaded` refuses the first request only, and
            asks to wait for no time at all; the others refuse every request.
    """

    name: str
    text: str = ""
    reasoning: str = ""
    calls: tuple[ScenarioCall, ...] = ()
    stop: StopReason = StopReason.END_TURN
    usage: Usage = USAGE
    ending: Ending = "whole"
    refusal: Refusal = ""

    @property
    def text_pieces(self) -> tuple[str, ...]:
        """The text in two pieces (one, when it is too short)."""
        middle = len(self.text) // 2
        return tuple(piece for piece in (self.text[:middle], self.text[middle:]) if piece)


READ = ScenarioCall("Read", '{"file_path": "src/größe 日本.py"}')
RUN = ScenarioCall("Bash", '{"command": "echo \\"hi\\"", "timeout_s": 5}', id="call_2")
LONG = ScenarioCall("Write", '{"file_path": "a.txt", "content": "one\\ntwo 🙂\\n"}', pieces=7)
HALF = ScenarioCall("Write", '{"file_path": "a.txt", "content": "rm -rf', pieces=2)

PLAIN_TEXT = Scenario("plain text", "It is done: naïve 日本 🙂.")
TEXT_AND_CALL = Scenario(
    "text and a call", "I read it first.", calls=(READ,), stop=StopReason.TOOL_USE
)
TWO_CALLS = Scenario("two calls", calls=(READ, RUN), stop=StopReason.TOOL_USE)
FRAGMENTED_ARGUMENTS = Scenario("fragmented arguments", calls=(LONG,), stop=StopReason.TOOL_USE)
REASONING = Scenario("reasoning", "Forty-two.", reasoning="Six times seven makes that.")
LIMIT_IN_TEXT = Scenario("output limit in text", "It begins and", stop=StopReason.MAX_TOKENS)
LIMIT_IN_CALL = Scenario(
    "output limit in a call", "I write it.", calls=(HALF,), stop=StopReason.MAX_TOKENS
)
CUT_IN_TEXT = Scenario("connection cut in text", "It begins and", ending="dropped")
CUT_IN_ARGUMENTS = Scenario(
    "connection cut in arguments", "I write it.", calls=(HALF,), ending="dropped"
)
HELD = Scenario("reply that does not go on", "It begins and", ending="held")
TOO_LONG = Scenario("request too long", refusal="too_long")
WRONG_KEY = Scenario("wrong key", refusal="wrong_key")
OVERLOADED_THEN_FINE = Scenario("overloaded, then fine", "Here I am.", refusal="overloaded")

COMPLETE = (
    PLAIN_TEXT,
    TEXT_AND_CALL,
    TWO_CALLS,
    FRAGMENTED_ARGUMENTS,
    REASONING,
    LIMIT_IN_TEXT,
    LIMIT_IN_CALL,
    OVERLOADED_THEN_FINE,
)
CUT = (CUT_IN_TEXT, CUT_IN_ARGUMENTS)
REFUSED = (TOO_LONG, WRONG_KEY)
ALL = (*COMPLETE, *CUT, HELD, *REFUSED)
