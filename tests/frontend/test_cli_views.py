"""Events as text and as lines of JSON."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.frontend.console import Output, one_line, printable, wants_colour
from turnloop_core.frontend.jsonl import encode_event
from turnloop_core.frontend.render import Line, Renderer, bounded
from turnloop_core.frontend.textview import TextView
from turnloop_core.types.content import Call, Text
from turnloop_core.types.events import (
    AttemptEnd,
    AttemptEnded,
    AttemptStarted,
    CallEnded,
    CallStarted,
    Edited,
    Notice,
    Nudged,
    ReplyEnded,
    ReplyVoided,
    RunEnd,
    RunEnded,
    TextShown,
    WaitStarted,
)
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.usage import Usage

CALL = Call("c1", "Read", '{"file_path": "a.py"}')


class Terminal(io.StringIO):
    def isatty(self):
        return True


def reply(text, *calls, cut=False):
    stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
    return ReplyEnded(Reply((Text(text), *calls), stop, cut=cut))


def ended(end=RunEnd.DONE, reason=""):
    return RunEnded(end, reason, 1, Usage())


def shown(events, *, terminal=False):
    """What both streams have after these events."""
    out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
    view = TextView(Output(out), Output(err))
    for event in events:
        view.on_event(event)
    return out.getvalue(), err.getvalue()


def lines(*events):
    renderer = Renderer()
    return [line for event in events for line in renderer.lines(event)]


def test_a_pipe_gets_only_the_last_answer():
    out, err = shown(
        [
            AttemptStarted(1),
            TextShown("Let me look."),
            reply("Let me look.", CALL),
            CallStarted(CALL, "Read a.py"),
            CallEnded(CALL, Result.say("1 x = 1"), 0.1),
            AttemptStarted(2),
            TextShown("It is "),
            TextShown("fine."),
            reply("It is fine."),
            ended(),
        ]
    )
    assert out == "It is fine.\n"
    assert err == "Let me look.\n> Read a.py\n  1 x = 1\n"


def test_text_that_was_voided_never_reaches_a_pipe():
    out, err = shown(
        [
            AttemptStarted(1),
            TextShown("It is br"),
            ReplyVoided("the connection was lost"),
            TextShown("It is fine."),
            reply("It is fine."),
            ended(),
        ]
    )
    assert (out, err) == ("It is fine.\n", "")


def test_an_answer_that_a_nudge_overtook_is_not_the_answer():
    out, err = shown([reply("Done?"), Nudged("run the tests", "gate"), reply("Yes."), ended()])
    assert out == "Yes.\n"
    assert err == "Done?\nnudge (gate): run the tests\n"


def test_an_answer_that_the_output_limit_cut_is_one_answer():
    out, _ = shown([reply("one, ", cut=True), Nudged("go on", "limit"), reply("two"), ended()])
    assert out == "one, two\n"


@pytest.mark.parametrize("end", [RunEnd.FAILED, RunEnd.INTERRUPTED])
def test_a_run_that_did_not_end_has_no_answer(end):
    out, err = shown([reply("So far"), ended(end, "x")])
    assert out == ""
    assert "So far" in err


def test_a_terminal_gets_text_as_it_comes():
    out, err = shown([AttemptStarted(1), TextShown("It is ")], terminal=True)
    assert (out, err) == ("It is ", "")


def test_a_terminal_is_told_what_is_void():
    out, err = shown(
        [AttemptStarted(1), TextShown("It is br"), ReplyVoided("lost"), TextShown("Fine")],
        terminal=True,
    )
    assert out == "It is br\nFine"
    assert err == "what this reply showed is void: lost\n"


def test_nothing_shown_nothing_void():
    assert shown([AttemptStarted(1), ReplyVoided("lost")], terminal=True) == ("", "")


def test_lines_about_calls():
    two = Call("c2", "Bash", '{"command": "rm -rf /"}')
    diff = "--- a\n+++ b\n-x\n+y\n z"
    assert lines(
        CallStarted(CALL, "Read a.py"),
        CallEnded(CALL, Result.say("\n\nfirst\nsecond"), 0.1),
        CallStarted(CALL, "Edit a.py"),
        CallEnded(CALL, Result.say("done", display=diff), 0.1),
        CallEnded(two, Result.say("Not run: nobody to ask", error=ErrorKind.NO_CONSENT), 0),
    ) == [
        Line("> Read a.py", "call"),
        Line("  first", "dim"),
        Line("> Edit a.py", "call"),
        Line("  --- a", "dim"),
        Line("  +++ b", "dim"),
        Line("  -x", "remove"),
        Line("  +y", "add"),
        Line("   z", "dim"),
        Line('> Bash {"command": "rm -rf /"}', "call"),
        Line("  no consent: Not run: nobody to ask", "error"),
    ]


def test_results_of_calls_side_by_side_name_their_call():
    two = Call("c2", "Grep", "{}")
    assert lines(
        CallStarted(CALL, "Read a.py"),
        CallStarted(two, "Grep x"),
        CallEnded(two, Result.say("3 matches"), 0.1),
        CallEnded(CALL, Result.say("text"), 0.1),
    ) == [
        Line("> Read a.py", "call"),
        Line("> Grep x", "call"),
        Line("  (Grep)", "dim"),
        Line("  3 matches", "dim"),
        Line("  text", "dim"),
    ]


def test_lines_about_the_rest():
    assert lines(
        WaitStarted("retry", 0.3, "overloaded", 1),
        WaitStarted("retry", 12.4, "overloaded", 2),
        WaitStarted("capacity", 0.0, "two at once"),
        Nudged("say\nmore", "judge"),
        Nudged("The harness stopped here.", "cap"),
        Edited((), "the window is full", 12_000),
        Notice("warning", "odd", "do this"),
        AttemptEnded(3, AttemptEnd.CUT_CALL, "the output limit cut a tool call", Usage(), {}),
        AttemptEnded(3, AttemptEnd.CUT_STREAM, "", Usage(), {}),
        AttemptEnded(4, AttemptEnd.TURN, "", Usage(), {}),
        ended(RunEnd.LIMIT, "40 attempts"),
        ended(),
    ) == [
        Line("trying again (retry 1): overloaded", "warning"),
        Line("waiting 12 s (retry 2): overloaded", "warning"),
        Line("waiting: two at once", "warning"),
        Line("nudge (judge): say more", "dim"),
        Line("context thinned, about 12,000 tokens: the window is full", "dim"),
        Line("warning: odd", "warning"),
        Line("    do this"),
        Line("attempt 3: the output limit cut a tool call", "warning"),
        Line("attempt 3: cut stream", "warning"),
        Line("stopped by a limit: 40 attempts", "warning"),
    ]


def test_an_interruption_is_told_once():
    assert lines(RunEnded(RunEnd.INTERRUPTED, "interrupted", 1, Usage())) == [
        Line("interrupted", "warning")
    ]


def test_what_the_user_did_is_not_told_at_length():
    said = "The user declined this call of Bash; it was not run. Do not try the same."
    cut = "Bash was interrupted while it ran. Check before you do it again."
    assert lines(
        CallEnded(CALL, Result.say(said, error=ErrorKind.DECLINED), 0),
        CallStarted(CALL, "Bash(sleep 9)"),
        CallEnded(CALL, Result.say(cut, error=ErrorKind.INTERRUPTED), 0),
        CallStarted(CALL, "Bash(true)"),
        CallEnded(CALL, Result.say("Not.", display="not run", error=ErrorKind.NOT_RUN), 0),
    )[1:] == [
        Line("  declined", "error"),
        Line("> Bash(sleep 9)", "call"),
        Line("  interrupted: it may or may not have had its effect", "error"),
        Line("> Bash(true)", "call"),
        Line("  not run", "error"),
    ]


def test_bounded():
    assert bounded("a\nb\n", 2) == ["a", "b"]
    assert bounded("a\nb\nc\nd", 2) == ["a", "b", "… 2 more lines"]
    assert bounded("abcdef", width=4) == ["abc…"]


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_what_is_printed_never_steers_a_terminal(text):
    for result in (printable(text), one_line(text, 20), *bounded(text, 3, 20)):
        assert all(c in "\n\t" or c.isprintable() or c > "\x9f" for c in result)
    assert len(one_line(text, 20)) <= 20


def test_controls_are_written_out():
    assert printable("a\x1b[2Jb\r\nc\rd\x07\x9b\u202ee\t") == (
        "a\\x1b[2Jb\nc\\x0dd\\x07\\x9b\\u202ee\t"
    )


COLOURFUL = {"TERM": "xterm"}


@pytest.mark.parametrize(
    ("stream", "environment", "colour"),
    [
        (Terminal(), COLOURFUL, True),
        (Terminal(), {**COLOURFUL, "NO_COLOR": "1"}, False),
        (Terminal(), {**COLOURFUL, "NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {}, False),
        (io.StringIO(), COLOURFUL, False),
        (None, COLOURFUL, False),
    ],
)
def test_where_colour_is_wanted(stream, environment, colour):
    assert wants_colour(stream, environment) is colour


def test_style_without_colour_leaves_no_escape():
    plain, coloured = io.StringIO(), io.StringIO()
    Output(plain).line("text", "error")
    Output(coloured, colour=True).line("text", "error")
    assert (plain.getvalue(), coloured.getvalue()) == ("text\n", "\x1b[31mtext\x1b[0m\n")


class Leaving(io.StringIO):
    def __init__(self, error):
        super().__init__()
        self.error = error
        self.tries = 0

    def write(self, text):
        self.tries += 1
        raise self.error


def test_a_reader_that_leaves_is_noticed_once():
    stream = Leaving(BrokenPipeError(32, "gone"))
    out = Output(stream)
    out.write("a")
    out.write("b")
    assert (out.gone, out.failure, stream.tries) == (True, None, 1)


def test_a_full_disk_is_no_reader_that_left():
    error = OSError(28, "No space left on device")
    out = Output(Leaving(error))
    out.write("a")
    assert (out.gone, out.failure) == (False, error)


def test_an_event_is_one_line_of_ascii_with_all_its_fields():
    line = encode_event(CallEnded(CALL, Result.say("é\x1b[0m\u2028x\n"), 0.5))
    assert line.count("\n") == 1
    assert line.isascii()
    assert "\x1b" not in line
    assert json.loads(line) == {
        "v": 1,
        "event": "call_ended",
        "call": {"kind": "call", "id": "c1", "name": "Read", "arguments": '{"file_path": "a.py"}'},
        "result": {"content": [{"kind": "text", "text": "é\x1b[0m\u2028x\n"}]},
        "seconds": 0.5,
    }
