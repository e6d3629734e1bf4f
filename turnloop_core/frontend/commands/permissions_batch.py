"""Many calls judged in one process: a JSON object a line in, one a line out, in order."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from turnloop_core.building import Builder
from turnloop_core.errors import TurnloopError, UsageError
from turnloop_core.frontend.commands.permissions_calls import Answer, Tools, judge
from turnloop_core.frontend.commands.permissions_startup import is_startup, judge_startup
from turnloop_core.nearest import best
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.rules import Rules, parse_rule
from turnloop_core.ports.tool import Scope
from turnloop_core.types.json_text import parse_json
from turnloop_core.types.subjects import PermissionMode
from turnloop_core.values import dataclass

ENGINES = 256  # kept: lines with the same rules mostly follow one another
_KINDS = ("allow", "deny", "ask")
_NAMES = ("id", "mode", "rules", "tool", "args", "cwd", "home")
_MODES = ", ".join(PermissionMode)

RuleTexts = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Line:
    """One line, understood.

    Attributes:
        id: as given, the number of the line where none was.
        tool: name of the tool.
        args: its arguments.
        mode: the permission mode.
        rules: the rules to allow, to deny and to ask, as text.
        scope: cwd, which is the project too, and home.
    """

    id: Any
    tool: str
    args: Mapping[str, Any]
    mode: PermissionMode
    rules: RuleTexts
    scope: Scope


class Batch:
    """Judges lines. Tools are made once, engines are kept while they are asked for.

    An engine looks at the links in the fixed part of its patterns when it is made, as that of a
    session does: it does not see a link that is changed afterwards.

    Args:
        builder: makes the tools. Of its settings no rule counts, and no mode.
    """

    def __init__(self, builder: Builder) -> None:
        self._tools = Tools(builder)
        self._scope = builder.environment.scope
        self._engine = lru_cache(ENGINES)(make_engine)

    def answers(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """One answer for each line that is not blank; what is wrong with a line is its answer."""
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield self._answered(line, number)

    def _answered(self, line: bytes, number: int) -> dict[str, Any]:
        given: Any = None
        try:
            given = _parsed(line)
            understood = understand(given, number, self._scope)
            return as_line(understood.id, self.judge(understood))
        except TurnloopError as error:
            name = given.get("id", number) if isinstance(given, dict) else number
            return {"id": name, "line": number, "error": str(error), "hint": error.hint}

    def judge(self, line: Line) -> Answer:
        """What would be decided.

        Raises:
            SettingsError: a rule of the line cannot be read.
            PluginError: the tool cannot be made.
        """
        engine = self._engine(line.mode, line.rules, line.scope)
        if is_startup(line.tool):
            return judge_startup(line.tool, line.args, line.scope)
        return judge(self._tools, engine, line.tool, line.args)


def make_engine(mode: PermissionMode, rules: RuleTexts, scope: Scope) -> Engine:
    """An engine with these rules and no others.

    Raises:
        SettingsError: a rule cannot be read.
    """
    lists = {
        kind: tuple(parse_rule(text, f"rules.{kind}") for text in texts)
        for kind, texts in zip(_KINDS, rules, strict=True)
    }
    return Engine(Rules(**lists), mode, scope)


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line.decode("utf-8"))
    except ValueError as error:
        raise UsageError(f"no JSON: {error}", hint="write one JSON object on one line") from None


def understand(given: Any, number: int, here: Scope) -> Line:
    """A line, with what it leaves out filled in.

    Args:
        given: the JSON value.
        number: of the line, from 1.
        here: whose cwd and home hold where the line names none.

    Raises:
        UsageError: something in it is wrong; says what, and what would be right.
    """
    if not isinstance(given, dict):
        raise UsageError("a line is one JSON object", hint='write {"tool": ..., "args": ...}')
    _refuse_misspelt(given, _NAMES)
    tool, args, mode = given.get("tool"), given.get("args", {}), given.get("mode", "default")
    if not isinstance(tool, str) or not tool:
        raise UsageError("tool: the name of a tool is missing", hint='write "tool": "Bash"')
    if not isinstance(args, dict):
        raise UsageError("args: not a JSON object", hint='write "args": {...}')
    if mode not in tuple(PermissionMode):
        raise UsageError(f"mode: there is no mode {mode!r}", hint=f"there are: {_MODES}")
    cwd = _folder(given.get("cwd", str(here.cwd)), "cwd", here)
    home = _folder(given.get("home", str(here.home)), "home", here)
    rules = _rules(given.get("rules", {}))
    return Line(
        given.get("id", number), tool, args, PermissionMode(mode), rules, Scope(cwd, cwd, home)
    )


def _refuse_misspelt(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Lines may say more for their readers, but rules that are misspelt must not be silent."""
    for name in given.keys() - set(known):
        if near := best(name, known, cutoff=0.75):
            raise UsageError(f"{name} means nothing here", hint=f"did you mean {near}?")


def _rules(given: Any) -> RuleTexts:
    if not isinstance(given, dict) or given.keys() - set(_KINDS):
        raise UsageError(
            "rules: not an object of allow, deny and ask", hint='write {"deny": ["Bash(rm *)"]}'
        )
    lists = [given.get(kind, []) for kind in _KINDS]
    for kind, texts in zip(_KINDS, lists, strict=True):
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UsageError(f"rules.{kind}: not a list of texts", hint=f'write "{kind}": [...]')
    allow, deny, ask = (tuple(texts) for texts in lists)
    return allow, deny, ask


def _folder(given: Any, name: str, here: Scope) -> Path:
    """The real path of a folder, found as a start of the program finds it."""
    path = os.path.join(here.cwd, given) if isinstance(given, str) and given else ""  # noqa: PTH118
    real = os.path.realpath(path) if path and "\0" not in path else ""
    if not real or not os.path.isdir(real):  # noqa: PTH112 - once for every line
        raise UsageError(f"{name}: there is no folder {given!r}", hint="name one that exists")
    return Path(real)


def as_line(name: Any, answer: Answer) -> dict[str, Any]:
    """An answer as the values of its line."""
    decision = answer.decision
    return {
        "id": name,
        "decision": decision.verdict.value,
        "rule": decision.rule,
        "reason": decision.reason,
        "subjects": [
            {"kind": s.kind.value, "form": s.narrow, "decision": part.verdict.value}
            for part in answer.parts
            for s in part.subjects
        ],
    }


def encode(values: Mapping[str, Any]) -> str:
    """One line of ASCII."""
    return json.dumps(values, ensure_ascii=True) + "\n"
