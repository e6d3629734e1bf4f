"""`tl debug wire`: recorded answers as plain values; whatever the file is, no traceback."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from turnloop_core.testing.wire import chat_chunks, sse

KIND = ("debug", "wire", "--kind", "openai_compat")
GOOD = sse(
    *chat_chunks(
        text="hello",
        reasoning="hm",
        calls=[("c1", "Read", '{"file_path": "a"}')],
        usage=(7, 3),
    )
)
WHOLE = {
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "hello"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 7, "completion_tokens": 1},
}
TOLD = {
    "text": "hello",
    "refusal": "",
    "reasoning": "hm",
    "tool_calls": [{"id": "c1", "name": "Read", "arguments": {"file_path": "a"}}],
    "incomplete_tool_calls": [],
    "signatures": 0,
    "opaque_blocks": 0,
    "stop_reason": "tool_use",
    "raw_stop_reason": "tool_calls",
    "error": None,
    "usage": {
        "input": 7,
        "output": 3,
        "cache_read": None,
        "cache_write": None,
        "input_includes_cache": True,
    },
}


def write(tl, name: str, content: object) -> str:
    path = tl.cwd / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return name


@pytest.mark.parametrize("chunk", ["0", "1", "64", "99999999999999999999999"])
def test_one_object_a_line_in_the_order_of_the_files(tl, chunk):
    busy = {"status": 429, "headers": {"Retry-After": "3"}, "body": {"error": {"message": "Busy"}}}
    names = [
        write(tl, "good.sse", GOOD),
        write(tl, "busy.json", busy),
        write(tl, "whole.json", WHOLE),
        write(tl, "words.json", {"status": 500, "headers": {}, "body": "it broke"}),
    ]
    ran = tl(*KIND, "--chunk", chunk, *names)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.isascii()
    good, refused, whole, words = ran.events
    assert good == {"file": "good.sse", **TOLD}
    assert refused == {
        "file": "busy.json",
        "class": "retryable",
        "retry_after_s": 3.0,
        "retry_after_from": "header",
        "message": "too many requests (429): Busy",
        "hint": "try again later, or use another provider",
    }
    assert (whole["text"], whole["stop_reason"], whole["error"]) == ("hello", "end_turn", None)
    assert (words["class"], "it broke" in words["message"]) == ("retryable", True)


def test_files_that_hold_nothing_of_the_kind_are_told_as_errors(tl):
    noise = random.Random(1).randbytes(3_000)
    names = [
        write(tl, "empty.sse", b""),
        write(tl, "noise.sse", noise),
        write(tl, "noise.json", noise),
        write(tl, "page.sse", b"<html><title>Hello</title>"),
        write(tl, "deep.json", b"[" * 50_000),
        write(tl, "list.json", [1, 2]),
        write(tl, "status.json", {"status": "x", "body": ""}),
        write(tl, "no_body.json", {"status": 400}),
        write(tl, "digits.json", b'{"status": ' + b"9" * 5_000 + b', "body": ""}'),
        write(tl, "half.sse", GOOD[:200]),
    ]
    ran = tl(*KIND, "--chunk", "7", *names)
    assert (ran.status, ran.err) == (0, "")
    told = {event["file"]: event for event in ran.events}
    assert list(told) == names
    assert {told[name]["stop_reason"] for name in names[:-1]} == {"error"}
    assert told["half.sse"]["stop_reason"] == "incomplete"
    assert "empty body" in told["empty.sse"]["error"]["message"]
    assert "Hello" in told["page.sse"]["error"]["message"]
    assert {told[name]["error"]["class"] for name in names[:-1]} == {"fatal"}


@pytest.mark.parametrize(
    ("arguments", "line", "hint"),
    [
        ((*KIND, "missing.sse"), "missing.sse cannot be read: No such file", ""),
        ((*KIND, "."), ". cannot be read: Is a directory", ""),
        ((*KIND, "headers.json"), "headers.json: headers is no object", "write"),
        ((*KIND,), "missing argument 'FILE...'", "--help"),
        ((*KIND, "--chunk", "-1", "good.sse"), "invalid value for '--chunk'", "--help"),
        ((*KIND, "--chunk", "x", "good.sse"), "invalid value for '--chunk'", "--help"),
        (("debug", "wire", "good.sse"), "missing option '--kind'", "--help"),
        (("debug", "wire", "--kind", "spoon", "good.sse"), "no provider kind", "openai_compat"),
        (("debug", "wire", "--kind", "mock", "good.sse"), "mock has no wire", "openai_compat"),
        (("debug", "spoon"), "no such command 'spoon'", "--help"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(tl, arguments, line, hint):
    write(tl, "good.sse", GOOD)
    write(tl, "headers.json", {"status": 400, "headers": [1], "body": ""})
    ran = tl(*arguments)
    assert (ran.status, ran.out) == (2, "")
    first, *rest = ran.err.splitlines()
    assert line in first
    assert hint in "".join(rest)
    assert "Traceback" not in ran.err


def test_what_came_before_a_file_that_cannot_be_read_is_told(tl):
    ran = tl(*KIND, write(tl, "good.sse", GOOD), "missing.sse", "good.sse")
    assert ran.status == 2
    assert [event["file"] for event in ran.events] == ["good.sse"]
    assert "missing.sse" in ran.err


def test_no_kind_with_a_wire_at_all(tl):
    write(tl, "good.sse", GOOD)
    off = [part for name in ("openai-compat", "anthropic", "gemini") for part in ("-x", name)]
    ran = tl(*off, "debug", "wire", "--kind", "mock", "good.sse")
    assert ran.status == 2
    assert "tl plugins" in ran.err


def test_broken_settings_and_no_home_do_not_matter(tl):
    tl.settings("{")
    ran = tl(*KIND, write(tl, "good.sse", GOOD))
    assert (ran.status, ran.events) == (0, [{"file": "good.sse", **TOLD}])


def test_a_path_of_any_form(tl):
    write(tl, "gr\u00fc\u00df 1.sse", GOOD)
    path = str(Path(tl.cwd) / "gr\u00fc\u00df 1.sse")
    ran = tl(*KIND, path)
    assert (ran.status, ran.events[0]["file"]) == (0, path)
