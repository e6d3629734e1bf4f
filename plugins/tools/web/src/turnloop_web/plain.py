"""HTML to plain text by patterns, for pages that are too large to be taken apart."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_UNSEEN = ("script", "style", "template", "noscript", "svg", "title", "textarea", "select")
_TAG = re.compile(r"<(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*>|<[/!?a-zA-Z][^<>]*>?")
_LINES = re.compile(
    r"</?(?:p|div|tr|li|h[1-6]|br|pre|table|ul|ol|dl|dt|dd|section|article)\b", re.I
)


def plain(page: str) -> str:
    """The words of a page, a line for each block; takes time in proportion to its length."""
    seen = without_unseen(_without_comments(page), _UNSEEN)
    marked = _LINES.sub(lambda found: "\n" + found[0], seen)
    text = html.unescape(_TAG.sub(" ", marked))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _without_comments(page: str) -> str:
    first, *rest = page.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in rest)


def without_unseen(page: str, names: Sequence[str]) -> str:
    """Without the elements of these names; one that is not closed hides the rest."""
    opens = re.compile(rf"<({'|'.join(names)})(?=[\s>/])", re.IGNORECASE)
    kept, at = [], 0
    while found := opens.search(page, at):
        kept.append(page[at : found.start()])
        closes = re.compile(rf"</{found[1]}[^>]{{0,100}}>?", re.IGNORECASE)
        end = closes.search(page, found.end())
        if end is None:
            return "".join(kept)
        at = end.end()
    return "".join([*kept, page[at:]])
