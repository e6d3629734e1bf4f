"""One call, judged by the rules that hold here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from turnloop_core.errors import UsageError
from turnloop_core.frontend.commands.permissions_calls import Answer, Tools, judge
from turnloop_core.frontend.commands.permissions_setup import builder_for, engine_for, options_for
from turnloop_core.frontend.commands.permissions_startup import is_startup, judge_startup
from turnloop_core.frontend.options import Top
from turnloop_core.permissions.engine import Engine
from turnloop_core.types.json_text import parse_json


def judge_single(
    top: Top, tool: str, arguments: str | None, given: Mapping[str, Any]
) -> tuple[Answer, Engine]:
    """What would be decided of a call, and the engine that says so.

    Args:
        top: the options of `tl` itself.
        tool: name of the tool.
        arguments: as JSON.
        given: the options of the command.

    Raises:
        UsageError: the arguments are no JSON object, a rule is none, a folder is not there.
    """
    rules = {kind: tuple(given.get(kind) or ()) for kind in ("allow", "deny", "ask")}
    options = options_for(top, rules, given.get("mode"), given.get("cwd"), given.get("home"))
    builder = builder_for(options)
    engine = engine_for(builder, only=bool(given.get("only")))
    tools = Tools(builder)
    values = _object(tools, tool, arguments)
    if is_startup(tool):
        return judge_startup(tool, values, engine.scope), engine
    return judge(tools, engine, tool, values), engine


def _object(tools: Tools, tool: str, text: str | None) -> dict[str, Any]:
    if text is None:
        if tool.startswith("mcp__"):
            return {}
        raise UsageError(f"the arguments of {tool} are missing", hint=_example(tools, tool, "..."))
    try:
        value = parse_json(text)
    except ValueError as error:
        raise UsageError(f"ARGS_JSON: {error}", hint=_example(tools, tool, text)) from None
    if not isinstance(value, dict):
        raise UsageError("ARGS_JSON: not a JSON object", hint=_example(tools, tool, text))
    return value


def _example(tools: Tools, tool: str, text: str) -> str:
    offered = tools.find(tool)
    fields = getattr(offered.tool.arguments, "model_fields", {}) if offered else {}
    name = next(iter(fields), "name")
    return f"write for example: tl permissions check {tool} '{json.dumps({name: text})}'"
