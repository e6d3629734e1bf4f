"""Calls that are broken on purpose go through the real dispatch: each has the error that it is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from harness import FakeTool, opened, run
from turnloop_core.log.reader import read_log
from turnloop_core.log.view import fold
from turnloop_core.schemas import schema_of
from turnloop_core.testing.cli import run_tl
from turnloop_core.testing.fakes import ScriptedProvider, call
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call
from turnloop_core.types.events import RunEnd
from turnloop_core.types.items import Reply, StopReason
from turnloop_core.types.results import ErrorKind, Result
from turnloop_core.types.view import ToolSchema
from turnloop_mock.chaos import Chaos, ChaosCall
from turnloop_mock.chaotic import calls_of
from turnloop_mock.options import MockOptions

BROKEN, RIGHT, IN_ONE_REPLY = 9_000, 1_000, 250
WIDE = Capabilities(max_context=50_000_000, max_output=8_192, known=True)  # nothing is thinned
EXACT = ConfigDict(extra="forbid")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    model_config = EXACT

    name: str = Field(min_length=2, max_length=40)
    colour: Colour
    count: int = Field(1, ge=1, le=9)


class Order(BaseModel):
    """Nested models, lists with bounds, enums, something optional."""

    items: list[Item] = Field(min_length=1, max_length=4)
    size: Literal["small", "large"]
    first: Item | None = None
    tags: dict[str, int] = {}


class Range(BaseModel):
    """Numbers within bounds; nothing but what is named."""

    model_config = EXACT

    start: Annotated[int, Field(gt=0, lt=100)]
    share: Annotated[float, Field(ge=0, le=1)]
    exact: bool
    note: str | None = Field(None, max_length=20)
    ratio: int | float | None = None


class Tree(BaseModel):
    """A model that holds itself."""

    label: str
    children: list[Tree] = []
    parent: Tree | None = None


class Note(BaseModel):
    """What a tool that writes takes."""

    path: str
    body: str = ""


class Anything(BaseModel):
    """Whatever is given fits."""

    value: Any = None


def _said(args: BaseModel, context: Any) -> Result:
    return Result.say(repr(args))


def a_tool(name: str, arguments: type[BaseModel], **flags: bool) -> FakeTool:
    return FakeTool(name, _said, arguments=arguments, **flags)


def toolbox() -> list[FakeTool]:
    return [
        a_tool("Order", Order, parallel_safe=True),
        a_tool("Range", Range, parallel_safe=True),
        a_tool("Tree", Tree),
        a_tool("Note", Note, read_only=False),
        a_tool("Anything", Anything),
    ]


class Sender:
    """Replies full of calls, and the truth about each."""

    def __init__(self, tools: list[FakeTool], seed: int) -> None:
        self.truths: dict[str, ChaosCall] = {}
        self._chaos = Chaos(seed)
        self._full = {t.name: schema_of(t.arguments) for t in tools}
        self._parallel = {t.name for t in tools if t.parallel_safe}
        right = [False] * BROKEN + [True] * RIGHT
        Random(seed).shuffle(right)
        self._right = iter(right)
        self.replies = len(right) // IN_ONE_REPLY

    def reply(self, request: Any) -> Reply:
        """The next reply: for the schemas as told, or as they are; now and then of such calls only
        that may run side by side.
        """
        number = len(self.truths) // IN_ONE_REPLY
        tools = list(request.view.prefix.tools)
        if number % 2:
            tools = [ToolSchema(t.name, "", self._full[t.name], (), t.read_only) for t in tools]
        if number % 3 == 0:
            tools = [tool for tool in tools if tool.name in self._parallel]
        return Reply(tuple(self._calls(tools)), StopReason.TOOL_USE)

    def _calls(self, tools: list[ToolSchema]) -> Iterator[Call]:
        for _ in range(IN_ONE_REPLY):
            wanted = next(self._right)
            made = self._chaos.right_call(tools) if wanted else self._chaos.broken_call(tools)
            assert made is not None
            assert (made.truth is None) is wanted
            call_id = f"c{len(self.truths)}"
            self.truths[call_id] = made
            yield Call(call_id, made.name, made.arguments)


def differing(sender: Sender, results: dict[str, Result]) -> list[Any]:
    return [
        (made.how, made.name[:40], made.arguments[-80:], made.truth, results[call_id].error)
        for call_id, made in sender.truths.items()
        if results[call_id].error != made.truth
    ]


def test_every_broken_call_is_an_error_of_its_kind_and_the_right_ones_run() -> None:
    async def scenario() -> None:
        tools = toolbox()
        sender = Sender(tools, seed=4)
        provider = ScriptedProvider(*[sender.reply] * sender.replies, "enough", capabilities=WIDE)
        with temporary_project() as project:
            async with opened(project, tools=tools, scripted=provider, max_iterations=100) as o:
                outcome = await o.session.run("go")
                path = o.session.log_path
            assert (outcome.end, outcome.error, outcome.refused) == (RunEnd.DONE, None, 0)
            log = read_log(path)
        assert log.damage == ()
        turns = list(fold(log.records).view().turns)
        results = {
            c.id: result for t in turns for c, result in zip(t.reply.calls, t.results, strict=True)
        }
        assert results.keys() == sender.truths.keys()
        assert len(results) == BROKEN + RIGHT
        wrong = differing(sender, results)
        assert wrong[:5] == [], f"{len(wrong)} of {len(results)}"
        assert sum(len(tool.ran) for tool in tools) == RIGHT
        kinds = Counter(made.truth for made in sender.truths.values())
        assert min(kinds.values()) > 100, kinds  # no kind is missing
        assert set(kinds) == {
            None,
            ErrorKind.MALFORMED_ARGUMENTS,
            ErrorKind.TRUNCATED_ARGUMENTS,
            ErrorKind.UNKNOWN_TOOL,
            ErrorKind.SCHEMA_VIOLATION,
            ErrorKind.TRIMMED_MARKER,
        }

    run(scenario)


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("oRDER", '{"items": []}', ErrorKind.SCHEMA_VIOLATION),  # the case of a name is no matter
        (" Note ", '{"path": "x"}', None),  # nor are blanks around it
        ("Note", '{"path": "x", "path": "y"}', None),  # the last of two keys counts
        ("Anything", " \n", None),  # some servers send nothing for no arguments
        ("Note", '{"path": "\\ud800"}', None),  # half a character is the tool's own matter
        (
            "Range",
            '{"start": 7, "share": 1, "exact": true, "\\ud800": 1}',
            ErrorKind.SCHEMA_VIOLATION,
        ),
        ("Range", '{"start": "7", "share": 1, "exact": "yes"}', None),  # plain enough
        ("Range", '{"start": 7, "share": null, "exact": true}', ErrorKind.SCHEMA_VIOLATION),
        ("Anything", '{"value": 1e999}', ErrorKind.MALFORMED_ARGUMENTS),
        ("\ud800", "{}", ErrorKind.UNKNOWN_TOOL),
    ],
)
def test_what_may_be_taken_either_way_is_answered_too(name, arguments, error) -> None:
    async def scenario() -> None:
        with temporary_project() as project:
            options: dict[str, Any] = {"tools": toolbox(), "permission_mode": "bypass"}
            async with opened(project, call(name, arguments), "ok", **options) as o:
                outcome = await o.session.run("go")
                path = o.session.log_path
            assert outcome.end is RunEnd.DONE
            (turn, _) = fold(read_log(path).records).view().turns
            assert turn.results[0].error == error

    run(scenario)


CHAOS = {"kind": "mock", "mode": "chaos", "seed": 7}


def settings(home: Path, provider: dict[str, Any]) -> None:
    folder = home / ".turnloop"
    folder.mkdir()
    data = {"provider": "chaos", "providers": {"chaos": provider}}
    (folder / "settings.json").write_text(json.dumps(data))


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_program_survives_it_with_the_tools_that_it_has(form: tuple[str, ...]) -> None:
    """Many broken calls of the real tools; the account at the end is checked against the log."""
    provider = CHAOS | {"broken": 0.9, "calls": 40, "turns": 12}
    with temporary_project({"notes.txt": "milk\n"}) as project:
        settings(project.home, provider)
        before = project.read("notes.txt")
        done = run_tl("-p", "hi", *form, home=project.home, cwd=project.root)
        assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
        shown = done.stdout + done.stderr
        assert not {"\x1b", "\x00", "\u200b"} & set(shown)  # names and arguments hold them
        if form:
            assert all(json.loads(line)["v"] == 1 for line in done.stdout.splitlines())
        assert project.read("notes.txt") == before
        assert [path.name for path in project.root.iterdir()] == ["notes.txt"]
        (path,) = (project.home / ".turnloop" / "sessions").rglob("*.jsonl")
        log = read_log(path)
    view = fold(log.records).view()
    *replies, last = view.turns
    assert len(replies) == 12
    truths, errors = [], []
    for number, turn in enumerate(replies, 1):
        made = calls_of(MockOptions(**provider), number, view.prefix.tools)
        assert [(c.name, c.arguments) for c in turn.reply.calls] == [
            (m.name, m.arguments) for m in made
        ]
        truths += [m.truth for m in made]
        errors += [None if r.error is ErrorKind.TOOL_ERROR else r.error for r in turn.results]
    assert errors == truths
    right = truths.count(None)
    assert 20 < right < 80
    assert last.reply.text == (
        f"Chaos is over (seed 7): 480 calls, of which {480 - right} were broken on purpose and "
        f"{right} were right. 480 came back as what they are, 0 did not."
    )


def test_three_lines_of_settings_are_enough() -> None:
    with temporary_project() as project:
        settings(project.home, CHAOS)
        done = run_tl("-p", "hi", home=project.home, cwd=project.root)
    assert done.returncode == 0, done.stderr
    assert "0 did not" in done.stdout
