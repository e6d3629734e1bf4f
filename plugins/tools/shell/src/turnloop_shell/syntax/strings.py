"""Words as the shell reads them: quotes, escapes and expansions become parts."""

from __future__ import annotations

import re

from turnloop_shell.syntax import arithmetic, expansions, quotes
from turnloop_shell.syntax.reading import CARRIAGE_RETURN, UNCLOSED_QUOTE, Pieces, Reading
from turnloop_shell.syntax.words import Literal, Unknown, Word

_PLAIN = re.compile(r"[^ \t\n;&|<>()'\"\\$`]+")
_IN_STRING = re.compile(r'[^"\\$`]+')
_IN_TEXT = re.compile(r"[^\\$`]+")
_ARRAY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_BLANKS = re.compile(r"(?:[ \t\n]+|(?<![^ \t\n(])#[^\n]*)+")
_EQUALS = re.compile(r"\+?=")
HISTORY = "it may use history expansion (`!`)"
_HISTORY = re.compile(r"(?<![\[{$])!(?=[A-Za-z0-9!?#$*^_.~/{-])")
ANSI = "a `$'...'` in it has an escape that shells read in different ways"


def word(reading: Reading, start: int) -> tuple[Word, int]:
    """Read the word at `start` (no word at all where a blank or an operator stands there)."""
    pieces = Pieces()
    end = fill(reading, start, start, pieces)
    return pieces.word(reading.text[start:end]), end


def fill(reading: Reading, start: int, pos: int, pieces: Pieces) -> int:
    """Read the rest of a word that began at `start`; the place after it."""
    text = reading.text
    size = len(text)
    while pos < size:
        match = _PLAIN.match(text, pos)
        if match is not None:
            plain(reading, pos, match.end(), pieces)
            pos = match.end()
            continue
        char = text[pos]
        if char in " \t\n;&|)":
            break
        if char in "<>":
            if text[pos + 1 : pos + 2] != "(":
                break
            pos = expansions.process(reading, pos, pieces)
        elif char == "(":
            if not _ARRAY.fullmatch(text, start, pos):
                break
            pos = array(reading, pos, pieces)
        else:
            pos = _quoting(reading, pos, pieces)
    return pos


def plain(reading: Reading, start: int, end: int, pieces: Pieces) -> None:
    """Add text that stands there without quotes."""
    text = reading.text[start:end]
    if "\r" in text:
        reading.doubt(CARRIAGE_RETURN)
    if "!" in text and _HISTORY.search(reading.text, start, end + 1):
        reading.doubt(HISTORY)
    pieces.text(text, quoted=False)


def _quoting(reading: Reading, pos: int, pieces: Pieces) -> int:
    text = reading.text
    char, following = text[pos], text[pos + 1 : pos + 2]
    if char == "'":
        return _single(reading, pos + 1, pieces)
    if char == '"':
        return double(reading, pos + 1, pieces)
    if char == "\\":
        if following == "\r":  # seems to continue the line, and does not
            reading.doubt(CARRIAGE_RETURN)
        pieces.text(following or "\\", quoted=True)
        return pos + 2 if following else pos + 1
    if char == "`":
        return expansions.backticks(reading, pos, pieces, quoted=False, string=False)
    if following == "'":
        return _ansi(reading, pos + 2, pieces)
    if following == '"':
        return double(reading, pos + 2, pieces)
    end = expansions.dollar(reading, pos, pieces, quoted=False)
    if end == pos:
        pieces.text("$", quoted=False)
        end = pos + 1
    return end


def _single(reading: Reading, start: int, pieces: Pieces) -> int:
    text = reading.text
    end = text.find("'", start)
    if end < 0:
        reading.doubt(UNCLOSED_QUOTE)
        end = len(text)
    reading.raw.append((start, end))
    pieces.text(text[start:end], quoted=True)
    return min(end + 1, len(text))


def _ansi(reading: Reading, start: int, pieces: Pieces) -> int:
    text = reading.text
    end = quotes.ansi_end(text, start)
    if end < 0:
        reading.doubt(UNCLOSED_QUOTE)
        end = len(text)
    reading.raw.append((start, end))
    value = quotes.ansi(text[start:end])
    if value is None:
        reading.doubt(ANSI)
        pieces.add(Unknown(text[start - 2 : end + 1], quoted=True))
    else:
        pieces.text(value, quoted=True)
    return min(end + 1, len(text))


def double(reading: Reading, pos: int, pieces: Pieces) -> int:
    """Read what stands between double quotes; the place after the closing one."""
    text = reading.text
    size = len(text)
    pieces.text("", quoted=True)
    while pos < size:
        match = _IN_STRING.match(text, pos)
        if match is not None:
            pieces.text(match[0], quoted=True)
            pos = match.end()
            continue
        if text[pos] == '"':
            return pos + 1
        pos = _expand(reading, pos, pieces, '$`"\\')
    reading.doubt(UNCLOSED_QUOTE)
    return size


def body(reading: Reading) -> Word:
    """The whole text as the body of a heredoc whose delimiter was not quoted."""
    text, pos = reading.text, 0
    pieces = Pieces()
    while pos < len(text):
        match = _IN_TEXT.match(text, pos)
        if match is not None:
            pieces.text(match[0], quoted=True)
            pos = match.end()
        else:
            pos = _expand(reading, pos, pieces, "$`\\")
    return pieces.word(text)


def _expand(reading: Reading, pos: int, pieces: Pieces, escapable: str) -> int:
    text = reading.text
    char = text[pos]
    if char == "\\":
        following = text[pos + 1 : pos + 2]
        escapes = bool(following) and following in escapable
        pieces.text(following if escapes else char, quoted=True)
        return pos + 2 if escapes else pos + 1
    if char == "`":
        string = '"' in escapable
        return expansions.backticks(reading, pos, pieces, quoted=True, string=string)
    end = expansions.dollar(reading, pos, pieces, quoted=True)
    if end == pos:
        pieces.text("$", quoted=True)
        end = pos + 1
    return end


def array(reading: Reading, start: int, pieces: Pieces) -> int:
    """Read the elements of `NAME=( ... )` from the bracket on; they become one unknown part."""
    text, pos = reading.text, start + 1
    while True:
        blanks = _BLANKS.match(text, pos)
        pos = blanks.end() if blanks is not None else pos
        element, end = _element(reading, pos)
        if end == pos:
            break
        pieces.nested.extend(element.nested)
        pos = end
    if text[pos : pos + 1] != ")":
        reading.doubt("the elements of an array in it are not understood")
    pos = min(pos + 1, len(text))
    pieces.add(Unknown(text[start:pos]))
    return pos


def _element(reading: Reading, start: int) -> tuple[Word, int]:
    """Read one element; in a subscript of its own (`[n]=x`) blanks end no word."""
    text, pos = reading.text, start
    pieces = Pieces()
    if text[pos : pos + 1] == "[":
        pos = expansions.gather(reading, start + 1, "]", pieces.nested, opener="[")
        if _EQUALS.match(text, pos):
            arithmetic.expression(reading, text[start + 1 : pos - 1])
        plain(reading, start, pos, pieces)
    end = fill(reading, start, pos, pieces)
    return pieces.word(text[start:end]), end


def literal(found: Word) -> str | None:
    """The text of a word that nothing in it changes, None for any other."""
    if all(isinstance(part, Literal) for part in found.parts):
        return found.text
    return None
