"""Names for what people write where JSON expects something else."""

from __future__ import annotations

import re
from json import JSONDecodeError

_TOKEN = re.compile(r"[^\s,:{}\[\]\"]{1,24}")
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$-]*\s*:")
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
_NO_NUMBERS = {"NaN", "Infinity", "-Infinity", "+Infinity", "inf", "-inf", "nan"}


def quoted(key: str) -> str:
    """A key as it stands in a message: one line, not too long."""
    short = key if len(key) <= 40 else f"{key[:39]}…"
    return '"' + "".join(c if c.isprintable() else "?" for c in short) + '"'


def name_mistake(text: str, at: int, expected: str) -> tuple[str, str]:
    """A message and a hint for what stands at `at` instead of what was expected."""
    if at >= len(text):
        return f"the file ends here; expected {expected}", ""
    comment = "#" if text[at] == "#" else text[at : at + 2]
    if comment in ("#", "//", "/*"):
        return f"a comment ({comment}): JSON has none", "remove the comment"
    if text[at] == "'":
        return "a single quote: JSON wants double quotes", "write \"…\" instead of '…'"
    if text[at] in "“”„‟«»‘’":  # noqa: RUF001  the very characters that are meant
        return "a typographic quote: JSON wants plain double quotes", 'write "…"'
    if text[at] in '"{[' and expected.startswith("','"):
        return "a comma is missing before this", "put ',' after the line before"
    match = _TOKEN.match(text, at)
    token = match.group(0) if match else text[at]
    return _name_token(text, at, token, expected)


def _name_token(text: str, at: int, token: str, expected: str) -> tuple[str, str]:
    if token in _PYTHON_WORDS:
        return f"{token} is not JSON", f"write {_PYTHON_WORDS[token]}"
    if token in _NO_NUMBERS:
        return f"{token} is not a number that JSON knows", "write a plain number"
    if "key" in expected and _BARE_KEY.match(text, at):
        return f"key {token} has no quotes", f'write "{token}"'
    if expected == "a value" and re.match(r"[-+.]?\.?[0-9]", token):
        return "a number that is not written as JSON wants it", "write it like 40, 0.5 or -1"
    if not token.isprintable():
        return f"the character U+{ord(token[0]):04X}; expected {expected}", ""
    return f"expected {expected}, found {token[:24]}", ""


def name_bad_string(text: str, start: int, error: JSONDecodeError) -> tuple[int, str, str]:
    """Offset, message and hint for a string that cannot be read."""
    at = min(error.pos, len(text))
    if "escape" in error.msg.lower():
        return at, "a backslash that starts no JSON escape", r"write \\ for a backslash, or use /"
    if "control character" in error.msg.lower() and text[at : at + 1] not in ("\n", "\r"):
        return at, f"the character U+{ord(text[at]):04X} inside a text", r"write it as \uXXXX"
    return start, "a text whose closing quote is missing", 'close it with "'
