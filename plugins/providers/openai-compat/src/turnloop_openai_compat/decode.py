"""The events of a stream as deltas. Pure: nothing is read or written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.api import (
    Delta,
    End,
    OpaqueData,
    ProviderError,
    ReasoningDelta,
    Speaker,
    SseEvent,
    StopReason,
    TextDelta,
    UsageSoFar,
)
from turnloop_openai_compat.calls import Calls
from turnloop_openai_compat.details import FIELD, Details, readable
from turnloop_openai_compat.think_tags import ThinkTags
from turnloop_openai_compat.usage import counts, find_usage, read_usage

STOPS = {
    "length": StopReason.MAX_TOKENS,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_length": StopReason.MAX_TOKENS,
    "content_filter": StopReason.REFUSAL,
    "refusal": StopReason.REFUSAL,
    "tool_calls": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
    "error": StopReason.ERROR,
    "abort": StopReason.ERROR,
    "insufficient_system_resource": StopReason.ERROR,
}


class Decoder:
    """Decodes one stream of chat-completion chunks, or one whole completion.

    What is written in the text or in the reasoning is never taken for a call.

    Args:
        speaker: makes the errors.
        think_tags: an answer may begin with `<think>`.

    Attributes:
        raw_stop: the first finish reason, as the wire has it; "" as long as none came.
    """

    def __init__(self, speaker: Speaker, *, think_tags: bool = False) -> None:
        self.done = False
        self.raw_stop = ""
        self.late_error: ProviderError | None = None
        self.unsure = False  # content came after a finish reason
        self._owed = False  # chunks have a place for a finish reason
        self._speaker = speaker
        self._tags = ThinkTags() if think_tags else None
        self._heard = False
        self._refused = False
        self._usage: Mapping[str, Any] = {}
        self._calls = Calls()
        self._details = Details()

    def feed(self, event: SseEvent) -> Sequence[Delta]:
        """The deltas of one event.

        Raises:
            BadReplyError: the event is no chunk.
            ProviderError: the event is an error.
        """
        data = event.data
        if data == "[DONE]" or data.strip() == "[DONE]":
            self.done = True
            return ()
        if not data.strip():
            return ()
        chunk = self._speaker.read(data)
        self._raise_error(chunk, event.event)
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index"):  # one reply was asked for
            return self._note(find_usage(chunk, None))
        deltas = self._choice(choice)
        self._heard = self._heard or bool(deltas)
        usage = find_usage(chunk, choice)
        return [*deltas, *self._note(usage)] if usage else deltas

    def close(self) -> Sequence[Delta]:
        """What is left, and the end.

        Raises:
            StreamCutError: no finish reason came; of a server that never gives one, no `[DONE]`.
        """
        if not self.raw_stop and (self._owed or not self.done):
            raise self._speaker.cut()
        rest = self._tags.close() if self._tags is not None else ()
        deltas: list[Delta] = [*rest, *self._calls.close(), *self._opaque()]
        return [*deltas, End(self._stop(), read_usage(self._usage), self.raw_stop)]

    def counts(self) -> Mapping[str, int | None]:
        """The token counts in the wire's own terms, as far as they were told."""
        return counts(self._usage)

    def _choice(self, choice: Mapping[str, Any]) -> Sequence[Delta]:
        delta = choice.get("delta")
        if not delta and not self._heard:  # later, a message would say again what was said
            delta = choice.get("message")
        deltas = self._delta(delta) if isinstance(delta, dict) else ()
        self.unsure = self.unsure or bool(deltas and self.raw_stop)
        # A server that ends a reply early may still say [DONE]; a reason it has not.
        self._owed = self._owed or "finish_reason" in choice
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and not self.raw_stop:
            self.raw_stop = finish
        return deltas

    def _delta(self, delta: Mapping[str, Any]) -> Sequence[Delta]:
        deltas: list[Delta] = []
        if reasoning := self._reasoning(delta):
            deltas.append(ReasoningDelta(reasoning))
        content = delta.get("content")
        if isinstance(content, str):
            deltas += self._text(content)
        elif isinstance(content, list):
            deltas += self._parts(content, known=bool(reasoning))
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refused = True
            deltas.append(TextDelta(refusal, "refusal"))
        calls = delta.get("tool_calls")
        if isinstance(calls, list) and calls:
            deltas += self._calls.add(calls)
        elif isinstance(call := delta.get("function_call"), dict):
            deltas += self._calls.add_single(call)
        return deltas

    def _text(self, text: str) -> Sequence[Delta]:
        if not text:
            return ()
        return (TextDelta(text),) if self._tags is None else self._tags.feed(text)

    def _parts(self, content: Sequence[Any], *, known: bool) -> list[Delta]:
        """Content as a list of typed parts; thoughts that are `known` already count once."""
        deltas: list[Delta] = []
        for part in content:
            if not isinstance(part, Mapping):
                continue
            if part.get("type") == "thinking":
                thought = part.get("thinking")
                words = thought if isinstance(thought, str) else readable(thought)
                deltas += [ReasoningDelta(words)] if words and not known else []
            elif isinstance(text := part.get("text"), str):
                deltas += self._text(text)
        return deltas

    def _reasoning(self, delta: Mapping[str, Any]) -> str:
        """Thoughts come under three names, sometimes under two at once: they count once."""
        details = delta.get(FIELD)
        if details and isinstance(details, list):
            self._details.add(details)
        for name in ("reasoning_content", "reasoning"):
            value = delta.get(name)
            if value and isinstance(value, str):
                return value
        return readable(details) if details else ""

    def _opaque(self) -> Sequence[Delta]:
        kept = self._details.opaque(self._calls.blocks_by_id())
        return [OpaqueData(block, data) for block, data in kept.items()]

    def _stop(self) -> StopReason:
        stop = STOPS.get(self.raw_stop, StopReason.END_TURN)
        if self._refused and stop is not StopReason.MAX_TOKENS:
            return StopReason.REFUSAL
        if stop is StopReason.END_TURN and self._calls.begun:
            return StopReason.TOOL_USE  # what was received decides, not the word
        return stop

    def _note(self, usage: Mapping[str, Any]) -> Sequence[Delta]:
        """Keep the counts, each time for all so far; the last of them come with the end."""
        if not usage or usage == self._usage or (self._usage and not any(counts(usage).values())):
            return ()
        self._usage = usage
        return () if self.raw_stop or self.done else (UsageSoFar(read_usage(usage)),)

    def _raise_error(self, chunk: Mapping[str, Any], kind: str) -> None:
        if not (chunk.get("error") or kind == "error" or chunk.get("object") == "error"):
            return
        error = self._speaker.error(chunk)
        if not self.raw_stop or STOPS.get(self.raw_stop) is StopReason.ERROR:
            raise error
        self.late_error = error
