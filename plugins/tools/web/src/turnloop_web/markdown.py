"""HTML to Markdown. Slow on large pages, so it is called in a thread.

lxml parses: the parser of the standard library takes minutes for some hostile pages. What makes the
converter slow, deep or large is taken out beforehand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from turnloop_core.api import dataclass
from turnloop_web.plain import plain

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

MOST_HTML = 2_000_000  # characters that are looked at
MOST_TAGS = 50_000  # what takes time and memory is tags: about 3 seconds for so many
_DEEPEST = 150  # elements within each other; the converter calls itself for each
_DEEPEST_INDENT = 8  # quotes and lists within each other: each repeats itself on every line
_INDENTING = ("blockquote", "ul", "ol", "dl", "table")
_MANY = 1_000  # the converter counts the brothers of each item and row
_NEVER_SHOWN = (
    *("script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "embed"),
    *("audio", "video", "map", "button", "input", "select", "textarea", "dialog"),
    # Not `head` as such: of a page that does not close it, the parser puts the content in there.
    *("title", "meta", "link", "base"),
)
_AROUND_ROLES = ("navigation", "banner", "contentinfo", "search", "dialog")
_LEAST = 200  # characters without which a `main` is not the page
_NO_TEXT = "the page has no text without its scripts"
_PILCROWS = frozenset("¶#§🔗")
_XML_HEAD = re.compile(r"^\s*<\?xml[^>]{0,500}>")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LANGUAGE = re.compile(
    r"^(?:language|lang|highlight|highlight-source|brush)[-:]\s?([\w+#-]{1,20})$"
)


@dataclass(frozen=True, slots=True)
class Converted:
    """Markdown, and what is to be said of it."""

    text: str
    note: str = ""


def to_markdown(html: str, url: str) -> Converted:
    """The page as Markdown: its title first, links and pictures with whole addresses."""
    if "<" not in html:
        return Converted(html.strip())
    notes = [f"only the first {MOST_HTML:,} characters of HTML"] if len(html) > MOST_HTML else []
    html = _XML_HEAD.sub("", html[:MOST_HTML])
    if html.count("<") > MOST_TAGS:
        notes.append("too many tags for Markdown: plain text")
        text = plain(html)
        return Converted(text, "; ".join(notes if text else [*notes, _NO_TEXT]))
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "lxml")
    title = _squeezed(soup.title.get_text()) if soup.title else ""
    base = _base(soup, url)
    _drop_unseen(soup)
    root = _content(soup)
    tags = _below(root)
    if max((depth for _, depth in tags), default=0) > _DEEPEST:
        text = root.get_text("\n", strip=True)
        notes.append("too deeply nested for Markdown: plain text")
    else:
        _tame(tag for tag, _ in tags)
        _absolute([tag for tag, _ in tags], base)
        text = _markdown(root)
    if not text:
        notes.append(_NO_TEXT)
    heading = text.partition("\n")[0].lstrip("# ")
    if title and heading.casefold() != title.casefold():
        text = f"# {title}\n\n{text}".rstrip()
    return Converted(text, "; ".join(notes))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _base(soup: BeautifulSoup, url: str) -> str:
    tag = soup.find("base", href=True)
    return _joined(url, str(tag["href"])) or url if tag else url


def _joined(base: str, href: str) -> str:
    """The whole address, "" for what is none."""
    try:
        found = urljoin(base, href.strip().replace(" ", "%20"))
    except ValueError:
        return ""
    return found if found.startswith(("http://", "https://", "mailto:")) else ""


def _below(root: Tag) -> list[tuple[Tag, int]]:
    """All elements below, each with its depth. Found once: looking is what takes the time."""
    waiting, found = [(root, 0)], []
    while waiting:
        tag, depth = waiting.pop()
        children = [(child, depth + 1) for child in _children(tag)]
        found += children
        waiting += children
    return found


def _children(tag: Tag) -> list[Tag]:
    from bs4 import Tag as Element

    return [child for child in tag.contents if isinstance(child, Element)]


def _drop_unseen(soup: BeautifulSoup) -> None:
    """What a reader does not see: nothing that only a program reads is to reach the model."""
    for tag in _outermost(soup, lambda tag: tag.name in _NEVER_SHOWN or _is_hidden(tag)):
        tag.decompose()


def _is_hidden(tag: Tag) -> bool:
    known = tag.attrs
    if tag.name in ("html", "body", "main"):  # kept out of sight until a script has run
        return False
    if "hidden" in known or known.get("aria-hidden") == "true":
        return True
    return "style" in known and _HIDDEN.search(str(known["style"])) is not None


def _content(soup: BeautifulSoup) -> Tag:
    """The part that the page is about; all of it where that is not plain."""
    for is_it in (
        lambda tag: tag.name == "main" or tag.get("role") == "main",
        lambda tag: tag.name == "article",
    ):
        found = _outermost(soup, is_it)
        if len(found) == 1 and len(found[0].get_text(strip=True)) >= _LEAST:
            return _without(found[0], ("nav",))  # an `aside` in there is a note, not a menu
    return _without(soup.html or soup, ("nav", "footer", "aside"))


def _without(root: Tag, names: tuple[str, ...]) -> Tag:
    """Without menus and the like, unless there is nothing else."""
    found = _outermost(root, lambda tag: tag.name in names or tag.get("role") in _AROUND_ROLES)
    words = len(root.get_text(strip=True))
    taken = sum(len(tag.get_text(strip=True)) for tag in found)
    if words > taken and words - taken >= min(_LEAST, words // 10):
        for tag in found:
            tag.decompose()
    return root


def _outermost(root: Tag, is_it: Callable[[Tag], bool]) -> list[Tag]:
    """The elements below that are it, and do not lie within another that is."""
    waiting = [root]
    found: list[Tag] = []
    while waiting:
        for child in _children(waiting.pop()):
            (found if is_it(child) else waiting).append(child)
    return found


def _tame(tags: Iterable[Tag]) -> None:
    """Take out what makes the converter slow, or its text many times as large as the page."""
    deep = []
    for tag in tags:
        if "colspan" in tag.attrs and not re.fullmatch(r"[1-9]|[1-4]\d", str(tag["colspan"])):
            del tag["colspan"]
        if tag.name in ("ol", "thead") and len(tag.contents) > _MANY:
            tag.name = "ul" if tag.name == "ol" else "tbody"
        if tag.name in _INDENTING:
            above = sum(parent.name in _INDENTING for parent in tag.parents)
            deep += [tag] if above >= _DEEPEST_INDENT else []
    for tag in deep:
        tag.name = "div"


def _absolute(tags: Iterable[Tag], base: str) -> None:
    """Whole addresses; links that lead nowhere keep their words."""
    for tag in tags:
        if tag.decomposed:
            continue
        if tag.name == "a":
            _absolute_link(tag, base)
        elif tag.name == "img":
            source = _joined(base, str(tag.get("src", "")))
            if source and _squeezed(str(tag.get("alt", ""))):
                tag.attrs = {"src": source, "alt": _squeezed(str(tag["alt"]))}
            else:
                tag.decompose()


def _absolute_link(link: Tag, base: str) -> None:
    href = str(link.get("href", ""))
    inside = href.startswith("#")
    if inside and link.get_text(strip=True) in _PILCROWS:
        link.decompose()
        return
    whole = "" if inside or not href else _joined(base, href)
    link.attrs = {"href": whole} if whole else {}


def _markdown(root: Tag) -> str:
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    converter = MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
        code_language_callback=_language,
    )
    soup = BeautifulSoup("", "lxml")  # the converter takes a whole document
    soup.append(root.extract())
    text: str = converter.convert_soup(soup)
    lines = (line.rstrip() for line in text.replace("\xa0", " ").split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _language(pre: Tag) -> str:
    """The language of a code block, by the class of it, of what is in it or around it."""
    for tag in (pre, pre.find("code"), pre.parent, pre.parent and pre.parent.parent):
        for name in (tag.get("class") or []) if tag else []:
            if found := _LANGUAGE.match(str(name)):
                return found[1]
    return ""
