"""Whatever the file and the edit: what was not asked for stays as it was."""

from __future__ import annotations

from hypothesis import assume, given, settings, strategies as st

from turnloop_files.diff import unified
from turnloop_files.document import decode, split_lines
from turnloop_files.match import AlreadyThere, Ambiguous, Applied, NoChange, replace

LINES = st.lists(st.text(alphabet="ab é\t", max_size=5), max_size=6)
PIECES = st.lists(st.sampled_from(["a", "b", "é", "\n", "\r\n"]), max_size=8)
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def files(draw):
    lines = draw(LINES)
    return "".join(line + draw(ENDS) for line in lines) + draw(st.sampled_from(["", "ab", "\r\n"]))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40) | files().map(str.encode))
def test_decoding_gives_back_the_bytes_or_says_that_it_cannot(data):
    document = decode(data)
    assert not document.exact or document.encode(document.text) == data


@settings(max_examples=200, deadline=None)
@given(PIECES, PIECES.filter(bool), PIECES, st.text(alphabet="xy\n", max_size=5))
def test_one_edit_changes_only_its_span(before, old, after, new):
    start, passage, rest = "".join(before), "".join(old), "".join(after)
    outcome = replace(start + passage + rest, passage.replace("\r\n", "\n"), new)
    if isinstance(outcome, Applied):
        assert outcome.text.startswith(start)
        assert outcome.text.endswith(rest)
        middle = outcome.text[len(start) : len(outcome.text) - len(rest)]
        assert middle.replace("\r\n", "\n") == new
    elif isinstance(outcome, NoChange):
        assert passage.replace("\r\n", "\n") == new
    else:
        assert isinstance(outcome, (Ambiguous, AlreadyThere))


@settings(max_examples=200, deadline=None)
@given(files(), st.text(alphabet="ab\n", min_size=1, max_size=3), st.text("xyz\n", max_size=3))
def test_everywhere_is_what_replacing_in_lf_text_gives(text, old, new):
    outcome = replace(text, old, new, everywhere=True)
    folded = text.replace("\r\n", "\n")
    expected = folded.replace(old, new)
    if isinstance(outcome, Applied):
        assert outcome.text.replace("\r\n", "\n") == expected
    else:
        assert expected == folded


@settings(max_examples=200, deadline=None)
@given(files(), st.integers(0, 6), st.text(alphabet="xyz", min_size=1, max_size=4))
def test_a_line_replaced_leaves_all_other_lines_with_their_ends(text, number, new):
    lines = text.splitlines(keepends=True)
    assume(number < len(lines))
    body = lines[number].rstrip("\r\n")
    assume(body and text.count(body) == 1)
    outcome = replace(text, body, new)
    assert isinstance(outcome, Applied)
    lines[number] = new + lines[number][len(body) :]
    assert outcome.text == "".join(lines)
    assert outcome.lines == [number + 1]


@settings(max_examples=100, deadline=None)
@given(LINES, LINES)
def test_a_diff_holds_every_line_that_went_and_came(before, after):
    old, new = "\n".join(before), "\n".join(after)
    diff = unified(old, new, "f")
    assert (diff == "") == (old == new)
    signs = [line[0] for line in diff.splitlines()[2:]]
    gone, came = signs.count("-"), signs.count("+")
    assert came - gone == len(new.splitlines()) - len(old.splitlines())


def test_lines_are_counted_as_an_editor_does():
    assert split_lines("") == []
    assert split_lines("a") == ["a"]
    assert split_lines("a\n\n") == ["a", ""]
    assert split_lines("a\x0bb\u2028c\n") == ["a\x0bb\u2028c"]
    assert split_lines("a\rb\r") == ["a", "b"]
    assert split_lines("a\rb\n") == ["a\rb"]
