"""A session in which something goes wrong on the wire, and what must hold whatever it was."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from fault_wires import KEY, FaultWire
from harness import FakeTool, plugin, run
from loop.on_record import attempts
from turnloop_core.app import (
    Environment,
    RunOutcome,
    Session,
    SessionOptions,
    load_environment,
    open_session,
)
from turnloop_core.log.reader import read_log
from turnloop_core.log.records import AttemptRecord
from turnloop_core.log.view import fold
from turnloop_core.plugins import Found
from turnloop_core.testing.fakes import FakeClock, RecordingObserver, ScriptedApprover
from turnloop_core.testing.loopback import Answer, Gate, Loopback, Recorded
from turnloop_core.testing.project import Project, temporary_project
from turnloop_core.transport.client import Transport
from turnloop_core.types.events import Edited, Event, ReplyVoided, RunEnd, TextShown, WaitStarted

ADAPTERS = [
    Found("openai-compat", "turnloop_openai_compat.plugin", "turnloop-openai-compat", "1"),
    Found("anthropic", "turnloop_anthropic.plugin", "turnloop-anthropic", "1"),
    Found("gemini", "turnloop_gemini.plugin", "turnloop-gemini", "1"),
]
FIRST = '{"text": "the first call"}'
CUT = "These words are cut off"  # stands in replies that end too early, and nowhere else
CUT_ARGUMENTS = '{"text": "a call that must never run", "times": 2}'
ANSWER = "Here is the answer."
AFTER = "All is well again."


class Faulty:
    """Calls a tool, then meets its faults, then answers.

    Args:
        wire: which one.
        faults: given in their order, one for each request.
        forever: given to every further request, until `heal`.

    Attributes:
        problems: what a strict server would have refused.
    """

    def __init__(
        self, wire: FaultWire, faults: Sequence[Answer], forever: Answer | None = None
    ) -> None:
        self.problems: list[str] = []
        self._wire = wire
        self._answers = [Answer(body=wire.reply("I look first.", FIRST)), *faults]
        self._forever = forever
        self._text = ANSWER

    def __call__(self, request: Recorded) -> Answer:
        if KEY not in " ".join(request.headers.values()):
            self.problems.append("the key is missing")
        self.problems += self._wire.complaints(request.json)
        if self._answers:
            return self._answers.pop(0)
        return self._forever or Answer(body=self._wire.reply(self._text))

    def heal(self) -> None:
        """From now on all is well."""
        self._answers.clear()
        self._forever, self._text = None, AFTER


@dataclass
class World:
    """What a scenario works with, and what it left."""

    wire: FaultWire
    server: Faulty
    loopback: Loopback
    project: Project
    clock: FakeClock
    say: FakeTool
    seen: RecordingObserver
    session: Session
    pauses: list[float]
    outcomes: list[RunOutcome] = field(default_factory=list)

    @property
    def halves(self) -> list[float]:
        """The pauses in steps of half a second: each has up to a quarter more, by chance."""
        return [pause * 2 // 1 / 2 for pause in self.pauses]

    @property
    def outcome(self) -> RunOutcome:
        """Of the prompt that met the faults."""
        return self.outcomes[0]

    @property
    def requests(self) -> int:
        """How many the faults, and the answer if there was one, took at the server."""
        return self.counted - 1  # the first one asked for the tool

    @property
    def record(self) -> AttemptRecord:
        """The attempt that met the first fault."""
        return self.records[1]

    @property
    def waits(self) -> list[str]:
        return [event.what for event in self.seen.of(WaitStarted)]

    counted: int = 0
    records: list[AttemptRecord] = field(default_factory=list)

    async def ask(self) -> RunOutcome:
        """The prompt that meets the faults."""
        outcome = await self.session.run("Begin, please.")
        self.note(outcome)
        return outcome

    def note(self, outcome: RunOutcome) -> None:
        self.outcomes.append(outcome)
        self.counted = len(self.loopback.requests)
        self.records = attempts(self.session.log_path)

    async def go_on(self) -> None:
        """Another prompt, of the same session, on the same wire: it must find all in order."""
        self.server.heal()
        after = await self.session.run("And now?")
        assert (after.end, after.text) == (RunEnd.DONE, AFTER), after
        self.outcomes.append(after)
        self.check()

    def check(self) -> None:
        """What holds whatever happened."""
        assert self.server.problems == []
        assert [args.text for args in self.say.ran] == ["the first call"]
        read = read_log(self.session.log_path)
        assert not read.damage
        assert fold(read.records).view() == self.session.view
        answered = ["turn"] if self.outcome.end is RunEnd.DONE else []
        kinds = [item.kind for item in self.session.view.items if item.kind != "nudge"]
        assert kinds == ["prompt", "turn", *answered, "prompt", "turn"]
        assert CUT not in str(self.session.view)
        assert "never run" not in str(self.session.view)
        bodies = [request.body.decode() for request in self.loopback.requests]
        assert not [body for body in bodies if CUT in body or "never run" in body]
        self._check_shown()
        self._check_pairs()
        if not self.seen.of(Edited):
            self._check_history()

    def _check_shown(self) -> None:
        """What was shown and then cut is void, and stands in the record of its attempt alone."""
        shown = "".join(event.text for event in self.seen.of(TextShown))
        partial = [record.partial for record in self.records if record.partial]
        assert shown.count(CUT) == len(partial) == len(self.seen.of(ReplyVoided))
        assert set(partial) <= {CUT}
        assert shown.count(ANSWER) == (self.outcome.end is RunEnd.DONE)
        assert _standing(self.seen.events).count(CUT) == 0

    def _check_pairs(self) -> None:
        """What began has ended."""
        kinds = self.seen.kinds
        for begun, ended in (
            ("run_started", "run_ended"),
            ("attempt_started", "attempt_ended"),
            ("wait_started", "wait_ended"),
            ("call_started", "call_ended"),
        ):
            of_pair = [kind for kind in kinds if kind in (begun, ended)]
            assert of_pair == [begun, ended] * (len(of_pair) // 2)

    def _check_history(self) -> None:
        """No request rewrote what an earlier one had said."""
        histories = [_history(request.json) for request in self.loopback.requests]
        for before, after in pairwise(histories):
            assert after[: len(before)] == before


def _history(body: Mapping[str, Any]) -> list[Any]:
    """The conversation block by block, without the marks of caching, which may move.

    What the user says after results stands in one message with them, where the wire wants it so.
    """
    blocks: list[Any] = []
    for message in body.get("messages") or body["contents"]:
        content = message.get("parts") or message.get("content")
        whole = content if isinstance(content, list) else [message]
        blocks += [(message["role"], block) for block in whole]
    said = json.dumps(blocks)
    return json.loads(  # type: ignore[no-any-return]
        said, object_hook=lambda o: {k: v for k, v in o.items() if k != "cache_control"}
    )


def _standing(events: Sequence[Event]) -> str:
    """The text that a user still has before the eyes when what was voided is taken away."""
    text, reply = "", ""
    for event in events:
        if isinstance(event, TextShown):
            reply += event.text
        elif isinstance(event, ReplyVoided):
            reply = ""
        elif event.kind == "attempt_ended":
            text, reply = text + reply, ""
    return text + reply


def entry_of(wire: FaultWire, url: str, **more: Any) -> dict[str, Any]:
    """An entry of settings."""
    caps = {"max_context": 200_000, "max_output": 4_096, **more.pop("caps", {})}
    entry = {
        "kind": wire.kind,
        "base_url": url + wire.path,
        "model": wire.model,
        "api_key_env": "LOCAL_KEY",
        "max_retries": 3,
        "caps": caps,
    }
    return entry | more


def write_settings(project: Project, entry: Mapping[str, Any], **settings: Any) -> None:
    folder = project.home / ".turnloop"
    folder.mkdir(exist_ok=True)
    said = {"provider": "local", "providers": {"local": entry}, **settings}
    (folder / "settings.json").write_text(json.dumps(said))


def environment_of(
    project: Project,
    tools: Sequence[FakeTool],
    *,
    key: bool = True,
    compactor: Any = None,
    resume: str | None = None,
) -> tuple[SessionOptions, Environment]:
    variables = project.environment | ({"LOCAL_KEY": KEY} if key else {})
    more = {"compactors": [compactor]} if compactor else {}
    options = SessionOptions(project.root, project.home, variables, resume=resume)
    found = plugin(None, tools, more)
    return options, load_environment(options, lambda: [*ADAPTERS, *found()])


@asynccontextmanager
async def world(
    wire: FaultWire,
    *faults: Answer,
    forever: Answer | None = None,
    compactor: Any = None,
    behaviour: Callable[..., Any] | None = None,
    on_event: Callable[[Event], None] = lambda _: None,
    entry: Mapping[str, Any] | None = None,
    sleep: Callable[[float], Any] | None = None,
    clock: FakeClock | None = None,
) -> AsyncIterator[World]:
    """A real session over a server that meets these faults. No wait takes any time."""
    server, clock, seen = Faulty(wire, faults, forever), clock or FakeClock(), RecordingObserver()
    say = FakeTool(behaviour=behaviour) if behaviour else FakeTool()
    transport = Transport(sleep=sleep or clock.sleep, clock=clock, rng=random.Random(7))
    with temporary_project() as project, Loopback(handler=server) as loopback:
        strategy = {"compaction": {"strategy": compactor.name}} if compactor else {}
        write_settings(project, entry_of(wire, loopback.url, **(entry or {})), **strategy)
        options, environment = environment_of(project, [say], compactor=compactor)
        async with open_session(
            options,
            approver=ScriptedApprover(interactive=False),
            subscribers=(seen, on_event),
            environment=environment,
            transport=transport,
        ) as session:
            paused = FakeClock()
            session._parts = replace(session._parts, sleep=sleep or paused.sleep)
            yield World(wire, server, loopback, project, clock, say, seen, session, paused.slept)
        await transport.aclose()


def met(wire: FaultWire, *faults: Answer, **options: Any) -> World:
    """Meet the faults, then go on."""
    worlds: list[World] = []

    async def go() -> None:
        async with world(wire, *faults, **options) as w:
            await w.ask()
            await w.go_on()
            worlds.append(w)

    run(go)
    return worlds[0]


def opens(gate: Gate) -> Callable[[Event], None]:
    """Opens a gate as soon as the words that will be cut were shown."""
    shown: list[str] = []

    def on_event(event: Event) -> None:
        if isinstance(event, TextShown):
            shown.append(event.text)
            if CUT in "".join(shown):
                gate.open()

    return on_event
