"""Checks that every provider must pass.

    class TestMine(HttpProviderConformance):
        known_model = "mine-large"

        @asynccontextmanager
        async def serve(self, scenario):
            with Loopback(handler=in_my_wire(scenario)) as server:
                bodies = lambda: [request.body for request in server.requests]
                yield Served(make_provider(server.url), bodies, closed)

`ProviderConformance` is for providers without a wire; `HttpProviderConformance`, in
`http_suite.py`, adds what can be seen from the server's side. Every check runs in an event loop of
its own, with a time limit; `serve` is entered within that loop.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, ClassVar, cast

import anyio

from turnloop_core.errors import AuthError, ContextOverflowError, StreamCutError
from turnloop_core.testing import scenarios
from turnloop_core.testing.provider_bench import Heard, Served, hear, request
from turnloop_core.testing.scenarios import Scenario
from turnloop_core.testing.unabridged import Conformance
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.deltas import CallArguments, CallStart, End, Sent, TextDelta, Waiting
from turnloop_core.types.items import Item, StopReason
from turnloop_core.types.usage import Usage

__all__ = ["Heard", "ProviderConformance", "Served", "hear", "request"]

TIME_LIMIT = 20.0


class ProviderConformance(Conformance, ABC):
    """What holds for every provider.

    Attributes:
        known_model: exact id of a model whose capabilities are declared; "" when none are.
        has_reasoning: the wire can carry readable reasoning.
        reports_usage: the wire reports tokens.
        reports_cached: it tells cached tokens apart.
        retries: refusals that pass are waited out (false for a provider that sends nothing).
    """

    known_model: ClassVar[str] = ""
    has_reasoning: ClassVar[bool] = True
    reports_usage: ClassVar[bool] = True
    reports_cached: ClassVar[bool] = True
    retries: ClassVar[bool] = True

    @abstractmethod
    def serve(self, scenario: Scenario) -> AbstractAsyncContextManager[Served]:
        """A provider that meets `scenario` at every request."""

    def listen(self, scenario: Scenario, *items: Item) -> Heard:
        """Meet a scenario once."""

        async def go(served: Served) -> Heard:
            return await hear(served.provider, request(served.provider, *items))

        heard: Heard = self.within(scenario, go)
        return heard

    def within(self, scenario: Scenario, body: Callable[[Served], Awaitable[Any]]) -> Any:
        """Run `body` against a provider that meets `scenario`; close the provider afterwards."""

        async def go() -> Any:
            with anyio.fail_after(TIME_LIMIT):
                async with self.serve(scenario) as served:
                    try:
                        return await body(served)
                    finally:
                        await served.provider.aclose()

        return anyio.run(go)

    def test_names_itself(self) -> None:
        """`name` and `model` are filled in."""

        async def go(served: Served) -> tuple[str, str]:
            return served.provider.name, served.provider.model

        name, model = self.within(scenarios.PLAIN_TEXT, go)
        assert name, "provider.name is empty"
        assert model, "provider.model is empty"

    def test_ends_once_and_last(self) -> None:
        """A whole reply has exactly one `End`, and nothing comes after it."""
        for scenario in scenarios.COMPLETE:
            heard = self.listen(scenario)
            assert heard.error is None, f"{scenario.name}: raised {heard.error!r}"
            ends = [isinstance(delta, End) for delta in heard.deltas]
            assert ends.count(True) == 1, f"{scenario.name}: {ends.count(True)} times End"
            assert ends[-1], f"{scenario.name}: {heard.deltas[-1]} came after End"

    def test_text_arrives_whole(self) -> None:
        """The pieces of text join to what was sent."""
        for scenario in scenarios.COMPLETE:
            heard = self.listen(scenario)
            assert heard.text == scenario.text, f"{scenario.name}: text is {heard.text!r}"

    def test_calls_arrive_whole(self) -> None:
        """Every call has its name, and pieces of arguments that join to what was sent."""
        for scenario in scenarios.COMPLETE:
            if scenario.stop is not StopReason.TOOL_USE:
                continue
            heard = [(name, _parsed(arguments)) for name, arguments in self.listen(scenario).calls]
            sent = [(call.name, json.loads(call.arguments)) for call in scenario.calls]
            assert heard == sent, f"{scenario.name}: calls are {heard}"

    def test_call_pieces_belong_to_a_call(self) -> None:
        """A piece of arguments comes after the start of its call; blocks and ids are not shared."""
        for scenario in (*scenarios.COMPLETE, *scenarios.CUT):
            started: list[CallStart] = []
            for delta in self.listen(scenario).deltas:
                if isinstance(delta, CallStart):
                    started.append(delta)
                elif isinstance(delta, CallArguments):
                    blocks = [start.block for start in started]
                    assert delta.block in blocks, f"{scenario.name}: {delta} belongs to no call"
            blocks = [start.block for start in started]
            ids = [start.id for start in started if start.id]
            assert len(set(blocks)) == len(blocks), f"{scenario.name}: calls share a block"
            assert len(set(ids)) == len(ids), f"{scenario.name}: calls share an id"

    def test_reasoning_is_kept_apart(self) -> None:
        """Reasoning comes as reasoning, and only where there was some."""
        for scenario in scenarios.COMPLETE:
            heard = self.listen(scenario).reasoning
            expected = scenario.reasoning if self.has_reasoning else ""
            assert heard == expected, f"{scenario.name}: reasoning is {heard!r}"

    def test_stop_reasons(self) -> None:
        """The wire's word becomes the right stop reason: the output limit is not the end."""
        for scenario in scenarios.COMPLETE:
            stops = {end.stop for end in self.listen(scenario).of(End)}
            assert stops <= {scenario.stop}, f"{scenario.name}: stop is {stops}"

    def test_usage_is_counted_once(self) -> None:
        """Counts are those of the wire, and cached tokens are not counted as input as well."""
        for scenario in scenarios.COMPLETE:
            for end in self.listen(scenario).of(End):
                problem = self._usage_problem(scenario.usage, end.usage)
                assert not problem, f"{scenario.name}: {problem}"

    def _usage_problem(self, sent: Usage, heard: Usage) -> str:
        counts = (heard.input, heard.output, heard.cache_read, heard.cache_write, heard.reasoning)
        if min(counts) < 0:
            return f"a count is negative: {heard}"
        if heard.reasoning > heard.output:
            return f"reasoning is a part of the output: {heard}"
        if not self.reports_usage:
            return "" if not heard.reported else "usage is reported where the wire has none"
        if not heard.reported:
            return "usage is not reported"
        if heard.total_input != sent.total_input:
            return f"{heard.total_input} tokens read, {sent.total_input} were: counts overlap"
        if self.reports_cached and heard.cache_read != sent.cache_read:
            return f"{heard.cache_read} tokens from the cache, {sent.cache_read} were"
        return "" if heard.output == sent.output else f"{heard.output} tokens written"

    def test_a_cut_stream_says_so(self) -> None:
        """A reply without its ending mark raises `StreamCutError` and never gives an `End`."""
        for scenario in scenarios.CUT:
            heard = self.listen(scenario)
            assert isinstance(heard.error, StreamCutError), f"{scenario.name}: {heard.error!r}"
            assert not heard.of(End), f"{scenario.name}: End after a cut"

    def test_too_long_is_told_apart(self) -> None:
        """A request that does not fit raises `ContextOverflowError`."""
        heard = self.listen(scenarios.TOO_LONG)
        assert isinstance(heard.error, ContextOverflowError), f"too long: {heard.error!r}"

    def test_a_wrong_key_is_told_apart(self) -> None:
        """A refused key raises `AuthError`, and says what to do next."""
        error = self.listen(scenarios.WRONG_KEY).error
        assert isinstance(error, AuthError), f"wrong key: {error!r}"
        assert error.hint, "wrong key: the error has no hint"

    def test_waiting_is_told(self) -> None:
        """An overload is waited out, and the wait is narrated: `Waiting`, then `Sent`."""
        heard = self.listen(scenarios.OVERLOADED_THEN_FINE)
        if not self.retries:
            return
        waits = [i for i, delta in enumerate(heard.deltas) if isinstance(delta, Waiting)]
        assert waits, "overloaded: no Waiting"
        assert any(isinstance(d, Sent) for d in heard.deltas[waits[-1] :]), "no Sent after Waiting"

    def test_can_be_asked_again(self) -> None:
        """A second request to the same provider is answered like the first."""

        async def go(served: Served) -> list[str]:
            return [(await hear(served.provider)).text for _ in range(2)]

        texts = self.within(scenarios.PLAIN_TEXT, go)
        first, second = texts
        assert first == second, f"the second answer differs: {second!r}"

    def test_can_be_left_early(self) -> None:
        """Closing the iterator early is clean, and the connection closes with it."""

        async def go(served: Served) -> bool:
            stream = cast("Any", served.provider.stream(request(served.provider)))
            async with aclosing(stream):
                async for delta in stream:
                    if isinstance(delta, TextDelta):
                        break
            return await served.closed()

        assert self.within(scenarios.HELD, go), "the connection stayed open"

    def test_capabilities_by_exact_id(self) -> None:
        """A model whose id merely resembles a known one gets the conservative defaults."""

        async def go(served: Served) -> Callable[[str], Capabilities]:
            return served.provider.capabilities

        capabilities = self.within(scenarios.PLAIN_TEXT, go)
        unknown = capabilities("no-such-model-anywhere")
        assert not unknown.known, "an unknown model is called known"
        if not self.known_model:
            return
        assert capabilities(self.known_model).known, f"{self.known_model} is not known"
        name = self.known_model
        for near in (f"{name}-x", f"x-{name}", f"vendor/{name}", name.upper() + "2", name[:-1]):
            assert capabilities(near) == unknown, f"{near} is taken for {name}"


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return f"not JSON: {arguments}"
