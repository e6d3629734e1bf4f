"""The one module that plugins import.

Names are imported when they are first used, so that a `plugin.py` that only registers stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnloop_core.context import (
        FactoryContext as FactoryContext,
    )
    from turnloop_core.context import (
        ProviderOptions as ProviderOptions,
    )
    from turnloop_core.context import (
        SectionContext as SectionContext,
    )
    from turnloop_core.errors import (
        AuthError as AuthError,
    )
    from turnloop_core.errors import (
        BadReplyError as BadReplyError,
    )
    from turnloop_core.errors import (
        ClashError as ClashError,
    )
    from turnloop_core.errors import (
        ColdBootError as ColdBootError,
    )
    from turnloop_core.errors import (
        ContextOverflowError as ContextOverflowError,
    )
    from turnloop_core.errors import (
        LogError as LogError,
    )
    from turnloop_core.errors import (
        PathChangedError as PathChangedError,
    )
    from turnloop_core.errors import (
        PluginError as PluginError,
    )
    from turnloop_core.errors import (
        ProviderError as ProviderError,
    )
    from turnloop_core.errors import (
        QuotaExhaustedError as QuotaExhaustedError,
    )
    from turnloop_core.errors import (
        RequestRefusedError as RequestRefusedError,
    )
    from turnloop_core.errors import (
        RetryableError as RetryableError,
    )
    from turnloop_core.errors import (
        SessionLockedError as SessionLockedError,
    )
    from turnloop_core.errors import (
        SettingsError as SettingsError,
    )
    from turnloop_core.errors import (
        StreamCutError as StreamCutError,
    )
    from turnloop_core.errors import (
        TurnloopError as TurnloopError,
    )
    from turnloop_core.errors import (
        UnknownNameError as UnknownNameError,
    )
    from turnloop_core.errors import (
        UnreachableError as UnreachableError,
    )
    from turnloop_core.errors import (
        UsageError as UsageError,
    )
    from turnloop_core.hookspecs import (
        API_VERSION as API_VERSION,
    )
    from turnloop_core.hookspecs import (
        hookimpl as hookimpl,
    )
    from turnloop_core.hookspecs import (
        hookspec as hookspec,
    )
    from turnloop_core.ports.approver import (
        Approver as Approver,
    )
    from turnloop_core.ports.approver import (
        PermissionAnswer as PermissionAnswer,
    )
    from turnloop_core.ports.approver import (
        PermissionQuestion as PermissionQuestion,
    )
    from turnloop_core.ports.approver import (
        UserQuestion as UserQuestion,
    )
    from turnloop_core.ports.compactor import (
        Budget as Budget,
    )
    from turnloop_core.ports.compactor import (
        Compactor as Compactor,
    )
    from turnloop_core.ports.compactor import (
        Plan as Plan,
    )
    from turnloop_core.ports.compactor import (
        SummaryRequest as SummaryRequest,
    )
    from turnloop_core.ports.grader import (
        Grade as Grade,
    )
    from turnloop_core.ports.grader import (
        Grader as Grader,
    )
    from turnloop_core.ports.grader import (
        Grading as Grading,
    )
    from turnloop_core.ports.interceptor import (
        Interceptor as Interceptor,
    )
    from turnloop_core.ports.interceptor import (
        Intervention as Intervention,
    )
    from turnloop_core.ports.judge import (
        AttemptRecord as AttemptRecord,
    )
    from turnloop_core.ports.judge import (
        Done as Done,
    )
    from turnloop_core.ports.judge import (
        Go as Go,
    )
    from turnloop_core.ports.judge import (
        Halt as Halt,
    )
    from turnloop_core.ports.judge import (
        Judge as Judge,
    )
    from turnloop_core.ports.judge import (
        Judgement as Judgement,
    )
    from turnloop_core.ports.judge import (
        Nudge as Nudge,
    )
    from turnloop_core.ports.judge import (
        RunSoFar as RunSoFar,
    )
    from turnloop_core.ports.observer import (
        Observer as Observer,
    )
    from turnloop_core.ports.permission_check import (
        PermissionCheck as PermissionCheck,
    )
    from turnloop_core.ports.provider import (
        Provider as Provider,
    )
    from turnloop_core.ports.provider import (
        Request as Request,
    )
    from turnloop_core.ports.tool import (
        CallContext as CallContext,
    )
    from turnloop_core.ports.tool import (
        Descriptions as Descriptions,
    )
    from turnloop_core.ports.tool import (
        Scope as Scope,
    )
    from turnloop_core.ports.tool import (
        Tool as Tool,
    )
    from turnloop_core.ports.tool import (
        ToolSource as ToolSource,
    )
    from turnloop_core.ports.tool import (
        Verbosity as Verbosity,
    )
    from turnloop_core.registry import (
        CommandEntry as CommandEntry,
    )
    from turnloop_core.registry import (
        DoctorEntry as DoctorEntry,
    )
    from turnloop_core.registry import (
        DoctorLine as DoctorLine,
    )
    from turnloop_core.registry import (
        FactoryEntry as FactoryEntry,
    )
    from turnloop_core.registry import (
        ProviderEntry as ProviderEntry,
    )
    from turnloop_core.registry import (
        Registrar as Registrar,
    )
    from turnloop_core.registry import (
        Registry as Registry,
    )
    from turnloop_core.registry import (
        SectionEntry as SectionEntry,
    )
    from turnloop_core.registry import (
        SettingsEntry as SettingsEntry,
    )
    from turnloop_core.registry import (
        SlashEntry as SlashEntry,
    )
    from turnloop_core.registry import (
        SpecsEntry as SpecsEntry,
    )
    from turnloop_core.registry import (
        ToolEntry as ToolEntry,
    )
    from turnloop_core.types.capabilities import (
        Capabilities as Capabilities,
    )
    from turnloop_core.types.content import (
        Block as Block,
    )
    from turnloop_core.types.content import (
        Call as Call,
    )
    from turnloop_core.types.content import (
        Image as Image,
    )
    from turnloop_core.types.content import (
        Reasoning as Reasoning,
    )
    from turnloop_core.types.content import (
        Text as Text,
    )
    from turnloop_core.types.deltas import (
        CallArguments as CallArguments,
    )
    from turnloop_core.types.deltas import (
        CallStart as CallStart,
    )
    from turnloop_core.types.deltas import (
        Delta as Delta,
    )
    from turnloop_core.types.deltas import (
        End as End,
    )
    from turnloop_core.types.deltas import (
        OpaqueData as OpaqueData,
    )
    from turnloop_core.types.deltas import (
        ReasoningDelta as ReasoningDelta,
    )
    from turnloop_core.types.deltas import (
        Restart as Restart,
    )
    from turnloop_core.types.deltas import (
        Sent as Sent,
    )
    from turnloop_core.types.deltas import (
        TextDelta as TextDelta,
    )
    from turnloop_core.types.deltas import (
        Waiting as Waiting,
    )
    from turnloop_core.types.edits import (
        DropReasoning as DropReasoning,
    )
    from turnloop_core.types.edits import (
        Edit as Edit,
    )
    from turnloop_core.types.edits import (
        ShrinkAttachment as ShrinkAttachment,
    )
    from turnloop_core.types.edits import (
        ShrinkResult as ShrinkResult,
    )
    from turnloop_core.types.edits import (
        StubNudge as StubNudge,
    )
    from turnloop_core.types.edits import (
        Summarise as Summarise,
    )
    from turnloop_core.types.edits import (
        TrimArguments as TrimArguments,
    )
    from turnloop_core.types.events import (
        AttemptEnd as AttemptEnd,
    )
    from turnloop_core.types.events import (
        AttemptEnded as AttemptEnded,
    )
    from turnloop_core.types.events import (
        AttemptStarted as AttemptStarted,
    )
    from turnloop_core.types.events import (
        CallEnded as CallEnded,
    )
    from turnloop_core.types.events import (
        CallProgress as CallProgress,
    )
    from turnloop_core.types.events import (
        CallStarted as CallStarted,
    )
    from turnloop_core.types.events import (
        Edited as Edited,
    )
    from turnloop_core.types.events import (
        Event as Event,
    )
    from turnloop_core.types.events import (
        Notice as Notice,
    )
    from turnloop_core.types.events import (
        Nudged as Nudged,
    )
    from turnloop_core.types.events import (
        QuestionAnswered as QuestionAnswered,
    )
    from turnloop_core.types.events import (
        QuestionAsked as QuestionAsked,
    )
    from turnloop_core.types.events import (
        ReasoningShown as ReasoningShown,
    )
    from turnloop_core.types.events import (
        ReplyEnded as ReplyEnded,
    )
    from turnloop_core.types.events import (
        ReplyVoided as ReplyVoided,
    )
    from turnloop_core.types.events import (
        RunEnd as RunEnd,
    )
    from turnloop_core.types.events import (
        RunEnded as RunEnded,
    )
    from turnloop_core.types.events import (
        RunStarted as RunStarted,
    )
    from turnloop_core.types.events import (
        TextShown as TextShown,
    )
    from turnloop_core.types.events import (
        WaitEnded as WaitEnded,
    )
    from turnloop_core.types.events import (
        WaitStarted as WaitStarted,
    )
    from turnloop_core.types.facts import (
        Asked as Asked,
    )
    from turnloop_core.types.facts import (
        Delegated as Delegated,
    )
    from turnloop_core.types.facts import (
        Fact as Fact,
    )
    from turnloop_core.types.facts import (
        Fetched as Fetched,
    )
    from turnloop_core.types.facts import (
        OtherFact as OtherFact,
    )
    from turnloop_core.types.facts import (
        PlanStep as PlanStep,
    )
    from turnloop_core.types.facts import (
        RanCommand as RanCommand,
    )
    from turnloop_core.types.facts import (
        ReadRange as ReadRange,
    )
    from turnloop_core.types.facts import (
        SavedPlan as SavedPlan,
    )
    from turnloop_core.types.facts import (
        Searched as Searched,
    )
    from turnloop_core.types.facts import (
        Waited as Waited,
    )
    from turnloop_core.types.facts import (
        WroteFile as WroteFile,
    )
    from turnloop_core.types.items import (
        Item as Item,
    )
    from turnloop_core.types.items import (
        Prompt as Prompt,
    )
    from turnloop_core.types.items import (
        Reply as Reply,
    )
    from turnloop_core.types.items import (
        StopReason as StopReason,
    )
    from turnloop_core.types.items import (
        Summary as Summary,
    )
    from turnloop_core.types.items import (
        Turn as Turn,
    )
    from turnloop_core.types.results import (
        ErrorKind as ErrorKind,
    )
    from turnloop_core.types.results import (
        Result as Result,
    )
    from turnloop_core.types.subjects import (
        Decision as Decision,
    )
    from turnloop_core.types.subjects import (
        PermissionMode as PermissionMode,
    )
    from turnloop_core.types.subjects import (
        Subject as Subject,
    )
    from turnloop_core.types.subjects import (
        SubjectKind as SubjectKind,
    )
    from turnloop_core.types.subjects import (
        Verdict as Verdict,
    )
    from turnloop_core.types.usage import (
        Usage as Usage,
    )
    from turnloop_core.types.view import (
        Prefix as Prefix,
    )
    from turnloop_core.types.view import (
        ToolSchema as ToolSchema,
    )
    from turnloop_core.types.view import (
        View as View,
    )

_HOMES = {
    "turnloop_core.context": (
        "FactoryContext",
        "ProviderOptions",
        "SectionContext",
    ),
    "turnloop_core.errors": (
        "AuthError",
        "BadReplyError",
        "ClashError",
        "ColdBootError",
        "ContextOverflowError",
        "LogError",
        "PathChangedError",
        "PluginError",
        "ProviderError",
        "QuotaExhaustedError",
        "RequestRefusedError",
        "RetryableError",
        "SessionLockedError",
        "SettingsError",
        "StreamCutError",
        "TurnloopError",
        "UnknownNameError",
        "UnreachableError",
        "UsageError",
    ),
    "turnloop_core.hookspecs": (
        "API_VERSION",
        "hookimpl",
        "hookspec",
    ),
    "turnloop_core.ports.approver": (
        "Approver",
        "PermissionAnswer",
        "PermissionQuestion",
        "UserQuestion",
    ),
    "turnloop_core.ports.compactor": (
        "Budget",
        "Compactor",
        "Plan",
        "SummaryRequest",
    ),
    "turnloop_core.ports.grader": (
        "Grade",
        "Grader",
        "Grading",
    ),
    "turnloop_core.ports.interceptor": (
        "Interceptor",
        "Intervention",
    ),
    "turnloop_core.ports.judge": (
        "AttemptRecord",
        "Done",
        "Go",
        "Halt",
        "Judge",
        "Judgement",
        "Nudge",
        "RunSoFar",
    ),
    "turnloop_core.ports.observer": ("Observer",),
    "turnloop_core.ports.permission_check": ("PermissionCheck",),
    "turnloop_core.ports.provider": (
        "Provider",
        "Request",
    ),
    "turnloop_core.ports.tool": (
        "CallContext",
        "Descriptions",
        "Scope",
        "Tool",
        "ToolSource",
        "Verbosity",
    ),
    "turnloop_core.registry": (
        "CommandEntry",
        "DoctorEntry",
        "DoctorLine",
        "FactoryEntry",
        "ProviderEntry",
        "Registrar",
        "Registry",
        "SectionEntry",
        "SettingsEntry",
        "SlashEntry",
        "SpecsEntry",
        "ToolEntry",
    ),
    "turnloop_core.types.capabilities": ("Capabilities",),
    "turnloop_core.types.content": (
        "Block",
        "Call",
        "Image",
        "Reasoning",
        "Text",
    ),
    "turnloop_core.types.deltas": (
        "CallArguments",
        "CallStart",
        "Delta",
        "End",
        "OpaqueData",
        "ReasoningDelta",
        "Restart",
        "Sent",
        "TextDelta",
        "Waiting",
    ),
    "turnloop_core.types.edits": (
        "DropReasoning",
        "Edit",
        "ShrinkAttachment",
        "ShrinkResult",
        "StubNudge",
        "Summarise",
        "TrimArguments",
    ),
    "turnloop_core.types.events": (
        "AttemptEnd",
        "AttemptEnded",
        "AttemptStarted",
        "CallEnded",
        "CallProgress",
        "CallStarted",
        "Edited",
        "Event",
        "Notice",
        "Nudged",
        "QuestionAnswered",
        "QuestionAsked",
        "ReasoningShown",
        "ReplyEnded",
        "ReplyVoided",
        "RunEnd",
        "RunEnded",
        "RunStarted",
        "TextShown",
        "WaitEnded",
        "WaitStarted",
    ),
    "turnloop_core.types.facts": (
        "Asked",
        "Delegated",
        "Fact",
        "Fetched",
        "OtherFact",
        "PlanStep",
        "RanCommand",
        "ReadRange",
        "SavedPlan",
        "Searched",
        "Waited",
        "WroteFile",
    ),
    "turnloop_core.types.items": (
        "Item",
        "Prompt",
        "Reply",
        "StopReason",
        "Summary",
        "Turn",
    ),
    "turnloop_core.types.results": (
        "ErrorKind",
        "Result",
    ),
    "turnloop_core.types.subjects": (
        "Decision",
        "PermissionMode",
        "Subject",
        "SubjectKind",
        "Verdict",
    ),
    "turnloop_core.types.usage": ("Usage",),
    "turnloop_core.types.view": (
        "Prefix",
        "ToolSchema",
        "View",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - computed, so that the list stands once


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"turnloop_core.api has no {name}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value  # the next access does not come here
    return value
