import dataclasses
import io

from hypothesis import given, settings, strategies as st

from log.random_logs import as_bytes, check, edits_of, logs, number
from turnloop_core.log.reader import read_records
from turnloop_core.log.records import (
    AttemptRecord,
    CallRecord,
    EditRecord,
    EndRecord,
    NudgeRecord,
    PrefixRecord,
    PromptRecord,
    Record,
    ReplyRecord,
    ResultRecord,
    SessionRecord,
)
from turnloop_core.log.view import Fold, Unanswered, fold, unanswered_result, validate
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.edits import ShrinkResult, Summarise
from turnloop_core.types.events import AttemptEnd, RunEnd
from turnloop_core.types.facts import Waited
from turnloop_core.types.items import NudgeItem, Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import Prefix, View

TWO_CALLS = Reply(
    (Text("I look"), Call("a", "Read", "{}"), Call("b", "Bash", "{}")), StopReason.TOOL_USE
)
ANSWER = Reply((Text("done"),), StopReason.END_TURN)
LOST = unanswered_result(started=True)
NOT_RUN = unanswered_result(started=False)


def said(*bodies):
    return fold(number(bodies))


def test_a_run_becomes_prompt_and_turns():
    first, second = Result.say("a", facts=(Waited(1.0, "x"),)), Result.say("b")
    folded = said(
        SessionRecord("s", "/p", "/p", "0.2.0"),
        PrefixRecord(Prefix("system"), "start", "p", "m"),
        PromptRecord("do it", context="today"),
        ReplyRecord(TWO_CALLS),
        CallRecord(4, 1, "Bash"),
        ResultRecord(4, 1, second),
        CallRecord(4, 0, "Read"),
        ResultRecord(4, 0, first),
        AttemptRecord(1, AttemptEnd.TURN),
        ReplyRecord(ANSWER),
        AttemptRecord(2, AttemptEnd.TURN),
    )
    assert folded.view() == View(
        Prefix("system"),
        (
            Prompt(3, "do it", context="today"),
            Turn(4, TWO_CALLS, (first, second)),
            Turn(10, ANSWER),
        ),
        0,
        (Waited(1.0, "x"),),
    )
    assert folded.session == SessionRecord("s", "/p", "/p", "0.2.0")
    assert (folded.run_open, folded.attempts_in_run, folded.last_number) == (True, 2, 11)


def test_the_reader_sees_a_pending_turn_completed():
    folded = said(PromptRecord("p"), ReplyRecord(TWO_CALLS), CallRecord(2, 0, "Read"))
    assert folded.view().items[1] == Turn(2, TWO_CALLS, (LOST, NOT_RUN))
    assert folded.unanswered() == (Unanswered(2, 0, True), Unanswered(2, 1, False))
    assert folded.pending == 2


def test_words_for_results_that_never_came():
    assert LOST.error is ErrorKind.LOST
    assert "may or may not have run" in LOST.text
    assert NOT_RUN.error is ErrorKind.NOT_RUN
    assert "was not run" in NOT_RUN.text


def test_facts_of_a_pending_turn_are_there_at_once():
    fact = Waited(2.0, "build")
    folded = said(ReplyRecord(TWO_CALLS), ResultRecord(1, 0, Result.say("ok", facts=(fact,))))
    assert folded.view().facts == (fact,)
    folded.feed(Record(3, 1.0, ResultRecord(1, 1, Result.say("ok"))))
    assert folded.view().facts == (fact,)


def test_whatever_comes_next_settles_the_pending_turn():
    turn = Turn(1, TWO_CALLS, (LOST, NOT_RUN))
    late = ResultRecord(1, 0, Result.say("late"))
    nexts = {
        PromptRecord("go on"): Prompt(3, "go on"),
        NudgeRecord("go on", "judge"): NudgeItem(3, "go on", "judge"),
        ReplyRecord(ANSWER): Turn(3, ANSWER),
        EndRecord(RunEnd.INTERRUPTED, "key"): None,
    }
    for body, item in nexts.items():
        folded = said(ReplyRecord(TWO_CALLS), CallRecord(1, 0, "Read"), body, late)
        assert folded.view().items == (turn, item) if item else (turn,)
        assert folded.unanswered() == ()


def test_doubled_and_misplaced_results_are_ignored():
    first = Result.say("first")
    folded = said(
        ReplyRecord(TWO_CALLS),
        ResultRecord(1, 0, first),
        ResultRecord(1, 0, Result.say("second")),
        ResultRecord(1, 2, first),
        ResultRecord(1, -1, first),
        ResultRecord(7, 1, first),
        CallRecord(1, 9, "Read"),
        CallRecord(1, 0, "Read"),
    )
    assert folded.view().items == (Turn(1, TWO_CALLS, (first, NOT_RUN)),)


def test_a_blank_reply_stays_out():
    blank = Reply((Reasoning("hm"), Text(" \n")), StopReason.END_TURN)
    picture = Reply((Image("image/png", "eA=="),), StopReason.END_TURN)
    folded = said(PromptRecord("p"), ReplyRecord(blank), ReplyRecord(picture))
    assert folded.view().items == (Prompt(1, "p"), Turn(3, picture))


def test_partial_text_of_a_dropped_attempt_stays_out():
    folded = said(PromptRecord("p"), AttemptRecord(1, AttemptEnd.CUT_STREAM, partial="half a"))
    assert folded.view().items == (Prompt(1, "p"),)


def test_runs_and_their_attempts():
    attempt = AttemptRecord(1, AttemptEnd.TURN)
    folded = said(PromptRecord("p"), attempt, attempt, PromptRecord("and", steering=True), attempt)
    assert (folded.run_open, folded.attempts_in_run) == (True, 3)
    folded.feed(Record(6, 1.0, EndRecord(RunEnd.DONE, "")))
    assert (folded.run_open, folded.attempts_in_run) == (False, 3)
    folded.feed(Record(7, 1.0, PromptRecord("next", steering=True)))
    assert (folded.run_open, folded.attempts_in_run) == (True, 0)


def test_a_number_counts_once():
    folded = said(PromptRecord("p"))
    folded.feed(Record(1, 1.0, PromptRecord("again")))
    folded.feed(Record(9, 1.0, PromptRecord("after a gap")))
    folded.feed(Record(9, 1.0, PromptRecord("again")))
    folded.feed(Record(2, 1.0, PromptRecord("late, and new")))
    assert [item.id for item in folded.view().items] == [1, 9, 2]
    assert folded.last_number == 9


def test_the_view_is_the_same_object_until_something_changes():
    folded = said(PromptRecord("p"))
    view = folded.view()
    for body in (AttemptRecord(1, AttemptEnd.FAULT), ResultRecord(5, 0, LOST)):
        folded.feed(Record(folded.last_number + 1, 1.0, body))
        assert folded.view() is view
    folded.feed(Record(9, 1.0, EditRecord((ShrinkResult(1, 0, "x"),), "s", "misfit")))
    assert folded.view() == view
    assert folded.view().items[0] is view.items[0]


@settings(max_examples=120, deadline=None)
@given(logs())
def test_random_logs_fold_and_stay_themselves(records):
    folded = Fold()
    before, pending = folded.view(), None
    originals = {r.n: r.body.reply for r in records if isinstance(r.body, ReplyRecord)}
    for count, record in enumerate(records, 1):
        folded.feed(record)
        view = folded.view()
        check(view)
        assert view is folded.view()
        assert view == fold(records[:count]).view()
        _same_objects(before, view, pending)
        _nothing_lost(view, originals)
        assert view.epoch - before.epoch in (0, 1)
        before, pending = view, folded.pending


def _same_objects(before: View, after: View, pending: int | None) -> None:
    """An item that did not change is the same object; a pending turn was never sent."""
    known = {item.id: item for item in before.items if item.id != pending}
    for item in after.items:
        if item.id in known and known[item.id] == item:
            assert item is known[item.id]
    if before.epoch == after.epoch:
        stable = tuple(item for item in before.items if item.id != pending)
        assert after.items[: len(stable)] == stable


def _nothing_lost(view: View, originals: dict[int, Reply]) -> None:
    for turn in view.turns:
        original = originals[turn.id]
        assert [(c.id, c.name, c.opaque) for c in turn.reply.calls] == [
            (c.id, c.name, c.opaque) for c in original.calls
        ]
        assert [b for b in turn.reply.blocks if isinstance(b, Text)] == [
            b for b in original.blocks if isinstance(b, Text)
        ]


@settings(max_examples=120, deadline=None)
@given(logs(), st.data())
def test_what_is_validated_is_what_is_folded(records, data):
    folded = fold(records)
    view = folded.view()
    edits = data.draw(st.lists(edits_of(folded.last_number), min_size=1, max_size=6))
    accepted, refused = validate(edits, view, pending=folded.pending)
    assert len(accepted) + len(refused) >= len(edits)
    assert folded.view() is view
    assert validate(accepted, view, pending=folded.pending) == (accepted, ())

    as_proposed, as_accepted = fold(records), fold(records)
    as_proposed.feed(Record(999, 1.0, EditRecord(tuple(edits), "s", "r")))
    as_accepted.feed(Record(999, 1.0, EditRecord(accepted, "s", "r")))
    assert as_proposed.view() == as_accepted.view()
    assert as_accepted.view().epoch == view.epoch + bool(accepted)
    assert (as_accepted.view().items != view.items) == bool(accepted)


@settings(max_examples=100, deadline=None)
@given(logs())
def test_facts_of_the_log_survive_every_edit(records):
    unedited = fold(r for r in records if not isinstance(r.body, EditRecord))
    edited = fold(records)
    assert edited.view().facts == unedited.view().facts
    results = {(t.id, i): r for t in unedited.view().turns for i, r in enumerate(t.results)}
    for turn in edited.view().turns:
        for place, result in enumerate(turn.results):
            original = results[turn.id, place]
            assert result == dataclasses.replace(original, content=result.content)


@settings(max_examples=25, deadline=None)
@given(logs(max_steps=8))
def test_a_log_cut_at_any_byte_folds(records):
    data = as_bytes(records)
    lines = [len(as_bytes(records[:count])) for count in range(len(records) + 1)]
    for cut in range(len(data) + 1):
        damage = []
        read = tuple(read_records(io.BytesIO(data[:cut]), damage))
        whole = sum(end - 1 <= cut for end in lines[1:])  # the newline itself may be missing
        assert read == records[:whole]
        torn = cut not in lines and cut + 1 not in lines
        assert [d.reason for d in damage] == ["the file ends within a record"] * torn
        if not torn:
            check(fold(read).view())


def test_a_summary_stays_the_only_one():
    folded = said(
        PromptRecord("a"),
        ReplyRecord(ANSWER),
        EditRecord((Summarise(1, "one"), Summarise(2, "two")), "s", "r"),
        PromptRecord("b"),
        EditRecord((Summarise(3, "one again"), Summarise(99, "never")), "s", "r"),
        EditRecord((Summarise(4, "all"),), "s", "r"),
    )
    assert [(item.id, item.text) for item in folded.view().items] == [(6, "all")]
    assert folded.view().epoch == 3
