"""A page may be slow, endless or a bomb: none of it costs more than the limits."""

from __future__ import annotations

import gzip
import math
import tracemalloc
import zlib
from dataclasses import replace

import anyio
import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.api import TurnloopError
from turnloop_core.testing.contexts import FakeCallContext, call_context
from turnloop_core.testing.loopback import Answer, Gate, Loopback
from turnloop_web.allowance import Allowance
from turnloop_web.fetch import FetchArguments
from turnloop_web.page import Limits
from turnloop_web.unpack import Body

TEXT = {"content-type": "text/plain"}
SMALL = Limits(size=1_000, read_s=5.0)


def test_a_large_page_is_cut_and_the_rest_is_not_awaited(browser_where):
    browser = browser_where(SMALL)
    gate = Gate()
    with Loopback(Answer(headers=TEXT, body=[b"a" * 1_500, gate])) as server:
        result = browser.fetch(server.url)
        assert gate.left.wait(10)  # the connection was closed, not drained
    assert result.text.split("\n")[1:] == [
        "[only the first 1,000 bytes were read; the rest is missing]",
        "a" * 1_000,
    ]


def test_a_page_of_exactly_the_limit_is_whole(browser_where):
    browser = browser_where(SMALL)
    with Loopback(Answer(headers=TEXT, body=b"a" * 1_000)) as server:
        assert "missing" not in browser.fetch(server.url).text


@pytest.mark.parametrize("packing", ["gzip", "x-gzip", "deflate", "raw", "identity"])
def test_packed_pages_are_read(browser, packing):
    words = b"some words " * 50
    raw = zlib.compressobj(wbits=-15)
    body = {
        "deflate": zlib.compress(words),
        "raw": raw.compress(words) + raw.flush(),
        "identity": words,
    }.get(packing, gzip.compress(words))
    headers = TEXT | {"content-encoding": "deflate" if packing == "raw" else packing}
    with Loopback(Answer(headers=headers, body=[body[:5], body[5:]])) as server:
        assert words.decode().strip() in browser.fetch(server.url).text


def test_a_bomb_costs_what_the_limit_allows(browser_where):
    bomb = gzip.compress(bytes(200_000_000), 9)
    browser = browser_where(replace(SMALL, size=1_000_000))
    headers = {"content-type": "text/plain", "content-encoding": "gzip"}
    with Loopback(Answer(headers=headers, body=bomb)) as server:
        tracemalloc.start()
        try:
            assert "not shown" in browser.fetch(server.url).text  # it is all null bytes
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("packing", "told"), [("br", "was not asked for"), ("gzip", "not packed as its header says")]
)
def test_what_cannot_be_unpacked_is_said(browser, packing, told):
    headers = TEXT | {"content-encoding": packing}
    with (
        Loopback(Answer(headers=headers, body=b"words that are not packed")) as server,
        pytest.raises(TurnloopError, match=told),
    ):
        browser.fetch(server.url)


@given(
    pieces=st.lists(st.binary(max_size=300), max_size=8),
    most=st.integers(1, 1_500),
    packed=st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_the_first_bytes_are_kept_however_they_come(pieces, most, packed):
    whole = b"".join(pieces)
    body = Body("gzip" if packed else "", most)
    sent = [gzip.compress(whole)] if packed else pieces
    for piece in sent:
        if not body.feed(piece):
            break
    if packed and len(sent[0]) > most:
        assert body.cut
        assert whole.startswith(bytes(body.kept))
    else:
        assert bytes(body.kept) == whole[:most]
        assert body.cut == (len(whole) > most)


def test_a_silent_server_times_out(browser_where):
    browser = browser_where(Limits(read_s=0.05))
    gate = Gate()
    with Loopback(Answer(headers=TEXT, body=[b"half", gate])) as server:
        with pytest.raises(TimeoutError, match="was silent for too long"):
            browser.fetch(server.url)
        assert gate.left.wait(10)


def test_a_server_that_drips_times_out(browser_where):
    browser = browser_where(Limits(total_s=0.2))
    gate = Gate()
    with Loopback(Answer(hold=gate)) as server:
        with pytest.raises(TimeoutError, match=r"not read within 0\.2 seconds"):
            browser.fetch(server.url)
        assert gate.left.wait(10)


def test_no_limit_runs_while_the_user_is_asked(browser_where):
    browser = browser_where(page_example=[["127.0.0.1"]])
    deadlines = []

    class Context(FakeCallContext):
        async def judge(self, subject, *, like=None):
            deadlines.append(anyio.current_effective_deadline())

    with Loopback(Answer(302, {"location": "/b"}), Answer(headers=TEXT, body=b"words")) as server:
        url = f"http://page.example:{server.port}/a"
        made = call_context(browser.project, (browser.judged(url),))
        context = Context(made.scope, made.data_dir, made.subjects)
        assert anyio.run(browser.tool.run, FetchArguments(url=url), context).ok
    assert deadlines == [math.inf, math.inf]  # what the name stands for, and the hop


def test_what_was_spent_is_not_there_any_more():
    async def left(allowance: Allowance) -> float:
        with allowance.spent():
            return anyio.current_effective_deadline() - anyio.current_time()

    async def go() -> None:
        allowance = Allowance(10.0, "used up")
        with allowance.spent():
            await anyio.sleep(0.02)
        assert await left(allowance) <= 9.98
        with (
            pytest.raises(TimeoutError, match="used up"),
            Allowance(0.0, "used up").spent(),
        ):
            await anyio.sleep_forever()

    anyio.run(go)


def test_an_interrupt_closes_the_connection(browser):
    gate = Gate()
    with Loopback(Answer(headers=TEXT, body=[b"half", gate])) as server:
        args = FetchArguments(url=server.url)
        context = call_context(browser.project, (browser.judged(server.url),))

        async def go() -> None:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(browser.tool.run, args, context)
                await anyio.to_thread.run_sync(gate.reached.wait, 10)
                tasks.cancel_scope.cancel()

        anyio.run(go)
        assert gate.left.wait(10)
