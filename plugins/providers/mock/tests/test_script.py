"""Scripts: what they may say, and how mistakes are told."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from hypothesis import given, strategies as st

from turnloop_core.api import (
    CallArguments,
    CallStart,
    ContextOverflowError,
    Delta,
    End,
    Prefix,
    Prompt,
    ProviderError,
    ReasoningDelta,
    Reply,
    Request,
    RequestRefusedError,
    Result,
    Sent,
    SettingsError,
    StopReason,
    StreamCutError,
    TextDelta,
    ToolSchema,
    Turn,
    Usage,
    View,
    Waiting,
)
from turnloop_core.testing.contexts import factory_context
from turnloop_core.testing.fakes import call
from turnloop_core.testing.project import temporary_project
from turnloop_core.testing.provider_bench import Heard, hear
from turnloop_mock.options import MockOptions
from turnloop_mock.playing import Playing
from turnloop_mock.provider import create
from turnloop_mock.script import Script, read_script

ASK = Prompt(1, "Fix it.")


def script(tmp_path: Path, text: str) -> Script:
    path = tmp_path / "script.yaml"
    path.write_text(text, encoding="utf-8")
    return read_script(path)


def request(*items: Prompt | Turn) -> Request:
    prefix = Prefix("", (ToolSchema("Read", "", {}),))
    return Request(View(prefix, items or (ASK,)), "mock-1", 100)


def answers(tmp_path: Path, text: str, *requests: Request) -> list[list[Delta | ProviderError]]:
    playing = Playing(script(tmp_path, text))
    return [list(playing.answer(r)) for r in requests or [request()]]


def joined(deltas: list[Delta | ProviderError]) -> str:
    return "".join(d.text for d in deltas if isinstance(d, TextDelta))


def turn(number: int, result: Result | None = None) -> Turn:
    calls = (call("Read"),) if result else ()
    return Turn(number, Reply(calls, StopReason.TOOL_USE), (result,) if result else ())


def test_a_turn_with_everything(tmp_path: Path) -> None:
    text = """
- reasoning: Hm.
  text: I look.
  waits:
    - {seconds: 2, reason: overloaded}
    - {what: boot, seconds: 60}
  calls:
    - name: Read
      arguments: {file_path: größe.txt, limit: 5}
    - {name: Run, arguments: '{"broken": ', id: mine}
  stop: end_turn
  usage: {input: 10, output: 3, cache_read: 90}
"""
    (deltas,) = answers(tmp_path, text)
    assert deltas == [
        Waiting("retry", 2.0, "overloaded", 1),
        Sent(),
        Waiting("boot", 60.0, "the script says so"),
        Sent(),
        ReasoningDelta("Hm."),
        TextDelta("I look."),
        CallStart("call0", "Read", "mock_1_1"),
        *(
            CallArguments("call0", piece)
            for piece in ('{"file_path"', ': "größe.txt', '", "limit": ', "5}")
        ),
        CallStart("call1", "Run", "mine"),
        CallArguments("call1", '{"broken": '),
        End(StopReason.END_TURN, Usage(10, 3, 90)),
    ]


def test_stop_reasons_come_by_themselves(tmp_path: Path) -> None:
    text = "- text: a\n- calls: [{name: Read}]\n- {text: b, stop: max_tokens}"
    ends = [deltas[-1] for deltas in answers(tmp_path, text, *[request()] * 3)]
    stops = (StopReason.END_TURN, StopReason.TOOL_USE, StopReason.MAX_TOKENS)
    assert ends == [End(stop) for stop in stops]


def test_a_script_that_is_over_says_so(tmp_path: Path) -> None:
    first, second = answers(tmp_path, "- text: a", request(), request())
    assert joined(first) == "a"
    assert joined(second) == "The script is over: it has 1 turn, and this was request 2."
    assert second[-1] == End(StopReason.END_TURN)


def test_errors_are_raised_after_what_was_said(tmp_path: Path) -> None:
    text = "- text: abc\n  error: {kind: ContextOverflowError, message: too long, hint: shrink}"
    (deltas,) = answers(tmp_path, text)
    assert deltas[0] == TextDelta("abc")
    assert isinstance(deltas[1], ContextOverflowError)
    assert (str(deltas[1]), deltas[1].hint) == ("too long", "shrink")


@given(cut=st.integers(0, 40))
def test_a_cut_gives_exactly_so_many_characters(tmp_path_factory, cut: int) -> None:
    said = {"reasoning": "r" * 5, "text": "t" * 15, "cut": cut}
    text = json.dumps([said | {"calls": [{"name": "W", "arguments": "a" * 15}]}])
    (deltas,) = answers(tmp_path_factory.mktemp("s"), text)
    error = deltas.pop()
    assert isinstance(error, StreamCutError)
    assert not [d for d in deltas if isinstance(d, End)]
    heard = "".join(getattr(d, "text", getattr(d, "fragment", "")) for d in deltas)
    assert heard == ("r" * 5 + "t" * 15 + "a" * 15)[:cut]
    assert any(isinstance(d, CallStart) for d in deltas) is (cut > 20)


@pytest.mark.parametrize(
    ("expect", "items", "complaint"),
    [
        ("last_result_contains: OK", (ASK, turn(2, Result.say("all OK"))), ""),
        ("last_result_contains: [FAILED, x]", (ASK, turn(2, Result.say("FAILED x"))), ""),
        ("prompt_contains: Fix", (ASK,), ""),
        ("tools: Read", (ASK,), ""),
        ("last_result_ok: true", (ASK, turn(2, Result.say("fine"))), ""),
        (
            "last_result_contains: OK",
            (ASK, turn(2, Result.say("one\ntwo"))),
            "the last result does not contain 'OK': one / two",
        ),
        ("last_result_contains: OK", (ASK,), "there is no result yet"),
        (
            "last_result_ok: false",
            (ASK, turn(2, Result.say("x"))),
            "the last result is no error: x",
        ),
        ("prompt_contains: Break", (ASK,), "the prompt does not contain 'Break': Fix it."),
        ("tools: [Read, Bash, Edit]", (ASK,), "these tools are not offered: Bash, Edit"),
    ],
)
def test_expectations(tmp_path: Path, expect: str, items, complaint: str) -> None:
    playing = Playing(script(tmp_path, f"- text: zero\n- expect: {{{expect}}}\n  text: go"))
    playing.answer(request())
    deltas = list(playing.answer(request(*items)))
    if not complaint:
        assert joined(deltas) == "go"
        return
    (error,) = deltas
    assert isinstance(error, RequestRefusedError)
    where = f"{tmp_path / 'script.yaml'}:2: turn 2 of the script does not fit: "
    assert str(error) == where + complaint


def test_a_long_result_is_shown_in_part(tmp_path: Path) -> None:
    long = turn(2, Result.say("x" * 5_000))
    ((error,),) = answers(
        tmp_path, "- {text: a}\n- expect: {last_result_contains: y}", request(ASK, long)
    )
    assert len(str(error)) < 700


@pytest.mark.parametrize(("done", "text"), [(0, "one"), (1, "fault"), (2, "three"), (9, "over")])
def test_a_resumed_session_goes_on_where_it_was(tmp_path: Path, done: int, text: str) -> None:
    playing = Playing(
        script(tmp_path, "- text: one\n- {text: fault, cut: 50}\n- text: two\n- text: three")
    )
    turns = [turn(number + 2) for number in range(done)]
    assert text in joined(list(playing.answer(request(ASK, *turns))))


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("- text: a\n  calls: [", 2, "is no YAML"),
        ("- text: a\n- text: 'b\n", 3, "is no YAML"),
        ("text: a", None, "a script is a list of turns"),
        ("", None, "a script is a list of turns"),
        ("- text: a\n- txt: b", 2, "turn 2, txt: there is no such key"),
        ("- text: a\n\n- calls:\n  - name: ''", 4, "turn 2, calls.0.name: String should have"),
        ("- calls:\n  - arguments: {}", 2, "turn 1, calls.0.name: Field required"),
        ("- text: a\n  text: b", 2, "the key 'text' is there twice"),
        ("- text: [a]", 1, "turn 1, text: Input should be a valid string"),
        ("- error: {kind: TypeError}", 1, "turn 1, error.kind: no error of a provider"),
        ("- error: {kind: AuthError}\n  cut: 3", 1, "turn 1: give `error` or `cut`, not both"),
        ("- cut: -1", 1, "turn 1, cut: Input should be greater than or equal to 0"),
        ("- {cut: 1, stop: end_turn}", 1, "turn 1: a turn that does not end has no `stop`"),
        ("- stop: tired", 1, "turn 1, stop: Input should be"),
        ("- just text", 1, "turn 1: Input should be a valid dictionary"),
        (
            "- calls:\n  - name: a\n    arguments: {day: 2024-01-01}",
            3,
            "turn 1, calls.0.arguments: cannot be written as JSON",
        ),
        ("- calls: &a [{name: x, arguments: {again: *a}}]", 1, "turn 1, calls.0.arguments"),
        ("- calls: [{name: a, id: x}, {name: b, id: x}]", 1, "turn 1: two calls share an id"),
        ("- text: 2024-13-45", None, "cannot be read"),
        ("- !!python/object:os.system {}", 1, "is no YAML: could not determine a constructor"),
        ("- usage: {input: -1}", 1, "turn 1, usage.input"),
        (
            "- calls: [{name: a, arguments: {on: 1}}]",
            1,
            "turn 1, calls.0.arguments: YAML takes the key True for something else",
        ),
        ("- calls: [{name: a, arguments: [1]}]", 1, "turn 1, calls.0.arguments: must be a map"),
    ],
)
def test_mistakes_name_file_and_line(tmp_path: Path, text: str, line, complaint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        script(tmp_path, text)
    path = tmp_path / "script.yaml"
    where = str(path) if line is None else f"{path}:{line}"
    assert str(caught.value).startswith(f"{where}: {complaint}"), str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot read the script: No such file"):
        read_script(tmp_path / "none.yaml")
    with pytest.raises(SettingsError, match="cannot read the script: Is a directory"):
        read_script(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("- text: größe".encode("latin-1"))
    with pytest.raises(SettingsError, match="is not UTF-8"):
        read_script(tmp_path / "latin.yaml")


def test_a_mark_at_the_start_of_the_file_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "bom.yaml").write_bytes(b"\xef\xbb\xbf- text: a")
    assert read_script(tmp_path / "bom.yaml").turns[0].text == "a"


def test_aliases_are_followed_once(tmp_path: Path) -> None:
    lines = ["- text: &a0 x"]
    lines += [
        f"- calls: [{{name: n, arguments: {{a: &a{i} [*a{i - 1}, *a{i - 1}]}}}}]"
        for i in range(1, 8)
    ]
    assert len(script(tmp_path, "\n".join(lines)).turns) == 8


def heard(options: MockOptions, files: dict[str, str], *, cwd: str = "") -> Heard:
    async def go() -> Heard:
        with temporary_project(files) as project:
            return await hear(create(factory_context(project, "mine", options=options)))

    return anyio.run(go)


def test_the_path_starts_at_the_project_root_or_at_home() -> None:
    options = MockOptions(kind="mock", mode="scripted", script="sub/a.yaml")
    assert heard(options, {"sub/a.yaml": "- text: here"}).text == "here"
    options = MockOptions(kind="mock", mode="scripted", script="~/../project/a.yaml")
    assert heard(options, {"a.yaml": "- text: there"}).text == "there"


def test_a_scripted_provider_needs_a_script() -> None:
    with pytest.raises(SettingsError, match=r"providers.mine.script is missing, and mode"):
        heard(MockOptions(kind="mock", mode="scripted"), {})
