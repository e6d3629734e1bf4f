"""The one module that plugins import.

Names are imported when they are first used, so that a `plugin.py` that only registers stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnloop_core.app import (
        RunOutcome as RunOutcome,
        Session as Session,
        open_session as open_session,
    )
    from turnloop_core.caps import (
        capabilities_of as capabilities_of,
        checked_caps as checked_caps,
    )
    from turnloop_core.context import (
        FactoryContext as FactoryContext,
        ProviderOptions as ProviderOptions,
        SectionContext as SectionContext,
    )
    from turnloop_core.environment import (
        Environment as Environment,
        SessionOptions as SessionOptions,
        load_environment as load_environment,
    )
    from turnloop_core.errors import (
        AuthError as AuthError,
        BadReplyError as BadReplyError,
        ClashError as ClashError,
        ColdBootError as ColdBootError,
        ContextOverflowError as ContextOverflowError,
        LogError as LogError,
        PathChangedError as PathChangedError,
        PluginError as PluginError,
        ProviderError as ProviderError,
        QuotaExhaustedError as QuotaExhaustedError,
        ReasoningRefusedError as ReasoningRefusedError,
        RejectedCallError as RejectedCallError,
        RequestRefusedError as RequestRefusedError,
        RetryableError as RetryableError,
        SessionLockedError as SessionLockedError,
        SettingsError as SettingsError,
        StreamCutError as StreamCutError,
        TurnloopError as TurnloopError,
        UnknownNameError as UnknownNameError,
        UnreachableError as UnreachableError,
        UsageError as UsageError,
    )
    from turnloop_core.frontend.headless import run_headless as run_headless
    from turnloop_core.hookspecs import (
        API_VERSION as API_VERSION,
        hookimpl as hookimpl,
        hookspec as hookspec,
    )
    from turnloop_core.log.reader import (
        LogRead as LogRead,
        read_log as read_log,
    )
    from turnloop_core.log.store import SessionStore as SessionStore
    from turnloop_core.log.view import fold as fold
    from turnloop_core.nearest import nearest as nearest
    from turnloop_core.permissions.paths import (
        open_checked as open_checked,
        path_subject as path_subject,
    )
    from turnloop_core.permissions.urls import (
        is_private as is_private,
        url_subject as url_subject,
    )
    from turnloop_core.ports.approver import (
        Approver as Approver,
        PermissionAnswer as PermissionAnswer,
        PermissionQuestion as PermissionQuestion,
        UserQuestion as UserQuestion,
    )
    from turnloop_core.ports.compactor import (
        Budget as Budget,
        Compactor as Compactor,
        Plan as Plan,
        SummaryRequest as SummaryRequest,
    )
    from turnloop_core.ports.grader import (
        Grade as Grade,
        Grader as Grader,
        Grading as Grading,
    )
    from turnloop_core.ports.interceptor import (
        Interceptor as Interceptor,
        Intervention as Intervention,
    )
    from turnloop_core.ports.judge import (
        Done as Done,
        Go as Go,
        Halt as Halt,
        Judge as Judge,
        JudgeContext as JudgeContext,
        Judgement as Judgement,
        Nudge as Nudge,
        PastAttempt as PastAttempt,
        RunSoFar as RunSoFar,
    )
    from turnloop_core.ports.observer import Observer as Observer
    from turnloop_core.ports.permission_check import PermissionCheck as PermissionCheck
    from turnloop_core.ports.provider import (
        Provider as Provider,
        Request as Request,
    )
    from turnloop_core.ports.tool import (
        CallContext as CallContext,
        Descriptions as Descriptions,
        Previewing as Previewing,
        Scope as Scope,
        SourcedTool as SourcedTool,
        Tool as Tool,
        ToolSource as ToolSource,
        Verbosity as Verbosity,
        Watch as Watch,
    )
    from turnloop_core.registry import (
        CommandEntry as CommandEntry,
        DoctorEntry as DoctorEntry,
        DoctorLine as DoctorLine,
        FactoryEntry as FactoryEntry,
        ProviderEntry as ProviderEntry,
        Registrar as Registrar,
        Registry as Registry,
        SectionEntry as SectionEntry,
        SettingsEntry as SettingsEntry,
        SlashEntry as SlashEntry,
        SpecsEntry as SpecsEntry,
        ToolEntry as ToolEntry,
    )
    from turnloop_core.transport.client import Transport as Transport
    from turnloop_core.transport.encoding import (
        History as History,
        ItemCache as ItemCache,
        dumps as dumps,
    )
    from turnloop_core.transport.endpoint import Endpoint as Endpoint
    from turnloop_core.transport.errors import (
        classify as classify,
        classify_event as classify_event,
    )
    from turnloop_core.transport.lines import LineParser as LineParser
    from turnloop_core.transport.options import HttpOptions as HttpOptions
    from turnloop_core.transport.problem import (
        excerpt as excerpt,
        without_keys as without_keys,
    )
    from turnloop_core.transport.proxies import proxy_for as proxy_for
    from turnloop_core.transport.request import (
        Framing as Framing,
        HttpRequest as HttpRequest,
    )
    from turnloop_core.transport.retry import RetryPolicy as RetryPolicy
    from turnloop_core.transport.speaker import Speaker as Speaker
    from turnloop_core.transport.sse import (
        SseEvent as SseEvent,
        SseParser as SseParser,
    )
    from turnloop_core.transport.wire_format import WireFormat as WireFormat
    from turnloop_core.transport.wording import (
        NO_OUTPUT as NO_OUTPUT,
        arguments_object as arguments_object,
        left_out as left_out,
        merged as merged,
        reply_limit as reply_limit,
        result_pictures as result_pictures,
        result_text as result_text,
        says_something as says_something,
        token_count as token_count,
        user_blocks as user_blocks,
        wire_name as wire_name,
    )
    from turnloop_core.types.capabilities import (
        Capabilities as Capabilities,
        Thinking as Thinking,
    )
    from turnloop_core.types.changes import Changes as Changes
    from turnloop_core.types.codec import (
        CodecError as CodecError,
        from_json as from_json,
        to_json as to_json,
    )
    from turnloop_core.types.content import (
        Block as Block,
        Call as Call,
        Image as Image,
        Reasoning as Reasoning,
        Text as Text,
    )
    from turnloop_core.types.deltas import (
        CallArguments as CallArguments,
        CallStart as CallStart,
        Delta as Delta,
        End as End,
        OpaqueData as OpaqueData,
        ReasoningDelta as ReasoningDelta,
        Restart as Restart,
        Sent as Sent,
        TextDelta as TextDelta,
        UsageSoFar as UsageSoFar,
        Waiting as Waiting,
    )
    from turnloop_core.types.edits import (
        DropReasoning as DropReasoning,
        Edit as Edit,
        ShrinkAttachment as ShrinkAttachment,
        ShrinkResult as ShrinkResult,
        StubNudge as StubNudge,
        Summarise as Summarise,
        TrimArguments as TrimArguments,
        holds_trim_marker as holds_trim_marker,
        trim_marker as trim_marker,
    )
    from turnloop_core.types.events import (
        AttemptEnd as AttemptEnd,
        AttemptEnded as AttemptEnded,
        AttemptStarted as AttemptStarted,
        CallEnded as CallEnded,
        CallProgress as CallProgress,
        CallStarted as CallStarted,
        Edited as Edited,
        Event as Event,
        Notice as Notice,
        Nudged as Nudged,
        Prompted as Prompted,
        QuestionAnswered as QuestionAnswered,
        QuestionAsked as QuestionAsked,
        ReasoningShown as ReasoningShown,
        ReplyEnded as ReplyEnded,
        ReplyVoided as ReplyVoided,
        RunEnd as RunEnd,
        RunEnded as RunEnded,
        RunStarted as RunStarted,
        TextShown as TextShown,
        ThinkingReduced as ThinkingReduced,
        WaitEnded as WaitEnded,
        WaitStarted as WaitStarted,
    )
    from turnloop_core.types.facts import (
        Asked as Asked,
        Delegated as Delegated,
        Fact as Fact,
        Fetched as Fetched,
        OtherFact as OtherFact,
        PlanStep as PlanStep,
        RanCommand as RanCommand,
        ReadRange as ReadRange,
        SavedPlan as SavedPlan,
        Searched as Searched,
        Waited as Waited,
        WroteFile as WroteFile,
    )
    from turnloop_core.types.items import (
        Item as Item,
        NudgeItem as NudgeItem,
        Prompt as Prompt,
        Reply as Reply,
        StopReason as StopReason,
        Summary as Summary,
        Turn as Turn,
    )
    from turnloop_core.types.json_text import (
        parse_json as parse_json,
        parse_wire_json as parse_wire_json,
    )
    from turnloop_core.types.results import (
        ErrorKind as ErrorKind,
        Refusal as Refusal,
        Result as Result,
    )
    from turnloop_core.types.subjects import (
        Decision as Decision,
        PermissionMode as PermissionMode,
        Subject as Subject,
        SubjectKind as SubjectKind,
        Verdict as Verdict,
    )
    from turnloop_core.types.usage import Usage as Usage
    from turnloop_core.types.view import (
        Prefix as Prefix,
        ToolSchema as ToolSchema,
        View as View,
    )
    from turnloop_core.values import dataclass as dataclass
    from turnloop_core.worktree.ignoring import IgnoreRules as IgnoreRules


_HOMES = {
    module: tuple(names.split())
    for module, names in {
        "turnloop_core.app": "RunOutcome Session open_session",
        "turnloop_core.caps": "capabilities_of checked_caps",
        "turnloop_core.context": "FactoryContext ProviderOptions SectionContext",
        "turnloop_core.environment": "Environment SessionOptions load_environment",
        "turnloop_core.errors": (
            "AuthError BadReplyError ClashError ColdBootError ContextOverflowError LogError "
            "PathChangedError PluginError ProviderError QuotaExhaustedError "
            "ReasoningRefusedError RejectedCallError RequestRefusedError RetryableError "
            "SessionLockedError SettingsError StreamCutError TurnloopError UnknownNameError "
            "UnreachableError UsageError"
        ),
        "turnloop_core.frontend.headless": "run_headless",
        "turnloop_core.hookspecs": "API_VERSION hookimpl hookspec",
        "turnloop_core.log.reader": "LogRead read_log",
        "turnloop_core.log.store": "SessionStore",
        "turnloop_core.log.view": "fold",
        "turnloop_core.nearest": "nearest",
        "turnloop_core.permissions.paths": "open_checked path_subject",
        "turnloop_core.permissions.urls": "is_private url_subject",
        "turnloop_core.ports.approver": "Approver PermissionAnswer PermissionQuestion UserQuestion",
        "turnloop_core.ports.compactor": "Budget Compactor Plan SummaryRequest",
        "turnloop_core.ports.grader": "Grade Grader Grading",
        "turnloop_core.ports.interceptor": "Interceptor Intervention",
        "turnloop_core.ports.judge": (
            "Done Go Halt Judge JudgeContext Judgement Nudge PastAttempt RunSoFar"
        ),
        "turnloop_core.ports.observer": "Observer",
        "turnloop_core.ports.permission_check": "PermissionCheck",
        "turnloop_core.ports.provider": "Provider Request",
        "turnloop_core.ports.tool": (
            "CallContext Descriptions Previewing Scope SourcedTool Tool ToolSource Verbosity Watch"
        ),
        "turnloop_core.registry": (
            "CommandEntry DoctorEntry DoctorLine FactoryEntry ProviderEntry Registrar "
            "Registry SectionEntry SettingsEntry SlashEntry SpecsEntry ToolEntry"
        ),
        "turnloop_core.transport.client": "Transport",
        "turnloop_core.transport.encoding": "History ItemCache dumps",
        "turnloop_core.transport.endpoint": "Endpoint",
        "turnloop_core.transport.errors": "classify classify_event",
        "turnloop_core.transport.lines": "LineParser",
        "turnloop_core.transport.options": "HttpOptions",
        "turnloop_core.transport.problem": "excerpt without_keys",
        "turnloop_core.transport.proxies": "proxy_for",
        "turnloop_core.transport.request": "Framing HttpRequest",
        "turnloop_core.transport.retry": "RetryPolicy",
        "turnloop_core.transport.speaker": "Speaker",
        "turnloop_core.transport.sse": "SseEvent SseParser",
        "turnloop_core.transport.wire_format": "WireFormat",
        "turnloop_core.transport.wording": (
            "NO_OUTPUT arguments_object left_out merged reply_limit result_pictures "
            "result_text says_something token_count user_blocks wire_name"
        ),
        "turnloop_core.types.capabilities": "Capabilities Thinking",
        "turnloop_core.types.changes": "Changes",
        "turnloop_core.types.codec": "CodecError from_json to_json",
        "turnloop_core.types.content": "Block Call Image Reasoning Text",
        "turnloop_core.types.deltas": (
            "CallArguments CallStart Delta End OpaqueData ReasoningDelta Restart Sent "
            "TextDelta UsageSoFar Waiting"
        ),
        "turnloop_core.types.edits": (
            "DropReasoning Edit ShrinkAttachment ShrinkResult StubNudge Summarise "
            "TrimArguments holds_trim_marker trim_marker"
        ),
        "turnloop_core.types.events": (
            "AttemptEnd AttemptEnded AttemptStarted CallEnded CallProgress CallStarted "
            "Edited Event Notice Nudged Prompted QuestionAnswered QuestionAsked ReasoningShown "
            "ReplyEnded ReplyVoided RunEnd RunEnded RunStarted TextShown ThinkingReduced "
            "WaitEnded WaitStarted"
        ),
        "turnloop_core.types.facts": (
            "Asked Delegated Fact Fetched OtherFact PlanStep RanCommand ReadRange SavedPlan "
            "Searched Waited WroteFile"
        ),
        "turnloop_core.types.items": "Item NudgeItem Prompt Reply StopReason Summary Turn",
        "turnloop_core.types.json_text": "parse_json parse_wire_json",
        "turnloop_core.types.results": "ErrorKind Refusal Result",
        "turnloop_core.types.subjects": "Decision PermissionMode Subject SubjectKind Verdict",
        "turnloop_core.types.usage": "Usage",
        "turnloop_core.values": "dataclass",
        "turnloop_core.worktree.ignoring": "IgnoreRules",
        "turnloop_core.types.view": "Prefix ToolSchema View",
    }.items()
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - computed, so that the list stands once


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"turnloop_core.api has no {name}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value  # the next access does not come here
    return value
