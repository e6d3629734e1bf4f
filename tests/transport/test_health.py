"""An endpoint that is asked for its health: loading, absent, or asked at the wrong place."""

from __future__ import annotations

import anyio
import pytest

from transport.bench import GOOD, KEY, Bench, Plain, request
from turnloop_core.errors import ColdBootError, RequestRefusedError, UnreachableError
from turnloop_core.testing.loopback import Answer, Loopback, Recorded, free_port
from turnloop_core.transport.request import HttpRequest
from turnloop_core.transport.retry import RetryPolicy


def ask(made: HttpRequest) -> Bench:
    bench = Bench()

    async def go() -> None:
        try:
            async for delta in bench.transport.stream(made, Plain):
                bench.deltas.append(delta)
        except (ColdBootError, RequestRefusedError, UnreachableError) as error:
            bench.error = error
        await bench.transport.aclose()

    anyio.run(go)
    return bench


@pytest.mark.parametrize("status", [401, 403, 404])
def test_an_address_of_health_that_is_wrong_is_no_model_that_loads(status: int) -> None:
    with Loopback(handler=lambda _: Answer(status)) as server:
        bench = ask(request(f"{server.url}/v1", health_url=f"{server.url}/nowhere?key=12345678"))
        assert [got.path for got in server.requests] == ["/nowhere?key=12345678"]
    assert type(bench.error) is RequestRefusedError
    assert f"health_url answers {status} (127.0.0.1:{server.port}/nowhere)" in str(bench.error)
    assert bench.slept == []


@pytest.mark.parametrize("boots", [False, True])
def test_nobody_there_is_a_boot_only_where_settings_say_that_it_boots(boots: bool) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    policy = RetryPolicy(max_unreachable=2, boot_budget_s=35, boots_from_nothing=boots)
    bench = ask(request(f"{url}/v1", health_url=f"{url}/health", policy=policy))
    assert type(bench.error) is (ColdBootError if boots else UnreachableError)
    assert [what for what, _ in bench.waits] == (["boot"] * 4 if boots else ["retry"] * 2)


def test_the_key_goes_to_the_server_that_it_is_for() -> None:
    seen: list[Recorded] = []

    def healthy(got: Recorded) -> Answer:
        seen.append(got)
        return Answer(200)

    def handler(got: Recorded) -> Answer:
        return healthy(got) if got.method == "GET" else GOOD

    with Loopback(handler=handler) as own, Loopback(handler=healthy) as other:
        for health in (own, other):
            bench = ask(request(f"{own.url}/v1", health_url=f"{health.url}/health"))
            assert bench.error is None
    told = [got.headers.get("authorization") for got in seen]
    assert told == [f"Bearer {KEY}", None]
