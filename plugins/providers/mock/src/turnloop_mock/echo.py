"""Echo mode: the answer is the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from turnloop_core.api import Delta, End, Prompt, ProviderError, Request, StopReason, TextDelta
from turnloop_mock.pieces import in_pieces

NOTICE = """\
This is the mock provider: no model was asked, and it cost nothing. It repeats what you say.
To use a real one, name it:

    tl --provider NAME -p "..."        for one run; tl doctor lists the names and what each needs
    {"provider": "NAME"}               for good, in ~/.turnloop/settings.json

To watch a whole run without a model: tl demo"""


class Echo:
    """Repeats the newest prompt; the first answer of a conversation says how to get a real one."""

    def answer(self, request: Request) -> Sequence[Delta | ProviderError]:
        view = request.view
        prompts = [item for item in view.items if isinstance(item, Prompt)]
        said = prompts[-1].text.strip() if prompts else ""
        first = next(view.turns, None) is None
        parts = [part for part in (said, NOTICE if first else "") if part]
        text = "\n\n".join(parts) or "(nothing was said)"
        return [*(TextDelta(piece) for piece in in_pieces(text)), End(StopReason.END_TURN)]
