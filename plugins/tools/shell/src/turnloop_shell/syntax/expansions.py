"""What begins with a dollar sign or a backtick, and process substitution."""

from __future__ import annotations

import re

from turnloop_shell.syntax import quotes
from turnloop_shell.syntax.nodes import Node
from turnloop_shell.syntax.reading import UNCLOSED_EXPANSION, UNCLOSED_QUOTE, Pieces, Reading
from turnloop_shell.syntax.words import Unknown, Variable

_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])\}")
_INDIRECT = re.compile(r"\$\{![A-Za-z_0-9@*#?$!-]")
_NAMES = re.compile(r"\$\{![A-Za-z_][A-Za-z0-9_]*(?:[*@]|\[[@*]\])\}")
_PROMPT = re.compile(r"@P\s*\}$")
_BODY = re.compile(r"(?:[^`\\]|\\.)*", re.DOTALL)
_LIVE = re.compile(r"[$`\\]")
_DULL = re.compile(r"[^\\'\"$`(){}\[\]<>\0]+")
_QUOTED_PIECE = re.compile(
    r"\$'(?:[^'\\]|\\.)*'|'[^']*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`\\]|\\.)*`|\\.", re.DOTALL
)
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
        pieces.add(Unknown(text[pos:end], quoted))
        return end
    return pos


def _parenthesis(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    text = reading.text
    close = arithmetic_end(reading, pos + 3) if text.startswith("((", pos + 1) else -1
    if close >= 0:
        end = arithmetic(reading, pos + 3, close, pieces.nested)
    else:
        end = _commands(reading, pos + 2, ")", pieces.nested)
        if text.startswith("((", pos + 1) and _partner(text, pos + 2) + 1 != end:
            reading.doubt(BRACKETS)  # after `$((` the shell counts brackets, whatever they are
    pieces.add(Unknown(text[pos:end], quoted))
    return end


def arithmetic(reading: Reading, start: int, close: int, nested: list[Node]) -> int:
    """Collect the commands in an expression that ends before `))` at `close`; the place after."""
    end = gather(reading, start, ")", nested, opener="(")
    if end != close + 1:
        reading.doubt("an arithmetic expression in it is not understood")
    return close + 2


def arithmetic_end(reading: Reading, start: int) -> int:
    """The place of the `))` that ends what began with `((` before `start`, -1 if it is none.

    Told as the shell does: the inner bracket's partner must have another one beside it.
    """
    end = _partner(reading.text, start)
    reading.spend(end - start)
    return end if reading.text.startswith("))", end) else -1


def _partner(text: str, start: int) -> int:
    """The place of the bracket that closes the one before `start`, the end of the text for none."""
    depth, pos = 1, start
    while pos < len(text):
        char = text[pos]
        if char in "'\"\\`" or text.startswith("$'", pos):
            match = _QUOTED_PIECE.match(text, pos)
            if match is None:
                return len(text)
            pos = match.end()
            continue
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return pos
        pos += 1
    return len(text)


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
    code = re.sub(r'\\([$`\\"])' if string else r"\\([$`\\])", r"\1", text[pos + 1 : end])
    inner = reading.inner(code)
    node, _ = inner.commands(inner, 0, "")
    if node is not None:
        pieces.nested.append(node)
    pieces.add(Unknown(text[pos : end + 1], quoted))
    return min(end + 1, len(text))


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
            end = gather(reading, pos + 2 + special, "}", pieces.nested, quoted=quoted)
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
) -> int:
    """Collect the commands in `${...}`, in arithmetic or in a subscript.

    Args:
        reading: the text.
        pos: behind the opening bracket.
        closer: what ends it.
        nested: takes the commands.
        opener: a bracket that must be closed first; "" where brackets are not counted.
        quoted: single quotes group, but what is in them is expanded all the same.

    Returns:
        The place behind the closing bracket.
    """
    reading.inside += 1
    end = _gathered(reading, pos, (opener, closer), nested, quoted)
    reading.inside -= 1
    return end


def _gathered(
    reading: Reading, pos: int, brackets: tuple[str, str], nested: list[Node], quoted: bool
) -> int:
    text, depth = reading.text, 0
    opener, closer = brackets
    pieces = Pieces()
    pieces.nested = nested
    while pos < len(text):
        match = _DULL.match(text, pos)
        if match is not None:
            pos = match.end()
            continue
        char = text[pos]
        if char == closer and depth == 0:
            return pos + 1
        if char in "'\"\\$`" or (text[pos + 1 : pos + 2] == "(" and char in "<>" and not quoted):
            pos = _special(reading, pos, pieces, quoted)
            continue
        depth += (char == opener) - (char == closer)
        pos += 1
    reading.doubt(UNCLOSED_EXPANSION)
    return len(text)


def _special(reading: Reading, pos: int, pieces: Pieces, quoted: bool) -> int:
    from turnloop_shell.syntax.strings import double  # strings hold expansions, and they strings

    text = reading.text
    char = text[pos]
    if char == "\\":
        return pos + 2
    if char == '"':
        return double(reading, pos + 1, pieces)
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
        inner = reading.inner(inside + "\0")
        gather(inner, 0, "\0", pieces.nested)
    return end + 1
