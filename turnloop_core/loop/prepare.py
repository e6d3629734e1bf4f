"""From a call as the model wrote it to one that was understood and judged, but has not run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from turnloop_core.errors import TurnloopError
from turnloop_core.loop import arguments as args_of, denials
from turnloop_core.loop.consent import ConsentNeeded
from turnloop_core.loop.parts import Offered, Parts
from turnloop_core.permissions.engine import Engine
from turnloop_core.types.content import Call
from turnloop_core.types.results import ErrorKind, Refusal
from turnloop_core.types.subjects import (
    READING,
    Decision,
    PermissionMode,
    Subject,
    SubjectKind,
    Verdict,
)
from turnloop_core.values import dataclass

SUMMARY_CHARS = 200
BY_USER = "user"  # by whom a call may run that was asked about


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that was understood and judged.

    Attributes:
        offered: the tool.
        call: the call, under the tool's own name.
        args: the arguments as the tool's own model.
        subjects: what it touches.
        decision: what the engine says.
        engine: the engine that said it, with the rules and the mode of that moment.
        summary: one line for the user.
        replaced: the arguments that an interceptor put in place, None when none did.
        corrected: the model wrote the name in another case.
        add_text: what interceptors want the model to read in addition.
    """

    offered: Offered
    call: Call
    args: Any
    subjects: tuple[Subject, ...]
    decision: Decision
    engine: Engine
    summary: str
    replaced: dict[str, Any] | None = None
    corrected: bool = False
    add_text: str = ""

    @property
    def asks(self) -> bool:
        return self.decision.verdict is Verdict.ASK


Prepared = Ready | Refusal


async def prepare(parts: Parts, call: Call) -> Prepared:
    """Understand a call and judge it. Asks nobody, and runs nothing of the tool but `subjects`."""
    offered, corrected = parts.tools.find(call.name)
    if offered is None:
        return args_of.unknown_tool(call.name, parts.tools)
    name = offered.entry.name
    if parts.gate.mode is PermissionMode.PLAN and not offered.entry.offered_in_plan:
        return denials.not_run(name, denials.not_offered())
    known = call if call.name == name else replace(call, name=name)
    parsed = args_of.parse(name, call.arguments)
    if isinstance(parsed, Refusal):
        return parsed
    args = args_of.validate(offered, parsed)
    if isinstance(args, Refusal):
        return args
    said = await parts.interceptors.before_call(known, parsed)
    if said.deny:
        return denials.not_run(name, Refusal(ErrorKind.DENIED, said.deny))
    if said.arguments is not None:
        args = args_of.validate(offered, said.arguments)
        if isinstance(args, Refusal):
            return args
    engine = parts.gate.engine
    judged = _judge(parts, offered, args)
    if isinstance(judged, Refusal):
        return judged
    subjects, decision = judged
    return Ready(
        offered,
        known,
        args,
        subjects,
        decision,
        engine,
        parts.mask(_summary(name, subjects, said.arguments or parsed)),
        said.arguments,
        corrected,
        said.add_text,
    )


def _judge(
    parts: Parts, offered: Offered, args: Any
) -> tuple[tuple[Subject, ...], Decision] | Refusal:
    """What the call touches, and what the engine says of it."""
    name = offered.entry.name
    try:
        subjects = tuple(offered.tool.subjects(args, parts.bench.scope))
        decision = parts.gate.decide(name, subjects, read_only=offered.entry.read_only)
    except TurnloopError as error:
        return denials.not_run(name, Refusal(ErrorKind.TOOL_ERROR, error.for_model))
    except Exception as error:  # a foreign tool may raise anything, and name anything
        why = f"what it would touch could not be found out ({type(error).__name__}: {error})"
        return denials.not_run(name, Refusal(ErrorKind.EXCEPTION, f"{why}. Try other arguments."))
    return subjects, decision


async def consent(parts: Parts, ready: Ready) -> Refusal | str:
    """Why a prepared call must not run; or by what it may: a rule, a mode, or `user`.

    Called right before it runs. Whatever came between (an answer given to another call, another
    mode) is looked at here, and plan mode once more by itself, whatever the engine said.
    """
    allowed_by = await _allowed(parts, ready)
    if isinstance(allowed_by, Refusal) or parts.gate.mode is not PermissionMode.PLAN:
        return allowed_by
    entry = ready.offered.entry
    if not entry.offered_in_plan:
        return denials.not_run(entry.name, denials.not_offered())
    if entry.read_only or changes_nothing(ready.subjects):
        return allowed_by
    return denials.not_run(entry.name, denials.not_proved())


def changes_nothing(subjects: tuple[Subject, ...]) -> bool:
    """Whether a call that names these is proved to change nothing, though its tool may."""
    return any(map(_proved, subjects)) and all(_proved(s) or s.kind in READING for s in subjects)


def _proved(subject: Subject) -> bool:
    return subject.inert or (subject.read_only and not subject.dynamic)


async def _allowed(parts: Parts, ready: Ready) -> Refusal | str:
    """What the rules, the mode and the user say of it now."""
    gate, entry, decision = parts.gate, ready.offered.entry, ready.decision
    if gate.engine is not ready.engine:
        decision = gate.decide(entry.name, ready.subjects, read_only=entry.read_only)
    match decision.verdict:
        case Verdict.ALLOW:
            return _settled_by(decision, gate.mode)
        case Verdict.DENY:
            return denials.not_run(entry.name, denials.denied(decision, gate.mode))
    needed = ConsentNeeded(
        entry.name,
        ready.summary,
        decision,
        ready.subjects,
        entry.read_only,
        _preview(parts, ready, decision),
    )
    match await gate.question(needed):
        case Refusal() as refused:
            return denials.not_run(entry.name, refused)
        case Decision() as settled:
            return _settled_by(settled, gate.mode)
        case None:
            return BY_USER


def _settled_by(decision: Decision, mode: PermissionMode) -> str:
    return decision.rule or f"mode {mode}"


def _preview(parts: Parts, ready: Ready, decision: Decision) -> Callable[[], str] | None:
    """A look at what the call would write, or at the arguments where nothing else tells of them."""
    tool = ready.offered.tool
    look: Callable[[Any, Any], str] | None = getattr(tool, "preview", None)

    def preview() -> str:
        try:
            text = look(ready.args, parts.bench.scope) if look is not None else ""
        except Exception:  # foreign code; a question without a preview is one all the same
            return ""
        return text if isinstance(text, str) else ""

    if any(s.kind in (SubjectKind.MCP, SubjectKind.TOOL) for s in decision.subjects):
        return lambda: preview() or _arguments(ready)
    return preview if look is not None else None


def _arguments(ready: Ready) -> str:
    """The arguments as the model wrote them, or as an interceptor left them."""
    given = ready.replaced
    if given is None:
        parsed = args_of.parse(ready.call.name, ready.call.arguments)
        given = {} if isinstance(parsed, Refusal) else parsed
    return json.dumps(given, ensure_ascii=False, indent=2) if given else ""


def _summary(name: str, subjects: tuple[Subject, ...], arguments: dict[str, Any]) -> str:
    """One line for the user: the command line, what the call touches, or its first argument."""
    shown = _command_line(subjects)
    shown = shown or ", ".join(dict.fromkeys(s.display for s in subjects if s.display))
    if not shown:
        shown = next((v for v in arguments.values() if isinstance(v, str)), "")
    line = " ".join(shown.split())
    more = "..." if len(line) > SUMMARY_CHARS else ""
    return f"{name}({line[:SUMMARY_CHARS]}{more})"


def _command_line(subjects: tuple[Subject, ...]) -> str:
    """The line that all commands stand in, as the model wrote it; "" where they name none."""
    found = {s.exact[-1:] for s in subjects if s.kind is SubjectKind.COMMAND}
    whole = found.pop() if len(found) == 1 else ()
    # The end of a line ends a command: it must not look like a blank within one.
    return "\\n".join(line for text in whole for line in text.strip().splitlines())
