"""Error answers become the right class, with the wait that they ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ColdBootError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
)
from turnloop_core.transport.errors import classify, classify_event
from turnloop_core.transport.retry import spoken
from turnloop_core.transport.waits import from_headers, from_words

SHARED = Path(__file__).parents[2].parent / "shared" / "fixtures" / "wire"
RECORDED = sorted(SHARED.glob("*/err-*.expect.json"))
NOW = 1_800_000_000.0  # 2027-01-15 08:00:00 GMT

WORD_OF_CLASS = {
    RetryableError: "retryable",
    RequestRefusedError: "fatal",
    ContextOverflowError: "context_overflow",
    AuthError: "auth",
    QuotaExhaustedError: "quota_exhausted",
    ColdBootError: "cold_boot",
}


@pytest.mark.skipif(not RECORDED, reason="the recorded wire fixtures are not beside the repository")
@pytest.mark.parametrize("path", RECORDED, ids=lambda p: f"{p.parent.name}/{p.name[:-12]}")
def test_recorded_errors(path: Path) -> None:
    expected = json.loads(path.read_text())
    answer = json.loads(path.with_name(path.name.replace(".expect", "")).read_text())
    body = answer["body"]
    raw = body if isinstance(body, str) else json.dumps(body)
    headers = {name.lower(): value for name, value in answer["headers"].items()}
    error = classify(answer["status"], headers, raw.encode())
    also = expected.get("also_accepted", {})
    assert WORD_OF_CLASS[type(error)] in [expected["class"], *also.get("class", [])]
    waits: list[Any] = [expected["retry_after_s"], *also.get("retry_after_s", [])]
    assert error.retry_after in waits


def _json(status: int, body: Any, **headers: str) -> ProviderError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return classify(status, names, json.dumps(body).encode(), now=NOW)


def _said(message: str, status: int = 400) -> ProviderError:
    return _json(status, {"error": {"message": message}})


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (400, "bad thing", RequestRefusedError),
        (401, "no", AuthError),
        (402, "pay", QuotaExhaustedError),
        (403, "forbidden", AuthError),
        (404, "The model `x` does not exist", RequestRefusedError),
        (408, "slow", RetryableError),
        (413, "payload too large", ContextOverflowError),
        (422, "unprocessable", RequestRefusedError),
        (429, "slow down", RetryableError),
        (500, "oops", RetryableError),
        (501, "never", RequestRefusedError),
        (502, "bad gateway", RetryableError),
        (503, "busy", RetryableError),
        (504, "late", RetryableError),
        (524, "late", RetryableError),
        (529, "overloaded", RetryableError),
        (302, "elsewhere", BadReplyError),
    ],
)
def test_the_status_decides_where_the_words_do_not(
    status: int, message: str, cls: type[ProviderError]
) -> None:
    assert type(_said(message, status)) is cls


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens. However, you sent 9000",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size. try increasing the context size",
        "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).",
        "Input is too long for requested model.",
    ],
)
def test_too_long_has_many_wordings(message: str) -> None:
    assert type(_said(message)) is ContextOverflowError


def test_a_refused_output_limit_is_not_an_overflow() -> None:
    message = "max_tokens is too large: 99999. This model supports at most 16384 completion tokens"
    assert type(_said(message)) is RequestRefusedError


@pytest.mark.parametrize(
    ("requested", "cls"), [(14_368, ContextOverflowError), (5_999, RetryableError)]
)
@pytest.mark.parametrize("status", [413, 429])
def test_a_budget_for_a_minute_is_compared_with_the_request(
    status: int, requested: int, cls: type[ProviderError]
) -> None:
    message = f"Request too large, tokens per minute (TPM): Limit 6000, Requested {requested}, ..."
    body = {"error": {"message": message, "code": "rate_limit_exceeded"}}
    assert type(_json(status, body)) is cls


def test_one_status_three_meanings() -> None:
    """RET-03: slow down, no capacity, used up; in the shapes of three families."""
    per_day = {
        "error": {
            "code": 429,
            "message": "Quota exceeded. Please retry in 11h2m.",
            "status": "RESOURCE_EXHAUSTED",
            "details": [
                {
                    "violations": [
                        {"quotaId": "GenerateRequestsPerDayPerProjectPerModel", "quotaValue": "250"}
                    ]
                }
            ],
        }
    }
    groq_day = (
        "Rate limit reached on tokens per day (TPD): Limit 100000, Used 99900, Requested 5000"
    )
    cases: list[tuple[Any, type[ProviderError]]] = [
        ({"error": {"message": "Rate limit reached: requests per min (RPM)"}}, RetryableError),
        (per_day, QuotaExhaustedError),
        ({"error": {"message": f"{groq_day}. Please try again in 7m12s."}}, QuotaExhaustedError),
        ({"error": {"message": "Quota exceeded, limit: 0, model: x"}}, QuotaExhaustedError),
        ({"error": {"message": "", "code": "insufficient_quota"}}, QuotaExhaustedError),
        ({"type": "error", "error": {"type": "rate_limit_error", "message": "x"}}, RetryableError),
        ({"error": {"message": "No capacity for model x", "type": "capacity"}}, RetryableError),
        ({"status": 429, "title": "Too Many Requests"}, RetryableError),
    ]
    assert [type(_json(429, body)) for body, _ in cases] == [cls for _, cls in cases]
    assert type(classify(429, {}, b"slow down!")) is RetryableError


def test_a_used_up_day_says_when_to_come_back() -> None:
    error = _said("tokens per day (TPD): Limit 100, Used 99. Please try again in 7m12s.", 429)
    assert (error.retry_after, error.hint) == (
        432.0,
        "come back in 7 min, or use another provider",
    )


def test_the_server_may_forbid_another_try() -> None:
    error = _json(500, {"error": {"message": "broken"}}, x_should_retry="false")
    assert type(error) is RequestRefusedError


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": "words"}', "p: the request was refused (400): words"),
        (b'[{"error": {"message": "m", "code": 400}}]', "p: the request was refused (400): m"),
        (
            b'{"object": "error", "message": "old vllm"}',
            "p: the request was refused (400): old vllm",
        ),
        (b'{"detail": "not so"}', "p: the request was refused (400): not so"),
        (
            b'{"detail": [{"loc": ["body"], "msg": "missing"}]}',
            'p: the request was refused (400): [{"loc": ["body"], "msg": "missing"}]',
        ),
        (b"", "p: the request was refused (400)"),
        (b"plain\nwords", "p: the request was refused (400): plain words"),
        (b"null", "p: the request was refused (400): null"),
        (b"\xff\xfe", "p: the request was refused (400): \ufffd\ufffd"),
    ],
)
def test_all_shapes_can_be_read(body: bytes, message: str) -> None:
    assert str(classify(400, {}, body, provider="p")) == message


def test_a_page_is_named_by_its_title() -> None:
    page = b"<!DOCTYPE html><html><head><title>502 Bad\nGateway</title></head><body>x</body></html>"
    error = classify(502, {}, page, provider="p")
    assert (type(error), str(error)) == (
        RetryableError,
        "p: the server failed (502): 502 Bad Gateway",
    )
    assert classify(404, {}, page).hint == "check base_url"


def test_keys_never_stand_in_a_message() -> None:
    body = (
        b'{"error": {"message": "Incorrect API key provided: sk-abc***def. Also hunter2hunter2."}}'
    )
    error = classify(401, {}, body, provider="p", key_name="P_KEY", secrets=("hunter2hunter2",))
    assert str(error) == (
        "p: the key was refused (401): Incorrect API key provided: <key>. Also <key>."
    )
    assert error.hint == "check P_KEY: it is missing, mistyped or revoked (tl doctor)"


@pytest.mark.parametrize(
    ("event", "cls", "status"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, RetryableError, 529),
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
            RetryableError,
            529,
        ),
        ({"error": {"type": "invalid_request_error", "message": "no"}}, RequestRefusedError, 400),
        ({"error": {"code": 429, "message": "slow"}}, RetryableError, 429),
        ({"error": {"code": "502", "message": "upstream"}}, RetryableError, 502),
        ({"error": {"message": "boom"}}, RetryableError, 500),
        ({"error": "boom"}, RetryableError, 500),
        (
            {"error": {"type": "invalid_request_error", "code": "context_length_exceeded"}},
            ContextOverflowError,
            400,
        ),
        (
            {"error": {"code": "tool_use_failed", "status_code": 400, "message": "bad call"}},
            RejectedCallError,
            400,
        ),
    ],
)
def test_errors_within_a_stream(event: Any, cls: type[ProviderError], status: int) -> None:
    error = classify_event(event)
    assert (type(error), error.status) == (cls, status)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:04 GMT"}, 4.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:59:00 GMT"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "0"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "86400"}, 86400.0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "1", "retry-after-ms": "0"}, 1.0),
        ({"retry-after": "1", "retry-after-ms": "2500"}, 2.5),
        ({}, None),
    ],
)
def test_waits_in_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert from_headers(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 2.363s. Visit https://x", 2.363),
        ("Please try again in 1m0.36s.", 60.36),
        ("try again in 174ms", 0.174),
        ("Please retry in 48.9s.", 48.9),
        ("try again in 1h2m3s", 3723.0),
        ("Please wait 20 seconds and retry", 20.0),
        ("retry after 2 minutes", 120.0),
        ("Limit 200000, Used 162582", None),
        ("context of 32768 tokens in 3 messages", None),
        ("", None),
    ],
)
def test_waits_in_words(message: str, seconds: float | None) -> None:
    assert from_words(message) == pytest.approx(seconds) if seconds else from_words(message) is None


def test_spans_are_spoken() -> None:
    assert [spoken(s) for s in (4.2, 119, 720, 9000)] == ["4 s", "119 s", "12 min", "2.5 h"]


@pytest.mark.parametrize("fill", range(240, 310, 7))
def test_a_key_is_masked_before_anything_is_cut(fill: int) -> None:
    """A message is cut at some length: half a key is not found any more, and is half a key."""
    key = "zq9-abcdefghijklmnopqrstuvwxyz"
    for body in ("x" * fill + f" bad key: {key}", json.dumps({"odd": ["x" * fill, key]})):
        error = classify(401, {}, body.encode(), secrets=(key,))
        assert "zq9-abc" not in str(error)
        assert "zq9-abc" not in error.said
    error = classify_event({"odd": ["x" * fill, key]}, secrets=(key,))
    assert "zq9-abc" not in str(error)
