"""What a running command prints passes by on a terminal, and stays nowhere."""

from __future__ import annotations

import io

import pytest

from turnloop_core.frontend.console import Output
from turnloop_core.frontend.textview import TextView
from turnloop_core.types.events import CallProgress

WIPED = "\r\x1b[K"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _term(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


def shown(*texts: str, stream: io.StringIO) -> str:
    output = Output(stream)
    output.write("half a line")
    view = TextView(output, output)
    for text in texts:
        view.on_event(CallProgress("call_1", text))
    output.line("the result")
    return stream.getvalue()


def test_each_line_takes_the_place_of_the_one_before() -> None:
    text = shown("one\ntwo\n", "three\x1b[2J", stream=Terminal())
    assert text == (f"half a line\n  two{WIPED}  three\\x1b[2J{WIPED}the result\n")


def test_a_long_line_stays_one_line() -> None:
    passing = shown("x" * 500, "日" * 500, stream=Terminal()).split(WIPED)
    assert [len(part) for part in passing[:2]] == [len("half a line\n") + 79, 2 + 38]


@pytest.mark.parametrize("term", ["", "dumb"])
def test_a_terminal_that_cannot_wipe_shows_none(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    assert shown("one", stream=Terminal()) == "half a line\nthe result\n"


def test_a_pipe_gets_none() -> None:
    assert shown("one", stream=io.StringIO()) == "half a line\nthe result\n"
