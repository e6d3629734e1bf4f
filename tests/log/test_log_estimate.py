import pytest
from hypothesis import given, settings, strategies as st

from log.random_logs import logs
from turnloop_core.log.budget import make_budget
from turnloop_core.log.estimate import Estimator
from turnloop_core.log.view import Fold
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.content import Call, Image, Reasoning, Text
from turnloop_core.types.items import Prompt, Reply, StopReason, Turn
from turnloop_core.types.results import Result
from turnloop_core.types.view import Prefix, ToolSchema, View


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word " * 72, 100),
        ("漢字" * 50, 100),
        ("слово" * 20, 50),
        ("0123456789abcdef" * 10, 80),
        ("/usr/lib/python" * 4, 17),
        ("-" * 360, 100),
    ],
)
def test_kinds_of_text_are_counted_apart(text, tokens):
    assert Estimator().text(text) == tokens


def test_an_item_is_all_that_is_sent_of_it():
    words = "word " * 72  # 100 tokens
    prompt = Prompt(1, words, (Text(words), Image("image/png", "eA==", 750, 100)), words)
    turn = Turn(
        2,
        Reply((Reasoning(words), Text(words), Call("c", "", words)), StopReason.TOOL_USE),
        (Result((Text(words), Image("image/png", "eA=="))),),
    )
    assert Estimator().item(prompt) == 4 + 300 + 100
    assert Estimator().item(turn) == 4 + 300 + 8 + 4 + 100 + 1_500


def test_hidden_reasoning_counts_by_its_opaque_data():
    hidden = Reasoning("", {"encrypted": "x" * 3_600})
    turn = Turn(1, Reply((hidden, Text("x")), StopReason.END_TURN))
    assert 1_000 <= Estimator().item(turn) <= 1_020


def test_the_prefix_is_counted_in_two_parts():
    prefix = Prefix("word " * 72, (ToolSchema("Read", "x" * 34, {"type": "object"}),))
    assert Estimator().prefix(prefix) == (100, 8 + 16)


def test_the_correction_follows_what_is_reported_within_bounds():
    estimator = Estimator()
    text = "word " * 720
    for _ in range(20):
        estimator.observe(estimator.text(text), 1_500)
    assert estimator.text(text) == pytest.approx(1_500, rel=0.01)
    estimator.observe(1_000, 0)
    estimator.observe(0, 1_000)
    assert estimator.text(text) == pytest.approx(1_500, rel=0.01)
    for _ in range(30):
        estimator.observe(1, 1_000_000)
    assert estimator.correction == 4.0
    for _ in range(30):
        estimator.observe(1_000_000, 1)
    assert estimator.correction == 0.3
    assert Estimator(correction=99.0).correction == 4.0


@settings(max_examples=60, deadline=None)
@given(logs(), st.data())
def test_a_history_that_grew_counts_as_one_that_is_counted_afresh(records, data):
    folded, estimator = Fold(), Estimator()
    for record in records:
        folded.feed(record)
        if data.draw(st.booleans()):
            view = folded.view()
            fresh = Estimator()
            assert estimator.history(view) == fresh.history(view)
            assert abs(fresh.history(view) - sum(map(fresh.item, view.items))) <= len(view.items)


def test_an_item_is_counted_once(monkeypatch):
    counted = []
    estimator = Estimator()
    count = estimator._count
    monkeypatch.setattr(estimator, "_count", lambda item: counted.append(item.id) or count(item))
    items = tuple(Prompt(n, "x" * n) for n in range(1, 9))
    for length in (3, 3, 8):
        estimator.history(View(Prefix(), items[:length]))
    estimator.item(items[0])
    estimator.history(View(Prefix(), (Prompt(1, "y"), *items[1:]), epoch=1))
    assert counted == [1, 2, 3, 4, 5, 6, 7, 8, 1]


def test_the_budget_is_exact_arithmetic():
    words = "word " * 72
    view = View(Prefix(words), (Prompt(1, words),))
    estimator = Estimator()
    budget = make_budget(
        view,
        Capabilities(max_context=10_000, max_output=3_000),
        estimator,
        2_000,
        cold=True,
        attempts_so_far=3,
        attempts_left=37,
        urgent=True,
    )
    assert (budget.window, budget.reserved_output, budget.system, budget.tools) == (
        10_000,
        2_000,
        100,
        0,
    )
    assert (budget.used, budget.history, budget.free) == (104, 7_900, 7_796)
    assert (budget.cold, budget.urgent) == (True, True)
    assert (budget.attempts_so_far, budget.attempts_left) == (3, 37)
    assert budget.estimate(view.items[0]) == 104
