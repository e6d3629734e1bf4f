"""A server of the messages API that seals what it thinks, and refuses what it did not make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from anthropic_events import begin, blocks, end, stream
from anthropic_strict import complaints, loop_start, thoughts

from turnloop_core.testing.loopback import Answer, Recorded

Step = Sequence[Mapping[str, Any]] | Answer


def think(words: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words}


def hide(words: str) -> dict[str, Any]:
    return {"type": "redacted_thinking", "data": words}


def say(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments}


def refusal(words: str) -> Answer:
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    return Answer(400, body=json.dumps(error).encode())


class StrictServer:
    """Plays steps: which one comes next is read from the request, so it survives any restart.

    Args:
        steps: replies, as content blocks whose seals and ids are still to be made; an `Answer`
            goes out as it stands, once.
        first: called before anything else; what it gives is the answer.

    Attributes:
        refused: what it refused, with its reasons.
        made: sealed thoughts by their seal, in the order in which they were made.
        types: the type of thinking of each request that was taken.
    """

    def __init__(
        self, steps: Sequence[Step], first: Callable[[Any], Answer | None] = lambda _: None
    ) -> None:
        self._steps = list(steps)
        self._first = first
        self._played: set[int] = set()
        self._groups: list[tuple[str, ...]] = []  # the seals of each reply, in their order
        self._off: set[int] = set()  # loops that went on without thinking
        self.refused: list[str] = []
        self.made: dict[str, dict[str, Any]] = {}
        self.types: list[str] = []

    def __call__(self, request: Recorded) -> Answer:
        body = request.json
        if answer := self._first(body):
            return answer
        if wrong := [*complaints(body), *self._seals(body), *self._toggles(body)]:
            self.refused += wrong
            return refusal("; ".join(wrong))
        kind = body.get("thinking", {}).get("type", "disabled")
        self.types.append(kind)
        asked = sum(message["role"] == "assistant" for message in body["messages"])
        step = self._steps[min(asked, len(self._steps) - 1)]
        if isinstance(step, Answer):
            if asked in self._played:
                step = [say("Well then.")]
            else:
                self._played.add(asked)
                return step
        return self._reply(body["model"], step, asked, thinks=kind != "disabled")

    def _reply(
        self, model: str, step: Sequence[Mapping[str, Any]], asked: int, *, thinks: bool
    ) -> Answer:
        content = []
        for place, block in enumerate(step):
            if block["type"] == "tool_use":
                digest = sha256(f"{asked}.{place}".encode()).hexdigest()
                content.append({**block, "id": f"toolu_{digest[:24]}"})
            elif block["type"] == "text":
                content.append(dict(block))
            elif thinks:
                content.append(self._seal(model, block))
        self._groups.append(tuple(_seal_of(b) for b in content if b["type"] not in OTHER))
        stop = "tool_use" if any(b["type"] == "tool_use" for b in content) else "end_turn"
        return Answer(body=stream(begin(), *blocks(content), *end(stop)))

    def _seal(self, model: str, block: Mapping[str, Any]) -> dict[str, Any]:
        words = str(block.get("thinking", block.get("data")))
        seal = f"{len(self.made)}/{_hash(model, words)}"
        key = "signature" if block["type"] == "thinking" else "data"
        sealed = {**block, key: seal}
        self.made[seal] = sealed
        return sealed

    def _seals(self, body: Any) -> list[str]:
        """Thoughts that are not as they were made, or not by this model, or not in their order."""
        wrong: list[str] = []
        newest = -1
        for message in body["messages"]:
            group = tuple(_seal_of(block) for block in thoughts(message))
            for block in thoughts(message):
                seal = _seal_of(block)
                number, _, digest = seal.partition("/")
                if self.made.get(seal) != block:
                    wrong.append(f"Invalid `signature` in `thinking` block: {block}")
                elif block["type"] == "thinking" and digest != _hash(
                    body["model"], block["thinking"]
                ):
                    wrong.append("Invalid `signature` in `thinking` block: of another model")
                elif int(number) <= newest:
                    wrong.append("thinking blocks were put in another order")
                else:
                    newest = int(number)
            if group and message["role"] == "assistant" and group not in self._groups:
                wrong.append(f"`thinking` blocks cannot be modified: {group}")
        return wrong

    def _toggles(self, body: Any) -> list[str]:
        first = loop_start(body["messages"])
        on = body.get("thinking", {}).get("type", "disabled") != "disabled"
        if first < 0:
            return []
        if on and first in self._off:
            return ["thinking was switched on within a turn"]
        if not on:
            self._off.add(first)
        return []


OTHER = ("text", "tool_use")


def _seal_of(block: Mapping[str, Any]) -> str:
    return str(block.get("signature") or block.get("data"))


def _hash(model: str, words: str) -> str:
    return sha256(f"{model}\0{words}".encode()).hexdigest()
