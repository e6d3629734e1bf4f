"""Start-up actions, written as calls of `@hook`, `@mcp_start` and the like.

They are no tools: it is what a project would have the program do by itself, before anybody asked
for anything. No rule and no mode speaks of them: trust in the folder and consent to the content do.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, get_args

from turnloop_core.config.startup import StartUpAction, StartUpKind, decide
from turnloop_core.config.trust_store import TrustStore
from turnloop_core.errors import UnknownNameError, UsageError
from turnloop_core.frontend.commands.permissions_calls import Answer
from turnloop_core.permissions.text import printable
from turnloop_core.ports.tool import Scope
from turnloop_core.registry import did_you_mean
from turnloop_core.types.subjects import Decision, Subject, SubjectKind

MARK = "@"
_KINDS: Mapping[str, StartUpKind] = MappingProxyType(
    {f"{MARK}{kind}": kind for kind in get_args(StartUpKind)}
)
_NAMED_BY = ("name", "server", "event", "key", "path")
_CONTENT = ("command", "value", "argv", "path")
_APPROVED = "approved_command"


def is_startup(tool: str) -> bool:
    """Whether a name means something that the program does at its start, not a tool."""
    return tool.startswith(MARK)


def judge_startup(tool: str, arguments: Mapping[str, Any], scope: Scope) -> Answer:
    """What would be decided of it in the folder `scope.root`.

    Args:
        tool: `@` and the kind of the action.
        arguments: its name (`name`, `server`, `event`, `key` or `path`), its content (`command`,
            `value`, `argv` or `path`) and its `origin`, which is `project` where none is given. Of
            trust beyond what the user's own file says: `approved_command`, the content at the time
            of consent, and `changed_since_trust`.
        scope: the folder, and the home whose trust counts.

    Raises:
        UnknownNameError: there is no such kind.
        UsageError: the origin is no text.
        SettingsError: the file of trusted folders cannot be read.
    """
    if tool not in _KINDS:
        hint = did_you_mean(tool, sorted(_KINDS))
        raise UnknownNameError(f"no start-up action is called {printable(tool)}", hint=hint)
    name = _first(arguments, _NAMED_BY, "")
    origin = arguments.get("origin", "project")
    if not isinstance(origin, str):
        raise UsageError("origin: not a text", hint='write "origin": "project"')
    action = StartUpAction(_KINDS[tool], str(name), _first(arguments, _CONTENT, None), origin)
    trusted, approved, saved = _consent(action, arguments, scope)
    verdict, reason = decide(action, trusted=trusted, approved=approved, saved=saved)
    subject = Subject(SubjectKind.TOOL, action.label, display=printable(action.label))
    return Answer(tool, Decision(verdict, reason, subjects=(subject,)))


def _first(arguments: Mapping[str, Any], names: tuple[str, ...], otherwise: Any) -> Any:
    return next((arguments[name] for name in names if name in arguments), otherwise)


def _consent(
    action: StartUpAction, arguments: Mapping[str, Any], scope: Scope
) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Whether the folder is trusted, what was approved there, and what was saved there."""
    trust = TrustStore(scope.home).of(scope.root)
    if arguments.get("changed_since_trust"):
        return trust.trusted, frozenset(), frozenset()
    approved, saved = frozenset((trust.approved or {}).values()), frozenset(trust.saved.values())
    if _APPROVED not in arguments:
        return trust.trusted, approved, saved
    then = StartUpAction(action.kind, action.name, arguments[_APPROVED], action.origin)
    # Who consented to just this, in this folder, trusted it.
    return trust.trusted or then.digest == action.digest, approved | {then.digest}, saved
