"""Random logs: runs with cuts, nudges, edits, results that are missing, doubled or misplaced."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from turnloop_core.log.jsonl import encode
from turnloop_core.log.records import (
    AttemptRecord,
    Body,
    CallRecord,
    EditRecord,
    EndRecord,
    NudgeRecord,
    PrefixRecord,
    PromptRecord,
    QuestionRecord,
    Record,
    ReplyRecord,
    ResultRecord,
    SessionRecord,
    UnknownRecord,
    UsageRecord,
)
from turnloop_core.types.content import Block, Call, Image, Reasoning, Text
from turnloop_core.types.edits import (
    DropReasoning,
    Edit,
    ShrinkAttachment,
    ShrinkResult,
    StubNudge,
    Summarise,
    TrimArguments,
)
from turnloop_core.types.events import AttemptEnd, RunEnd
from turnloop_core.types.facts import Waited
from turnloop_core.types.items import Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.usage import Usage
from turnloop_core.types.view import Prefix, View

SESSION = SessionRecord("20261130-175432-ab12cd", "/p", "/p", "0.2.0")
IMAGE = Image("image/png", "eA==")
short = st.text(alphabet="ab é\n", max_size=6)
arguments = st.sampled_from(
    ['{"path": "a", "content": "long"}', '{"n": 1.50, "content" : "x\\u00e9"}', "{", "[]", "", "{}"]
)


@st.composite
def replies(draw: st.DrawFn) -> Reply:
    blocks: list[Block] = []
    if draw(st.booleans()):
        blocks.append(Reasoning(draw(short), draw(st.sampled_from([None, {"signature": "s"}]))))
    if draw(st.booleans()):
        blocks.append(Text(draw(short)))
    blocks += [
        Call(f"c{place}", "Tool", draw(arguments), draw(st.sampled_from([None, "thought"])))
        for place in range(draw(st.integers(0, 3)))
    ]
    cut = draw(st.booleans()) and not any(isinstance(block, Call) for block in blocks)
    return Reply(tuple(blocks), StopReason.END_TURN, "p/m", Usage(10, 5), cut)


contents = st.lists(st.builds(Text, short) | st.just(IMAGE), min_size=1, max_size=2).map(tuple)
facts = st.lists(st.builds(Waited, st.integers(0, 9).map(float), short), max_size=2).map(tuple)
errors = st.none() | st.sampled_from(ErrorKind)
results = st.builds(Result, contents, st.none() | short, facts, errors)


def edits_of(numbers: int) -> st.SearchStrategy[Edit]:
    """Edits that name records up to `numbers`, and some that name nothing."""
    target, place = st.integers(-1, numbers + 2), st.integers(-1, 3)
    words = short | st.just("shorter")
    named = st.dictionaries(st.sampled_from(["path", "content", "n", "no"]), words, max_size=2)
    return st.one_of(
        st.builds(ShrinkResult, target, place, words),
        st.builds(TrimArguments, target, place, named),
        st.builds(DropReasoning, st.lists(target, max_size=4).map(tuple)),
        st.builds(ShrinkAttachment, target, place, words),
        st.builds(StubNudge, target, words),
        st.builds(Summarise, target, words),
    )


def _stray(numbers: int) -> st.SearchStrategy[Body]:
    """Records that may stand anywhere, and may make no sense there."""
    target, place = st.integers(-1, numbers + 1), st.integers(-1, 3)
    return st.one_of(
        st.builds(ResultRecord, target, place, results),
        st.builds(CallRecord, target, place, st.just("Tool")),
        st.builds(NudgeRecord, short, st.just("judge")),
        st.lists(edits_of(numbers), max_size=4).map(
            lambda edits: EditRecord(tuple(edits), "tiered", "pressure")
        ),
        st.builds(EndRecord, st.sampled_from(RunEnd), short),
        st.builds(AttemptRecord, st.integers(1, 9), st.sampled_from(AttemptEnd), partial=short),
        st.just(PrefixRecord(Prefix("system"), "mode", "p", "m")),
        st.just(UsageRecord(Usage(1, 2), "summary", "p", "m")),
        st.just(QuestionRecord("permission", "may it?", "yes")),
        st.just(UnknownRecord({"kind": "later", "x": [1]})),
        st.builds(ReplyRecord, replies()),
    )


@st.composite
def logs(draw: st.DrawFn, *, max_steps: int = 12) -> tuple[Record, ...]:
    """A log that mostly makes sense."""
    said: list[Body] = [SESSION]
    images = st.lists(st.builds(Text, short) | st.just(IMAGE), max_size=2)
    for _ in range(draw(st.integers(0, max_steps))):
        step = draw(st.sampled_from(["turn", "turn", "turn", "prompt", "stray", "edit"]))
        if step == "prompt":
            said.append(PromptRecord(draw(short), tuple(draw(images)), "date", draw(st.booleans())))
        elif step == "edit":
            batch = draw(st.lists(edits_of(len(said)), max_size=4))
            said.append(EditRecord(tuple(batch), "tiered", "pressure"))
        elif step == "stray":
            said.append(draw(_stray(len(said))))
        else:
            said += _turn(draw, len(said) + 1)
    return number(said)


def _turn(draw: st.DrawFn, turn: int) -> list[Body]:
    reply = draw(replies())
    said: list[Body] = [ReplyRecord(reply)]
    for call in draw(st.permutations(range(len(reply.calls)))):
        fate = draw(st.sampled_from(["whole", "whole", "whole", "started", "never", "twice"]))
        if fate != "never":
            said.append(CallRecord(turn, call, "Tool"))
        if fate in ("whole", "twice"):
            said += [ResultRecord(turn, call, draw(results))] * (1 + (fate == "twice"))
    return said


def number(said: Sequence[Body]) -> tuple[Record, ...]:
    return tuple(Record(n, 1_000.0 + n, _as_read(n, body)) for n, body in enumerate(said, 1))


def _as_read(n: int, body: Body) -> Body:
    if isinstance(body, UnknownRecord):
        return UnknownRecord({"v": 2, "n": n, "t": 1_000.0 + n, **body.data})
    return body


def as_bytes(records: Sequence[Record]) -> bytes:
    return b"".join(encode(record) + b"\n" for record in records)


def check(view: View) -> None:
    """What holds of every view."""
    ids = [item.id for item in view.items]
    assert len(set(ids)) == len(ids)
    summaries = [place for place, item in enumerate(view.items) if isinstance(item, Summary)]
    assert summaries in ([], [0])
    for item in view.items:
        if isinstance(item, Turn):
            assert len(item.reply.calls) == len(item.results)
            assert item.reply.calls or item.reply.text.strip()
            assert all(result.content for result in item.results)
