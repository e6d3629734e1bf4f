"""The events of a stream as deltas. Pure: nothing is read or written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.api import (
    BadReplyError,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    SseEvent,
    StopReason,
    StreamCutError,
    TextDelta,
    parse_wire_json,
)
from turnloop_openai_compat.calls import Calls
from turnloop_openai_compat.details import Details, readable
from turnloop_openai_compat.usage import read_usage

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

    Args:
        provider: name of the provider, for messages.
        key_name: the variable that holds the key, for hints.
        secrets: values that may not stand in a message.
    """

    def __init__(
        self, provider: str = "", key_name: str = "", secrets: tuple[str, ...] = ()
    ) -> None:
        self.done = False
        self._provider = provider
        self._key_name = key_name
        self._secrets = secrets
        self._finish = ""
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
        try:
            chunk = parse_wire_json(data)
        except ValueError:
            raise self._bad(data) from None
        if not isinstance(chunk, dict):
            raise self._bad(data)
        self._raise_error(chunk, event.event)
        self._note_usage(chunk)
        choices = chunk.get("choices")
        if not choices or not isinstance(choices, list):
            return ()
        choice = choices[0]
        return self._choice(choice) if isinstance(choice, dict) and not choice.get("index") else ()

    def close(self) -> Sequence[Delta]:
        """What is left, and the end.

        Raises:
            StreamCutError: neither a finish reason nor `[DONE]` came.
        """
        if not self._finish and not self.done:
            raise StreamCutError(
                f"{self._provider}: the reply ended without its ending mark",
                cause="closed",
                hint="send the prompt again",
            )
        deltas: list[Delta] = [*self._calls.close(), *self._opaque()]
        return [*deltas, End(self._stop(), read_usage(self._usage), self._finish)]

    def _choice(self, choice: Mapping[str, Any]) -> Sequence[Delta]:
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and not self._finish:
            self._finish = finish
        usage = choice.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, dict):
            return ()
        deltas: list[Delta] = []
        if reasoning := self._reasoning(delta):
            deltas.append(ReasoningDelta(reasoning))
        content = delta.get("content")
        if isinstance(content, str):
            if content:
                deltas.append(TextDelta(content))
        elif isinstance(content, list):
            deltas += _parts(content)
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refused = True
            deltas.append(TextDelta(refusal, "refusal"))
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            deltas += self._calls.add(calls)
        return deltas

    def _reasoning(self, delta: Mapping[str, Any]) -> str:
        """Thoughts come under three names, sometimes under two at once: they count once."""
        details = delta.get("reasoning_details")
        if isinstance(details, list) and details:
            self._details.add(details)
        else:
            details = ()
        for name in ("reasoning_content", "reasoning"):
            value = delta.get(name)
            if isinstance(value, str) and value:
                return value
        return readable(details)

    def _opaque(self) -> Sequence[Delta]:
        blocks = self._calls.blocks_by_id()
        of_block: dict[str, list[dict[str, Any]]] = {}
        for item in self._details.opaque():
            block = blocks.get(str(item.get("id") or ""), "reasoning")
            of_block.setdefault(block, []).append(item)
        return [
            OpaqueData(block, {"reasoning_details": items}) for block, items in of_block.items()
        ]

    def _stop(self) -> StopReason:
        stop = STOPS.get(self._finish, StopReason.END_TURN)
        if self._refused and stop is not StopReason.MAX_TOKENS:
            return StopReason.REFUSAL
        if stop is StopReason.END_TURN and self._calls.begun:
            return StopReason.TOOL_USE  # what was received decides, not the word
        return stop

    def _note_usage(self, chunk: Mapping[str, Any]) -> None:
        usage = chunk.get("usage")
        if not usage and isinstance(extra := chunk.get("x_groq"), dict):
            usage = extra.get("usage")
        if isinstance(usage, dict) and usage:
            self._usage = usage

    def _raise_error(self, chunk: Mapping[str, Any], kind: str) -> None:
        if not (chunk.get("error") or kind == "error" or chunk.get("object") == "error"):
            return
        if self._finish:  # the reply was whole: the error repeats why it ended
            return
        from turnloop_core.api import classify_event

        raise classify_event(
            chunk, provider=self._provider, key_name=self._key_name, secrets=self._secrets
        )

    def _bad(self, data: str) -> BadReplyError:
        from turnloop_core.api import excerpt, without_keys

        said = without_keys(excerpt(data), self._secrets)
        return BadReplyError(
            f"{self._provider}: an event of the stream is no chunk of a completion: {said}",
            hint="check base_url, and that the endpoint speaks OpenAI chat completions",
        )


def _parts(content: Sequence[Any]) -> list[Delta]:
    """Content as a list of typed parts."""
    deltas: list[Delta] = []
    for part in content:
        if not isinstance(part, Mapping):
            continue
        if part.get("type") == "thinking":
            thought = part.get("thinking")
            words = thought if isinstance(thought, str) else readable(thought)
            deltas += [ReasoningDelta(words)] if words else []
        elif isinstance(text := part.get("text"), str) and text:
            deltas.append(TextDelta(text))
    return deltas
