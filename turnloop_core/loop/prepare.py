"""From a call as the model wrote it to one that was understood and judged, but has not run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from turnloop_core.errors import TurnloopError
from turnloop_core.loop import arguments as args_of
from turnloop_core.loop.parts import Offered, Parts
from turnloop_core.types.content import Call
from turnloop_core.types.results import ErrorKind, Refusal
from turnloop_core.types.subjects import Decision, PermissionMode, Subject, Verdict
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
    known = call if call.name == name else replace(call, name=name)
    parsed = args_of.parse(name, call.arguments)
    if isinstance(parsed, Refusal):
        return parsed
    args = args_of.validate(offered, parsed)
    if isinstance(args, Refusal):
        return args
    said = await parts.interceptors.before_call(known, parsed)
    if said.deny:
        return Refusal(ErrorKind.DENIED, f"{name} was not run: {said.deny}")
    if said.arguments is not None:
        args = args_of.validate(offered, said.arguments)
        if isinstance(args, Refusal):
            return args
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
        return Refusal(ErrorKind.TOOL_ERROR, f"{name} was not run: {error.for_model}")
    except Exception as error:  # a foreign tool may raise anything, and name anything
        return Refusal(
            ErrorKind.EXCEPTION,
            f"{name} was not run: what it would touch could not be found out "
            f"({type(error).__name__}: {error}). Try other arguments.",
        )
    return subjects, decision


async def consent(parts: Parts, ready: Ready) -> Refusal | str:
    """Why a prepared call must not run; or by what it may: a rule, a mode, or `user`."""
    name, decision = ready.offered.entry.name, ready.decision
    if ready.asks:  # an answer given meanwhile, or another mode, may have settled it
        read_only = ready.offered.entry.read_only
        decision = parts.gate.decide(name, ready.subjects, read_only=read_only)
    match decision.verdict:
        case Verdict.ALLOW:
            return decision.rule or f"mode {parts.gate.mode}"
        case Verdict.DENY:
            advice = (
                "This is plan mode: say what you would do, and leave it to the user to switch."
                if parts.gate.mode is PermissionMode.PLAN and not decision.rule
                else "Do not try the same in another form; do it in an allowed way, or say what "
                "you would need."
            )
            told = f"{name} was not run: {decision.reason}. {advice}"
            return Refusal(ErrorKind.DENIED, told, f"not run: {decision.reason}")
    refused = await parts.gate.consent(name, ready.summary, decision, ready.subjects)
    return BY_USER if refused is None else refused


def _summary(name: str, subjects: tuple[Subject, ...], arguments: dict[str, Any]) -> str:
    """One line for the user: what the call touches, or its first argument."""
    shown = ", ".join(dict.fromkeys(s.display for s in subjects if s.display))
    if not shown:
        shown = next((v for v in arguments.values() if isinstance(v, str)), "")
    line = " ".join(shown.split())
    more = "..." if len(line) > SUMMARY_CHARS else ""
    return f"{name}({line[:SUMMARY_CHARS]}{more})"
