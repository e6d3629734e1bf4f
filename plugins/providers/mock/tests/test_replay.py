"""Replay, piece by piece: what each recorded attempt becomes, and where a session goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.api import (
    AttemptEnd,
    Call,
    CallArguments,
    CallStart,
    ContextOverflowError,
    End,
    Notice,
    OpaqueData,
    Prefix,
    Prompt,
    ProviderError,
    Reasoning,
    ReasoningDelta,
    RejectedCallError,
    Reply,
    Request,
    RequestRefusedError,
    Result,
    Sent,
    StopReason,
    StreamCutError,
    Summarise,
    Summary,
    Text,
    TextDelta,
    ToolSchema,
    Turn,
    Usage,
    View,
    Waiting,
    read_log,
    to_json,
)
from turnloop_core.testing.fakes import call
from turnloop_mock.recording import Recording, recorded
from turnloop_mock.replaying import Replaying

ASK = Prompt(1, "Go.")
TOOLS = (ToolSchema("Read", "", {}),)


class Log:
    """A log under construction, as lines of JSON."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def add(self, kind: str, **fields: Any) -> int:
        number = len(self.records) + 1
        self.records.append({"v": 1, "n": number, "t": 1.0, "kind": kind, **fields})
        return number

    def prompt(self, text: str = "go", **fields: Any) -> None:
        self.add("prompt", text=text, **fields)

    def reply(self, reply: Reply, *results: Result) -> int:
        number = self.add("reply", reply=to_json(reply))
        for place, result in enumerate(results):
            self.add("result", turn=number, call=place, result=to_json(result))
        return number

    def attempt(self, end: AttemptEnd, **fields: Any) -> None:
        fields = {"estimated": 100} | fields
        if "usage" in fields:
            fields["usage"] = to_json(fields["usage"])
        self.add("attempt", number=1, end=end.value, **fields)

    def says(self, text: str, **fields: Any) -> int:
        number = self.reply(said(text, **fields))
        self.attempt(AttemptEnd.TURN)
        return number

    def write(self, path: Path) -> Path:
        path.write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return path

    def read(self, tmp_path: Path) -> Recording:
        return recorded("s", read_log(self.write(tmp_path / "s.jsonl")).records)


def said(text: str, **fields: Any) -> Reply:
    return Reply((Text(text),), StopReason.END_TURN, **fields)


def request(*items: Any, tools: tuple[ToolSchema, ...] = TOOLS) -> Request:
    return Request(View(Prefix("system", tools), items or (ASK,)), "mock-1", 100)


def replaying(recording: Recording) -> tuple[Replaying, list[Any]]:
    told: list[Any] = []
    return Replaying(recording, told.append), told


def joined(steps: Any) -> str:
    return "".join(step.text for step in steps if isinstance(step, TextDelta))


def only(tmp_path: Path, log: Log) -> list[Any]:
    """The stream of the first answer."""
    return list(replaying(log.read(tmp_path))[0].answer(request()))


def test_a_reply_comes_with_all_that_it_had(tmp_path: Path) -> None:
    blocks = (
        Reasoning("Hm, let me think.", {"signature": "abc"}),
        Reasoning("", {"encrypted": "xyz"}),
        Text("I look.", {"thought": 1}),
        Call("id-1", "Read", '{"file_path": ', "for the call"),
        Call("id-2", "", ""),
    )
    usage = Usage(7, 8, 9, 10, 3)
    log = Log()
    log.prompt()
    log.reply(Reply(blocks, StopReason.TOOL_USE, "other/large", usage))
    log.attempt(AttemptEnd.TURN, retries=2)
    steps = only(tmp_path, log)
    assert steps[:4] == [
        Waiting("retry", 0.0, "the recorded request was made again", 1),
        Sent(),
        Waiting("retry", 0.0, "the recorded request was made again", 2),
        Sent(),
    ]
    assert [s for s in steps if isinstance(s, OpaqueData)] == [
        OpaqueData("0", {"signature": "abc"}, "reasoning"),
        OpaqueData("1", {"encrypted": "xyz"}, "reasoning"),
        OpaqueData("2", {"thought": 1}, "text"),
        OpaqueData("3", "for the call", "reasoning"),
    ]
    assert steps[-1] == End(StopReason.TOOL_USE, usage)
    starts = [(s.block, s.name, s.id) for s in steps if isinstance(s, CallStart)]
    assert starts == [("3", "Read", "id-1"), ("4", "", "id-2")]
    assert _texts(steps) == {
        ("reasoning_delta", "0"): "Hm, let me think.",
        ("text_delta", "2"): "I look.",
        ("call_arguments", "3"): '{"file_path": ',
    }


def _texts(steps: list[Any]) -> dict[tuple[str, str], str]:
    """What the pieces of each block join to."""
    texts: dict[tuple[str, str], str] = {}
    for step in steps:
        if isinstance(step, (TextDelta, ReasoningDelta, CallArguments)):
            piece = step.fragment if isinstance(step, CallArguments) else step.text
            key = (step.kind, step.block)
            texts[key] = texts.get(key, "") + piece
    return texts


@pytest.mark.parametrize(
    ("end", "fields", "last"),
    [
        (AttemptEnd.CUT_CALL, {"usage": Usage(1, 2)}, End(StopReason.MAX_TOKENS, Usage(1, 2))),
        (AttemptEnd.REFUSED, {"reason": "policy"}, "policy"),
        (AttemptEnd.EMPTY, {"partial": ""}, StopReason.END_TURN),
        (AttemptEnd.EMPTY, {"reason": "the output limit was reached"}, StopReason.MAX_TOKENS),
        (AttemptEnd.REASONING, {"partial": ""}, StopReason.END_TURN),
        (AttemptEnd.CUT_THINKING, {"partial": "", "reason": "8,192 tokens"}, StopReason.END_TURN),
        (AttemptEnd.STRAY_CALL, {"reason": "a call of Read"}, StopReason.END_TURN),
        (AttemptEnd.REJECTED_CALL, {"reason": "no such tool"}, RejectedCallError("no such tool")),
        (AttemptEnd.CUT_STREAM, {"reason": "gone"}, StreamCutError("gone")),
        (AttemptEnd.DEGENERATE, {"reason": "again and again"}, StreamCutError("again and again")),
        (AttemptEnd.OVERFLOW, {"reason": "too long"}, ContextOverflowError("too long")),
        (AttemptEnd.FAULT, {"reason": "500"}, ProviderError("500")),
        (AttemptEnd.INTERRUPTED, {}, ProviderError("the recorded run was interrupted here")),
    ],
)
def test_an_attempt_without_a_turn_ends_as_it_did(tmp_path: Path, end, fields, last) -> None:
    log = Log()
    log.prompt()
    log.attempt(end, **({"partial": "what was shown of it"} | fields))
    log.prompt()
    log.says("after")
    replay, _ = replaying(log.read(tmp_path))
    steps = list(replay.answer(request()))
    assert joined(steps) == fields.get("partial", "what was shown of it")
    if isinstance(last, ProviderError):
        assert (type(steps[-1]), str(steps[-1])) == (type(last), str(last))
    elif isinstance(last, End):
        assert steps[-1] == last
    else:
        assert last in (steps[-1].stop, steps[-1].raw_stop)
    assert joined(replay.answer(request(ASK, Prompt(9, "Next.")))) == "after"


def test_what_is_too_long_stays_so_within_its_run(tmp_path: Path) -> None:
    log = Log()
    log.prompt()
    log.attempt(AttemptEnd.OVERFLOW, reason="too long")
    log.prompt()
    log.attempt(AttemptEnd.OVERFLOW, reason="never sent", estimated=0)
    log.prompt()
    log.says("fits")
    replay, _ = replaying(log.read(tmp_path))
    for _ in range(4):
        (error,) = replay.answer(request())
        assert isinstance(error, ContextOverflowError)
    assert joined(replay.answer(request(ASK, Prompt(5, "shorter")))) == "fits"


@pytest.mark.parametrize("finished", [True, False])
def test_calls_that_were_interrupted_end_the_run_here_too(tmp_path: Path, finished) -> None:
    log = Log()
    log.prompt()
    log.reply(Reply((call("Read"),), StopReason.TOOL_USE))
    if finished:
        log.attempt(AttemptEnd.INTERRUPTED, reason="interrupted")  # else the program died
    log.add("end", end="interrupted", reason="interrupted")
    log.prompt()
    log.says("after")
    replay, _ = replaying(log.read(tmp_path))
    assert list(replay.answer(request()))[-1] == End(StopReason.TOOL_USE, Usage(reported=False))
    turn = Turn(2, Reply((call("Read"),), StopReason.TOOL_USE), (Result.say("x"),))
    (error,) = replay.answer(request(ASK, turn))
    assert str(error) == "the recorded run was interrupted here"
    assert joined(replay.answer(request(ASK, turn, Prompt(9, "Next.")))) == "after"


def summarised(*, usable: bool = True) -> Log:
    log = Log()
    log.prompt()
    log.says("one")
    second = log.says("two")
    log.add("usage", usage=to_json(Usage(50, 5)), what="summary", provider="p", model="m")
    if usable:
        edits = [to_json(Summarise(second, "So far: one, two. Todo: three."))]
        log.add("edit", edits=edits, strategy="tiered", reason="full")
    log.says("three")
    log.says("four")
    return log


def material() -> Request:
    view = View(Prefix("Summarise."), (Prompt(0, "all of it"),))
    return Request(view, "mock-1", 100)


def test_a_question_for_a_summary_gets_the_recorded_one(tmp_path: Path) -> None:
    replay, _ = replaying(summarised().read(tmp_path))
    assert [joined(replay.answer(request())) for _ in range(2)] == ["one", "two"]
    steps = list(replay.answer(material()))
    assert joined(steps) == "So far: one, two. Todo: three."
    assert steps[-1] == End(StopReason.END_TURN, Usage(50, 5))
    assert joined(replay.answer(request())) == "three"
    (error,) = replay.answer(material())
    assert isinstance(error, RequestRefusedError)
    assert joined(replay.answer(request())) == "four"


def test_a_summary_that_could_not_be_used_cannot_be_used_again(tmp_path: Path) -> None:
    replay, _ = replaying(summarised(usable=False).read(tmp_path))
    assert list(replay.answer(material())) == [End(StopReason.END_TURN, Usage(50, 5))]


def test_a_summary_that_no_model_made_was_no_question(tmp_path: Path) -> None:
    log = summarised()
    edits = [to_json(Summarise(2, "made without a model"))]
    log.add("edit", edits=edits, strategy="other", reason="full")
    recording = log.read(tmp_path)
    assert [s.text for s in recording.summaries] == ["So far: one, two. Todo: three."]
    log = Log()
    log.prompt()
    log.says("one")
    log.add("edit", edits=edits, strategy="other", reason="full")
    assert log.read(tmp_path).summaries == ()


def test_the_first_prompt_of_a_session_without_tools_asks_for_no_summary(tmp_path: Path) -> None:
    replay, _ = replaying(summarised().read(tmp_path))
    assert joined(replay.answer(request(Prompt(3, "Go."), tools=()))) == "one"


TURN = Turn(2, said("x"))


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ((ASK,), "one"),
        ((ASK, TURN), "two"),
        ((ASK, TURN, TURN, TURN), "four"),
        (
            (ASK, *[TURN] * 4),
            "The recording is over: session s has 4 replies, and this was request 5.",
        ),
        (
            (ASK, *[TURN] * 6),
            "The recording is over: session s has 4 replies, and this was request 7.",
        ),
        ((Summary(7, "So far: one, two. Todo: three.\n\n+ more"),), "three"),
        ((Summary(7, "So far: one, two. Todo: three."), TURN), "four"),
        ((Summary(7, "another strategy's"), TURN), "two"),
    ],
)
def test_a_resumed_session_goes_on_where_it_was(tmp_path: Path, items, text) -> None:
    replay, _ = replaying(summarised().read(tmp_path))
    assert joined(replay.answer(request(*items))) == text


def test_what_led_to_no_turn_is_not_repeated_to_the_next_prompt(tmp_path: Path) -> None:
    log = Log()
    log.prompt()
    log.attempt(AttemptEnd.FAULT, reason="down")
    log.prompt()
    log.prompt("meanwhile", steering=True)
    log.says("up again")
    log.attempt(AttemptEnd.CUT_STREAM, reason="cut")
    log.prompt()
    log.says("the end")
    recording = log.read(tmp_path)
    second = (ASK, Prompt(3, "again"))
    assert joined(replaying(recording)[0].answer(request(*second))) == "up again"
    assert (
        joined(replaying(recording)[0].answer(request(*second, TURN, Prompt(9, "?")))) == "the end"
    )
    (error,) = replaying(recording)[0].answer(request(*second, TURN))
    assert str(error) == "cut"


def compared(tmp_path: Path, *results: Result) -> list[Any]:
    """What is said when calls that gave `a` and an error now give `results`."""
    reply = Reply((call("Read"), call("Bash")), StopReason.TOOL_USE)
    log = Log()
    log.prompt()
    for _ in range(2):
        log.reply(reply, Result.say("a"), Result.say("b"))
        log.attempt(AttemptEnd.TURN)
    log.says("done")
    replay, told = replaying(log.read(tmp_path))
    turns: list[Turn] = []
    for number in (2, 3):
        replay.answer(request(ASK, *turns))
        turns.append(Turn(number, reply, results))
    assert joined(replay.answer(request(ASK, *turns))) == "done"
    return told


def test_results_that_differ_are_told_once(tmp_path: Path) -> None:
    assert compared(tmp_path, Result.say("a"), Result.say("b")) == []
    (notice,) = compared(tmp_path, Result.say("a"), Result.say("c"))
    assert isinstance(notice, Notice)
    assert notice.text.startswith("replay: the result of Bash is not the recorded one")
