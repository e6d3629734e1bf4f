"""Reads commands as the shell does, and leaves how they hang together to the grammar."""

from __future__ import annotations

import re
from types import MappingProxyType

from turnloop_shell.syntax import brackets, expansions, headers, redirects, reserved
from turnloop_shell.syntax.group import Group
from turnloop_shell.syntax.nodes import Compound, Node, Redirect, Simple
from turnloop_shell.syntax.reading import CARRIAGE_RETURN, Reading
from turnloop_shell.syntax.redirects import Heredoc
from turnloop_shell.syntax.reserved import COMPOUND_ENDS
from turnloop_shell.syntax.skeleton import Name, Skeleton
from turnloop_shell.syntax.tree import structure
from turnloop_shell.syntax.words import Unknown, Word

_BLANKS = re.compile(r"[ \t]+")
_GAP = re.compile(r"[ \t\n]*")
_COMMENT = re.compile(r"#[^\n]*")
_OPERATOR = re.compile(r";;&|;;|;&|;|&&|\|\||\|&|&|\||\(|\)")
_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|while|until|do|done|for|select|case|esac|function|coproc|time"
    r"|\[\[|[{}!])(?=[ \t\n;&|<>()]|\Z)"
)
_EMPTY_PARENTHESES = re.compile(r"\([ \t]*\)")

# What stands where a list of commands has just begun or gone on: a newline there means nothing.
_OPEN = frozenset(
    {"", ";", "\n", "&", "&&", "||", "|", "(", "{", ";;", "if", "then", "elif", "else", "while"}
    | {"until", "do", "()", ")-", "in"}
)
_SHOWN = MappingProxyType({"|&": "|", ";;&": ";;", ";&": ";;"})


class Lexer:
    """Reads one list of commands: a whole text, or what a substitution holds."""

    def __init__(self, reading: Reading, pos: int, closer: str) -> None:
        self.reading = reading
        self.text = reading.text
        self.pos = pos
        self.closer = closer
        self.bones = Skeleton()
        self.group: Group | None = None
        self.fresh = True  # reserved words count here
        self.after = False  # a compound command has ended: only redirections may follow
        self.ended = False
        self.parentheses = 0
        self.braces = 0
        self.cases = 0
        self.waiting: list[Heredoc] = []
        self.heredocs: list[Heredoc] = []

    def run(self) -> tuple[Node | None, int]:
        """Read to the end, or to what closes it."""
        size = len(self.text)
        while self.pos < size and not self.ended:
            self._step()
        if not self.ended:
            self._flush()
            if self.closer:
                self.doubt(f"a `{self.closer}` is missing in it")
        if self.waiting:
            self.doubt(redirects.UNENDED)
            self.reading.waiting -= len(self.waiting)
        if self.heredocs:
            self._fill()
        return structure(self.reading, self.bones), self.pos

    def doubt(self, clause: str) -> None:
        """Note a doubt."""
        self.reading.doubt(clause)

    def wrong(self, near: str) -> None:
        """Note that the shell would not take this."""
        self.doubt(f"it has a syntax error near `{near}`")

    def _step(self) -> None:
        blanks = _BLANKS.match(self.text, self.pos)
        if blanks is not None:
            self.pos = blanks.end()
        char = self.text[self.pos : self.pos + 1]
        if char == "#":
            self._comment()
        elif char == "\n":
            self._newline()
        elif char and not self._redirect(char) and not self._operator(char):
            self._word()

    def _comment(self) -> None:
        match = _COMMENT.match(self.text, self.pos)
        if match is not None:
            if "\r" in match[0]:
                self.doubt(CARRIAGE_RETURN)
            self.reading.raw.append(match.span())
            self.pos = match.end()

    def _newline(self) -> None:
        self._flush()
        self.pos += 1
        for heredoc in self.waiting:
            self.pos = redirects.body(self.reading, heredoc, self.pos, self.closer)
        self.reading.waiting -= len(self.waiting)
        self.waiting.clear()
        if self.reading.waiting:
            self.doubt(redirects.LATE)
        if self.bones.last not in _OPEN:
            self.bones.put("\n")
        self.begin()

    def skip_lines(self) -> None:
        """Go over blanks, comments and newlines."""
        while self.text[self.pos : self.pos + 1] in {" ", "\t", "\n", "#"}:
            if self.text[self.pos] == "\n" and self.waiting:
                self._newline()
                continue
            gap = _GAP.match(self.text, self.pos)
            if gap is not None and not self.waiting:
                self.pos = gap.end()
            elif self.text[self.pos] != "#":
                self.pos += 1
            if self.text[self.pos : self.pos + 1] == "#":
                self._comment()

    def begin(self) -> None:
        """A command may begin here."""
        self.fresh, self.after = True, False

    def _flush(self) -> None:
        if self.group is not None:
            self.bones.item(self.group.simple(self.text))
            self.group = None

    def _redirect(self, char: str) -> bool:
        if char not in "<>&{" and not char.isdigit():
            return False
        match = redirects.OPERATOR.match(self.text, self.pos)
        if match is None:
            return False
        begin = self.pos
        found, heredoc, self.pos = redirects.read(self.reading, match)
        if heredoc is not None:
            self.waiting.append(heredoc)
            self.reading.waiting += 1
            if self.reading.inside:
                self.doubt(redirects.INSIDE)
            self.moved(*self.bones.out)
            self.heredocs.append(heredoc)
        if self.after:
            self.bones.item(found, before=">")
        else:
            group = self.group = self.group or Group(begin)
            group.redirects.append(found)
            group.end = self.pos
        self.fresh = False
        return True

    def moved(self, *tokens: str) -> None:
        """Bash writes substitutions anew, and heredocs in all but flat lists wrongly."""
        if self.closer and not redirects.FLAT.issuperset(token.strip() for token in tokens):
            self.doubt(redirects.MOVED)

    def _operator(self, char: str) -> bool:
        if char not in ";&|()":
            return False
        match = _OPERATOR.match(self.text, self.pos)
        sign = match[0] if match is not None else char
        if sign == "(":
            self._open()
        elif sign == ")":
            self._close()
        else:
            self._flush()
            if self.waiting and sign in {";", "&"}:
                self.moved("&")
            self.pos += len(sign)
            self.bones.put(_SHOWN.get(sign, sign))
            self.begin()
            if self.bones.last == ";;":
                if self.cases:
                    headers.patterns(self)
                else:
                    self.wrong(sign)
        return True

    def _open(self) -> None:
        group = self.group
        if group is not None:
            empty = _EMPTY_PARENTHESES.match(self.text, self.pos)
            if empty is not None and len(group.words) == 1 and not group.assignments:
                self.pos = empty.end()
                self.define(group.words[0], group.redirects)
                return
            self.wrong("(")
            self._flush()
        elif self.fresh and self.text.startswith("((", self.pos):
            close = brackets.arithmetic_end(self.reading, self.pos + 2)
            if close >= 0:
                self._arithmetic(close)
                return
        self.pos += 1
        self.parentheses += 1
        self.bones.put("(")
        self.begin()

    def define(self, name: Word, before: list[Redirect]) -> None:
        """A function's name stood here; its body follows."""
        if not name.known or name.nested or before:
            self.wrong(name.source)
        self.group = None
        self.bones.item(Name(name.text), after="()")
        self.begin()

    def _arithmetic(self, close: int) -> None:
        start, nested = self.pos, list[Node]()
        self.pos = expansions.arithmetic(self.reading, start + 2, close, nested)
        source = self.text[start : self.pos]
        self.whole(Compound("((", (), (Word((Unknown(source),), source, tuple(nested)),)))

    def whole(self, node: Compound) -> None:
        """A compound command that the grammar need not look into."""
        self.bones.item(node, before="(", after=")")
        self.fresh = self.after = True

    def _close(self) -> None:
        self._flush()
        self.pos += 1
        if self.parentheses:
            self.parentheses -= 1
        elif self.closer == ")":
            self.ended = True
            return
        else:
            self.wrong(")")
        self.bones.put(")")
        self.fresh = self.after = True

    def _word(self) -> None:
        if self.fresh and self.group is None:
            match = _RESERVED.match(self.text, self.pos)
            if match is not None and reserved.read(self, match[0]):
                return
        group = self.group = self.group or Group(self.pos)
        end = group.read(self.reading, self.pos)
        if end == self.pos:  # only where an operator that nobody knows stands
            self.wrong(self.text[end])
            end += 1
        self.pos = end
        self.fresh = False
        if self.after and self.bones.last in COMPOUND_ENDS:
            self.after = False

    def _fill(self) -> None:
        """Put the bodies of heredocs in the place of what stood for them."""
        bodies = {
            id(h.redirect): Redirect("text", h.body, h.redirect.source, h.redirect.descriptor)
            for h in self.heredocs
            if h.body is not None
        }
        for place, item in self.bones.items.items():
            if isinstance(item, Redirect):
                self.bones.items[place] = bodies.get(id(item), item)
            elif isinstance(item, Simple) and item.redirects:
                found = tuple(bodies.get(id(r), r) for r in item.redirects)
                self.bones.items[place] = Simple(item.words, item.assignments, found, item.source)
