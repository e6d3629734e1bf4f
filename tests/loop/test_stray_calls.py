"""Calls that a server left as text or reasoning: reported, never run; quotations are none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from harness import FakeTool, opened, run
from loop.on_record import attempts
from turnloop_core.loop.stray_calls import stray_call
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.content import Reasoning, Text
from turnloop_core.types.deltas import End, ReasoningDelta, TextDelta
from turnloop_core.types.events import AttemptEnd, RunEnd
from turnloop_core.types.items import Reply, StopReason

NAMES = ("Read", "Write", "mcp__db__query")
ROOT = Path(__file__).parents[2]
ARGS = '{"path": "a.txt"}'
OBJECT = '{"name": "Read", "arguments": {"path": "a.txt"}}'
# The bar and the block of some tokens are not those of ASCII.
BAR, LOW = "\uff5c", "\u2581"

CALLS = {
    "hermes": f"<tool_call>\n{OBJECT}\n</tool_call>",
    "hermes after words": f"I look at it.\n\n<tool_call>\n{OBJECT}\n</tool_call>\n",
    "hermes after a sentence": f"I look at it. <tool_call>{OBJECT}</tool_call>",
    "hermes, the end tag was a stop word": f"<tool_call>\n{OBJECT}\n",
    "hermes, two": f"<tool_call>\n{OBJECT}\n</tool_call>\n<tool_call>\n{OBJECT}\n</tool_call>",
    "hermes, words between": f"<tool_call>{OBJECT}</tool_call>\nThen:\n<tool_call>{OBJECT}",
    "hermes, broken JSON": '<tool_call>\n{"name": "Read", "arguments": {"path": "a"}\n',
    "hermes, quotes not escaped": '<tool_call>\n{"name": "Read", "arguments": {"path": "a"b"}}',
    "llama": f'<|python_tag|>{{"name": "Read", "parameters": {ARGS}}}<|eom_id|>',
    "llama, as python": 'Let me see. <|python_tag|>Read(path="a.txt")',
    "llama, by tag": f"<function=Read>{ARGS}</function>",
    "qwen coder": "<tool_call>\n<function=Read>\n<parameter=path>\na[0].txt\n</parameter>\n"
    "</function>\n</tool_call>",
    "qwen coder, no outer tag": "<function=Read>\n<parameter=path>\na\n</parameter>\n</function>",
    "mistral": f"[TOOL_CALLS][{OBJECT}]",
    "mistral after words": f"I read it.[TOOL_CALLS] [{OBJECT}]",
    "mistral, newer": f"[TOOL_CALLS]Read[ARGS]{ARGS}",
    "deepseek": f"<{BAR}tool{LOW}calls{LOW}begin{BAR}><{BAR}tool{LOW}call{LOW}begin{BAR}>function"
    f"<{BAR}tool{LOW}sep{BAR}>Read\n```json\n{ARGS}\n```<{BAR}tool{LOW}call{LOW}end{BAR}>"
    f"<{BAR}tool{LOW}calls{LOW}end{BAR}>",
    "deepseek, newer": f"<{BAR}tool{LOW}calls{LOW}begin{BAR}><{BAR}tool{LOW}call{LOW}begin{BAR}>"
    f"Read<{BAR}tool{LOW}sep{BAR}>{ARGS}<{BAR}tool{LOW}call{LOW}end{BAR}>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0"
    f"<|tool_call_argument_begin|>{ARGS}<|tool_call_end|><|tool_calls_section_end|>",
    "kimi, without its end": "<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0"
    f"<|tool_call_argument_begin|>{ARGS}",
    "invoke": '<function_calls>\n<invoke name="Read">\n<parameter name="path">a</parameter>\n'
    "</invoke>\n</function_calls>",
    "invoke with a namespace": '<minimax:tool_call>\n<invoke name="Read">\n<parameter name="path">'
    "a</parameter>\n</invoke>\n</minimax:tool_call>",
    "glm": "<tool_call>Read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
    "harmony": "<|channel|>commentary to=functions.Read <|constrain|>json<|message|>"
    f"{ARGS}<|call|>",
    "harmony, tokens gone": f"commentary to=functions.Read json{ARGS}",
    "gemma": "<start_function_call>call:Read{path:<escape>a<escape>}<end_function_call>",
    "functools": f"functools[{OBJECT}]",
    "an object": OBJECT,
    "an object with parameters": f'{{"type": "function", "name": "Read", "parameters": {ARGS}}}',
    "an object of an object": f'{{"type": "function", "function": {OBJECT}}}',
    "a list": f"[{OBJECT}, {OBJECT}]",
    "objects": f"{OBJECT}; {OBJECT}",
    "a fenced object": f"```json\n{OBJECT}\n```",
    "a fence without a word": f"```\n{OBJECT}\n```",
    "no arguments": '{"name": "Read", "arguments": {}}',
    "another case": '<tool_call>{"name": "read", "arguments": {}}</tool_call>',
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_a_call_in_the_markup_of_a_model_is_found(text: str) -> None:
    assert stray_call(text, NAMES) == "Read"
    assert stray_call(text.replace("Read", "Write").replace("read", "Write"), NAMES) == "Write"


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
def test_a_tool_that_was_not_offered_is_none_of_ours(text: str) -> None:
    assert stray_call(text, ("Write", "mcp__db__query")) == ""
    assert stray_call(text, ("Reader", "Rea")) == ""
    assert stray_call(text, ()) == ""


QUOTED = f"<tool_call>\n{OBJECT}\n</tool_call>"
NO_CALLS = {
    "plain": "I read the file with Read: it holds two lines.",
    "in a fence, words after": f"A call of Read looks so:\n\n```\n{QUOTED}\n```\n\nThe server ...",
    "in a fence, the last of all": f"A call of Read looks so:\n\n```xml\n{QUOTED}\n```",
    "in a fence of tildes": f"So:\n~~~\n{QUOTED}\n~~~",
    "in a fence that was never closed": f"So:\n\n```xml\n{QUOTED}",
    "no fence, words after": f"A call of Read looks so:\n\n{QUOTED}\n\nIts arguments are JSON.",
    "no fence, words after that end in a bracket": f"{QUOTED}\nThis calls Read (in JSON).\nSee [1]",
    "a line of prose": 'Qwen writes <tool_call>{"name": "Read"}</tool_call> for a call.',
    "an example at the end": f"A call of Read looks like this: <tool_call>{OBJECT}</tool_call>",
    "an example within a sentence": f"Hermes would write <tool_call>{OBJECT}</tool_call>",
    "a sentence that begins with it": "<tool_call> is what Qwen writes for Read (and Write)",
    "inline code": "The markup is `<tool_call>` with `Read` as its name, then `</tool_call>`",
    "inline code at the start": '`<function=Read>{"path": "a"}</function>`',
    "a list item": "- <tool_call>: opens a call of Read (Hermes)\n- [TOOL_CALLS]: Mistral's (Read)",
    "a table": "| family | markup |\n|---|---|\n| Llama | <function=Read>{} |",
    "a token in prose": "Mistral's models write [TOOL_CALLS] before Read, and a list (see below)",
    "an object of another kind": '{"name": "Read", "version": 3}',
    "an object that names no tool": '{"name": "Ada", "arguments": {"x": 1}}',
    "objects, one of another kind": f'{OBJECT}\n{{"a": 1}}',
    "an empty list": "[]",
    "a number": "42",
    "an object, words after": f"{OBJECT} is how it would look.",
    "words before an object": f"It would look so: {OBJECT}",
    "a diff of a parser": "+    if text.startswith('<tool_call>'):\n+        return Read(text)",
    "a blank": " \n",
    "deep": "[" * 100_000,
    "deep after markup": "<tool_call>Read" + "[" * 100_000,
}


@pytest.mark.parametrize("text", NO_CALLS.values(), ids=NO_CALLS)
def test_what_is_quoted_or_explained_is_no_call(text: str) -> None:
    assert stray_call(text, NAMES) == ""


def test_the_documents_and_sources_of_this_project_are_no_calls() -> None:
    files = [*ROOT.rglob("*.md"), *(ROOT / "turnloop_core").rglob("*.py")]
    texts = {file: file.read_text("utf-8") for file in files if ".venv" not in file.parts}
    assert len(texts) > 100
    names = ("Read", "Write", "Edit", "Bash", "Glob", "Grep", "Say", "Task")
    assert [file for file, text in texts.items() if stray_call(text, names)] == []


@pytest.mark.parametrize(
    "unit",
    ["<tool_call>Read\n", "<tool_call>Read{\n", "<function=Read>{}", "[TOOL_CALLS]Read[", "{"],
)
def test_a_hostile_text_is_read_in_no_time(unit: str) -> None:
    start = time.perf_counter()
    stray_call(unit * (40_000 // len(unit)) + "x", NAMES)
    assert time.perf_counter() - start < 5.0  # it takes some hundredths


# --- in a run ---------------------------------------------------------------------------------

STRAY = '<tool_call>\n{"name": "Say", "arguments": {"text": "x"}}\n</tool_call>'


@pytest.mark.parametrize(
    ("reply", "end", "reason"),
    [
        pytest.param(
            (TextDelta(STRAY), End(StopReason.END_TURN, raw_stop="stop")),
            AttemptEnd.STRAY_CALL,
            "a call of Say was left as text: it was not run",
            id="text",
        ),
        pytest.param(
            (TextDelta(STRAY), End(StopReason.TOOL_USE, raw_stop="tool_calls")),
            AttemptEnd.STRAY_CALL,
            "a call of Say was left as text: it was not run",
            id="text, announced",
        ),
        pytest.param(
            (ReasoningDelta("I call it. \n" + STRAY), End(StopReason.TOOL_USE)),
            AttemptEnd.STRAY_CALL,
            "a call of Say was left as reasoning: it was not run",
            id="reasoning, announced",
        ),
        pytest.param(
            (ReasoningDelta(STRAY), TextDelta(" \n"), End(StopReason.END_TURN)),
            AttemptEnd.STRAY_CALL,
            "a call of Say was left as reasoning: it was not run",
            id="reasoning, blank text",
        ),
        pytest.param(
            (End(StopReason.TOOL_USE, raw_stop="tool_calls"),),
            AttemptEnd.EMPTY,
            "a tool call was announced, and none came",
            id="nothing, announced",
        ),
        pytest.param(
            (ReasoningDelta("I could use Say."), End(StopReason.TOOL_USE)),
            AttemptEnd.REASONING,
            "a tool call was announced, and none came",
            id="thoughts, announced",
        ),
    ],
)
def test_what_came_instead_of_a_call_is_named_and_never_run(reply, end, reason) -> None:
    async def scenario() -> None:
        say = FakeTool()
        good = call("Say", {"text": "y"})
        with temporary_project() as project:
            async with opened(project, reply, good, "done", tools=[say]) as o:
                outcome = await o.session.run("go")
                assert outcome.end is RunEnd.DONE
                assert [args.text for args in say.ran] == ["y"]
                kinds = [item.kind for item in o.session.view.items]
                assert kinds == ["prompt", "nudge", "turn", "turn"]
                told = [(a.end, a.reason) for a in attempts(o.session.log_path)]
                assert told == [(end, reason), (AttemptEnd.TURN, ""), (AttemptEnd.TURN, "")]

    run(scenario)


def test_a_server_that_leaves_calls_as_text_again_halts_the_run() -> None:
    async def scenario() -> None:
        say = FakeTool()
        with temporary_project() as project:
            async with opened(project, STRAY, STRAY, tools=[say]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code, say.ran) == (RunEnd.HALTED, 1, [])
                assert "parser" in outcome.reason
                assert outcome.text == ""
                o.provider.add("fine")
                assert (await o.session.run("again")).text == "fine"

    run(scenario)


def test_markup_beside_a_real_call_or_in_thoughts_before_an_answer_is_left_alone() -> None:
    async def scenario() -> None:
        say = FakeTool()
        both = Reply((Text(STRAY), call("Say", {"text": "real"})), StopReason.END_TURN)
        thought = Reply((Reasoning(STRAY), Text("the answer")), StopReason.END_TURN)
        with temporary_project() as project:
            async with opened(project, both, thought, tools=[say]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.text) == (RunEnd.DONE, "the answer")
                assert [args.text for args in say.ran] == ["real"]

    run(scenario)
