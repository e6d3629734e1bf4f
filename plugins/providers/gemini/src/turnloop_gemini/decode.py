"""Chunks of `streamGenerateContent` to deltas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.api import (
    Delta,
    End,
    ProviderError,
    ReasoningRefusedError,
    RejectedCallError,
    Speaker,
    SseEvent,
    StopReason,
    UsageSoFar,
    parse_wire_json,
)
from turnloop_gemini.parts import SIGNATURE, Parts
from turnloop_gemini.usage import Counts

__all__ = ["SIGNATURE", "Decoder"]

STOPS = {
    "STOP": StopReason.END_TURN,
    "MAX_TOKENS": StopReason.MAX_TOKENS,
    "SAFETY": StopReason.REFUSAL,
    "RECITATION": StopReason.REFUSAL,
    "LANGUAGE": StopReason.REFUSAL,
    "BLOCKLIST": StopReason.REFUSAL,
    "PROHIBITED_CONTENT": StopReason.REFUSAL,
    "SPII": StopReason.REFUSAL,
    "IMAGE_SAFETY": StopReason.REFUSAL,
    "IMAGE_PROHIBITED_CONTENT": StopReason.REFUSAL,
    "IMAGE_RECITATION": StopReason.REFUSAL,
}
BAD_CALLS = {
    "MALFORMED_FUNCTION_CALL": "wrote a malformed call",
    "UNEXPECTED_TOOL_CALL": "called a tool where none is offered",
    "TOO_MANY_TOOL_CALLS": "made too many calls",
}
UNSIGNED = "MISSING_THOUGHT_SIGNATURE"
KEYS = {"candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"}


class Decoder:
    """Decodes one answer.

    There is no ending mark but the finish reason, and some servers put one on every chunk: so the
    body is read to its end, and the newest reason counts.

    Args:
        speaker: makes the errors.

    Attributes:
        done: nothing more will come.
        raw_stop: the finish reason on the wire, "" as long as there was none.
        late_error: an error after the end; there is none on this wire.
        unsure: content came after a finish reason: this server ends each chunk with one.
    """

    def __init__(self, speaker: Speaker) -> None:
        self.done = False
        self.raw_stop = ""
        self.late_error: ProviderError | None = None
        self.unsure = False
        self._speaker = speaker
        self._message = ""
        self._blocked = ""
        self._parts = Parts()
        self._counts = Counts()

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        """The deltas of one event: a chunk, or, where a gateway does not stream, all in a list.

        Raises:
            BadReplyError: the event is no chunk.
            ProviderError: the event is an error.
        """
        data = event.data.strip()
        if not data:
            return ()
        if data == "[DONE]":  # none of this wire's, but gateways add it
            self.done = True
            return ()
        try:
            value = parse_wire_json(data)
        except ValueError:
            raise self._speaker.not_understood(data) from None
        deltas: list[Delta] = []
        for chunk in value if isinstance(value, list) else [value]:
            if not isinstance(chunk, dict):
                raise self._speaker.not_understood(data)
            if chunk.get("error") or event.event == "error":
                raise self._speaker.error(chunk)
            if chunk and not KEYS & chunk.keys():
                raise self._speaker.not_understood(data)
            deltas += self._chunk(chunk)
        return deltas

    def close(self) -> Sequence[Delta]:
        """The end.

        Raises:
            StreamCutError: no finish reason came.
            RejectedCallError: the model wrote a call that the server threw away.
            ReasoningRefusedError: the server misses a signature in the history.
        """
        word = self.raw_stop
        if not word and not self._blocked:
            raise self._speaker.cut()
        if word in BAD_CALLS:
            error = RejectedCallError(
                f"{self._speaker.provider}: the model {BAD_CALLS[word]} ({self._said()})",
                hint="tell the model what was wrong, or choose one that calls tools more exactly",
            )
            error.type = word
            raise error
        if word == UNSIGNED:
            raise ReasoningRefusedError(
                f"{self._speaker.provider}: a call in the history bears no signature"
                f" ({self._said()})",
                hint="go on without the reasoning of earlier turns, or start a new session",
            )
        if not word:
            return [End(StopReason.REFUSAL, self._counts.usage, self._blocked)]
        stop = STOPS.get(word, StopReason.ERROR)
        if stop is StopReason.END_TURN and self._parts.calls:
            stop = StopReason.TOOL_USE  # the wire has no word for it
        return [End(stop, self._counts.usage, word)]

    def counts(self) -> Mapping[str, int | None]:
        """The token counts in the wire's own terms."""
        return self._counts.on_the_wire()

    def _chunk(self, chunk: Mapping[str, Any]) -> list[Delta]:
        deltas = self._candidate(chunk)
        if self._counts.note(chunk.get("usageMetadata")):
            deltas.append(UsageSoFar(self._counts.usage))
        return deltas

    def _candidate(self, chunk: Mapping[str, Any]) -> list[Delta]:
        feedback = chunk.get("promptFeedback")
        if isinstance(feedback, Mapping) and (reason := _text(feedback.get("blockReason"))):
            self._blocked = reason
        candidates = chunk.get("candidates")
        candidate = _first(candidates) if isinstance(candidates, list) else None
        if candidate is None:
            return []
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        deltas = self._parts.add(parts) if isinstance(parts, list) else []
        self.unsure = self.unsure or bool(deltas and self.raw_stop)
        self.raw_stop = _text(candidate.get("finishReason")) or self.raw_stop
        self._message = _text(candidate.get("finishMessage")) or self._message
        return deltas

    def _said(self) -> str:
        message = " ".join(self._message.split())[:300]
        return f"{self.raw_stop}: {message}" if message else self.raw_stop


def _first(candidates: Sequence[Any]) -> Mapping[str, Any] | None:
    """The candidate that counts: one was asked for, others are none of ours."""
    for candidate in candidates:
        if isinstance(candidate, Mapping) and not candidate.get("index"):
            return candidate
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
