"""File patterns: `*`, `?`, `[a-z]`, `{a,b}` within a name, `**` for any number of folders.

A pattern without a slash means that name at any depth, as in ignore files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from turnloop_search.answers import RefusedError

_WILD = frozenset("*?[{")
_MOST_CHOICES = 256
_TOKEN = re.compile(r"\*+|\?|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_DEEP = r"(?:[^/]+/)*"


@dataclass(frozen=True, slots=True)
class Split:
    """A pattern as the folder in which it can match, and the rest.

    Attributes:
        folder: leading parts without wildcards, as written; "" for none.
        rest: the pattern below that folder.
        anchored: the rest begins there; otherwise it may match at any depth.
    """

    folder: str
    rest: str
    anchored: bool

    @property
    def literal(self) -> bool:
        """It names one path."""
        return not _WILD & set(self.rest)


def split(pattern: str) -> Split:
    """Take the fixed folders off a pattern.

    Raises:
        RefusedError: it is empty, or has `..` after a wildcard.
    """
    if not pattern or "\0" in pattern:
        raise RefusedError("the pattern is empty or holds a NUL character; *.py is a pattern.")
    if pattern.endswith("/"):
        pattern += "**"
    parts = pattern.split("/")
    fixed = 0
    while fixed < len(parts) - 1 and not _WILD & set(parts[fixed]):
        fixed += 1
    rest = [part for part in parts[fixed:] if part not in ("", ".")]
    if ".." in rest:
        raise RefusedError(f"{pattern}: .. names no place there. Put it into `path`.")
    folder = "/".join(parts[:fixed])
    if pattern.startswith("/") and not folder.strip("/"):
        folder = "/"
    return Split(folder, "/".join(rest), len(parts) > 1)


def compile_glob(pattern: str, *, anchored: bool) -> re.Pattern[str]:
    """An expression for `fullmatch` on relative paths with `/`.

    Raises:
        RefusedError: too many alternatives in braces.
    """
    choices = _expand(pattern)
    lead = "" if anchored else _DEEP
    whole = "|".join(lead + _path(choice) for choice in choices)
    try:
        return re.compile(whole, re.DOTALL)
    except re.error as error:  # a range such as [z-a]
        raise RefusedError(f"the file pattern {pattern} is not valid: {error}.") from None


def _path(pattern: str) -> str:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    out = []
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**":
            if last:
                out.append(".+")
            elif place == 0 or parts[place - 1] != "**":
                out.append(_DEEP)
        else:
            out.append(_name(part) + ("" if last else "/"))
    return "".join(out)


def _name(part: str) -> str:
    """One name. What stands between stars is taken at its first place: no other can do better."""
    pieces = [""]
    for token in _TOKEN.findall(part):
        if token.startswith("*"):
            pieces.append("")
        else:
            pieces[-1] += _sign(token)
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    inner = "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    # A name that is only a star is not the empty one.
    some = "(?=[^/])" if not any(pieces) else ""
    return f"{some}{first}{inner}[^/]*{last}"


def _sign(sign: str) -> str:
    if sign == "?":
        return "[^/]"
    if len(sign) < 2:
        return re.escape(sign)
    negated = sign[1] in "!^"
    inside = sign[1 + negated : -1]
    escaped = re.sub(r"[\\\[\]^&~|]", r"\\\g<0>", inside)
    return f"(?!/)[{'^' if negated else ''}{escaped}]"


def _expand(pattern: str) -> Sequence[str]:
    """The pattern for every choice of its braces; a brace that does not close is a character."""
    done: list[str] = []
    todo = [(pattern, 0)]
    while todo:
        text, start = todo.pop()
        opening = text.find("{", start)
        choices = _choices(text, opening) if opening >= 0 else None
        if opening < 0:
            done.append(text)
        elif choices is None:
            todo.append((text, opening + 1))
        else:
            todo += [(text[:opening] + choice, opening) for choice in reversed(choices)]
        if len(done) + len(todo) > _MOST_CHOICES:
            raise RefusedError(f"{pattern}: over {_MOST_CHOICES} alternatives in braces.")
    return done


def _choices(text: str, opening: int) -> list[str] | None:
    """What may stand in place of the brace and all after it; None when it is no group."""
    depth, cuts = 0, [opening]
    for at in range(opening, len(text)):
        match text[at]:
            case "{":
                depth += 1
            case "," if depth == 1:
                cuts.append(at)
            case "}":
                depth -= 1
                if depth == 0:
                    cuts.append(at)
                    break
    if depth or len(cuts) < 3:
        return None
    tail = text[cuts[-1] + 1 :]
    return [text[a + 1 : b] + tail for a, b in pairwise(cuts)]


class Filter:
    """Several patterns with commas between; those with `!` in front take files out again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folder = folder = ""
        wanted: list[re.Pattern[str]] = []
        unwanted: list[re.Pattern[str]] = []
        for item in _listed(text):
            negated = item.startswith("!")
            one = split(item.removeprefix("!"))
            if one.folder.startswith(("/", "~")) or ".." in one.folder.split("/"):
                raise RefusedError(f"{item}: `glob` lies below `path`; name the folder in `path`.")
            whole = f"{one.folder}/{one.rest}".strip("/")
            compiled = compile_glob(whole, anchored=one.anchored)
            (unwanted if negated else wanted).append(compiled)
            folder = one.folder
        if len(wanted) == 1 and not unwanted:
            self.folder = "/".join(p for p in folder.split("/") if p not in ("", "."))
        self._wanted, self._unwanted = wanted, unwanted

    def takes(self, name: str) -> bool:
        if self._wanted and not any(p.fullmatch(name) for p in self._wanted):
            return False
        return not any(p.fullmatch(name) for p in self._unwanted)


def _listed(text: str) -> list[str]:
    """The patterns between commas that stand in no brace."""
    items, depth = [""], 0
    for sign in text:
        depth += (sign == "{") - (sign == "}" and depth > 0)
        if sign == "," and depth == 0:
            items.append("")
        else:
            items[-1] += sign
    return [item.strip() for item in items if item.strip()]
