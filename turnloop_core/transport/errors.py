"""What an error answer means: the one place where status and body become an error class."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.errors import (
    AuthError,
    BadReplyError,
    ColdBootError,
    ContextOverflowError,
    ProviderError,
    QuotaExhaustedError,
    ReasoningRefusedError,
    RejectedCallError,
    RequestRefusedError,
    RetryableError,
)
from turnloop_core.transport import waits
from turnloop_core.transport.problem import (
    Problem,
    excerpt,
    problem_of,
    read_problem,
    without_keys,
)
from turnloop_core.transport.retry import spoken

RETRYABLE = frozenset({408, 409, 425, 429, 498, 499, 500, 502, 503, 504, 529, *range(520, 528)})

TOMORROW = "come back tomorrow, or use another provider"

# Types that come inside a stream, where no status tells.
STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}

_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded"
    r"|prompt is too long|input is too long|prompt too long|request_too_large"
    r"|maximum (context|input|prompt) length|exceeds? the (available )?context|context window"
    r"|(model'?s|maximum) context (length|size)|context length (of|is) only"
    r"|input token count.{0,40}exceeds|too many (input )?tokens|input tokens? exceeds?"
    r"|string_above_max_length.*(input|prompt)"
)
_AUTH = re.compile(
    r"invalid_api_key|api_key_invalid|invalid api key|incorrect api key|api key not (valid|found)"
    r"|authentication_error|missing api key|no api key|api key expired"
)
_QUOTA = re.compile(
    r"insufficient_quota|credit balance|insufficient (credit|balance|fund)|out of credits"
    r"|billing_error|billing_hard_limit|billing_not_active|payment required|quota_exhausted"
    r"|add (more )?credits|exceeded your (monthly|spending)|spend(ing)? limit|\blimit: 0\b"
)
_NO_LIMIT = re.compile(r"\blimit (of )?0\b(?![.,]\d)")  # "Limit 0, Used 0", "your rate limit of 0"
_DAILY = re.compile(
    r"per[ -]?(day|month)\b|perday|permonth|\bdaily\b|\bmonthly\b|\([rt]p[dm]on?\)|\((rpd|tpd)\)"
)
_LOADING = re.compile(
    r"loading model|model is (currently |still )?(loading|starting|being loaded|warming)"
    r"|(currently|still) loading|warming up|cold.?start|model not ready|is starting up"
)
# Of reasoning that was sent back; the settings of thinking have complaints of their own.
_THOUGHT = r"\b(?:thinking|thoughts?|reasoning)"
_SIGNATURE = rf"{_THOUGHT}[_ .`'\"-]{{1,4}}signature"
_WRONG = (
    r"(?:invalid|corrupt(?:ed)?|malformed|mismatch|expired|not valid|not supported|missing"
    r"|required|should be|unknown|could not be|cannot be|failed|unable to)"
)
_REASONING = re.compile(
    rf"{_WRONG}.{{0,80}}{_SIGNATURE}|{_SIGNATURE}.{{0,60}}{_WRONG}"
    rf"|{_WRONG}[ `'\"]{{0,3}}signature.{{0,40}}{_THOUGHT}"
    r"|missing_thought_signature|thoughtsignature"
    r"|invalid.{0,4}data.{0,24}redacted_thinking|thinking.{0,80}blocks?.{0,80}cannot be modified"
    r"|thinking.{0,4}blocks? must contain|thinking is disabled.{0,90}cannot contain"
    r"|(?:invalid|unable to decrypt).{0,20}encrypted.?(?:content|reasoning)"
    r"|encrypted.?content.{0,300}(?:could not|cannot|failed|invalid|not valid)"
    r"|of type .?reasoning.? was provided without|\brs_\w+\W{0,3} not found"
    r"|\bmessages?\b.{0,200}\breasoning(?:_content|_details)?\b[`'\" ]{1,4}is (?:un|not )supported"
    r"|reasoning_(?:content|details)\b.{0,60}(?:not (?:supported|permitted|allowed)|unsupported)"
    r"|not permitted.{0,80}reasoning_(?:content|details)\b"
)
_BUDGET = re.compile(r"limit:?\s+([\d,]+).*?requested:?\s+([\d,]+)", re.S)
_RATE = re.compile(r"rate.?limit|too many requests|tokens per min|requests per min")
LONGEST_MESSAGE = 600  # characters of a server's own words in a line for the user
# A server that checks requests with a library, and answers with its complaints as its own failure.
_INVALID = re.compile(r"\d+ validation errors?\b.{0,200}('loc'|\bfor\b)", re.DOTALL)
_MODEL = re.compile(r"\bmodel\b")


def classify(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    provider: str = "",
    key_name: str = "",
    secrets: Sequence[str] = (),
    too_long: Sequence[str] = (),
    now: float | None = None,
) -> ProviderError:
    """The error that an answer stands for.

    Args:
        status: HTTP status.
        headers: names in lower case.
        body: as it came; any shape.
        provider: name of the provider, for the message.
        key_name: the variable that holds the key, for the hint.
        secrets: values that may not stand in the message.
        too_long: words, in lower case, that mean with this server that the request is too long.
        now: Unix time in seconds, for dates in headers.
    """
    # First of all: a key that was cut with the words around it would not be found again.
    problem = read_problem(without_keys(body.decode("utf-8", "replace"), secrets).encode())
    wait = waits.from_headers(headers, now)
    final = headers.get("x-should-retry") == "false"
    words = _Words(provider, key_name, tuple(secrets), tuple(too_long))
    return _error(problem, status, wait, words, no_retry=final)


def classify_event(
    error: Any,
    *,
    provider: str = "",
    key_name: str = "",
    secrets: Sequence[str] = (),
    too_long: Sequence[str] = (),
) -> ProviderError:
    """The error that an error object within a stream stands for, whatever the HTTP status was.

    Args:
        error: the parsed event: the error object itself, or what wraps it.
        provider: name of the provider, for the message.
        key_name: the variable that holds the key, for the hint.
        secrets: values that may not stand in the message.
        too_long: as in `classify`.
    """
    problem = problem_of(json.loads(without_keys(json.dumps(error, ensure_ascii=False), secrets)))
    kind = problem.type.split(" ", 1)[0].lower()
    status = problem.status or STATUS_OF_TYPE.get(kind, 0) or 500
    words = _Words(provider, key_name, tuple(secrets), tuple(too_long))
    return _error(problem, status, None, words)


class _Words:
    """Makes the message: who, what happened, what the vendor said, without keys."""

    def __init__(
        self, provider: str, key_name: str, secrets: tuple[str, ...], too_long: tuple[str, ...]
    ) -> None:
        self.provider = provider
        self.key_name = key_name
        self.too_long = too_long
        self._secrets = secrets

    def said(self, problem: Problem) -> str:
        return without_keys(" ".join(problem.message.split()), self._secrets)

    def message(self, what: str, status: int, problem: Problem) -> str:
        said = self.said(problem)
        said = excerpt(said) if len(said) > LONGEST_MESSAGE else said
        who = f"{self.provider}: " if self.provider else ""
        return f"{who}{what} ({status}){f': {said}' if said else ''}"


def _error(
    problem: Problem, status: int, wait: float | None, words: _Words, *, no_retry: bool = False
) -> ProviderError:
    cls, what, hint = _kind(problem, status, words)
    if cls in (RetryableError, ColdBootError) or hint == TOMORROW:
        wait = waits.from_problem(problem) if wait is None else wait
    else:
        wait = None
    if no_retry and cls is RetryableError:
        cls, hint = RequestRefusedError, "the server says that trying again does not help"
    if hint == TOMORROW and wait is not None:
        hint = f"come back in {spoken(wait)}, or use another provider"
    error = cls(words.message(what, status, problem), hint=hint, status=status, retry_after=wait)
    error.said, error.type = words.said(problem), problem.type
    error.code = problem.code or str(problem.status or "")
    return error


Kind = tuple[type[ProviderError], str, str]


def _kind(problem: Problem, status: int, words: _Words) -> Kind:
    """Class, what happened, and what to do. The order matters: words first, then the status."""
    said = problem.words
    key = words.key_name or "the key"
    if status == 401 or _AUTH.search(said):
        hint = f"check {key}: it is missing, mistyped or revoked (tl doctor)"
        return AuthError, "the key was refused", hint
    if status == 402 or _QUOTA.search(said) or _is_no_quota(problem, status):
        hint = "top up the account, choose another model, or use another provider"
        return QuotaExhaustedError, "the quota is used up", hint
    if status == 429 and _is_daily(problem):
        return QuotaExhaustedError, "the quota of the day is used up", TOMORROW
    if _is_overflow(problem, status) or any(word in said for word in words.too_long):
        hint = "the conversation must get smaller: /compact, or lower max_output"
        return ContextOverflowError, "the request is too long for the model", hint
    if _REASONING.search(said):
        hint = "go on without the reasoning of earlier turns, or start a new session"
        return ReasoningRefusedError, "reasoning that was sent back is not accepted", hint
    if "tool_use_failed" in said:  # the model wrote a bad call; told so, it may write a good one
        hint = "tell the model what was wrong, or choose one that calls tools more exactly"
        return RejectedCallError, "the server rejected the model's tool call", hint
    return _by_status(problem, status, said, key)


def _by_status(problem: Problem, status: int, said: str, key: str) -> Kind:
    if status in (500, 502, 503, 504) and _LOADING.search(said):
        return ColdBootError, "the model is still loading", "it answers when it is loaded"
    if status == 500 and _INVALID.search(said):
        return RequestRefusedError, "the request was refused", "the same request will fail again"
    if status in RETRYABLE or (status == 413 and _RATE.search(said)):
        return RetryableError, _trouble(status), "try again later, or use another provider"
    if status == 403:
        return AuthError, "access was refused", f"check what {key} may do (tl doctor)"
    if status == 404:
        if problem.html or not _MODEL.search(said):
            return RequestRefusedError, "there is nothing at this address", "check base_url"
        return RequestRefusedError, "no such model", "check the model's id (tl --model ID)"
    if 300 <= status < 400:
        hint = "set base_url to the address that it redirects to"
        return BadReplyError, "the server redirects", hint
    return RequestRefusedError, "the request was refused", "the same request will fail again"


def _trouble(status: int) -> str:
    if status == 429:
        return "too many requests"
    if status in (408, 504, 524):
        return "the server took too long"
    if status in (503, 529, 498):
        return "the server is overloaded"
    return "the server failed"


def _is_overflow(problem: Problem, status: int) -> bool:
    said = problem.words
    numbers = _BUDGET.search(said)
    if status in (413, 429) and numbers:  # a budget for a minute: does one request exceed it?
        limit, requested = (int(n.replace(",", "")) for n in numbers.groups())
        return requested > limit
    if status == 413:
        return not _RATE.search(said)
    return status not in (429, 529) and bool(_OVERFLOW.search(said))


def _is_no_quota(problem: Problem, status: int) -> bool:
    """A quota that is zero, or used up without a word of when it is fresh again."""
    if status in (413, 429) and _NO_LIMIT.search(problem.words):
        return True
    violations = _violations(problem)  # a `quotaValue` of 0 is left out on the wire
    is_zero = bool(violations) and all("quotaValue" not in v for v in violations)
    return is_zero or _is_bare_quota(problem)


def _is_bare_quota(problem: Problem) -> bool:
    """The words of a used-up quota, and nothing that says when it is fresh again."""
    if "exceeded your current quota" not in problem.words or _violations(problem):
        return False
    return waits.from_problem(problem) is None


def _is_daily(problem: Problem) -> bool:
    ids = " ".join(str(v.get("quotaId", "")) for v in _violations(problem))
    return bool(_DAILY.search(f"{problem.words} {ids.lower()}"))


def _violations(problem: Problem) -> list[Mapping[str, Any]]:
    return [
        violation
        for detail in problem.details
        if isinstance(detail.get("violations"), list)
        for violation in detail["violations"]
        if isinstance(violation, Mapping) and "quotaId" in violation
    ]
