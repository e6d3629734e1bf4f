"""The way of one fetch: every address on it is judged before anything is connected to.

An address is judged as it is written, then its name is looked up, then what the name stands for is
judged as well; a redirect is an address more. Each name is looked up once for a fetch, and what was
judged is what is connected to, whatever the name stands for by then.
"""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_core.api import CallContext, Refusal, Subject, dataclass, is_private
from turnloop_web.addresses import Resolve, host_of, is_ip, look_up, same_place, subject_of
from turnloop_web.allowance import Allowance
from turnloop_web.wire import proxy_of


@dataclass(frozen=True, slots=True)
class Stop:
    """The way ends here. `stands_for` is what was found of the name, where that was the reason."""

    to: str
    refusal: Refusal
    stands_for: tuple[str, ...] = ()

    @property
    def why(self) -> str:
        """For the model."""
        if not self.stands_for:
            return self.refusal.text
        found = f"{host_of(self.to)} stands for {', '.join(self.stands_for)}"
        return f"{found}; {self.refusal.text}"


class Way:
    """Where a fetch is, and whom it may connect to there.

    Args:
        context: judges.
        resolve: looks names up.
        allowance: what looking up may take.

    Attributes:
        connect_to: the IP addresses that may be connected to, in order; None with a proxy, which
            looks names up by itself, and alone knows what they stand for.
    """

    def __init__(self, context: CallContext, resolve: Resolve, allowance: Allowance) -> None:
        self._context = context
        self._resolve = resolve
        self._allowance = allowance
        self._found: dict[str, tuple[str, ...]] = {}
        self._passed: list[Subject] = []
        self.connect_to: Sequence[str] | None = None

    async def begin(self, subject: Subject) -> Stop | None:
        """Go to the address that the call was judged by."""
        return await self._arrive(subject, "")

    async def follow(self, url: str, via: str) -> Stop | None:
        """Go where a redirect leads, unless it is refused.

        Args:
            url: in normal form.
            via: what leads there, for the user.
        """
        # Of this fetch, and no stranger to the user: one consent is enough for both.
        like = next((s for s in reversed(self._passed) if same_place(s.narrow, url)), None)
        known = () if proxy_of(url) else self._found.get(host_of(url), ())
        subject = subject_of(url, known, via=via)
        if refusal := await self._context.judge(subject, like=like):
            return Stop(url, refusal)
        return await self._arrive(subject, via)

    async def _arrive(self, subject: Subject, via: str) -> Stop | None:
        url, host = subject.narrow, host_of(subject.narrow)
        self._passed.append(subject)
        self.connect_to = None
        if proxy_of(url):
            return None
        if host not in self._found:
            with self._allowance.spent():
                found = await look_up(url, self._resolve)
            self._found[host] = found
            if not is_ip(host) and (stop := await self._judge_found(subject, found, via)):
                return stop
        self.connect_to = self._found[host]
        return None

    async def _judge_found(self, subject: Subject, found: tuple[str, ...], via: str) -> Stop | None:
        """Have judged what the name of a subject stands for."""
        known = subject_of(subject.narrow, found, via=via)
        judged = {host_of(form) for form in subject.forms}
        own = [host_of(f) for f in known.forms if is_private(host_of(f))]
        # Nobody knew that the name is one of the own network: consent to it was for another thing.
        other = not is_private(host_of(subject.narrow)) and not judged.issuperset(own)
        refusal = await self._context.judge(known, like=None if other else subject)
        self._passed.append(known)
        return Stop(subject.narrow, refusal, found) if refusal else None
