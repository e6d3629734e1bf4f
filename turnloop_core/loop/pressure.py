"""Before each request: does it fit, and what should the view do without?"""

from __future__ import annotations

from dataclasses import replace

from turnloop_core.errors import ContextOverflowError, LogError
from turnloop_core.log.budget import make_budget
from turnloop_core.log.records import EditRecord, UsageRecord
from turnloop_core.log.view import validate
from turnloop_core.loop.assemble import Assembler
from turnloop_core.loop.closing import closing
from turnloop_core.loop.foreign import foreign
from turnloop_core.loop.narrate import Narrator
from turnloop_core.loop.parts import Parts
from turnloop_core.ports.compactor import Budget, Plan, SummaryRequest
from turnloop_core.ports.provider import Request
from turnloop_core.types.content import Block, Image, Reasoning
from turnloop_core.types.edits import DropReasoning, Edit, Summarise
from turnloop_core.types.events import Edited, Notice
from turnloop_core.types.items import Prompt, StopReason
from turnloop_core.types.usage import Usage
from turnloop_core.types.view import Prefix, View
from turnloop_core.values import dataclass

OVERFLOW_SHARE = 0.5  # of what is there: a provider that says "too long" counts otherwise than we
CACHE_LIFE_S = 300.0  # providers that charge less for a cached prefix keep it for five minutes


def budget_of(parts: Parts, *, urgent: bool = False) -> Budget:
    """The window as it is now."""
    last = parts.log.fold.last_request
    return make_budget(
        parts.log.view,
        parts.model.capabilities,
        parts.estimator,
        max_output=parts.model.max_output,
        cold=parts.log.now() - last > CACHE_LIFE_S,
        attempts_so_far=parts.tally.attempts,
        attempts_left=max(parts.cap - parts.tally.attempts, 0),
        urgent=urgent,
    )


def prompt_overflow(parts: Parts, text: str) -> ContextOverflowError | None:
    """Why a prompt cannot be answered: it alone is more than the window leaves."""
    budget, needed = budget_of(parts), parts.estimator.text(text)
    if budget.history <= 0 or needed <= budget.history:
        return None
    return ContextOverflowError(
        f"the prompt is about {needed:,} tokens long and the window leaves {budget.history:,}",
        hint="put the text into a file, and name the file in the prompt",
    )


async def make_fit(parts: Parts) -> None:
    """Let the strategy thin the view; a request that still would not fit is never sent.

    Raises:
        ContextOverflowError: nothing that may go is left, and it does not fit.
    """
    budget = budget_of(parts)
    if budget.history <= 0:
        raise ContextOverflowError(
            f"a window of {budget.window:,} tokens has no room for a conversation: "
            f"{budget.reserved_output:,} for the reply, {budget.system:,} for the system prompt, "
            f"{budget.tools:,} for tools",
            hint="choose a larger model, or set tool_verbosity to terse and system_variant to "
            "minimal",
        )
    await _thin(parts, budget)
    budget = budget_of(parts)
    if budget.free < 0:
        await relieve(parts, -budget.free)
        budget = budget_of(parts)
    if budget.free < 0:
        raise ContextOverflowError(
            f"the conversation needs about {budget.used:,} tokens and the window leaves "
            f"{budget.history:,}; nothing more can be left out",
            hint="start a new session, or choose a model with a larger window",
        )


async def relieve(parts: Parts, to_free: int | None = None) -> bool:
    """Something must go. False when nothing could.

    Args:
        parts: what the run works with.
        to_free: tokens to free by estimate; None when the provider said that it does not fit,
            whatever our estimate was.
    """
    epoch = parts.log.view.epoch
    budget = budget_of(parts, urgent=True)
    await _thin(parts, budget)
    if parts.log.view.epoch != epoch and to_free is None:
        return True
    after = budget_of(parts, urgent=True)
    if to_free is not None and after.free >= 0:
        return True
    wanted = int(after.used * OVERFLOW_SHARE) if to_free is None else -after.free
    from turnloop_core.loop.emergency import emergency_edits

    edits, saved = emergency_edits(parts.log.view, wanted, parts.estimator.text)
    _apply(parts, edits, Why("core", "the request did not fit", saved))
    return parts.log.view.epoch != epoch


def drop_reasoning(parts: Parts, *, attached: bool = False) -> bool:
    """Leave out the reasoning of all turns, since the provider refuses it. False without any.

    Args:
        parts: what the run works with.
        attached: what the provider attached to texts and calls as well: some sign those.
    """
    turns = tuple(
        turn.id
        for turn in parts.log.view.turns
        if any(isinstance(b, Reasoning) or (attached and _is_sealed(b)) for b in turn.reply.blocks)
    )
    if not turns:
        return False
    epoch = parts.log.view.epoch
    edit = DropReasoning(turns, attached)
    _apply(parts, (edit,), Why("core", "the provider refused earlier reasoning"))
    return parts.log.view.epoch != epoch


def _sparing(edit: Edit) -> Edit:
    """No strategy takes off what is attached to a call: only a server's refusal is worth that."""
    return replace(edit, attached=False) if isinstance(edit, DropReasoning) else edit


def _is_sealed(block: Block) -> bool:
    return not isinstance(block, Image) and block.opaque is not None


async def _thin(parts: Parts, budget: Budget) -> None:
    """Ask the strategy, and do what it proposes as far as it is allowed."""
    if parts.compactor is None:
        return
    with parts.ledger.state("compaction"):
        view = parts.log.view
        try:
            plan = parts.compactor.plan(view, budget, parts.model.capabilities)
        except Exception as error:  # a foreign strategy may raise anything
            _warn(parts, f"raised {type(error).__name__}: {error}")
            return
        if not plan.edits and plan.summary is None:
            return
        refused = await parts.interceptors.before_compact(plan.reason)
        if refused and not budget.urgent:
            return
        await _follow(parts, plan)


async def _follow(parts: Parts, plan: Plan) -> None:
    why = Why(_name(parts), plan.reason, before=budget_of(parts).used)
    _apply(parts, tuple(map(_sparing, plan.edits)), why)
    if plan.summary is None:
        return
    try:
        text, usage = await _summary(parts, plan.summary)
        parts.log.append(UsageRecord(usage, "summary", parts.model.provider.name, parts.model.name))
        parts.tally.add(usage)
        summary = plan.summary.assemble(text)
    except LogError:
        raise
    except Exception as error:  # a foreign strategy may raise anything
        _warn(parts, f"made no summary, nothing was changed: {error}")
        return
    _apply(parts, (Summarise(plan.summary.last, summary),), replace(why, usage=usage))


@dataclass(frozen=True, slots=True)
class Why:
    """Who thins the view, and why.

    Attributes:
        strategy: name of the strategy, `core` for the last resort.
        reason: one line.
        saved: tokens saved, None to find out by `before`.
        before: tokens used before.
        usage: tokens of the summary request.
    """

    strategy: str
    reason: str
    saved: int | None = None
    before: int = 0
    usage: Usage | None = None


def _apply(parts: Parts, edits: tuple[Edit, ...], why: Why) -> None:
    accepted, refused = validate(edits, parts.log.view)
    for complaint in refused:
        text = f"{why.strategy} proposed an edit that cannot be made: {complaint}"
        parts.emit(Notice("warning", text))
    if not accepted:
        return
    epoch = parts.log.view.epoch
    parts.log.append(EditRecord(accepted, why.strategy, why.reason, why.saved or 0))
    if parts.log.view.epoch == epoch:
        return
    gained = max(why.before - budget_of(parts).used, 0) if why.saved is None else why.saved
    parts.emit(Edited(accepted, why.reason, gained, why.usage))


async def _summary(parts: Parts, wanted: SummaryRequest) -> tuple[str, Usage]:
    """One model call without tools.

    Raises:
        ProviderError: it failed.
        ValueError: it is empty, or was cut.
    """
    view = View(Prefix(wanted.instructions), (Prompt(0, wanted.material),))
    request = Request(view, parts.model.name, wanted.max_output, "off", parts.session)
    assembler, narrator = Assembler("summary"), Narrator(parts.emit, parts.ledger, "compaction")
    try:
        async with closing(foreign(parts.model.provider, request)) as stream:
            async for delta in stream:
                narrator.wait(delta)
                assembler.feed(delta)
    finally:
        narrator.close()
    if assembler.end is None or assembler.end.stop is not StopReason.END_TURN:
        raise ValueError("the summary was cut off")
    if not assembler.text.strip():
        raise ValueError("the summary was empty")
    return assembler.text, assembler.end.usage


def _name(parts: Parts) -> str:
    return parts.compactor.name if parts.compactor else "core"


def _warn(parts: Parts, what: str) -> None:
    parts.emit(Notice("warning", f"compaction strategy {_name(parts)} {what}"))
