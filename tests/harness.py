"""A whole session over scripted parts: real settings, real log, real gate, real dispatch."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import anyio
from pydantic import BaseModel, ConfigDict

from turnloop_core.app import RunOutcome, Session, SessionOptions, load_environment, open_session
from turnloop_core.context import ProviderOptions
from turnloop_core.hookspecs import hookimpl
from turnloop_core.plugins import Found
from turnloop_core.ports.approver import Approver
from turnloop_core.ports.tool import CallContext, Descriptions, Scope
from turnloop_core.registry import FactoryEntry, ProviderEntry, SettingsEntry, ToolEntry
from turnloop_core.testing.fakes import RecordingObserver, ScriptedApprover, ScriptedProvider
from turnloop_core.testing.project import Project
from turnloop_core.types.results import Result
from turnloop_core.types.subjects import Subject, SubjectKind

MODULE = "turnloop_harness_plugin"


class Say(BaseModel):
    """Arguments of the test tools."""

    model_config = ConfigDict(extra="forbid")

    text: str
    times: int = 1


@dataclass
class FakeTool:
    """A tool whose behaviour is a function; it keeps the arguments that it ran with."""

    name: str = "Say"
    behaviour: Callable[[Say, CallContext], Any] = lambda args, context: Result.say(args.text)
    subject: SubjectKind | None = None
    read_only: bool = True
    parallel_safe: bool = False
    bulk_args: tuple[str, ...] = ()
    ran: list[Say] = field(default_factory=list)
    arguments: type[BaseModel] = Say
    descriptions: Descriptions = field(
        default_factory=lambda: Descriptions("Says.", "Says a text.", "Says a text back to you.")
    )

    def subjects(self, args: Say, scope: Scope) -> Sequence[Subject]:
        if self.subject is None:
            return ()
        return (Subject(self.subject, args.text, (args.text,), args.text, dynamic=True),)

    async def run(self, args: Say, context: CallContext) -> Result:
        self.ran.append(args)
        result = self.behaviour(args, context)
        if hasattr(result, "__await__"):
            result = await result
        return result  # type: ignore[no-any-return]


@dataclass
class Opened:
    """What a test works with."""

    session: Session
    provider: ScriptedProvider
    observer: RecordingObserver
    approver: ScriptedApprover


def plugin(
    provider: Any,
    tools: Sequence[FakeTool],
    more: Mapping[str, Sequence[Any]],
) -> Callable[[], list[Found]]:
    """Make the plugin module and give its discovery.

    Args:
        provider: the provider that is used.
        tools: its tools.
        more: `judges`, `interceptors`, `observers`, `compactors`, `permission_checks` -> objects.
    """
    module = ModuleType(MODULE)
    module.Options = ProviderOptions  # type: ignore[attr-defined]
    module.make_provider = lambda context: provider  # type: ignore[attr-defined]

    @hookimpl
    def register_providers(registrar: Any) -> None:
        kind = ProviderEntry(
            "scripted",
            f"{MODULE}:make_provider",
            f"{MODULE}:Options",
            {"scripted": {"model": "scripted-1"}},
        )
        registrar.add(kind)

    @hookimpl
    def register_settings(registrar: Any) -> None:
        registrar.add(SettingsEntry("defaults", defaults={"provider": "scripted"}))

    @hookimpl
    def register_tools(registrar: Any) -> None:
        for tool in tools:
            attribute = f"make_tool_{tool.name}"
            setattr(module, attribute, lambda context, tool=tool: tool)
            registrar.add(
                ToolEntry(
                    tool.name,
                    f"{MODULE}:{attribute}",
                    tool.read_only,
                    tool.parallel_safe,
                    tool.bulk_args,
                    in_plan=getattr(tool, "in_plan", False),
                )
            )

    for function in (register_providers, register_settings, register_tools):
        setattr(module, function.__name__, function)
    for what, members in more.items():
        setattr(module, f"register_{what}", _registers(module, what, members))
    sys.modules[MODULE] = module
    return lambda: [Found("harness", MODULE, "harness", "1")]


def _registers(module: ModuleType, what: str, members: Sequence[Any]) -> Any:
    def register(registrar: Any) -> None:
        for member in members:
            attribute = f"make_{what}_{member.name}"
            setattr(module, attribute, lambda context, member=member: member)
            registrar.add(FactoryEntry(member.name, f"{MODULE}:{attribute}"))

    register.__name__ = f"register_{what}"
    return hookimpl(register)


@asynccontextmanager
async def opened(
    project: Project,
    *replies: Any,
    tools: Sequence[FakeTool] = (),
    approver: ScriptedApprover | None = None,
    scripted: ScriptedProvider | None = None,
    more: Mapping[str, Sequence[Any]] | None = None,
    **options: Any,
) -> AsyncIterator[Opened]:
    """A session over a scripted provider, in a real project folder."""
    provider = scripted or ScriptedProvider(*replies)
    approver = approver or ScriptedApprover(interactive=False)
    observer = RecordingObserver()
    variables = project.environment | options.pop("variables", {})
    chosen = SessionOptions(project.root, project.home, variables, **options)
    environment = load_environment(chosen, plugin(provider, tools, more or {}))
    asked: Approver = approver
    async with open_session(
        chosen, approver=asked, subscribers=(observer,), environment=environment
    ) as session:
        yield Opened(session, provider, observer, approver)


def run(function: Callable[[], Any]) -> None:
    """Run an async test, within a bound."""

    async def bounded() -> None:
        with anyio.fail_after(30):
            await function()

    anyio.run(bounded)


async def interrupted(o: Opened, reached: Callable[[], Any], prompt: str = "go") -> RunOutcome:
    """Run a prompt, and interrupt the run as soon as `reached` has returned."""

    async def interrupt() -> None:
        await reached()
        o.session.interrupt()

    async with anyio.create_task_group() as group:
        group.start_soon(interrupt)
        return await o.session.run(prompt)
