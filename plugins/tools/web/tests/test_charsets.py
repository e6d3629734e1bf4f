"""Bytes to text, whatever the page says of itself."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_web.charset import Decoded, decode, looks_binary

TEXT = "Größe « 日本"


@pytest.mark.parametrize(
    "charset", ["utf-8", "utf-16", "utf-16-le", "gb18030", "shift_jis", "euc-jp"]
)
def test_the_header_counts(charset):
    words = "größe" if charset in ("gb18030",) else "日本"
    assert decode(words.encode(charset), charset) == Decoded(words)


@pytest.mark.parametrize(
    ("mark", "charset"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_a_mark_counts_more_than_the_header(mark, charset):
    body = mark + TEXT.encode(charset)
    assert decode(body, "iso-8859-1") == Decoded(TEXT)
    assert not looks_binary(body)


@pytest.mark.parametrize(
    "declaration",
    [
        "<meta charset=koi8-r>",
        "<META http-equiv='Content-Type' content='text/html; charset=KOI8-R'>",
        "<?xml version='1.0' encoding='koi8-r'?>",
    ],
)
def test_a_declaration_in_the_page_counts(declaration):
    page = f"{declaration}<p>мир</p>"
    assert decode(page.encode("koi8-r"), marked_up=True).text == page
    assert decode(page.encode("utf-8"), "utf-8", marked_up=True).text == page  # the header wins


def test_a_declaration_that_cannot_be_true_is_utf8():
    page = "<meta charset='utf-16'><p>größe</p>"
    assert decode(page.encode(), marked_up=True).text == page


def test_without_a_word_it_is_utf8_or_what_old_pages_are():
    assert decode(TEXT.encode()) == Decoded(TEXT)
    assert decode("Größe « x".encode("cp1252")) == Decoded("Größe « x")
    assert decode(b"caf\xe9", "iso-8859-1") == Decoded("café")
    assert decode(TEXT.encode()[:-1]).text == TEXT[:-1]  # cut within a character


@pytest.mark.parametrize(
    "name", ["nonsense", "hex", "idna", "punycode", "unicode_escape", "é", "a\0b"]
)
def test_a_charset_that_is_none_is_reported(name):
    found = decode(TEXT.encode(), name)
    assert found.text == TEXT
    assert found.note == f"its charset {name!r} is not known; read by guess"


@given(st.binary(max_size=200), st.sampled_from(["", "utf-8", "utf-16", "big5", "x-user", "utf-7"]))
@settings(max_examples=200, deadline=None)
def test_any_bytes_become_text_that_can_be_written_down(body, name):
    for marked_up in (False, True):
        decode(body, name, marked_up=marked_up).text.encode("utf-8")


@given(st.text(max_size=100).filter(lambda text: not text.startswith("\ufeff")))
@settings(max_examples=100, deadline=None)
def test_utf8_comes_back_as_it_was(words):
    assert decode(words.encode(), "utf-8").text == words
