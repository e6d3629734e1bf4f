"""What an error answer says, whatever its shape: one reading for all families of APIs.

Shapes that are known: `{"error": {...}}`, `{"error": "words"}`, `{"type": "error", "error": {}}`,
the same in a list, the error without a wrapper, `{"detail": ...}`, `{"title", "detail"}`, plain
text and HTML.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from turnloop_core.types.json_text import parse_wire_json
from turnloop_core.values import dataclass

LONGEST_EXCERPT = 300

# Keys as vendors write them; some echo a wrong key in their answer.
_KEY = re.compile(r"\b(?:sk|pk|gsk|nvapi|xai|hf|bl|csk)[-_][\w*.\-]{5,}[\w*\-]|\bAIza[\w\-]{20,}")
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.S | re.I)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.S | re.I)


@dataclass(frozen=True, slots=True)
class Problem:
    """What an error answer says.

    Attributes:
        message: for people; "" when there is none.
        type: the vendor's type word.
        code: the vendor's code, as a word; numeric codes are in `status`.
        status: the status that the body itself names, 0 when it names none.
        details: further objects (a list called `details`, with some vendors).
        html: the answer was a page.
        known: the body had one of the shapes above.
    """

    message: str = ""
    type: str = ""
    code: str = ""
    status: int = 0
    details: tuple[Mapping[str, Any], ...] = ()
    html: bool = False
    known: bool = True

    @property
    def words(self) -> str:
        """Everything that can tell the class of the error, in lower case."""
        reasons = [str(d.get("reason", "")) for d in self.details]
        return " | ".join((self.message, self.type, self.code, *reasons)).lower()


def read_problem(body: bytes) -> Problem:
    """Read the body of an error answer."""
    text = body.decode("utf-8", "replace").strip()
    if looks_like_html(text):
        return Problem(message=excerpt(text), html=True, known=False)
    try:
        value = parse_wire_json(text)
    except ValueError:
        return Problem(message=excerpt(text), known=False)
    return problem_of(value)


def problem_of(value: Any) -> Problem:
    """Read an error that is already parsed."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, Mapping)), {})
    if isinstance(value, str):
        return Problem(message=value)
    if not isinstance(value, Mapping):
        return Problem(message=excerpt(json.dumps(value)), known=False)
    inner = value.get("error", value.get("errors"))
    if isinstance(inner, list):
        inner = next((item for item in inner if isinstance(item, (Mapping, str))), None)
    if isinstance(inner, str):
        return _from_object({"message": inner, **{k: v for k, v in value.items() if k != "error"}})
    return _from_object(inner if isinstance(inner, Mapping) else value)


def _from_object(error: Mapping[str, Any]) -> Problem:
    code = error.get("code")
    details = error.get("details")
    words = [error.get("type"), error.get("status")]
    return Problem(
        message=_message(error),
        type=" ".join(word for word in words if isinstance(word, str)),
        code=code if isinstance(code, str) and not code.isdigit() else "",
        status=_number(error.get("status_code"), code, error.get("status"), error.get("http_code")),
        details=tuple(d for d in details if isinstance(d, Mapping))
        if isinstance(details, Sequence) and not isinstance(details, str)
        else (),
        known=bool(_message(error) or code or error.get("type")),
    )


def _message(error: Mapping[str, Any]) -> str:
    for key in ("message", "detail", "msg", "title", "error_message"):
        value = error.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, (list, Mapping)) and value:
            return excerpt(json.dumps(value, ensure_ascii=False))
    return ""


def _number(*candidates: Any) -> int:
    """The first of the candidates that is an HTTP status."""
    for candidate in candidates:
        if isinstance(candidate, (int, str)) and re.fullmatch("[1-5][0-9]{2}", str(candidate)):
            return int(candidate)
    return 0


def looks_like_html(text: str) -> bool:
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    return start.startswith(("<!doctype html", "<html", "<head", "<body", "<?xml"))


def excerpt(text: str) -> str:
    """A short line of a text or page, for a message."""
    title = _TITLE.search(text)
    plain = title.group(1) if title else _TAGS.sub(" ", text) if looks_like_html(text) else text
    line = " ".join(html.unescape(plain).split())
    return line if len(line) <= LONGEST_EXCERPT else line[:LONGEST_EXCERPT] + "…"


def without_keys(text: str, secrets: Sequence[str] = ()) -> str:
    """`text` without the values of keys, known ones and such as look like one."""
    for secret in secrets:
        if len(secret) >= 6:
            text = text.replace(secret, "<key>")
    return _KEY.sub("<key>", text)
