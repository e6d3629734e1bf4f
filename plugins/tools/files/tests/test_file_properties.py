"""Any text file, any edit of a line, through the tools themselves: all other bytes are equal."""

from __future__ import annotations

import codecs

from hypothesis import assume, given, settings, strategies as st

from turnloop_files.document import decode, has_surrogates, split_lines

SIGNS = st.text(st.sampled_from("ab {}\t#éü\u00a0\x0b\x0c\x85"), max_size=6)
WIDE = st.text(st.sampled_from("ab\t→日\u2028😀\x0b\x85é"), max_size=6)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
# codec, mark, what may stand in it
CODECS = st.sampled_from(
    [
        ("utf-8", b"", WIDE),
        ("utf-8", codecs.BOM_UTF8, WIDE),
        ("utf-16-le", codecs.BOM_UTF16_LE, WIDE),
        ("utf-16-be", codecs.BOM_UTF16_BE, WIDE),
        ("latin-1", b"", SIGNS),
    ]
)


@st.composite
def files(draw):
    """The bytes of a text file: lines that differ, any line ends, any encoding."""
    codec, mark, signs = draw(CODECS)
    one_end = draw(st.none() | ENDS)
    count = draw(st.integers(1, 6))
    lines = [f"{draw(signs)}<{n}>{draw(signs)}{one_end or draw(ENDS)}" for n in range(count)]
    text = "".join(lines) + draw(st.sampled_from(["", "last", "\n\n\n"]))
    stray = draw(st.sampled_from([b"", b"", b"\xff"])) if codec == "utf-8" else b""
    return mark + text.encode(codec) + stray


def lines_of(data):
    """The lines as Read shows them, but those that only code can quote."""
    document = decode(data)
    lines = split_lines(document.text)
    return document, [n for n, line in enumerate(lines) if line and not has_surrogates(line)], lines


def replaced(document, pairs):
    """The file with each passage, which stands there once, replaced; by bytes alone."""
    data = document.mark + document.text.encode(document.codec, "surrogateescape")
    for old, new in pairs:
        before, after = old.encode(document.codec), new.encode(document.codec)
        start = data.index(before)
        data = data[:start] + after + data[start + len(before) :]
    return data


def edited(one_desk, data, name, *arguments):
    with one_desk({"f": data}) as desk:
        result = getattr(desk, name)("f", *arguments)
        assert result.ok, result.text
        assert result.facts[0].size == len(desk.bytes("f"))
        return desk.bytes("f")


@settings(max_examples=150, deadline=None)
@given(data=files(), draw=st.data())
def test_an_edit_of_one_line(one_desk, data, draw):
    document, numbers, lines = lines_of(data)
    assume(numbers)
    line = lines[draw.draw(st.sampled_from(numbers))]
    assume(document.text.count(line) == 1)
    new = draw.draw(st.sampled_from(["NEW", "a longer line than it was", ""]))
    assert edited(one_desk, data, "edit", line, new) == replaced(document, [(line, new)])


@settings(max_examples=150, deadline=None)
@given(data=files(), draw=st.data())
def test_an_edit_within_two_lines_that_are_quoted_with_lf(one_desk, data, draw):
    document, numbers, lines = lines_of(data)
    pairs = [(n, n + 1) for n in numbers if n + 1 in numbers]
    assume(pairs)
    first, second = draw.draw(st.sampled_from(pairs))
    quoted = f"{lines[first]}\n{lines[second]}"
    assume(document.text.count(lines[first]) == 1)
    result = edited(one_desk, data, "edit", quoted, f"NEW\n{lines[second]}")
    assert result == replaced(document, [(lines[first], "NEW")])


@settings(max_examples=150, deadline=None)
@given(data=files(), draw=st.data())
def test_an_edit_of_several_lines_at_once(one_desk, data, draw):
    document, numbers, lines = lines_of(data)
    assume(len(numbers) >= 2)
    chosen = draw.draw(st.lists(st.sampled_from(numbers), min_size=2, max_size=4, unique=True))
    assume(all(document.text.count(lines[n]) == 1 for n in chosen))
    pairs = [(lines[n], f"NEW {n} WEN") for n in chosen]
    assert edited(one_desk, data, "edit_all", *pairs) == replaced(document, pairs)


@settings(max_examples=100, deadline=None)
@given(data=files(), draw=st.data())
def test_several_edits_are_none_when_one_does_not_fit(one_desk, data, draw):
    document, numbers, lines = lines_of(data)
    assume(numbers)
    line = lines[draw.draw(st.sampled_from(numbers))]
    assume(document.text.count(line) == 1)
    pairs = draw.draw(st.permutations([(line, "NEW"), ("stands nowhere at all", "never")]))
    with one_desk({"f": data}) as desk:
        result = desk.edit_all("f", *pairs)
        assert (result.ok, result.facts, desk.bytes("f")) == (False, (), data)
