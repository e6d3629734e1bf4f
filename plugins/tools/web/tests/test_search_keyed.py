"""The engines that want a key, against a server of the test's own."""

from __future__ import annotations

import json
from dataclasses import replace

import anyio
import pytest

from turnloop_core.api import TurnloopError
from turnloop_core.testing.loopback import Answer, Gate, Loopback, free_port
from turnloop_web import keyed
from turnloop_web.hits import Hit
from turnloop_web.keyed import Brave, Tavily

KEY = "key-0123456789"
ENGINES = [Brave(KEY, "MY_KEY"), Tavily(KEY, "MY_KEY")]
NAMES = [type(engine).__name__ for engine in ENGINES]
each = pytest.mark.parametrize("engine", ENGINES, ids=NAMES)


def asked(engine, server, query="größe & so"):
    return anyio.run(replace(engine, base=server.url).search, query, 5)


def failed(engine, answer, kind=TurnloopError):
    with Loopback(answer) as server, pytest.raises(kind) as error:
        asked(engine, server)
    assert KEY not in str(error.value)
    return error.value


def test_brave():
    body = {
        "type": "search",
        "web": {
            "results": [
                {"title": "A <strong>b</strong>", "url": "https://a.example/", "description": "c"},
                {"title": "D", "url": "https://d.example/", "age": "1 day"},
            ]
        },
    }
    with Loopback(Answer(body=json.dumps(body).encode())) as server:
        hits = asked(ENGINES[0], server)
    (request,) = server.requests
    assert request.method == "GET"
    assert request.path == "/res/v1/web/search?q=gr%C3%B6%C3%9Fe%20%26%20so&count=5"
    assert request.headers["x-subscription-token"] == KEY
    assert hits == [Hit("A b", "https://a.example/", "c"), Hit("D", "https://d.example/", "")]


def test_tavily():
    body = {"results": [{"title": "A", "url": "https://a.example/", "content": "c", "score": 0.9}]}
    with Loopback(Answer(body=json.dumps(body).encode())) as server:
        hits = asked(ENGINES[1], server)
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/search")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {"query": "größe & so", "max_results": 5}
    assert hits == [Hit("A", "https://a.example/", "c")]


@pytest.mark.parametrize(
    ("engine", "body"),
    [
        (ENGINES[0], b'{"type": "search", "query": {}}'),
        (ENGINES[0], b'{"type": "search", "web": {"results": []}}'),
        (ENGINES[1], b'{"results": []}'),
    ],
)
def test_no_results(engine, body):
    with Loopback(Answer(body=body)) as server:
        assert asked(engine, server) == []


@each
def test_rate_limited(engine):
    error = failed(engine, Answer(429, {"retry-after": "30"}))
    assert str(error).startswith("rate limited: ")
    assert "(retry after 30 seconds)" in str(error)
    assert "Do not search again at once" in error.hint


@each
@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[]", b"null", b'{"web": {}}', b'{"results": {}}', b'{"results": [{"a": 1}]}'],
)
def test_an_answer_that_cannot_be_read(engine, body):
    error = failed(engine, Answer(body=body))
    assert str(error).startswith("markup changed: the answer of http://127.0.0.1:")
    assert "could not be read" in str(error)


WRONG = b'{"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "status": 422}}'


@pytest.mark.parametrize(
    ("engine", "answer"),
    [
        (ENGINES[0], Answer(422, body=WRONG)),
        (ENGINES[0], Answer(401)),
        (ENGINES[1], Answer(401, body=b'{"detail": {"error": "Unauthorized"}}')),
    ],
)
def test_a_key_that_is_not_accepted_is_named_by_its_variable(engine, answer):
    error = failed(engine, answer)
    assert "does not accept the key in MY_KEY" in str(error)


@pytest.mark.parametrize(
    ("engine", "status"), [(ENGINES[0], 402), (ENGINES[1], 432), (ENGINES[1], 433)]
)
def test_a_plan_that_is_used_up(engine, status):
    assert "are used up" in str(failed(engine, Answer(status)))


@each
def test_other_failures(engine):
    assert "has a fault (HTTP 502)" in str(failed(engine, Answer(502)))
    error = failed(engine, Answer(400, body=b'{"detail": "query is too long"}'))
    assert "did not take the search (HTTP 400)" in str(error)
    assert "query is too long" in str(error)
    assert "(HTTP 302)" in str(failed(engine, Answer(302, {"location": "/"})))


@each
def test_nobody_there(engine):
    with pytest.raises(TurnloopError, match="no connection to"):
        anyio.run(replace(engine, base=f"http://127.0.0.1:{free_port()}").search, "words", 5)


@each
def test_a_slow_engine(engine, monkeypatch):
    monkeypatch.setattr(keyed, "_TOTAL_S", 0.1)
    gate = Gate()
    error = failed(engine, Answer(hold=gate), TimeoutError)
    assert "gave no results within 0.1 seconds" in str(error)


@each
def test_a_key_that_cannot_be_sent_is_not_shown(engine):
    broken = replace(engine, key="new\nline", base=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(TurnloopError, match="cannot send") as error:  # nor is anybody asked
        anyio.run(broken.search, "words", 5)
    assert "new" not in str(error.value)
