"""Change one value of a settings file and leave every other byte as it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from turnloop_core.config.files import locked, read_settings_file, replace_file
from turnloop_core.config.json_tree import Document, Node
from turnloop_core.config.paths import dotted
from turnloop_core.config.sources import parse_settings
from turnloop_core.errors import SettingsError
from turnloop_core.values import dataclass

_LONGEST_LINE = 88


def change_file(path: Path, edit: Callable[[str], str]) -> bool:
    """Replace the text of a settings file by what `edit` makes of it; False when it stays.

    A missing file is made. Links are followed, the file is replaced whole, and processes that save
    at once wait for each other.

    Args:
        path: the settings file.
        edit: the text as it is -> the text as it is to be; it is called while nobody else writes.

    Raises:
        SettingsError: the new text does not parse, the file cannot be written, or what `edit`
            raises. The file is untouched then.
    """
    target = Path(os.path.realpath(path))
    try:
        if not path.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
        read_settings_file(path)  # a link that leads nowhere is refused before anything is made
        with locked(target):
            old = read_settings_file(target) or ""
            new = edit(old)
            if new == old:
                return False
            parse_settings(new, str(path))  # what is written can be read again
            replace_file(target, new.encode("utf-8"))
    except OSError as error:
        raise SettingsError(
            f"cannot be written: {error.strerror or error}", where=str(path)
        ) from error
    return True


def set_in(text: str, key: Sequence[str], value: Any, file: str = "settings") -> str:
    """The text with the value at `key` set.

    Order, indentation, keys that this version does not know, line endings: all else stays.

    Args:
        text: of a settings file, "" for a new one.
        key: the parts of the key.
        value: a JSON value.
        file: what errors call the file.

    Raises:
        SettingsError: the text does not parse, or something other than an object is in the way.
    """
    document = parse_settings(text, file)
    style = _Style.of(document)
    if document.root is None:
        whole = style.render(_nest(key, value), "", wide=True)
        return f"{text.rstrip()}{whole}{style.newline}"
    node, depth = _deepest(document, key, file)
    if depth == len(key):
        if _same(node.plain, value):
            return text
        wide = "\n" in text[node.start : node.end]
        new = style.render(value, style.indent_at(node.start), wide=wide)
        return text[: node.start] + new + text[node.end :]
    return style.insert_member(node, key[depth], _nest(key[depth + 1 :], value))


def append_in(text: str, key: Sequence[str], item: Any, file: str = "settings") -> str:
    """The text with the item added to the list at `key`, which is made if it is missing.

    Raises:
        SettingsError: as `set_in`, and where the value is no list.
    """
    document = parse_settings(text, file)
    if document.root is None:
        return set_in(text, key, [item], file)
    node, depth = _deepest(document, key, file)
    if depth < len(key):
        return set_in(text, key, [item], file)
    if node.items is None:
        raise SettingsError(
            f"{dotted(tuple(key))} is no list", where=f"{file}:{document.line(node.start)}"
        )
    if any(_same(element.plain, item) for element in node.items):
        return text
    return _Style.of(document).insert_item(node, item)


def _deepest(document: Document, key: Sequence[str], file: str) -> tuple[Node, int]:
    """The deepest node on the way to `key` that is there, and how many parts lead to it."""
    node, depth = document.root, 0
    assert node is not None
    while depth < len(key):
        if node.members is None:
            raise SettingsError(
                f"{dotted(tuple(key[:depth]))} is no object, so {dotted(tuple(key))} cannot be set",
                where=f"{file}:{document.line(node.start)}",
            )
        member = node.member(key[depth])
        if member is None:
            break
        node, depth = member.node, depth + 1
    return node, depth


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON, where `1`, `1.0` and `true` are three things."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _nest(key: Sequence[str], value: Any) -> Any:
    for part in reversed(key):
        value = {part: value}
    return value


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text is laid out."""

    text: str
    newline: str
    unit: str

    @classmethod
    def of(cls, document: Document) -> _Style:
        text, root = document.text, document.root
        style = cls(text, "\r\n" if "\r\n" in text else "\n", "  ")
        if root is not None and root.members and "\n" in text[root.start : root.members[0].start]:
            inner, outer = style.indent_at(root.members[0].start), style.indent_at(root.start)
            return cls(text, style.newline, inner.removeprefix(outer) or "  ")
        return style

    def indent_at(self, offset: int) -> str:
        """The blanks at the beginning of the line."""
        line = self.text[self.text.rfind("\n", 0, offset) + 1 : offset].removeprefix("\ufeff")
        return line[: len(line) - len(line.lstrip(" \t"))]

    def render(self, value: Any, indent: str, *, wide: bool) -> str:
        """The value as JSON; over several lines if it is wide, with `indent` before each."""
        line = json.dumps(value, ensure_ascii=False, allow_nan=False)
        short_list = isinstance(value, list) and len(indent) + len(line) <= _LONGEST_LINE
        if not wide or short_list:
            return line
        broken = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=self.unit)
        return broken.replace("\n", self.newline + indent)

    def insert_member(self, parent: Node, key: str, value: Any) -> str:
        """The text with a new member at the end of an object."""
        assert parent.members is not None
        name = json.dumps(key, ensure_ascii=False)
        if not parent.members:
            indent = self.indent_at(parent.start) + self.unit
            member = f"{name}: {self.render(value, indent, wide=True)}"
            return self._fill(parent, member, indent)
        first, last = parent.members[0], parent.members[-1]
        wide = "\n" in self.text[parent.start : first.start]
        indent = self.indent_at(first.start)
        member = f"{name}: {self.render(value, indent, wide=wide)}"
        return self._put_after(last.node.end, member, indent if wide else None)

    def insert_item(self, parent: Node, item: Any) -> str:
        """The text with a new item at the end of a list."""
        assert parent.items is not None
        if not parent.items:
            new = self.render([item], self.indent_at(parent.start), wide=False)
            return self.text[: parent.start] + new + self.text[parent.end :]
        last = parent.items[-1]
        wide = "\n" in self.text[parent.start : parent.items[0].start]
        indent = self.indent_at(last.start)
        return self._put_after(
            last.end, self.render(item, indent, wide=wide), indent if wide else None
        )

    def _fill(self, parent: Node, member: str, indent: str) -> str:
        closing = self.newline + self.indent_at(parent.start)
        filled = "{" + self.newline + indent + member + closing + "}"
        return self.text[: parent.start] + filled + self.text[parent.end :]

    def _put_after(self, end: int, new: str, indent: str | None) -> str:
        before = ", " if indent is None else f",{self.newline}{indent}"
        return self.text[:end] + before + new + self.text[end:]
