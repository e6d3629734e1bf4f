"""YAML to values, with the line of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from turnloop_core.api import SettingsError

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Where things stand in a file."""

    known: dict[Place, int]

    def line(self, *place: str | int) -> int:
        """Line of the value at this place, or of the nearest thing around it that has one."""
        for length in range(len(place), -1, -1):
            if place[:length] in self.known:
                return self.known[place[:length]]
        return 1


def read_yaml(text: str, path: Path) -> tuple[Any, Lines]:
    """The one document of `text`.

    Raises:
        SettingsError: it is no YAML, or gives a key twice; names file and line.
    """
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        known: dict[Place, int] = {}
        if node is not None:
            _note(node, (), known, set(), path)
        return (None if node is None else loader.construct_document(node)), Lines(known)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        where = str(path) if mark is None else f"{path}:{mark.line + 1}"
        raise SettingsError(
            f"is no YAML: {what}", where=where, hint="quote texts that hold `: ` or begin with `-`"
        ) from None
    except (ValueError, RecursionError) as error:  # a date that does not exist, nesting
        raise SettingsError(f"cannot be read: {error}", where=str(path)) from None
    finally:
        loader.dispose()


def _note(
    node: yaml.Node, place: Place, known: dict[Place, int], met: set[int], path: Path
) -> None:
    known.setdefault(place, node.start_mark.line + 1)
    if id(node) in met:  # an alias: what it stands for was noted
        return
    met.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note(item, (*place, index), known, met, path)
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                where = f"{path}:{key.start_mark.line + 1}"
                raise SettingsError(f"the key {name!r} is there twice", where=where)
            seen.add(name)
            known[(*place, name)] = key.start_mark.line + 1
            _note(value, (*place, name), known, met, path)
