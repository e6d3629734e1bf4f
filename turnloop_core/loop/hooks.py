"""Foreign code in the loop: observers and interceptors, each kept from breaking a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from turnloop_core.ports.interceptor import Interceptor, Intervention
from turnloop_core.ports.observer import Observer
from turnloop_core.types.content import Call
from turnloop_core.types.events import Event, Notice
from turnloop_core.types.results import Result

Subscriber = Callable[[Event], None]


class Emitter:
    """Hands every event to the front end and to the observers.

    Subscribers are the front end's own and may raise; an observer that raises is reported once and
    not called again.
    """

    def __init__(
        self, subscribers: Sequence[Subscriber] = (), observers: Sequence[Observer] = ()
    ) -> None:
        self._subscribers = list(subscribers)
        self._observers = list(observers)

    def __call__(self, event: Event) -> None:
        for subscriber in self._subscribers:
            subscriber(event)
        for observer in list(self._observers):
            try:
                observer.on_event(event)
            except Exception as error:
                self._observers.remove(observer)
                self(
                    Notice(
                        "warning",
                        f"observer {observer.name} raised {type(error).__name__}: {error}",
                        "it is not called again in this session",
                    )
                )

    def subscribe(self, subscriber: Subscriber) -> None:
        self._subscribers.append(subscriber)

    def observe(self, observer: Observer) -> None:
        self._observers.append(observer)

    @property
    def observers(self) -> tuple[Observer, ...]:
        return tuple(self._observers)


class Interceptors:
    """Asks all interceptors, in order of registration."""

    def __init__(self, members: Sequence[Interceptor], emit: Subscriber) -> None:
        self._members = tuple(members)
        self._emit = emit

    async def before_prompt(self, text: str) -> Intervention:
        """The first refusal, or all added text."""
        return await self._ask("before_prompt", lambda member: member.before_prompt(text))

    async def before_call(self, call: Call, arguments: dict[str, Any]) -> Intervention:
        """The first refusal; else the arguments as the last one left them, and all added text.

        An interceptor that raises counts as a refusal: a guard that is broken must not be open.
        """
        replaced: dict[str, Any] | None = None
        added: list[str] = []
        for member in self._members:
            try:
                said = await member.before_call(call, arguments if replaced is None else replaced)
            except Exception as error:
                return Intervention(
                    deny=f"the check {member.name} is broken ({type(error).__name__}: {error}), "
                    "so the call was not run"
                )
            if said.deny:
                return said
            replaced = said.arguments if said.arguments is not None else replaced
            added += [said.add_text] if said.add_text else []
        return Intervention(arguments=replaced, add_text="\n".join(added))

    async def after_call(self, call: Call, result: Result) -> str:
        """Text to be added to what the model sees."""
        said = await self._ask("after_call", lambda member: member.after_call(call, result))
        return said.add_text

    async def before_compact(self, reason: str) -> str:
        """Why the view must not be thinned, "" when it may."""
        return (await self._ask("before_compact", lambda m: m.before_compact(reason))).deny

    async def on_stop(self, reason: str) -> str:
        """A nudge that keeps the run going, "" when it may end."""
        return (await self._ask("on_stop", lambda member: member.on_stop(reason))).nudge

    async def _ask(
        self, what: str, call: Callable[[Interceptor], Awaitable[Intervention]]
    ) -> Intervention:
        added: list[str] = []
        nudges: list[str] = []
        for member in self._members:
            try:
                said = await call(member)
            except Exception as error:
                self._emit(
                    Notice(
                        "warning",
                        f"{member.name}: {what} raised {type(error).__name__}: {error}",
                    )
                )
                continue
            if said.deny:
                return said
            added += [said.add_text] if said.add_text else []
            nudges += [said.nudge] if said.nudge else []
        return Intervention(add_text="\n".join(added), nudge="\n".join(nudges))
