"""The last resort when a request does not fit."""

from __future__ import annotations

import json

from turnloop_core.log.estimate import Estimator
from turnloop_core.log.view import validate
from turnloop_core.loop.emergency import emergency_edits
from turnloop_core.types.content import Call, Text
from turnloop_core.types.edits import (
    ShrinkAttachment,
    ShrinkResult,
    TrimArguments,
    holds_trim_marker,
)
from turnloop_core.types.facts import WroteFile
from turnloop_core.types.items import Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import Prefix, ToolSchema, View

TOKENS = Estimator().text


def turn(number: int, *sizes: int) -> Turn:
    calls = tuple(Call(f"c{n}", "Read", "{}") for n in range(len(sizes)))
    results = tuple(Result.say("word " * (size // 5)) for size in sizes)
    return Turn(number, Reply(calls, StopReason.TOOL_USE), results)


def view(*items) -> View:
    return View(Prefix(), items)


def test_the_largest_go_first_and_only_as_many_as_are_needed() -> None:
    whole = view(Prompt(1, "go"), turn(2, 30_000, 9_000), turn(3, 60_000))
    edits, freed = emergency_edits(whole, 12_000, TOKENS)
    assert [(e.turn, e.call) for e in edits if isinstance(e, ShrinkResult)] == [(3, 0)]
    assert freed >= 12_000
    assert validate(edits, whole) == (edits, ())


def test_nothing_is_spared_for_being_recent_or_small_when_all_else_fails() -> None:
    whole = view(Prompt(1, "go"), turn(2, 900), turn(3, 400))
    edits, freed = emergency_edits(whole, 100_000, TOKENS)
    assert {e.turn for e in edits if isinstance(e, ShrinkResult)} == {2, 3}
    assert 0 < freed < 100_000


def test_what_the_user_attached_can_be_cut_but_not_the_words() -> None:
    whole = view(Prompt(1, "word " * 9_000, (Text("word " * 9_000),)))
    edits, _ = emergency_edits(whole, 1_000, TOKENS)
    assert [type(e) for e in edits] == [ShrinkAttachment]


def test_where_there_is_nothing_to_cut_nothing_is_proposed() -> None:
    assert emergency_edits(view(Prompt(1, "go"), turn(2, 50)), 1_000, TOKENS) == ((), 0)


def test_bodies_of_writes_go_too_when_the_tool_says_that_they_may() -> None:
    body = "line\n" * 4_000
    writing = Call("c", "Write", json.dumps({"file_path": "a.py", "content": body}))
    result = Result.say("written", facts=(WroteFile("/p/a.py", len(body), "d"),))
    turn_ = Turn(2, Reply((writing,), StopReason.TOOL_USE), (result,))
    schema = ToolSchema("Write", "", {}, bulk_args=("content",))
    whole = View(Prefix(tools=(schema,)), (Prompt(1, "go"), turn_))
    (edit,), freed = emergency_edits(whole, 1_000, TOKENS)
    assert isinstance(edit, TrimArguments)
    assert holds_trim_marker(edit.arguments["content"])
    assert freed > 1_000
    assert validate((edit,), whole) == ((edit,), ())
