"""The reader agrees with the standard library, knows lines, and names mistakes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_core.config.json_reader import MAX_DEPTH, JsonError, parse_document

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
finite = scalars.filter(lambda v: not isinstance(v, float) or abs(v) < 1e300)
values = st.recursive(
    finite, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=12
)
documents = st.dictionaries(texts, values, max_size=4)


@settings(max_examples=150, deadline=None)
@given(documents, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_reads_what_the_standard_library_reads(
    data: dict, indent: object, ascii_only: bool
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    document = parse_document(text)
    assert document.root is not None
    assert document.root.plain == data
    assert text[document.root.start : document.root.end] == text


@settings(max_examples=150, deadline=None)
@given(documents, st.data())
def test_a_damaged_text_is_read_as_the_standard_library_reads_it_or_refused(
    data: dict, pick: st.DataObject
) -> None:
    text = json.dumps(data, indent=1)
    at = pick.draw(st.integers(0, len(text) - 1))
    damaged = (
        text[:at] + pick.draw(st.sampled_from(["", ",", "}", '"', "x", "\n"])) + text[at + 1 :]
    )
    try:
        root = parse_document(damaged).root
    except JsonError as error:
        assert 1 <= error.line <= damaged.count("\n") + 1
        assert error.column >= 1
    else:
        assert (root.plain if root else None) == (json.loads(damaged) if damaged.strip() else None)


@pytest.mark.parametrize("text", ["", "\ufeff", " \n\t\r\n", "\ufeff\n"])
def test_nothing_is_an_empty_document(text: str) -> None:
    assert parse_document(text).root is None


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_knows_the_line_of_every_key_and_item(newline: str) -> None:
    text = newline.join(["\ufeff{", '  "a": [', "    1, 2,", "    3],", '  "b": {"c": null}', "}"])
    document = parse_document(text)
    assert document.root is not None
    assert {path: document.line(at) for path, at in document.root.walk()} == {
        ("a",): 2,
        ("a", 0): 3,
        ("a", 1): 3,
        ("a", 2): 4,
        ("b",): 5,
        ("b", "c"): 5,
    }


MISTAKES = {
    '{"a": [1,\n2,]}': (2, 2, "trailing comma: nothing follows it before ']'"),
    '{"a": 1,\n}': (1, 8, "trailing comma: nothing follows it before '}'"),
    '{"a": 1,, "b": 2}': (1, 9, "two commas in a row"),
    '{"a": 1\n "b": 2}': (2, 2, "a comma is missing before this"),
    "{// no\n}": (1, 2, "a comment (//): JSON has none"),
    '{"a": 1} # no': (1, 10, "a comment (#): JSON has none"),
    '{/* no */ "a": 1}': (1, 2, "a comment (/*): JSON has none"),
    "{'a': 1}": (1, 2, "a single quote: JSON wants double quotes"),
    "{“a”: 1}": (1, 2, "a typographic quote: JSON wants plain double quotes"),
    "{a: 1}": (1, 2, "key a has no quotes"),
    '{"a": NaN}': (1, 7, "NaN is not a number that JSON knows"),
    '{"a": -Infinity}': (1, 7, "-Infinity is not a number that JSON knows"),
    '{"a": True}': (1, 7, "True is not JSON"),
    '{"a": None}': (1, 7, "None is not JSON"),
    '{"a": 012}': (1, 7, "a number that is not written as JSON wants it"),
    '{"a": .5}': (1, 7, "a number that is not written as JSON wants it"),
    '{"a": +1}': (1, 7, "a number that is not written as JSON wants it"),
    '{"a": 1e999}': (1, 7, "a number that is too large"),
    '{"a": ' + "9" * 5000 + "}": (1, 7, "a number of 5000 digits"),
    '{"a": nul}': (1, 7, "expected a value, found nul"),
    '{"a": truer}': (1, 7, "expected a value, found truer"),
    '{"a" 1}': (1, 6, "expected ':' after key \"a\", found 1"),
    '{"a": }': (1, 7, "expected a value, found }"),
    '{"a": [1}': (1, 9, "expected ',' or ']', found }"),
    '{"a": "x\n}': (1, 7, "a text whose closing quote is missing"),
    '{"a": "x': (1, 7, "a text whose closing quote is missing"),
    '{"a": "C:\\Users"}': (1, 10, "a backslash that starts no JSON escape"),
    '{"a": "\t"}': (1, 8, "the character U+0009 inside a text"),
    '{"a": "\\ud800"}': (1, 7, "half of a \\u pair: this is no character"),
    '{"a": 1': (1, 8, "the file ends inside the '{' of line 1; expected ',' or '}'"),
    '{"a":': (1, 6, "the file ends inside the '{' of line 1; expected a value"),
    "{\n": (2, 1, "the file ends inside the '{' of line 1; expected a key in double quotes"),
    "[]": (1, 1, "expected an object: { ... }, found ["),
    '"a"': (1, 1, 'expected an object: { ... }, found "'),
    '{"a": 1}\n{"b": 2}': (2, 1, "expected the end of the file, found {"),
    '{"a": 1}}': (1, 9, "expected the end of the file, found }"),
    '{\n"a": 1,\n"a": 2}': (3, 1, 'key "a" stands twice, in line 2 and in line 3'),
    "{\x00}": (1, 2, "the character U+0000; expected a key in double quotes"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_names_the_place_and_the_mistake(text: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse_document(text)
    error = caught.value
    assert (error.line, error.column, error.message) == MISTAKES[text]


@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_deep_nesting_is_an_error_not_a_crash(opening: str) -> None:
    with pytest.raises(JsonError, match=f"nested deeper than {MAX_DEPTH} levels"):
        parse_document('{"x":' + opening * 100_000)
