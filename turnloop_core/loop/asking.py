"""One request and its whole answer: asked again where a smaller or plainer request can pass."""

from __future__ import annotations

from turnloop_core.errors import ContextOverflowError, ReasoningRefusedError, StreamCutError
from turnloop_core.loop.assemble import Assembler
from turnloop_core.loop.closing import closing
from turnloop_core.loop.foreign import foreign
from turnloop_core.loop.narrate import Narrator
from turnloop_core.loop.parts import Parts
from turnloop_core.loop.pressure import drop_reasoning, make_fit, relieve
from turnloop_core.loop.watch import Stopped, Watch
from turnloop_core.ports.provider import Request
from turnloop_core.types.capabilities import Capabilities, Thinking
from turnloop_core.types.events import AttemptEnd, ThinkingReduced
from turnloop_core.types.items import Reply
from turnloop_core.types.usage import NO_USAGE, Usage

HIGH = 4  # times the cap, for a model that is to think hard: providers allow about that much
MAX_OVERFLOWS = 3  # times that one attempt thins the view because the provider says "too long"


class Asking:
    """The request of one attempt.

    Attributes:
        assembler: holds the answer.
        reply: the answer as it was put on record, None before.
        stopped: why the answer was closed before its end, None when it was not.
        estimated: input tokens of the request, by estimate.
        discarded: tokens of answers that were closed, by estimate.
        thinking: how much the model was to think.
    """

    def __init__(self, parts: Parts, narrator: Narrator) -> None:
        self._parts = parts
        self._narrator = narrator
        self._overflows = 0
        self._drops = 0  # ways in which earlier reasoning was dropped because it was refused
        self._void: list[str] = []  # texts of answers that were asked for again
        self._closed: list[Usage] = []  # of answers that were closed and asked for again
        self.assembler = Assembler("0")
        self.reply: Reply | None = None
        self.stopped: Stopped | None = None
        self.estimated = 0
        self.discarded = 0

    @property
    def tries(self) -> tuple[str, ...]:
        """Why it was asked again, once for each time."""
        return tuple(self._narrator.tries)

    @property
    def partial(self) -> str:
        """What was shown and came to nothing, in this answer and those before it."""
        return "".join([*self._void, "" if self.reply else self.assembler.text])

    @property
    def thinking(self) -> Thinking:
        """As the user wants it, or less, once a reply of this run thought for too long."""
        return self._parts.tally.thinking or self._parts.model.thinking

    @property
    def usage(self) -> Usage:
        """Tokens of all its requests, as far as they were told."""
        told = [usage for usage in (*self._closed, self.assembler.usage) if usage.reported]
        return sum(told[1:], told[0]) if told else NO_USAGE

    async def ask(self) -> None:
        """Stream one whole reply into `assembler`.

        Raises:
            ContextOverflowError: it does not fit, and nothing more can go.
            ProviderError: as the provider says.
        """
        await make_fit(self._parts)
        again = True
        while again:
            try:
                self.stopped = await self._once()
                again = self._reduced()
            except ContextOverflowError:
                self._overflows += 1
                if self._overflows > MAX_OVERFLOWS or not await relieve(self._parts):
                    raise
                self._again("the request was too long and is made again")
            except ReasoningRefusedError:
                if not self._drop():
                    raise
                self._again("earlier reasoning was refused; asked again without it")

    async def _once(self) -> Stopped | None:
        parts = self._parts
        view = parts.log.view
        request = Request(
            view, parts.model.name, parts.model.max_output, self.thinking, parts.session
        )
        self.assembler = Assembler(str(parts.log.fold.last_number + 1))
        self.estimated = parts.estimator.history(view) + sum(parts.estimator.prefix(view.prefix))
        cap = parts.thinking_cap * (HIGH if self.thinking == "high" else 1)
        watch = Watch(cap, parts.repetition_limit, parts.estimator.text)
        with parts.ledger.state("model_wait"):
            try:
                async with closing(foreign(parts.model.provider, request)) as deltas:
                    async for delta in deltas:
                        parts.warm_up()
                        self._narrator.tell(delta)
                        self.assembler.feed(delta)
                        if stopped := watch.see(delta):
                            self.discarded += stopped.tokens
                            return stopped
            finally:
                self._narrator.close()
        if self.assembler.end is None:
            raise StreamCutError("the reply ended without its ending mark", cause="closed")
        return None

    def _again(self, reason: str) -> None:
        self._void.append(self.assembler.text)
        self._narrator.again(reason)

    def _drop(self) -> bool:
        """Drop earlier reasoning; where that was not enough, what came attached to the rest."""
        while self._drops < 2:
            self._drops += 1
            if drop_reasoning(self._parts, attached=self._drops == 2):
                return True
        return False

    def _reduced(self) -> bool:
        """Whether the request is made again with less thinking."""
        stopped = self.stopped
        if stopped is None or stopped.end is not AttemptEnd.CUT_THINKING:
            return False
        less = less_thinking(self.thinking, self._parts.model.capabilities)
        if less is None:
            return False
        self._closed.append(self.assembler.usage)
        # To the end of the run: within a tool loop some servers take one setting only.
        self._parts.tally.thinking = less
        self._parts.emit(ThinkingReduced(stopped.tokens, less))
        self._again(f"{stopped.reason}; asked again with thinking {less}")
        return True


def less_thinking(thinking: Thinking, can: Capabilities) -> Thinking | None:
    """What to ask for when a model thought for too long; None when it cannot think less."""
    less: Thinking | None = {"flag": "off", "lowest_effort": "low", "never": None}[can.thinking_off]
    return None if thinking in (less, "off") else less
