"""A server of the Gemini wire that signs its words, and takes them back only as it said them."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnloop_core.testing.loopback import Answer, Recorded, sse

Part = dict[str, Any]
PLACEHOLDER = "skip_thought_signature_validator"
MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for"
    " tools to work correctly, and missing thought_signature may lead to degraded model"
    " performance. Additional data, function call `default_api:{}`, position {}."
)
CORRUPTED = "Corrupted thought signature."
AFTER = (
    "Please ensure that function call turn comes immediately after a user turn or after a"
    " function response turn."
)
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of"
    " function call parts of the function call turn."
)
MODEL = re.compile(r"/models/([^:/]+):streamGenerateContent\?alt=sse$")


def thought(text: str, *, signed: bool = False) -> Part:
    return {"text": text, "thought": True} | ({"sign": True} if signed else {})


def text(words: str, *, signed: bool = False) -> Part:
    return {"text": words} | ({"sign": True} if signed else {})


def read(file: str, *, signed: bool = False, call_id: str = "") -> Part:
    call: Part = {"name": "Read", "args": {"file_path": file}}
    made: Part = {"functionCall": call | ({"id": call_id} if call_id else {})}
    return made | ({"sign": True} if signed else {})


# Ten turns with tools, and an answer.
STEPS: tuple[tuple[Part, ...], ...] = (
    (thought("I look at a."), read("a.txt", signed=True)),
    (text("Both now."), read("a.txt", signed=True), read("b.txt")),
    (text("", signed=True), read("b.txt", signed=True, call_id="fc-3")),
    (thought("Hm.", signed=True), thought("Well."), read("c.txt", signed=True)),
    (
        read("a.txt", signed=True, call_id="fc-5a"),
        read("b.txt", call_id="fc-5b"),
        read("missing.txt", call_id="fc-5c"),
    ),
    (text("Signed words.", signed=True), text(" And others."), read("c.txt", signed=True)),
    (thought("", signed=True), text("Größe 🙂"), read("a.txt", signed=True)),
    (read("b.txt", signed=True), text("", signed=True)),
    (text("One more."), read("a.txt", signed=True), read("b.txt", signed=True)),
    (thought("Nearly.", signed=True), text("Last."), read("c.txt", signed=True)),
    (text("It is "), text("done."), text("", signed=True)),
)


class GeminiServer:
    """Plays steps: which comes next is read from the request, so it survives any restart.

    Args:
        steps: the parts of each reply; `sign` among them asks for a signature.
        before: looks at a request that is right; an answer that it gives stands in for the step.

    Attributes:
        refused: what was wrong with requests that were refused.
        bodies: of all requests.
        thoughts: whether signed thoughts must come back; false once they may have been dropped.
    """

    def __init__(
        self,
        steps: Sequence[Sequence[Part]] = STEPS,
        before: Callable[[int, Any], Answer | None] = lambda _, __: None,
    ) -> None:
        self.refused: list[str] = []
        self.bodies: list[bytes] = []
        self.thoughts = True
        self._steps = steps
        self._before = before
        self._models: dict[int, str] = {}  # step -> who made it

    def __call__(self, request: Recorded) -> Answer:
        self.bodies.append(request.body)
        found = MODEL.search(request.path)
        if found is None or request.headers.get("x-goog-api-key") != "key-of-the-test":
            return self._refuse(f"a wrong address or key: {request.path}")
        model, body = found.group(1), json.loads(request.body)
        problem = self._problem(body["contents"], model)
        if problem:
            return self._refuse(problem)
        number = sum(content["role"] == "model" for content in body["contents"])
        if (instead := self._before(number, body)) is not None:
            return instead
        self._models[number] = model
        return Answer(body=self._stream(self.said(number, model)))

    def said(self, number: int, model: str) -> list[Part]:
        """The parts of a reply as they go over the wire."""
        made = []
        for place, part in enumerate(self._steps[min(number, len(self._steps) - 1)]):
            bare = {key: value for key, value in part.items() if key != "sign"}
            if "sign" in part:
                bare["thoughtSignature"] = _signature(model, number, place, bare)
            made.append(bare)
        return made

    def _stream(self, parts: Sequence[Part]) -> bytes:
        chunks = [{"candidates": [{"content": {"role": "model", "parts": [p]}}]} for p in parts]
        counts = {"promptTokenCount": 50, "candidatesTokenCount": 5, "thoughtsTokenCount": 3}
        return sse(*chunks, {"candidates": [{"finishReason": "STOP"}], "usageMetadata": counts})

    def _refuse(self, problem: str) -> Answer:
        self.refused.append(problem)
        error = {"code": 400, "message": problem, "status": "INVALID_ARGUMENT"}
        return Answer(400, body=json.dumps({"error": error}).encode())

    def _problem(self, contents: Sequence[Any], model: str) -> str:
        before, calls, number = "", 0, 0
        for place, content in enumerate(contents):
            parts = content["parts"]
            results = sum("functionResponse" in part for part in parts)
            if results != calls or (results and results != len(parts)):
                return COUNT
            calls = sum("functionCall" in part for part in parts)
            if calls and (content["role"] != "model" or before not in ("user", "results")):
                return AFTER
            if content["role"] == "model":
                if problem := self._told_back(parts, number, model, place):
                    return problem
                number += 1
            before = "results" if results else content["role"]
        return COUNT if calls else ""

    def _told_back(self, parts: Sequence[Part], number: int, model: str, place: int) -> str:
        """What is wrong with words of a model that come back."""
        maker = self._models.get(number, model)
        wanted = [_kept(part) for part in _joined(self.said(number, maker))]
        if maker != model:
            wanted = _foreign(wanted)
        elif not self.thoughts:
            wanted = [part for part in wanted if part is None or "thought" not in part]
        expected = [part for part in wanted if part is not None]
        if list(parts) == expected:
            return ""
        for part, own in zip(parts, expected, strict=False):
            if "functionCall" in part and "thoughtSignature" in own.keys() - part.keys():
                return MISSING.format(part["functionCall"]["name"], place)
        return f"{CORRUPTED} {json.dumps(list(parts))} is not {json.dumps(expected)}"


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Unsigned words that follow each other were one text, cut for the stream."""
    made: list[Part] = []
    for part in parts:
        if made and made[-1].keys() == part.keys() == {"text"}:
            made[-1] = {"text": made[-1]["text"] + part["text"]}
        else:
            made.append(part)
    return made


def _kept(part: Part) -> Part | None:
    """A part as it has to come back; unsigned thoughts do not."""
    signed = "thoughtSignature" in part
    return (
        None
        if "text" in part and not signed and (part.get("thought") or not part["text"])
        else part
    )


def _foreign(parts: Sequence[Part | None]) -> list[Part | None]:
    """What another model may be told of: no signatures, no ids, no thoughts."""
    made: list[Part | None] = []
    first = True
    for part in parts:
        if part is None or part.get("thought") or part.get("text") == "":
            continue
        if "functionCall" not in part:
            made.append({"text": part["text"]})
            continue
        call: Mapping[str, Any] = part["functionCall"]
        bare: Part = {"functionCall": {"name": call["name"], "args": call["args"]}}
        made.append(bare | ({"thoughtSignature": PLACEHOLDER} if first else {}))
        first = False
    return made


def _signature(model: str, number: int, place: int, part: Part) -> str:
    data = json.dumps([model, number, place, part], sort_keys=True).encode()
    return base64.b64encode(hashlib.sha512(data).digest()).decode()
