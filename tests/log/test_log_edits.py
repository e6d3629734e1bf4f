import json

import pytest
from hypothesis import given, settings, strategies as st

from log import random_values
from turnloop_core.log.arguments import replace_strings
from turnloop_core.log.edits import Items, apply
from turnloop_core.log.view import validate
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.edits import (
    DropReasoning,
    ShrinkAttachment,
    ShrinkResult,
    StubNudge,
    Summarise,
    TrimArguments,
)
from turnloop_core.types.facts import Waited
from turnloop_core.types.items import NudgeItem, Prompt, Reply, StopReason, Summary, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import Prefix, View

IMAGE = Image("image/png", "eA==")
PROMPT = Prompt(1, "look", (Text("file body"), IMAGE), "today")
CALLS = (
    Call("a", "Write", '{"path": "f", "content": "long", "n": 1.50}', "signature"),
    Call("b", "Bash", '{"command": '),
)
RESULTS = (
    Result((Text("lines"), IMAGE), "shown", (Waited(1.0, "x"),), ErrorKind.TOOL_ERROR),
    Result.say("ok"),
)
REPLY = Reply((Reasoning("hm", "sealed"), Text("so", "mark"), *CALLS), StopReason.TOOL_USE, "p/m")
TURN = Turn(2, REPLY, RESULTS)
NUDGE = NudgeItem(3, "go on, there is more", "judge")
ANSWER = Turn(4, Reply((Text("done"),), StopReason.END_TURN))
NO_TEXT = "changes nothing: no such text among the arguments"
VIEW = View(Prefix(), (PROMPT, TURN, NUDGE, ANSWER))


def applied(*edits):
    items = Items(VIEW.items)
    done = apply(items, edits, 9)
    return tuple(items), done.accepted, done.refused


def turn(*, reply=REPLY, results=RESULTS):
    return Turn(2, reply, results)


def test_shrinking_a_result_keeps_everything_but_the_content():
    edit = ShrinkResult(2, 0, "[gone]")
    short = Result((Text("[gone]"),), "shown", (Waited(1.0, "x"),), ErrorKind.TOOL_ERROR)
    items, accepted, refused = applied(edit)
    assert items == (PROMPT, turn(results=(short, RESULTS[1])), NUDGE, ANSWER)
    assert (accepted, refused) == ((edit,), ())


def test_trimming_replaces_only_the_text_arguments_that_are_named():
    edit = TrimArguments(2, 0, {"content": "⟦gone⟧", "n": "x", "other": "x", "path": " "})
    call = Call("a", "Write", '{"path": "f", "content": "⟦gone⟧", "n": 1.50}', "signature")
    blocks = (REPLY.blocks[0], REPLY.blocks[1], call, CALLS[1])
    items, accepted, refused = applied(edit)
    assert items[1] == turn(reply=Reply(blocks, StopReason.TOOL_USE, "p/m"))
    assert accepted == (TrimArguments(2, 0, {"content": "⟦gone⟧"}),)
    assert refused == (
        "trim_arguments: no text argument 'n'",
        "trim_arguments: no text argument 'other'",
        "trim_arguments: no text argument 'path'",
    )


def test_dropping_reasoning_leaves_what_is_attached_to_text_and_calls():
    items, accepted, refused = applied(DropReasoning((4, 2, 7, 1)))
    assert items == (
        PROMPT,
        turn(reply=Reply(REPLY.blocks[1:], StopReason.TOOL_USE, "p/m")),
        NUDGE,
        ANSWER,
    )
    assert accepted == (DropReasoning((2,)),)
    assert refused == (
        "drop_reasoning: turn 4 has no reasoning",
        "drop_reasoning: there is no turn 7 in the view",
        "drop_reasoning: there is no turn 1 in the view",
    )


def test_shrinking_an_attachment_leaves_the_words_of_the_user():
    edit = ShrinkAttachment(1, 1, "[a picture]")
    items, accepted, _ = applied(edit)
    assert items[0] == Prompt(1, "look", (Text("file body"), Text("[a picture]")), "today")
    assert accepted == (edit,)


def test_stubbing_a_nudge():
    items, accepted, _ = applied(StubNudge(3, "[nudge]"))
    assert items == (PROMPT, TURN, NudgeItem(3, "[nudge]", "judge"), ANSWER)
    assert accepted == (StubNudge(3, "[nudge]"),)


def test_a_summary_stands_for_all_up_to_an_item_and_swallows_the_one_before():
    edits = (Summarise(2, "first"), Summarise(3, "second"))
    items, accepted, refused = applied(*edits)
    assert items == (Summary(9, "second"), ANSWER)
    assert (accepted, refused) == (edits, ())


def test_an_edit_sees_what_those_before_it_left():
    items, accepted, refused = applied(Summarise(2, "sum"), ShrinkResult(2, 0, "x"))
    assert items == (Summary(9, "sum"), NUDGE, ANSWER)
    assert accepted == (Summarise(2, "sum"),)
    assert refused == ("shrink_result: there is no turn 2 in the view",)


def test_a_summary_can_be_put_in_other_words():
    view = View(Prefix(), (Summary(5, "old"), ANSWER))
    assert validate([Summarise(5, "new")], view) == ((Summarise(5, "new"),), ())
    assert validate([Summarise(5, "old")], view) == ((), ("summarise: changes nothing",))


def test_what_was_not_touched_stays_the_same_object():
    items, _, _ = applied(StubNudge(3, "[nudge]"), Summarise(1, "sum"))
    assert items[1] is TURN
    assert items[3] is ANSWER


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (ShrinkResult(9, 0, "x"), "there is no turn 9 in the view"),
        (ShrinkResult(1, 0, "x"), "there is no turn 1 in the view"),
        (ShrinkResult(2, 2, "x"), "there is no call 2"),
        (ShrinkResult(2, -1, "x"), "there is no call -1"),
        (ShrinkResult(2, 0, " "), "an empty text cannot stand for anything"),
        (ShrinkResult(2, 1, "ok"), "changes nothing"),
        (TrimArguments(4, 0, {"content": "x"}), "there is no call 0"),
        (
            TrimArguments(2, 1, {"command": "x"}),
            NO_TEXT,
        ),
        (TrimArguments(2, 0, {"n": "x"}), NO_TEXT),
        (TrimArguments(2, 0, {"path": "f"}), NO_TEXT),
        (TrimArguments(2, 0, {}), NO_TEXT),
        (DropReasoning(()), "changes nothing"),
        (ShrinkAttachment(2, 0, "x"), "there is no prompt 2 in the view"),
        (ShrinkAttachment(1, 2, "x"), "there is no attachment 2"),
        (ShrinkAttachment(1, 0, ""), "an empty text cannot stand for anything"),
        (ShrinkAttachment(1, 0, "file body"), "changes nothing"),
        (StubNudge(2, "x"), "there is no nudge 2 in the view"),
        (StubNudge(3, ""), "an empty text cannot stand for anything"),
        (StubNudge(3, NUDGE.text), "changes nothing"),
        (Summarise(8, "x"), "there is no item 8 in the view"),
        (Summarise(2, "\n"), "an empty text cannot stand for anything"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_its_reason(edit, reason):
    items, accepted, refused = applied(edit)
    assert items == VIEW.items
    assert (accepted, refused) == ((), (f"{edit.kind}: {reason}",))


def test_a_pending_turn_cannot_be_edited_yet():
    edits = (ShrinkResult(2, 0, "x"), Summarise(2, "x"), Summarise(1, "x"))
    accepted, refused = validate(edits, VIEW, pending=2)
    assert accepted == (Summarise(1, "x"),)
    assert len(refused) == 2


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), random_values.json_values, max_size=4),
    st.dictionaries(st.sampled_from("abcde"), random_values.texts, max_size=3),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_replacing_strings_is_what_parsing_and_writing_would_do(data, new, indent, ascii_only):
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    changed, found = replace_strings(text, new)
    assert found == {name for name in new if isinstance(data.get(name), str)}
    expected = {name: new[name] if name in found else value for name, value in data.items()}
    assert json.loads(changed) == expected
    assert list(json.loads(changed)) == list(data)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a":"x","n":1.50,"b":[1,  2]}', '{"a":"NEW","n":1.50,"b":[1,  2]}'),
        (' { "a" : "x" } ', ' { "a" : "NEW" } '),
        ('{"a":"x","a":"y"}', '{"a":"NEW","a":"NEW"}'),
        ('{"\\u0061":"x"}', '{"\\u0061":"NEW"}'),
        ('{"a":"two\nlines"}', '{"a":"NEW"}'),
        ('{"b":{"a":"x"}}', '{"b":{"a":"x"}}'),
    ],
)
def test_every_other_byte_stays(text, expected):
    assert replace_strings(text, {"a": "NEW"})[0] == expected


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a"', '{"a":', '{"a":"x"', '{"a":"x",}', '{"a":"x"} b', '["a"]', '"a"', "null", "7",
     '{"a":"x" "b":1}', '{a:"x"}', '{"a":"x","b":' + "[" * 100_000],
)  # fmt: skip
def test_what_is_no_json_object_stays_as_it_is(text):
    assert replace_strings(text, {"a": "NEW"}) == (text, frozenset())
