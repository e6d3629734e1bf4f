"""How long a refusal is waited for: as it asks, within a small spread, and never for hours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from fault_wires import PAGE, WIRES, FaultWire, answer
from faults.world import ANSWER, met
from turnloop_core.errors import ColdBootError, QuotaExhaustedError, RetryableError
from turnloop_core.testing.loopback import Answer, Gate
from turnloop_core.types.events import RunEnd, WaitStarted

wires = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)
GROWING = ((0.0, 1.0), (0.0, 2.0))  # where the answer does not say how long


def date(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def span(seconds: float, least: float | None = None) -> tuple[tuple[float, float], ...]:
    least = seconds if least is None else least
    return ((least, seconds * 1.1 + 0.25),) * 2


HEADERS: dict[str, tuple[dict[str, Any], Any]] = {
    "seconds": ({"retry-after": "3"}, span(3)),
    "half a second": ({"retry-after": "0.5"}, span(0.5)),
    "milliseconds": ({"retry-after-ms": "1500"}, span(1.5)),
    "both forms": ({"retry-after": "1", "retry-after-ms": "1500"}, span(1.5)),
    "a date": ({"retry-after": 4}, span(4, least=1)),  # the second that is begun, and slow tests
    "a date in the past": ({"retry-after": -60}, GROWING),
    "a negative number": ({"retry-after": "-5"}, GROWING),
    "a word": ({"retry-after": "soon"}, GROWING),
    "nothing": ({}, GROWING),
}


@wires
@pytest.mark.parametrize("form", HEADERS)
def test_two_refusals_are_waited_out_as_they_ask(wire: FaultWire, form: str) -> None:
    given, spans = HEADERS[form]
    headers = {k: date(v) if isinstance(v, int) else v for k, v in given.items()}
    refusal = answer(wire.error("rate"), headers)
    w = met(wire, refusal, refusal)
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 3)
    assert len(w.clock.slept) == 2
    for waited, (least, most) in zip(w.clock.slept, spans, strict=True):
        assert least <= waited <= most
    assert [(e.what, e.number) for e in w.seen.of(WaitStarted)] == [("retry", 1), ("retry", 2)]
    assert (w.record.retries, len(w.records), w.pauses) == (2, 2, [])
    told = {e.reason for e in w.seen.of(WaitStarted)}
    assert told == {f"local: too many requests (429): {wire.error('rate')[1]['error']['message']}"}


@wires
@pytest.mark.parametrize("status", [503, 529])
def test_an_overload_is_waited_out_as_it_asks(wire: FaultWire, status: int) -> None:
    w = met(wire, answer((status, wire.error("busy")[1]), {"retry-after": "3"}))
    [waited] = w.clock.slept
    assert (w.outcome.text, w.requests, w.waits) == (ANSWER, 2, ["retry"])
    assert 3 <= waited <= 3.55


@wires
def test_words_say_how_long(wire: FaultWire) -> None:
    words = answer(wire.error("rate", "Rate limit reached. Please try again in 1m0.36s."))
    w = met(wire, words)
    [waited] = w.clock.slept
    assert (w.outcome.end, w.requests) == (RunEnd.DONE, 2)
    assert 60.36 <= waited <= 66.7


@wires
def test_an_error_event_says_how_long(wire: FaultWire) -> None:
    w = met(wire, Answer(body=wire.event("rate", "Slow down: please try again in 20s.")))
    [waited] = w.clock.slept
    assert (w.outcome.end, w.requests, w.pauses) == (RunEnd.DONE, 2, [])
    assert 20 <= waited <= 22.25


def test_a_refusal_whose_words_never_end_is_taken_by_its_head() -> None:
    gate = Gate()
    refusal = Answer(429, {"retry-after": "3"}, [b"{", gate])
    w = met(WIRES["openai_compat"], refusal, entry={"timeout_s": 0.4})
    assert gate.left.wait(10), "the connection was not closed"
    [waited] = w.clock.slept
    assert (w.outcome.text, w.requests) == (ANSWER, 2)
    assert 3 <= waited <= 3.55


def test_a_field_says_how_long() -> None:
    wire = WIRES["gemini"]
    status, body = wire.error("rate")
    details = [
        {
            "@type": "t/QuotaFailure",
            "violations": [{"quotaId": "GenerateRequestsPerMinute", "quotaValue": "5"}],
        },
        {"@type": "t/RetryInfo", "retryDelay": "48.9s"},
    ]
    w = met(wire, answer((status, {"error": body["error"] | {"details": details}})))
    [waited] = w.clock.slept
    assert (w.outcome.end, w.requests) == (RunEnd.DONE, 2)
    assert 48.9 <= waited <= 54.1


@wires
@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_day_is_not_waited_for(wire: FaultWire, status: int) -> None:
    shape = (status, wire.error("rate")[1])
    w = met(wire, answer(shape, {"retry-after": "86400"}))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 5, 1)
    assert isinstance(w.outcome.error, RetryableError)
    assert w.outcome.error.hint == "come back in 24.0 h, or use another provider"
    assert (w.clock.slept, w.pauses) == ([], [])


@wires
@pytest.mark.parametrize("name", ["day", "zero", "credit"])
def test_what_is_used_up_is_not_waited_for(wire: FaultWire, name: str) -> None:
    w = met(wire, answer(wire.error(name)))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 5, 1)
    error = w.outcome.error
    assert type(error) is QuotaExhaustedError
    assert wire.error(name)[1]["error"]["message"] in str(error)
    assert "another provider" in error.hint
    assert (w.clock.slept, w.pauses) == ([], [])


@wires
def test_a_limit_of_zero_is_no_hint_to_wait(wire: FaultWire) -> None:
    w = met(wire, answer(wire.error("zero"), {"retry-after": "2"}))
    assert (w.outcome.exit_code, w.requests, w.clock.slept) == (5, 1, [])


SOON: dict[str, Any] = {
    "no capacity": lambda wire: answer(wire.error("capacity")),
    "a body that is not JSON": lambda wire: Answer(429, body=b"slow down!"),
    "an empty body": lambda wire: Answer(429),
    "the server failed": lambda wire: answer(wire.error("failed")),
    "a page of a gateway": lambda wire: Answer(502, {"content-type": "text/html"}, PAGE),
    "overloaded": lambda wire: answer(wire.error("busy")),
    "529": lambda wire: answer((529, wire.error("busy")[1])),
    "408": lambda wire: answer((408, wire.error("failed")[1])),
    "dropped before a byte": lambda wire: Answer(0, drop="close"),
    "reset before a byte": lambda wire: Answer(0, drop="reset"),
    "closed after the head": lambda wire: Answer(body=[], drop="close"),
    "an error alone, with status 200": lambda wire: Answer(body=wire.event("busy")),
    "a plain error, with status 200": lambda wire: answer((200, wire.error("busy")[1])),
}


@wires
@pytest.mark.parametrize("what", SOON)
def test_what_passes_is_asked_for_again(wire: FaultWire, what: str) -> None:
    w = met(wire, SOON[what](wire))
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 2)
    assert (w.waits, len(w.records), w.record.retries) == (["retry"], 2, 1)
    [waited] = w.clock.slept
    assert 0 <= waited <= 1
    assert w.pauses == []


@wires
def test_a_loading_model_is_waited_for(wire: FaultWire) -> None:
    loading = answer((503, wire.error("busy", "The model is loading.")[1]))
    w = met(wire, loading, loading, loading, loading, loading)
    assert (w.outcome.end, w.outcome.text, w.requests) == (RunEnd.DONE, ANSWER, 6)
    assert (w.waits, w.clock.slept) == (["boot"] * 5, [10.0] * 5)
    assert w.record.retries == 0


@wires
def test_a_model_that_never_loads_is_given_up(wire: FaultWire) -> None:
    loading = answer((503, wire.error("busy", "The model is loading.")[1]))
    w = met(wire, forever=loading, entry={"cold_boot_budget_s": 25})
    assert (w.outcome.exit_code, w.requests, w.clock.slept) == (5, 4, [10.0, 10.0, 5.0])
    assert type(w.outcome.error) is ColdBootError
    assert w.outcome.error.hint == "it was not ready after 25 s; check the deployment"


FOREVER: Mapping[str, Any] = {
    "rate": lambda wire: answer(wire.error("rate")),
    "failed": lambda wire: answer(wire.error("failed")),
    "reset": lambda wire: Answer(0, drop="reset"),
    "cut before anything was shown": lambda wire: Answer(body=[wire.alive()], drop="close"),
    "error event": lambda wire: Answer(body=wire.event("busy")),
}


@wires
@pytest.mark.parametrize("what", FOREVER)
def test_a_limit_of_retries_is_exact_whatever_the_layers(wire: FaultWire, what: str) -> None:
    w = met(wire, forever=FOREVER[what](wire))
    assert (w.outcome.end, w.outcome.exit_code, w.requests) == (RunEnd.FAILED, 5, 4)
    assert type(w.outcome.error) is RetryableError
    assert w.outcome.error.hint.startswith("gave up after 4 tries in ")
    assert (w.waits, len(w.records), w.record.retries) == (["retry"] * 3, 2, 3)
    assert (len(w.clock.slept), w.pauses) == (3, [])


@wires
def test_no_retries_are_none(wire: FaultWire) -> None:
    w = met(wire, forever=answer(wire.error("failed")), entry={"max_retries": 0})
    assert (w.outcome.exit_code, w.requests, w.clock.slept) == (5, 1, [])


@wires
def test_all_waits_together_are_bounded(wire: FaultWire) -> None:
    refusal = answer(wire.error("rate"), {"retry-after": "170"})
    w = met(wire, forever=refusal, entry={"max_retries": 1000})
    assert (w.outcome.exit_code, w.requests) == (5, 4)
    assert sum(w.clock.slept) <= 600
    assert w.outcome.error is not None
    assert w.outcome.error.hint.startswith("gave up after 4 tries in ")
