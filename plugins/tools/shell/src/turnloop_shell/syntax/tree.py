"""How commands hang together: the tree of the grammar, as nodes of ours."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from turnloop_shell.syntax.nodes import (
    AndOr,
    Compound,
    Function,
    Node,
    Pipeline,
    Redirect,
    Redirected,
    Sequence,
    Simple,
    Subshell,
)
from turnloop_shell.syntax.reading import Reading
from turnloop_shell.syntax.skeleton import Head, Name, Skeleton

if TYPE_CHECKING:
    import tree_sitter

MAX_NESTING = 60
MAX_CHAIN = 60  # of `&&` and `||`: each is one level of the tree
MAX_JOINTS = 500
ERROR = "it has a syntax error"
DEEP = "its commands are nested very deeply"
_JOINTS = frozenset({"|", "&&", "||"})
_SILENT = frozenset({";", "\n", ";;", "then", "fi", "do", "done", "{", "}", "(", ")", "in", "esac"})


class _DisagreementError(Exception):
    """The grammar found something else than was put in."""


@cache
def _parser() -> tree_sitter.Parser:
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def structure(reading: Reading, bones: Skeleton) -> Node | None:
    """The commands in their order and dependence; side by side where the grammar sees an error."""
    if not bones.items and bones.last in {"", "\n"}:
        return None
    if len(bones.items) == 1 and len(bones.out) == 2:
        only = bones.items.get(0)
        if isinstance(only, Simple):
            return only
    if sum(token in _JOINTS for token in bones.out) > MAX_JOINTS:  # the grammar takes ages
        reading.doubt(DEEP)
        return _single(bones.loose())
    text = bones.text()
    root = _parser().parse(text.encode()).root_node
    if not root.has_error:
        try:
            reader = _Reader(bones)
            node = reader.sequence(root.children, 0)
            if len(reader.used) == len(bones.items):
                return node
        except _DisagreementError as error:
            reading.doubt(str(error) or ERROR)
            return _single(bones.loose())
    reading.doubt(ERROR)
    return _single(bones.loose())


def _single(found: list[Node]) -> Node | None:
    if not found:
        return None
    return found[0] if len(found) == 1 else Sequence(tuple(found))


class _Reader:
    """Reads the kinds of nodes that are expected, and no others."""

    def __init__(self, bones: Skeleton) -> None:
        self.items = bones.items
        self.used: set[int] = set()

    def take(self, node: tree_sitter.Node) -> object:
        place = node.start_byte
        item = self.items.get(place)
        if item is None or place in self.used:
            raise _DisagreementError
        self.used.add(place)
        return item

    def sequence(self, children: list[tree_sitter.Node], depth: int) -> Node | None:
        """A list of commands; what `&` follows runs in a shell of its own."""
        found: list[Node] = []
        for child in children:
            kind = child.type
            if kind == "&":
                if not found:
                    raise _DisagreementError
                found[-1] = Subshell(found[-1])
            elif kind not in _SILENT:
                found.append(self.statement(child, depth))
        return _single(found)

    def statement(self, node: tree_sitter.Node, depth: int) -> Node:
        """One command of any kind."""
        if depth > MAX_NESTING:
            raise _DisagreementError(DEEP)
        kind = node.type
        if kind == "command":
            return self._simple(node)
        if kind in {"list", "pipeline", "redirected_statement"}:
            return self._chain(node, depth + 1)
        if kind == "subshell":
            return self._subshell(node, depth + 1)
        if kind == "function_definition":
            return self._function(node, depth + 1)
        return self._compound(node, kind, depth + 1)

    def _simple(self, node: tree_sitter.Node) -> Node:
        item = self.take(node)
        if not isinstance(item, Simple) or node.end_byte != node.start_byte + 1:
            raise _DisagreementError
        return item

    def _chain(self, node: tree_sitter.Node, depth: int) -> Node:
        """Commands between `|`, `&&` and `||`, by the shell's precedence.

        The grammar nests them in other ways (`a | b && c | d`), and lays a redirection of the last
        command around all of them, so that only the order counts.
        """
        pipe: list[Node] = []
        found: Node | None = None
        joint, joints = "", 0
        for part in [*self._flat(node, depth), ""]:
            if not isinstance(part, str):
                pipe.append(part)
            elif part != "|":
                right = pipe[0] if len(pipe) == 1 else Pipeline(tuple(pipe))
                found = right if found is None else _and_or(found, joint, right)
                pipe, joint, joints = [], part, joints + 1
        if found is None or joints > MAX_CHAIN:
            raise _DisagreementError(DEEP)
        return found

    def _flat(self, node: tree_sitter.Node, depth: int) -> list[Node | str]:
        """Commands and the operators between them, in order."""
        found: list[Node | str] = []
        left = [node]
        while left:
            node = left.pop()
            kind = node.type
            if kind in {"list", "pipeline", "redirected_statement"}:
                left += reversed(node.children)
            elif kind in {"|", "&&", "||"}:
                found.append(kind)
            elif kind == "file_redirect":
                last = found[-1] if found else ""
                if isinstance(last, str):
                    raise _DisagreementError
                found[-1] = _redirect(last, self._redirects([node]))
            elif kind != "\n":
                found.append(self.statement(node, depth))
        return found

    def _redirects(self, nodes: list[tree_sitter.Node]) -> tuple[Redirect, ...]:
        found = []
        for node in nodes:
            if node.type != "file_redirect" or len(node.children) != 2:
                raise _DisagreementError
            item = self.take(node.children[1])
            if not isinstance(item, Redirect):
                raise _DisagreementError
            found.append(item)
        return tuple(found)

    def _subshell(self, node: tree_sitter.Node, depth: int) -> Node:
        first = node.children[1] if len(node.children) == 3 else None
        if first is not None and isinstance(self.items.get(first.start_byte), Compound):
            item = self.take(first)
            assert isinstance(item, Compound)
            return item
        body = self.sequence(node.children, depth)
        if body is None:
            raise _DisagreementError
        return Subshell(body)

    def _function(self, node: tree_sitter.Node, depth: int) -> Node:
        name, first, second, body, *rest = node.children
        item = self.take(name)
        if not isinstance(item, Name) or (first.type, second.type) != ("(", ")"):
            raise _DisagreementError
        found = self.statement(body, depth)
        return Function(item.name, _redirect(found, self._redirects(rest)))

    def _compound(self, node: tree_sitter.Node, kind: str, depth: int) -> Node:
        children = node.children
        if kind == "compound_statement" and children[0].type == "{":
            return Compound("{", self._some(self.sequence(children, depth)))
        if kind == "if_statement":
            return Compound("if", self._branches(children, depth))
        if kind == "while_statement":
            condition = self.sequence(children[1:-1], depth)
            body = self._group(children[-1], depth)
            return Compound(children[0].type, self._some(condition) + self._some(body))
        if kind in {"for_statement", "c_style_for_statement"}:
            head = self._head(node)
            body = self._group(children[-1], depth)
            return Compound(children[0].type, self._some(body), head.words, head.variable)
        if kind == "case_statement":
            return self._case(node, depth)
        raise _DisagreementError

    def _some(self, node: Node | None) -> tuple[Node, ...]:
        return () if node is None else (node,)

    def _head(self, node: tree_sitter.Node) -> Head:
        item = self.take(node)
        if not isinstance(item, Head):
            raise _DisagreementError
        return item

    def _group(self, node: tree_sitter.Node, depth: int) -> Node | None:
        if node.type not in {"do_group", "compound_statement"}:
            raise _DisagreementError
        return self.sequence(node.children, depth)

    def _branches(self, children: list[tree_sitter.Node], depth: int) -> tuple[Node, ...]:
        found: list[Node] = []
        row: list[tree_sitter.Node] = []
        for child in children[1:]:
            if child.type in {"then", "elif_clause", "else_clause", "fi"}:
                found += self._some(self.sequence(row, depth))
                row = []
                if child.type == "elif_clause":
                    found += self._branches(child.children, depth)
                elif child.type == "else_clause":
                    found += self._some(self.sequence(child.children[1:], depth))
            else:
                row.append(child)
        found += self._some(self.sequence(row, depth))
        return tuple(found)

    def _case(self, node: tree_sitter.Node, depth: int) -> Node:
        words = [*self._head(node).words]
        found: list[Node] = []
        for child in node.children[2:]:
            if child.type == "case_item":
                words += self._head(child).words
                row = [c for c in child.children[1:] if c.type != "fallthrough"]
                found += self._some(self.sequence(row, depth))
            elif child.type not in _SILENT:
                raise _DisagreementError
        return Compound("case", tuple(found), tuple(words))


def _redirect(body: Node, redirects: tuple[Redirect, ...]) -> Node:
    if isinstance(body, Redirected):
        return Redirected(body.body, body.redirects + redirects)
    return Redirected(body, redirects) if redirects else body


def _and_or(left: Node, operator: str, right: Node) -> Node:
    return AndOr(left, "&&" if operator == "&&" else "||", right)
