"""Replies that repeat themselves: found while they stream, and no ordinary text is."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from harness import FakeTool, opened, run
from loop.on_record import attempts
from turnloop_core.loop.repetition import FEWEST, Repetition, repeated
from turnloop_core.testing.fakes import ScriptedProvider
from turnloop_core.testing.project import temporary_project
from turnloop_core.types.deltas import End, ReasoningDelta, TextDelta
from turnloop_core.types.events import AttemptEnd, AttemptEnded, ReplyVoided, RunEnd
from turnloop_core.types.items import NudgeItem, StopReason

ROOT = Path(__file__).parents[2]
LIMIT = 600  # the usual one
CHUNKS = (1, 7, 64, 10_000_000)


def found(text: str, chunk: int = 64, limit: int = LIMIT) -> int | None:
    """After how many characters the alarm comes, None for never."""
    watch = Repetition(limit)
    for start in range(0, len(text), chunk):
        if watch.feed(text[start : start + chunk]):
            return min(start + chunk, len(text))
    return None


def vocabulary(
    seed: int, alphabet: str = "abcdefghijklmnopqrstuvwxyz", size: int = 4_000
) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(alphabet, k=rng.randint(1, 11))) for _ in range(size)]


def prose(seed: int, words: int) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choices(vocabulary(seed), k=words))


# --- what repeats itself ------------------------------------------------------------------------


@given(
    words=st.integers(1, 150),
    seed=st.integers(0, 10_000),
    size=st.sampled_from([2, 3, 10, 4_000]),
    chunk=st.sampled_from(CHUNKS[1:]),
    before=st.sampled_from([0, 1, 500, 6_000]),
)
@settings(max_examples=150, deadline=None)
def test_every_phrase_is_found_whatever_stands_in_it_or_before_it(
    words: int, seed: int, size: int, chunk: int, before: int
) -> None:
    rng = random.Random(seed)
    # Few different words give phrases in which parts of the phrase come again.
    phrase = " ".join(rng.choices(vocabulary(seed, size=size), k=words)) + rng.choice([" ", ". "])
    good = prose(seed + 1, before)
    text = good + " " + phrase * (60_000 // len(phrase))
    at = found(text, chunk)
    assert at is not None
    if chunk < 100:
        fair = max(2 * LIMIT * 8, 2 * FEWEST * len(phrase))
        assert at - len(good) <= fair + 4_096


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize(
    "unit",
    ["no ", "Wait, let me check that again. ", "I will read the file.\nLet me see.\n", "abc"],
)
def test_chunks_do_not_matter(unit: str, chunk: int) -> None:
    text = unit * (30_000 // len(unit))
    at = found(text, chunk)
    assert at is not None
    assert at <= max(12_000, min(chunk, len(text)))


ENDLESS = {
    "one letter": "a",
    "one letter, spaced": "a ",
    "newlines": "\n",
    "spaces": " ",
    "mixed blanks": "\n \n\t",
    "exclamation marks": "!",
    "dashes": "-",
    "two signs": "=-",
    "zeros": "0, ",
    "emoji": "\U0001f600",
    "an emoji of several": "\U0001f469\u200d\U0001f4bb",
    "CJK": "你好",
    "CJK, a sentence": "今天天气很好。",
    "CJK, no sign at all": "我会再检查一下这个文件的内容看看有没有问题",
    "Japanese": "もう一度確認します。",
    "Thai": "ลองอีกครั้ง",
    "a closing tag": "</div>\n",
    "an empty row": "| | | |\n",
    "a base64 line": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=\n",
    "a replacement character": "\ufffd",
    "a null": "\0",
}


@pytest.mark.parametrize("unit", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("before", [0, 5_000])
def test_what_goes_on_without_end_is_found(unit: str, before: int) -> None:
    good = prose(3, before)
    at = found(good + "\n" + unit * (40_000 // len(unit)))
    assert at is not None
    assert at - len(good) <= 14_000


def test_what_stopped_repeating_itself_is_forgiven() -> None:
    assert found("again and again, " * 100 + prose(5, 20_000)) is None


# --- what does not ------------------------------------------------------------------------------


def _table(rows: int) -> str:
    lines = [f"| {n} | file_{n}.py | {n % 7} | ok | - | - | yes |" for n in range(rows)]
    return "\n".join(
        ["| n | file | errors | state | a | b | c |", "|---|---|---|---|---|---|---|", *lines]
    )


def _hex(lines: int) -> str:
    rng = random.Random(2)
    rows = [
        f"{n * 16:08x}  " + " ".join(f"{rng.choice([0, 0, 0, 255]):02x}" for _ in range(16))
        for n in range(lines)
    ]
    return "\n".join(rows)


RULE = "+" + "-" * 78 + "+\n"
ORDINARY = {
    "a table": _table(500),
    "a table of equal cells": "\n".join(f"| {n} | ok | ok | ok | ok |" for n in range(1_000)),
    "a hex dump": _hex(600),
    "a hex dump of zeros": "\n".join(f"{n * 16:08x}  " + "00 " * 16 for n in range(600)),
    "a list": "\n".join(f"- item {n}: done" for n in range(1_500)),
    "JSON": "[" + ", ".join(f'{{"id": {n}, "ok": true, "tags": []}}' for n in range(800)) + "]",
    "lines of a rule": "\n\n".join("=" * 72 + f"\nPart {n}\n" + "=" * 72 for n in range(150)),
    "ruled blocks": ("=" * 80 + "\n") * 30 + prose(1, 3_000),
    "a wide rule": "-" * 2_000 + "\n" + prose(1, 3_000),
    "a box": RULE + ("|" + " " * 78 + "|\n") * 24 + RULE + prose(2, 900),
    "a maze": "\n".join("".join(random.Random(n).choices("#. ", k=60)) for n in range(200)),
    "CJK": "".join(random.Random(4).choices([chr(c) for c in range(0x4E00, 0x5200)], k=20_000)),
    "bits": "".join(random.Random(5).choices("01", k=30_000)),
    "a matrix": "\n".join(" ".join(random.Random(n).choices("01", k=40)) for n in range(300)),
    "steps that are counted": "\n".join(f"Step {n}: I check the next file." for n in range(900)),
    "a small matrix of zeros": ("0, " * 9 + "0\n") * 28,
    "a verse with its chorus": "\n".join(
        prose(n, 60) + "\nLa la la, we sing it again and again.\n" for n in range(120)
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert [found(text, chunk) for chunk in CHUNKS[1:]] == [None] * 3


def test_the_texts_and_sources_of_this_project_are_left_alone() -> None:
    folders = ("docs", "turnloop_core", "plugins", "tests", "bench", "changelog")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")] + [
        *ROOT.glob("*.md")
    ]
    kept = [
        f for f in files if f.suffix in (".md", ".py", ".toml", ".json", ".yaml") and f.is_file()
    ]
    assert len(kept) > 200
    assert [file for file in kept if found(file.read_text("utf-8", "replace"))] == []


@given(st.lists(st.text(max_size=200), max_size=60), st.sampled_from(CHUNKS))
@settings(max_examples=100, deadline=None)
def test_any_pieces_are_taken(pieces: list[str], chunk: int) -> None:
    found("".join(pieces) * 20, chunk, 50)


@given(st.integers(1, 150), st.integers(0, 1_000))
@settings(max_examples=60, deadline=None)
def test_less_than_the_limit_is_left_alone(words: int, seed: int) -> None:
    rng = random.Random(seed)
    phrase = [f"w{n}{rng.randint(0, 9)}" for n in range(words)]  # a word each, all different
    times = max(min((LIMIT - 1) // words, LIMIT), 1) if words * FEWEST < LIMIT else FEWEST - 1
    text = " ".join(phrase * times) + " " + prose(seed, 4_000)
    assert found(text) is None


@pytest.mark.parametrize(
    ("words", "limit", "says"),
    [
        ([], 1, False),
        (["a"], 1, False),
        (["a"] * 8, 8, True),
        (["a"] * 7, 7, False),  # not often enough
        (["a"] * 20, 21, False),  # not long enough
        ([*"xyz", *["a"] * 30], 30, True),
        ([*["a"] * 30, "x"], 30, False),  # it came to its end
        ([*"ab"] * 8, 16, True),
        ([*"ab"] * 7, 14, False),
        ([*"aaab"] * 8, 32, True),
        ([*map(str, range(200)), *"abcdefghij" * 7], 30, False),  # long enough, not often enough
        ([*map(str, range(200)), *"abcdefghij" * 8], 30, True),
        ([*"bit by bit and"] * 8, 30, True),
        ([*"ab"] * 20 + ["a"], 41, True),
    ],
)
def test_what_counts_as_repeated(words: list[str], limit: int, says: bool) -> None:
    assert repeated(words, limit) is says


def test_a_limit_of_0_is_none_and_a_high_one_is_kept() -> None:
    assert found("no " * 100_000, limit=0) is None
    text = "undoubtedly " * 40_000
    at = found(text, limit=20_000)
    assert at is not None
    assert 120_000 <= at <= 150_000  # a long word counts as one for each eight letters


# --- what it costs ------------------------------------------------------------------------------


def _cost(text: str) -> tuple[float, int]:
    tracemalloc.start()
    start = time.perf_counter()
    watch = Repetition(LIMIT)
    for at in range(0, len(text), 5):
        watch.feed(text[at : at + 5])
    seconds = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak


@pytest.mark.parametrize("kind", ["prose", "table", "lines that begin alike"])
def test_memory_is_bounded_and_the_time_is_told(kind: str) -> None:
    texts = {
        "prose": prose(1, 100_000),
        "table": _table(16_000),
        "lines that begin alike": "\n".join(f"{n} | ok | ok | ok |" * 2 for n in range(12_000)),
    }  # fmt: skip
    text = texts[kind]
    part, (whole, peak) = _cost(text[: len(text) // 4]), _cost(text)
    tokens = len(text) / 4
    print(f"{kind}: {part[0] * 4 / tokens * 1e6:.2f}, then {whole / tokens * 1e6:.2f} us a token")
    assert peak < 4_000_000


def test_memory_does_not_grow_with_the_text() -> None:
    watch, text = Repetition(LIMIT), prose(1, 20_000)
    tracemalloc.start()
    for _ in range(20):
        for at in range(0, len(text), 500):
            watch.feed(text[at : at + 500])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000  # of 2.8 million characters


# --- in a run -----------------------------------------------------------------------------------

STUCK = [TextDelta("I look. ", "t"), *[TextDelta("Let me check. ", "t") for _ in range(4_000)]]


def _ends(o: Any) -> list[AttemptEnd]:
    return [event.end for event in o.observer.of(AttemptEnded)]


@pytest.mark.parametrize("what", ["text", "reasoning"])
def test_it_is_closed_counted_and_asked_again_once(what: str) -> None:
    async def scenario() -> None:
        stuck = STUCK if what == "text" else [ReasoningDelta(d.text, "r") for d in STUCK]
        provider = ScriptedProvider([*stuck, End(StopReason.END_TURN)], "the answer")
        with temporary_project() as project:
            # the cap on thinking is not what ends it
            settings = {"thinking_cap": 0}
            async with opened(project, scripted=provider, settings=settings) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.text) == (RunEnd.DONE, "the answer")
                assert provider.open_streams == 0
                assert _ends(o) == [AttemptEnd.DEGENERATE, AttemptEnd.TURN]
                assert [i.kind for i in o.session.view.items] == ["prompt", "nudge", "turn"]
                nudge = o.session.view.items[1]
                assert isinstance(nudge, NudgeItem)
                assert "over and over" in nudge.text
                assert "Let me check" not in str(o.session.view)
                assert len(o.observer.of(ReplyVoided)) == (what == "text")
                first, second = attempts(o.session.log_path)
                assert 500 < first.discarded < 4_000
                assert (first.retries, second.discarded) == (0, 0)
                assert ("Let me check." in first.partial) == (what == "text")
                assert [r.thinking for r in provider.requests] == ["on", "on"]

    run(scenario)


def test_a_second_one_in_a_row_halts_the_run_and_the_session_lives_on() -> None:
    async def scenario() -> None:
        provider = ScriptedProvider(STUCK, STUCK, "fresh")
        with temporary_project() as project:
            async with opened(project, scripted=provider, tools=[FakeTool()]) as o:
                outcome = await o.session.run("go")
                assert (outcome.end, outcome.exit_code) == (RunEnd.HALTED, 1)
                assert "repetition_limit" in outcome.reason
                assert outcome.text == ""
                assert (await o.session.run("go on")).text == "fresh"

    run(scenario)


@pytest.mark.parametrize("limit", [0, 100_000])
def test_the_limit_is_a_setting(limit: int) -> None:
    async def scenario() -> None:
        provider = ScriptedProvider([*STUCK, End(StopReason.END_TURN)])
        with temporary_project() as project:
            settings = {"repetition_limit": limit}
            async with opened(project, scripted=provider, settings=settings) as o:
                assert (await o.session.run("go")).end is RunEnd.DONE

    run(scenario)
