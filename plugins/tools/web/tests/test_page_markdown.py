"""HTML to Markdown, for pages that are well made and for those that are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from turnloop_web import markdown
from turnloop_web.markdown import Converted, to_markdown

HERE = "https://example.org/docs/page.html"
FILLER = "<p>" + "enough words to be the page itself " * 8 + "</p>"


def text(html: str) -> str:
    return to_markdown(html, HERE).text


def test_the_title_comes_first_once():
    assert text("<title>A  &amp; B</title><p>x</p>") == "# A & B\n\nx"
    assert text("<title>Same</title><h1>same</h1><p>x</p>") == "# same\n\nx"
    assert text("<p>x</p>") == "x"


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html><title>T</title><main><h1>H</h1><p>words</p></main>",
        "<!doctype html><meta charset=utf-8><title>T</title><article><h1>H</h1><p>words</article>",
        "<!doctype html><html><head><title>T</title><header><h1>H</h1></header><p>words",
        "<title>T</title><section><h1>H</h1></section><p>words</p>",
        "<title>T</title><link rel=icon href=i><my-page><h1>H</h1><p>words</p></my-page>",
    ],
)
def test_a_page_may_leave_out_where_its_body_begins(html):
    assert to_markdown(html, HERE) == Converted("# T\n\n# H\n\nwords")


def test_links_and_pictures_have_whole_addresses():
    html = (
        "<p><a href='other.html'>a</a> <a href='/x y?q=1&amp;z=2'>b</a> <a href='#part'>c</a> "
        "<a href='javascript:go()'>d</a> <a>e</a> <a href='http://['>f</a> "
        "<a href='https://example.org/'>https://example.org/</a></p>"
        "<p><img src='i.png' alt='a  picture'><img src='i.png'><img src='data:x' alt='no'></p>"
    )
    assert text(html) == (
        "[a](https://example.org/docs/other.html) [b](https://example.org/x%20y?q=1&z=2) c d e f "
        "<https://example.org/>\n\n![a picture](https://example.org/docs/i.png)"
    )


def test_a_base_counts():
    assert text("<base href='/top/'><a href='x'>a</a>") == "[a](https://example.org/top/x)"


def test_tables_lists_and_code_stay():
    html = (
        "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2<br>3</td></tr></table>"
        "<ul><li>one<ul><li>two</li></ul></li></ul><ol><li>x</li><li>y</li></ol>"
        "<pre><code class='language-python'>def f(a_b):\n    return 1 * 2\n</code></pre>"
        "<p>a_b and <code>c*d</code></p>"
    )
    assert text(html) == (
        "| a | b |\n| --- | --- |\n| 1 | 2 3 |\n\n- one\n  - two\n\n1. x\n2. y\n\n"
        "```python\ndef f(a_b):\n    return 1 * 2\n```\n\na_b and `c*d`"
    )


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>secret()</script>",
        "<style>secret</style>",
        "<noscript>secret</noscript>",
        "<template>secret</template>",
        "<!-- secret -->",
        "<p hidden>secret</p>",
        "<div aria-hidden='true'><p>secret</p></div>",
        "<p style='color: red; DISPLAY : none'>secret</p>",
        "<p style='visibility:hidden'>secret</p>",
        "<svg><text>secret</text></svg>",
        "<select><option>secret</select>",
    ],
)
def test_what_a_reader_does_not_see_is_not_there(unseen):
    assert text(f"<p>a</p>{unseen}<p>b</p>") == "a\n\nb"


def test_menus_and_footers_go_where_there_is_a_page():
    html = f"<header>top</header><nav>menu</nav>{FILLER}<aside>ads</aside><footer>end</footer>"
    shown = text(html)
    assert "menu" not in shown
    assert "ads" not in shown
    assert "end" not in shown
    assert "enough words" in shown


def test_the_main_part_is_the_page():
    html = f"<div>banner</div><main>{FILLER}<aside>a note</aside><nav>toc</nav></main><div>x</div>"
    shown = text(html)
    assert shown.startswith("enough words")
    assert shown.endswith("a note")


def test_a_main_part_that_is_nearly_empty_is_not_the_page():
    assert "enough words" in text(f"<main>loading</main>{FILLER}")


def test_a_page_that_is_all_menu_is_shown():
    assert text("<nav><a href='/a'>A</a></nav>") == "[A](https://example.org/a)"


def test_signs_of_a_heading_go():
    assert text("<h2>Part<a href='#part'>¶</a></h2>") == "## Part"


def test_a_page_without_text_says_so():
    assert to_markdown("<div><script>x</script></div>", HERE).note == (
        "the page has no text without its scripts"
    )


def test_a_large_page_is_cut(monkeypatch):
    monkeypatch.setattr(markdown, "MOST_HTML", 1_600)
    made = to_markdown("<p>x</p>" * 201, HERE)
    assert made.note == "only the first 1,600 characters of HTML"
    assert made.text.count("x") == 200


def test_an_xml_head_is_no_warning():
    assert text("<?xml version='1.0' encoding='utf-8'?><html><body>x</body></html>") == "x"
    assert text("no markup & so") == "no markup & so"


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 2_000 + "words",
        "<b>" * 5_000 + "words",
        "<ol>" + "<li>words" * 3_000,
        "<table><tr>" + "<td colspan=1000>words" * 2_000,
        "<blockquote>" * 100 + "words\n" * 2_000,
        "<ul><li>" * 40 + "words<br>" * 2_000,
        "<table><thead>" + "<tr><td>words" * 2_000,
        "<!--" * 20_000 + "-->words",
        "<a b='" + "x<" * 20_000 + "'>words",
    ],
    ids=lambda html: html[:8],
)
def test_hostile_pages_neither_grow_nor_break(html):
    made = to_markdown(html, HERE)
    assert len(made.text) <= 20 * len(html)


TAGS = ["p", "b", "div", "ul", "li", "ol", "table", "tr", "td", "a", "pre", "code", "h1", "main"]
PARTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS]),
    st.sampled_from(["<a href='x'>", "<img src=x alt=y>", "<br>", "<td colspan=3>", "<p hidden>"]),
)


@given(st.lists(PARTS, max_size=40).map("".join))
@settings(max_examples=150, deadline=None)
def test_any_soup_becomes_text(html):
    made = to_markdown(html, HERE)
    assert not made.text.endswith("\n")
    assert "\n\n\n" not in made.text or "<" not in html or "```" in made.text


def test_a_page_of_tags_becomes_plain_text():
    html = "<title>T</title><script>x()</script><table>" + "<tr><td>a &amp; b" * 60_000
    found = to_markdown(html, "https://a.example/")
    assert found.note == "too many tags for Markdown: plain text"
    assert found.text == "\n".join(["a & b"] * 60_000)
