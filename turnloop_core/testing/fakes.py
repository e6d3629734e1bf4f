"""Scripted doubles: a provider, an approver, an observer, a clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
import anyio.lowlevel

from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, UserQuestion
from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call, Reasoning, Text
from turnloop_core.types.deltas import (
    CallArguments,
    CallStart,
    Delta,
    End,
    OpaqueData,
    ReasoningDelta,
    TextDelta,
)
from turnloop_core.types.events import Event
from turnloop_core.types.items import Reply, StopReason

T = TypeVar("T")


class Pause:
    """A place in a scripted reply where the stream waits until the test lets it go on.

    `await pause.reached()` returns when the stream is there; `release()` lets it go on.
    """

    def __init__(self) -> None:
        self._reached = anyio.Event()
        self._released = anyio.Event()

    async def reached(self) -> None:
        await self._reached.wait()

    def release(self) -> None:
        self._released.set()

    async def wait(self) -> None:
        """Called by the provider."""
        self._reached.set()
        await self._released.wait()


Step = Delta | BaseException | Pause
Scripted = str | Reply | Call | BaseException | Sequence[Step]
ScriptedReply = Scripted | Callable[[Request], Scripted]


def call(name: str, arguments: str | dict[str, Any] | None = None, *, id: str = "") -> Call:  # noqa: A002 - the field's name
    """A call, with arguments as an object or as raw text."""
    import json

    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return Call(id or f"call_{name}", name, text)


def deltas_of(reply: Reply) -> list[Delta]:
    """The stream that assembles to `reply`: a piece or two for each block, then the end."""
    deltas: list[Delta] = []
    for place, block in enumerate(reply.blocks):
        key = f"{place}"
        if isinstance(block, Text):
            deltas += [TextDelta(piece, key) for piece in _halves(block.text)]
        elif isinstance(block, Reasoning):
            deltas += [ReasoningDelta(piece, key) for piece in _halves(block.text)]
        elif isinstance(block, Call):
            deltas.append(CallStart(key, block.name, block.id))
            deltas += [CallArguments(key, piece) for piece in _halves(block.arguments)]
        opaque = getattr(block, "opaque", None)
        if opaque is not None:
            deltas.append(
                OpaqueData(key, opaque, "text" if isinstance(block, Text) else "reasoning")
            )
    return [*deltas, End(reply.stop, reply.usage)]


def _halves(text: str) -> list[str]:
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


class ScriptedProvider:
    """A provider that answers from a list.

    Args:
        replies: one for each request. A string is a text; a `Call` a reply of that one call; a
            `Reply` is streamed block by block; a sequence of deltas goes out as it stands (without
            an `End` it is a cut stream), an exception in it is raised there, and a `Pause` waits;
            an exception alone is raised at once; a function is given the request and returns one of
            these.
        name: name in settings.
        model: the model when none is named.
        capabilities: of every model.

    Attributes:
        requests: what was asked, in order.
        open_streams: streams that were started and neither ended nor closed.
        closed: `aclose` was called.
    """

    def __init__(
        self,
        *replies: ScriptedReply,
        name: str = "scripted",
        model: str = "scripted-1",
        capabilities: Capabilities | None = None,
    ) -> None:
        self.name = name
        self.model = model
        self.requests: list[Request] = []
        self.open_streams = 0
        self.closed = False
        self._replies = list(replies)
        self._capabilities = capabilities or Capabilities(
            max_context=200_000, max_output=8_192, known=True
        )

    def capabilities(self, model: str) -> Capabilities:
        return self._capabilities

    def add(self, *replies: ScriptedReply) -> None:
        """Add replies to the end of the list."""
        self._replies.extend(replies)

    @property
    def left(self) -> int:
        """Replies that were not asked for yet."""
        return len(self._replies)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        self.requests.append(request)
        assert self._replies, f"request {len(self.requests)}: the script has no reply left"
        reply = self._replies.pop(0)
        if callable(reply):
            reply = reply(request)
        self.open_streams += 1
        try:
            for step in _steps(reply):
                await anyio.lowlevel.checkpoint()
                if isinstance(step, Pause):
                    await step.wait()
                elif isinstance(step, BaseException):
                    raise step
                else:
                    yield step
        finally:
            self.open_streams -= 1

    async def aclose(self) -> None:
        self.closed = True


def _steps(reply: Scripted) -> Sequence[Step]:
    if isinstance(reply, str):
        return deltas_of(Reply((Text(reply),), StopReason.END_TURN))
    if isinstance(reply, Call):
        return deltas_of(Reply((reply,), StopReason.TOOL_USE))
    if isinstance(reply, Reply):
        return deltas_of(reply)
    if isinstance(reply, BaseException):
        return (reply,)
    return reply


@dataclass(slots=True)
class RecordingObserver:
    """Keeps every event, in order. Also fits where a subscriber is wanted: it can be called."""

    name: str = "recording"
    events: list[Event] = field(default_factory=list)

    def on_event(self, event: Event) -> None:
        self.events.append(event)

    __call__ = on_event

    def of(self, kind: type[T]) -> list[T]:
        """Events of one type."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def kinds(self) -> list[str]:
        """The kinds of all events, in order."""
        return [event.kind for event in self.events]

    def status(self) -> str:
        return ""

    def exit_note(self) -> str:
        return ""


class ScriptedApprover:
    """Answers permission questions and questions to the user from two lists.

    Args:
        answers: for permission questions: True, False or a whole answer. The last one holds for all
            further questions; with none given everything is refused.
        words: for questions to the user; None once they are used up.
        interactive: whether somebody is there.

    Attributes:
        asked: permission questions, in order.
        questions: questions to the user, in order.
    """

    def __init__(
        self,
        answers: Iterable[bool | PermissionAnswer] = (),
        *,
        words: Iterable[str | None] = (),
        interactive: bool = True,
    ) -> None:
        self.interactive = interactive
        self.asked: list[PermissionQuestion] = []
        self.questions: list[UserQuestion] = []
        self._answers = _holding_the_last(answers)
        self._words = iter(tuple(words))

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        self.asked.append(question)
        await anyio.lowlevel.checkpoint()
        answer = next(self._answers)
        return answer if isinstance(answer, PermissionAnswer) else PermissionAnswer(answer)

    async def answer(self, question: UserQuestion) -> str | None:
        self.questions.append(question)
        await anyio.lowlevel.checkpoint()
        return next(self._words, None)


def _holding_the_last(
    answers: Iterable[bool | PermissionAnswer],
) -> Iterator[bool | PermissionAnswer]:
    answer: bool | PermissionAnswer = False  # the last one holds for good
    for answer in answers:
        yield answer
    while True:
        yield answer


class FakeClock:
    """Time that passes only when somebody sleeps, or the test says so.

    Attributes:
        now: seconds.
        slept: how long each sleep was, in order.
    """

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds

    async def sleep(self, seconds: float) -> None:
        """Passes the time at once, and lets other tasks run."""
        self.slept.append(seconds)
        self.now += seconds
        await anyio.lowlevel.checkpoint()
