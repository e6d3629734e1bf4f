"""Checks for providers whose requests are JSON bodies: what the server sees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

from turnloop_core.testing import scenarios
from turnloop_core.testing.json_span import strings, top_level
from turnloop_core.testing.provider_bench import PREFIX, Served, hear, request
from turnloop_core.testing.provider_suite import ProviderConformance
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.items import Item, NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result

__all__ = ["HttpProviderConformance", "Served"]

# 1 x 1 pixel, transparent
PIXEL = Image(
    "image/png",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    1,
    1,
)
ASK = Prompt(1, "Read a.txt, please.")


def turn(number: int, *results: str, text: str = "", origin: str = "", opaque: Any = None) -> Turn:
    """A turn with one call for each result, and reasoning when there is opaque data."""
    calls = tuple(
        Call(f"call_{number}_{i}", "Read", '{"file_path": "a.txt"}') for i in range(len(results))
    )
    said = (Text(text),) if text else ()
    thought = (Reasoning("", opaque),) if opaque is not None else ()
    stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
    reply = Reply((*thought, *said, *calls), stop, origin)
    return Turn(number, reply, tuple(Result.say(text) for text in results))


class HttpProviderConformance(ProviderConformance):
    """What holds for every provider that sends its requests as JSON.

    Attributes:
        history_key: the key of the body that holds the conversation, a list.
        text_keys: keys of the body under which a blank text would be an error.
        vision_model: exact id of a model that takes pictures; "" when there is none.
        blind_model: exact id of a model that takes none.
        opaque: an example of the opaque data that this adapter attaches to reasoning, with a
            string that stands nowhere else; None when it attaches none.
        returns_opaque: the adapter sends it back to the model that made it.
    """

    history_key: ClassVar[str] = "messages"
    text_keys: ClassVar[frozenset[str]] = frozenset({"text", "content"})
    vision_model: ClassVar[str] = ""
    blind_model: ClassVar[str] = "no-such-model-anywhere"
    opaque: ClassVar[Any] = None
    returns_opaque: ClassVar[bool] = False

    def complaints(self, body: Any) -> Sequence[str]:
        """What a strict server of this wire would refuse in a body, one line each.

        Write down here what the real server checks: roles that may follow each other, where results
        stand, that every call has its result, no blank text. The suite asks it about conversations
        of every shape.

        Args:
            body: the request, parsed.
        """
        return ()

    def comparable(self, body: bytes) -> bytes:
        """The body without what may move from request to request (cache markers)."""
        return body

    def sent(self, *conversations: Sequence[Item], model: str = "") -> list[bytes]:
        """The bodies for some conversations, sent one after the other to one provider."""

        async def go(served: Served) -> list[bytes]:
            for items in conversations:
                asked = request(served.provider, *items)
                await hear(served.provider, replace(asked, model=model or asked.model))
            return list(served.bodies())

        bodies: list[bytes] = self.within(scenarios.PLAIN_TEXT, go)
        assert len(bodies) == len(conversations), f"{len(bodies)} requests were made"
        return bodies

    def sent_text(self, *items: Item, model: str = "") -> str:
        """The conversation of one body, parsed and written without escapes."""
        (body,) = self.sent(items, model=model)
        return json.dumps(json.loads(body), ensure_ascii=False)

    def test_the_history_only_grows(self) -> None:
        """The next request starts with the bytes of the one before; nothing else changes."""
        first: list[Item] = [ASK]
        second = [*first, turn(2, "one\ntwo", text="I look."), Prompt(3, "Now b.txt: größer.")]
        third = [*second, turn(4, "b", "c"), NudgeItem(5, "Go on.", "test"), turn(6, "d")]
        bodies = [top_level(self.comparable(b)) for b in self.sent(first, second, third)]
        for before, after in pairwise(bodies):
            old, new = before.pop(self.history_key), after[self.history_key]
            kept = {key: value for key, value in after.items() if key != self.history_key}
            assert new.startswith(old[:-1]), f"history was rewritten:\n{old}\n{new}"
            assert kept == before, f"something beside the history changed: {before} {kept}"

    def test_results_reach_the_model(self) -> None:
        """Each result is sent once, and in the order of the calls."""
        text = self.sent_text(ASK, turn(2, "FIRST-RESULT", "SECOND-RESULT"))
        _in_order(text, ASK.text, "FIRST-RESULT", "SECOND-RESULT")

    def test_a_nudge_follows_the_results(self) -> None:
        """A nudge after a turn with calls comes after all of its results."""
        text = self.sent_text(
            ASK, turn(2, "FIRST-RESULT", "SECOND-RESULT"), NudgeItem(3, "NUDGE", "t")
        )
        _in_order(text, "FIRST-RESULT", "SECOND-RESULT", "NUDGE")

    def test_a_nudge_follows_an_answer(self) -> None:
        """A nudge after a turn without calls is sent too."""
        text = self.sent_text(ASK, turn(2, text="AN-ANSWER"), NudgeItem(3, "NUDGE", "t"))
        _in_order(text, "AN-ANSWER", "NUDGE")

    def test_steering_follows_the_results(self) -> None:
        """What the user says during a run comes after all results of the turn before."""
        steering = Prompt(3, "STEERING", steering=True)
        text = self.sent_text(ASK, turn(2, "FIRST-RESULT", "SECOND-RESULT"), steering)
        _in_order(text, "FIRST-RESULT", "SECOND-RESULT", "STEERING")

    def test_a_summary_is_sent(self) -> None:
        """A summary at the start of the view reaches the model."""
        _in_order(self.sent_text(Summary(1, "SUMMARY-OF-IT"), ASK), "SUMMARY-OF-IT", ASK.text)

    def test_two_prompts_in_a_row(self) -> None:
        """A prompt that never got its answer stays, and the next one follows."""
        text = self.sent_text(Prompt(1, "FIRST-ASK"), Prompt(2, "SECOND-ASK"))
        _in_order(text, "FIRST-ASK", "SECOND-ASK")

    def test_blank_text_is_never_sent(self) -> None:
        """No text of the conversation is empty or white space: some wires refuse it."""
        reply = Reply((Text("  \n"), Call("c", "Read", "{}")), StopReason.TOOL_USE)
        blank: tuple[Item, ...] = (
            ASK,
            Turn(2, reply, (Result.say("done"),)),
            turn(3, text=" "),
            Prompt(4, "Next."),
        )
        (body,) = self.sent(blank)
        history = json.loads(body)[self.history_key]
        found = [key for key, s in strings(history) if key in self.text_keys and not s.strip()]
        assert not found, f"blank text under {found} in {history}"

    def test_broken_arguments_can_stay_in_the_history(self) -> None:
        """A call with malformed arguments is sent back without breaking the request."""
        for arguments in ('{"file_path": "a', "", "[1]", "null"):
            call = Call("call_x", "Read", arguments)
            refused = Result.say("NOT-AN-OBJECT", error=ErrorKind.MALFORMED_ARGUMENTS)
            broken = Turn(2, Reply((call,), StopReason.TOOL_USE), (refused,))
            assert "NOT-AN-OBJECT" in self.sent_text(ASK, broken), f"lost with {arguments!r}"

    def test_pictures_go_to_models_that_see(self) -> None:
        """Pictures in prompts and results are sent, but never to a model that takes none."""
        seen = Turn(2, turn(2, "x").reply, (Result((Text("a picture"), PIXEL)),))
        items = (Prompt(1, "Look.", (PIXEL,)), seen)
        blind = self.sent_text(*items, model=self.blind_model)
        assert PIXEL.data not in blind, "a picture was sent to a model that takes none"
        if self.vision_model:
            count = self.sent_text(*items, model=self.vision_model).count(PIXEL.data)
            assert count == 2, f"{count} of 2 pictures were sent"

    def test_opaque_data_goes_back_to_its_origin_only(self) -> None:
        """Vendor data is sent untouched to the model that made it, and to no other."""
        mark = {"signature": "OPAQUE-MARK"} if self.opaque is None else self.opaque
        marks = [text for _, text in strings(mark)]
        assert marks, "`opaque` must hold a string"

        async def go(served: Served) -> list[str]:
            own = f"{served.provider.name}/{served.provider.model}"
            for origin in (own, "somebody/else", f"{own}-2", f"else/{served.provider.model}"):
                thought = turn(2, "x", text="I think so.", origin=origin, opaque=mark)
                await hear(served.provider, request(served.provider, ASK, thought))
            return [json.dumps(json.loads(b), ensure_ascii=False) for b in served.bodies()]

        own, *others = self.within(scenarios.PLAIN_TEXT, go)
        if self.returns_opaque:
            lost = [m for m in marks if m not in own]
            assert not lost, f"opaque data did not go back to its model: {lost}"
        for body in others:
            told = [m for m in marks if m in body]
            assert not told, f"opaque data went to a model that did not make it: {told}"

    def test_a_strict_server_takes_every_shape(self) -> None:
        """Prompts that steer, nudges and pictures stand where the wire wants them."""
        seen = Turn(2, turn(2, "x", "y").reply, (Result((Text("seen"), PIXEL)), Result.say("y")))
        shapes: dict[str, tuple[Item, ...]] = {
            "one prompt": (ASK,),
            "two prompts": (ASK, Prompt(2, "And b.txt.")),
            "an answer": (ASK, turn(2, text="Done."), Prompt(3, "Thanks. Go on.")),
            "calls": (ASK, turn(2, "one", "two", text="I look.")),
            "calls, twice": (ASK, turn(2, "one"), turn(3, "two")),
            "a nudge after results": (ASK, turn(2, "one", "two"), NudgeItem(3, "Go on.", "t")),
            "a nudge after an answer": (ASK, turn(2, text="Hm."), NudgeItem(3, "Go on.", "t")),
            "two nudges": (ASK, turn(2, "x"), NudgeItem(3, "One.", "t"), NudgeItem(4, "Two.", "t")),
            "a nudge first": (NudgeItem(1, "Begin.", "t"), ASK),
            "steering": (ASK, turn(2, "one", "two"), Prompt(3, "Stop that.", steering=True)),
            "steering, then a turn": (ASK, turn(2, "x"), Prompt(3, "No."), turn(4, "y")),
            "a summary": (Summary(1, "So far."), turn(2, "one"), Prompt(3, "Next.")),
            "a summary alone": (Summary(1, "So far."), Prompt(2, "Next.")),
            "a picture in a prompt": (Prompt(1, "Look.", (PIXEL,)),),
            "a picture in a result": (ASK, seen),
            "a picture in a result, then a nudge": (ASK, seen, NudgeItem(3, "Go on.", "t")),
            "blank results": (ASK, turn(2, "", " ")),
            "a blank reply": (ASK, turn(2, text=" "), Prompt(3, "Say something.")),
            "two answers": (ASK, turn(2, text="One."), turn(3, text="Two."), Prompt(4, "Next.")),
        }
        models = [model for model in (self.vision_model, self.blind_model) if model]
        for model in models:
            for name, body in zip(shapes, self.sent(*shapes.values(), model=model), strict=True):
                told = self.complaints(json.loads(body))
                assert not told, f"{name}, to {model}: {'; '.join(told)}\n{body.decode()}"

    def test_the_prefix_is_sent(self) -> None:
        """The system prompt and the tools with their descriptions are sent."""
        text = self.sent_text(ASK)
        for part in (PREFIX.system, PREFIX.tools[0].description):
            assert part in text, f"{part!r} was not sent"


def _in_order(text: str, *marks: str) -> None:
    """Each mark stands in the text exactly once, and in this order."""
    places = []
    for mark in marks:
        assert text.count(mark) == 1, f"{mark!r} was sent {text.count(mark)} times"
        places.append(text.index(mark))
    assert places == sorted(places), f"wrong order: {marks} stand at {places}"
