"""Made-up sessions and streams, the same at every run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from turnloop_core.log.records import (
    AttemptRecord,
    Body,
    CallRecord,
    PrefixRecord,
    PromptRecord,
    ReplyRecord,
    ResultRecord,
    SessionRecord,
)
from turnloop_core.types.content import Call, Text
from turnloop_core.types.events import AttemptEnd
from turnloop_core.types.facts import RanCommand
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import Result
from turnloop_core.types.usage import Usage
from turnloop_core.types.view import Prefix, ToolSchema

RECORDS_A_TURN = 4
OUTPUT = "\n".join(f"{n}\tvalue_{n:02} = {n}  # line {n}" for n in range(10))
USAGE = Usage(1_200, 60)


def opening(session: str = "20260101-000000-abcdef", root: str = "/project") -> tuple[Body, ...]:
    """The records before the first turn."""
    parameters = {"type": "object", "properties": {"command": {"type": "string"}}}
    tool = ToolSchema("Bash", "Runs a command. " * 20, parameters)
    prefix = Prefix("You work in a project. " * 100, (tool,))
    return (
        SessionRecord(session, root, root, "0"),
        PrefixRecord(prefix, "start", "bench", "scripted"),
        PromptRecord("Find out why the last test fails, and mend it."),
    )


def turn(first: int) -> tuple[Body, ...]:
    """The records of a turn; `first` is the number that the first of them gets."""
    arguments = json.dumps({"command": f"echo turn {first}"})
    call = Call(f"call_{first}", "Bash", arguments)
    reply = Reply((Text("Next."), call), StopReason.TOOL_USE, "bench/scripted", USAGE)
    ran = RanCommand(f"echo turn {first}", 0, 0.01, cwd="/project", output_digest="0123456789ab")
    result = Result((Text(OUTPUT),), facts=(ran,))
    return (
        ReplyRecord(reply),
        CallRecord(first, 0, "Bash", allowed_by="mode bypass"),
        ResultRecord(first, 0, result, 0.01),
        AttemptRecord(1, AttemptEnd.TURN, usage=USAGE, seconds={"tools": 0.01, "harness": 0.002}),
    )


def session(records: int) -> Iterator[Body]:
    """The bodies of a session of so many records."""
    made = 0
    for body in opening():
        made += 1
        yield body
    while made < records:
        for body in turn(made + 1)[: records - made]:
            made += 1
            yield body


def text_stream(size: int) -> bytes:
    """A streamed reply of plain text, as chat completions, of at least `size` bytes."""
    words = [f"word{n % 97} " for n in range(size // 150 + 1)]
    return _stream([{"content": word} for word in words], "stop")


def call_stream(size: int) -> bytes:
    """A streamed reply of calls whose arguments come in small pieces, of at least `size` bytes."""
    deltas: list[dict[str, Any]] = []
    pieces = size // 190 + 1
    for index in range(max(1, pieces // 100)):
        function = {"name": "Write", "arguments": '{"content": "'}
        start = {"index": index, "id": f"call_{index}", "type": "function", "function": function}
        deltas.append({"tool_calls": [start]})
        fragments = (*[f"line {n} of it\\n" for n in range(100)], '"}')
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": fragment}}]}
            for fragment in fragments
        ]
    return _stream(deltas, "tool_calls")


def messages_stream(size: int) -> bytes:
    """A streamed reply of plain text, as typed events of a message, of at least `size` bytes."""
    usage = {"input_tokens": 10, "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"role": "assistant", "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
        for word in (f"word{n % 97} " for n in range(size // 129 + 1))
    ]
    events += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def parts_stream(size: int) -> bytes:
    """A streamed reply of plain text, as candidates with parts, of at least `size` bytes."""
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    frame = {"usageMetadata": counts, "modelVersion": "m", "responseId": "r"}
    words = [f"word{n % 97} " * 4 for n in range(size // 243 + 1)]
    events = [
        {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}}], **frame}
        for text in words
    ]
    last = {"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}], **frame}
    return "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in (*events, last)).encode()


def _stream(deltas: list[dict[str, Any]], finish: str) -> bytes:
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish})
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [json.dumps({**frame, "choices": [choice]}) for choice in choices]
    return "".join(f"data: {event}\n\n" for event in (*events, "[DONE]")).encode()
