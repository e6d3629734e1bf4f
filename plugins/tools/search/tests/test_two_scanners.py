"""Our own scanner and ripgrep give the same answer on random files and expressions."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.testing.project import bare_environment
from turnloop_search.engine import Search
from turnloop_search.expression import parse
from turnloop_search.hits import Hit
from turnloop_search.stop import Stop

RG = shutil.which("rg")
EXPRESSIONS = [
    "a",
    "^a",
    "b$",
    "^$",
    "a.b",
    r"\bé",
    r"\w+b",
    r"a\s*b",
    "[^a]b",
    r"\S$",
    "a|b|^x",
    "(ab)+$",
    r"\d",
    "a{2,3}",
    r"\W",
    "É",
    "[[:alpha:]]b",
    "[x[:space:]]b",
]
pieces = st.sampled_from(["a", "b", "é", "É", " ", "\t", "\n", "\n", "\r\n", "\0", "x", "1", "日"])
content = st.lists(pieces, max_size=30).map("".join).map(str.encode)


def search(rg: str | None, text: str, *, ignore_case: bool, context: int, folder: str) -> list[Hit]:
    found = Search(
        parse(text),
        ignore_case,
        context,
        keep=True,
        rg=rg,
        environment=bare_environment(Path(folder)),
        stop=Stop(),
    ).files(folder, sorted(path.name for path in Path(folder).iterdir()))
    assert (found.cut, found.unread) == ("", [])
    return found.files


@pytest.mark.skipif(RG is None, reason="ripgrep is not installed: nothing to compare with")
@settings(max_examples=60, deadline=None)
@given(
    st.lists(content, min_size=1, max_size=6),
    st.sampled_from(EXPRESSIONS),
    st.booleans(),
    st.integers(0, 2),
)
def test_the_same_answer(contents, text, ignore_case, context):
    with TemporaryDirectory() as folder:
        for number, data in enumerate(contents):
            Path(folder, f"{number}.txt").write_bytes(data)
        by_rg, by_us = (
            search(road, text, ignore_case=ignore_case, context=context, folder=folder)
            for road in (RG, None)
        )
        shown = [hit for hit in by_rg if not hit.binary]
        assert shown == [hit for hit in by_us if not hit.binary]
        assert [hit.name for hit in by_rg] == [hit.name for hit in by_us]
