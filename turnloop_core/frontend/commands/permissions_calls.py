"""A call judged without being run: tools are made, asked what they would touch, and let go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from turnloop_core.building import Builder
from turnloop_core.errors import TurnloopError
from turnloop_core.frontend.commands.permissions_arguments import fields_of, fit
from turnloop_core.frontend.commands.permissions_facts import apply, take_out
from turnloop_core.loop.parts import Offered
from turnloop_core.permissions.engine import Engine
from turnloop_core.permissions.text import printable
from turnloop_core.ports.tool import Scope
from turnloop_core.registry import did_you_mean
from turnloop_core.types.subjects import Decision, Subject, SubjectKind, Verdict
from turnloop_core.values import dataclass

_MCP = "mcp__"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is decided of a call.

    Attributes:
        tool: the tool's own name.
        decision: what the engine says, and no less than a question where there are doubts.
        doubts: why the call would not run as it stands, in words.
    """

    tool: str
    decision: Decision
    doubts: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Decision, ...]:
        """What was decided of each subject."""
        return self.decision.parts or (self.decision,)


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of the plugins, each made once, when it is first asked about."""

    builder: Builder
    _made: dict[str, Offered] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return self.builder.environment.plugins.registries.tools.names

    def find(self, name: str) -> Offered | None:
        """The tool of that name; one that differs only in case counts, as it does in a session.

        Raises:
            PluginError: it cannot be made.
        """
        registry = self.builder.environment.plugins.registries.tools
        if name not in registry:
            folded = {known.casefold(): known for known in registry.names}
            name = folded.get(name.strip().casefold(), "")
        if not name:
            return None
        if name not in self._made:
            entry = registry.get(name)
            self._made[name] = Offered(entry, self.builder.make(registry, entry))
        return self._made[name]


def judge(tools: Tools, engine: Engine, name: str, arguments: Mapping[str, Any]) -> Answer:
    """What would be decided of a call. Nothing runs, no name is resolved.

    Raises:
        PluginError: the tool cannot be made.
    """
    if name.startswith(_MCP) and "__" in name[len(_MCP) :]:
        subject = Subject(SubjectKind.MCP, name[len(_MCP) :], display=printable(name))
        return Answer(name, engine.decide(name, (subject,), read_only=False))
    offered = tools.find(name)
    if offered is None:
        doubt = f"no tool is called {printable(name)} ({did_you_mean(name, tools.names)})"
        return _answer(name, engine.decide(name, (), read_only=False), (doubt,))
    subjects, doubts = _touched(offered, arguments, engine.scope)
    entry = offered.entry
    decision = engine.decide(entry.name, subjects, read_only=entry.read_only)
    return _answer(entry.name, decision, doubts)


def _touched(
    offered: Offered, arguments: Mapping[str, Any], scope: Scope
) -> tuple[tuple[Subject, ...], tuple[str, ...]]:
    """What a call would touch, and why it would not run as it stands."""
    model = offered.tool.arguments
    facts, rest = take_out(arguments, fields_of(model))
    fitted = fit(model, rest)
    misfits = tuple(f"the arguments do not fit: {said}" for said in fitted.misfits)
    unknown = "the arguments do not say what it would touch"
    try:
        named = tuple(offered.tool.subjects(fitted.value, scope))
    except TurnloopError as error:
        return (), (*misfits, error.for_model)
    except Exception:  # noqa: BLE001 - what is left out may be just what a tool looks at
        return (), misfits or (unknown,)
    subjects, doubts = apply(facts, named)
    return subjects, (*misfits, *doubts)


def _answer(tool: str, decision: Decision, doubts: tuple[str, ...]) -> Answer:
    if not doubts:
        return Answer(tool, decision)
    told = "; ".join(doubts)
    if decision.verdict is Verdict.ALLOW:
        reason = f"{told}; such a call is not allowed whatever the rules say"
        return Answer(
            tool, replace(decision, verdict=Verdict.ASK, reason=reason, rule="", source=""), doubts
        )
    said = (decision.reason, told) if decision.verdict is Verdict.DENY else (told, decision.reason)
    return Answer(tool, replace(decision, reason="; ".join(said)), doubts)
