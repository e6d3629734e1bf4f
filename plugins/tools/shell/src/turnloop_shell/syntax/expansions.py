"""What begins with a dollar sign or a backtick, and process substitution."""

from __future__ import annotations

import re

from turnloop_shell.syntax import arithmetic as calculation, brackets, continued, quotes
from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.reading import UNCLOSED_EXPANSION, UNCLOSED_QUOTE, Pieces, Reading
from turnloop_shell.syntax.words import Literal, Unknown, Variable

_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])\}")
_INDIRECT = re.compile(r"\$\{![A-Za-z_0-9@*#?$!-]")
_NAMES = re.compile(r"\$\{![A-Za-z_][A-Za-z0-9_]*(?:[*@]|\[[@*]\])\}")
_PROMPT = re.compile(r"@P\s*\}$")
_BODY = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
_LIVE = re.compile(r"[$`\\]")
_DULL = re.compile(r"[^\\'\"$`(){}\[\]<>]+")
_VALUE = re.compile(
    r"\$\{(?:[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?|[0-9]+|[@*#?$!-]):?[-=+?]", re.ASCII
)
_ENDING = re.compile(r"'[^'}\"]*[}\"]")
LOOSE = "single quotes inside of a quoted expansion in it may be read in different ways"
_BRACE = re.compile(r"(?<!\$)\{")
_ESCAPED = re.compile(r"\\.", re.DOTALL)
BRACES = "braces between quotes that stand in other quotes may be expanded in it"
INDIRECT = "it expands a variable whose name only another variable holds (`${!name}`)"
LIVE = "a `$'...'` inside of an expansion in it may be expanded again"
BRACKETS = "the brackets after a `$((` in it do not pair up"
PROMPT = "it expands a value as a prompt (`@P`), which runs the commands in it"
FUNCTION = "`${ ...; }` runs commands in some shells and is an error in others"


def dollar(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    """Read the expansion at `pos`; the place after it, `pos` itself where the `$` is text."""
    text = reading.text
    match = _NAME.match(text, pos)
    if match is not None:
        pieces.add(Variable(match[1], match[0], quoted))
        return match.end()
    following = text[pos + 1 : pos + 2]
    if following == "{":
        return _braced(reading, pos, pieces, quoted)
    if following == "(":
        return _parenthesis(reading, pos, pieces, quoted)
    if following == "[":
        end = gather(reading, pos + 2, "]", pieces.nested, opener="[")
        calculation.expression(reading, text[pos + 2 : end - 1])
        pieces.add(Unknown(text[pos:end], quoted))
        return end
    return pos


def _parenthesis(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    text = reading.text
    close = brackets.arithmetic_end(reading, pos + 3) if text.startswith("((", pos + 1) else -1
    if close >= 0:
        end = arithmetic(reading, pos + 3, close, pieces.nested)
    else:
        end = _commands(reading, pos + 2, ")", pieces.nested)
        if text.startswith("((", pos + 1) and brackets.partner(text, pos + 2) + 1 != end:
            reading.doubt(BRACKETS)  # after `$((` the shell counts brackets, whatever they are
    pieces.add(Unknown(text[pos:end], quoted))
    return end


def arithmetic(reading: Reading, start: int, close: int, nested: list[Node]) -> int:
    """Collect the commands in an expression that ends before `))` at `close`; the place after."""
    calculation.expression(reading, reading.text[start:close])
    end = gather(reading, start, ")", nested, opener="(")
    if end != close + 1:
        reading.doubt("an arithmetic expression in it is not understood")
    return close + 2


def process(reading: Reading, pos: int, pieces: Pieces) -> int:
    """Read `<(...)` or `>(...)`."""
    end = _commands(reading, pos + 2, ")", pieces.nested)
    pieces.add(Unknown(reading.text[pos:end]))
    return end


def backticks(reading: Reading, pos: int, pieces: Pieces, quoted: bool, string: bool) -> int:
    """Read a substitution in backticks; in a string (`"`) an escaped `"` belongs to it as well."""
    text = reading.text
    match = _BODY.match(text, pos + 1)
    end = match.end() if match is not None else pos + 1
    if text[end : end + 1] != "`":
        reading.doubt(UNCLOSED_QUOTE)
    if string and any(_BRACE.search(piece) for piece in _pieces(text[pos + 1 : end])[1::2]):
        reading.doubt(BRACES)
    code = re.sub(r'\\([$`\\"])' if string else r"\\([$`\\])", r"\1", text[pos + 1 : end])
    pieces.nested += continued.read(reading, code, _all)
    pieces.add(Unknown(text[pos : end + 1], quoted))
    return min(end + 1, len(text))


def _pieces(code: str) -> list[str]:
    """What stands between the double quotes of it, escapes left out."""
    return _ESCAPED.sub("", code).split('"')


def _all(reading: Reading) -> list[Node]:
    node, _ = reading.commands(reading, 0, "")
    return [] if node is None else [node]


def _braced(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    text = reading.text
    match = _BRACED.match(text, pos)
    if match is not None:
        pieces.add(Variable(match[1], match[0], quoted))
        return match.end()
    if text[pos + 2 : pos + 3] in {" ", "\t", "\n", "|"}:
        reading.doubt(FUNCTION)
        end = _commands(reading, pos + 3, "}", pieces.nested)
    else:
        if _INDIRECT.match(text, pos) and not _NAMES.match(text, pos):
            reading.doubt(INDIRECT)
        special = text[pos + 2 : pos + 3] in {"#", "?", "!", "@", "*", "-"}
        with reading.deeper():
            loose = quoted and _VALUE.match(text, pos) is not None
            begin = pos + 2 + special
            end = gather(reading, begin, "}", pieces.nested, quoted=quoted, loose=loose)
        calculation.braced(reading, text[pos:end])
        if _PROMPT.search(text, pos, end):
            reading.doubt(PROMPT)
    pieces.add(Unknown(text[pos:end], quoted))
    return end


def _commands(reading: Reading, pos: int, closer: str, nested: list[Node]) -> int:
    with reading.deeper():
        node, end = reading.commands(reading, pos, closer)
    if node is not None:
        nested.append(node)
    return end


def gather(
    reading: Reading,
    pos: int,
    closer: str,
    nested: list[Node],
    *,
    opener: str = "",
    quoted: bool = True,
    loose: bool = False,
) -> int:
    """Collect the commands in `${...}`, in arithmetic or in a subscript.

    Args:
        reading: the text.
        pos: behind the opening bracket.
        closer: what ends it; "" for the end of the text.
        nested: takes the commands.
        opener: a bracket that must be closed first; "" where brackets are not counted.
        quoted: single quotes group, but what is in them is expanded all the same.
        loose: they do not even group for a shell that keeps to the standard.

    Returns:
        The place behind the closing bracket.
    """
    reading.inside += 1
    pieces = Pieces()
    pieces.nested = nested
    end = _gathered(reading, pos, (opener, closer), pieces, (quoted, loose))
    reading.inside -= 1
    return end


def _gathered(
    reading: Reading,
    pos: int,
    brackets: tuple[str, str],
    pieces: Pieces,
    quoting: tuple[bool, bool],
) -> int:
    text, depth = reading.text, 0
    (opener, closer), (quoted, loose) = brackets, quoting
    while pos < len(text):
        match = _DULL.match(text, pos)
        if match is not None:
            pos = match.end()
            continue
        char = text[pos]
        if char == closer and depth == 0:
            return pos + 1
        if loose and _ENDING.match(text, pos):
            reading.doubt(LOOSE)
        if char in "'\"\\$`" or (text[pos + 1 : pos + 2] == "(" and char in "<>" and not quoted):
            pos = _special(reading, pos, pieces, quoted)
            continue
        depth += (char == opener) - (char == closer)
        pos += 1
    if closer:
        reading.doubt(UNCLOSED_EXPANSION)
    return len(text)


def _special(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    from turnloop_shell.syntax.strings import double  # strings hold expansions, and they strings

    text = reading.text
    char = text[pos]
    if char == "\\":
        return pos + 2
    if char == '"':
        inner = Pieces()
        inner.nested = pieces.nested
        end = double(reading, pos + 1, inner)
        if quoted and any(isinstance(p, Literal) and "{" in p.text for p in inner.parts):
            reading.doubt(BRACES)
        return end
    if char == "'":
        return _single(reading, pos, pieces, quoted)
    if char == "`":
        return backticks(reading, pos, pieces, quoted, string=quoted)
    if char in "<>":
        return process(reading, pos, pieces)
    if text.startswith("$'", pos):
        end = quotes.ansi_end(text, pos + 2)
        if end >= 0:
            if quoted and _LIVE.search(text, pos + 2, end):
                reading.doubt(LIVE)
            reading.raw.append((pos, end))
            return end + 1
    return max(dollar(reading, pos, pieces, quoted), pos + 1)


def _single(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    text = reading.text
    end = text.find("'", pos + 1)
    if end < 0:
        reading.doubt(UNCLOSED_QUOTE)
        return len(text)
    reading.raw.append((pos, end))
    inside = text[pos + 1 : end]
    if quoted and ("$" in inside or "`" in inside):
        pieces.nested += continued.read(reading, inside, _expanded)
    return end + 1


def _expanded(reading: Reading) -> list[Node]:
    found: list[Node] = []
    gather(reading, 0, "", found)
    return found
