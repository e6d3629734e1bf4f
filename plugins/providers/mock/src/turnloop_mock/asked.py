"""What a request asks for, as far as it matters to a provider that does not think."""

from __future__ import annotations

from turnloop_core.api import Prompt, Request, View


def wants_summary(request: Request) -> bool:
    """Whether it is the question of a compaction strategy, which is no part of the conversation.

    Such a question offers no tools and consists of one prompt that stands in no log: records are
    counted from 1, so its number is 0. The first prompt of a session without tools has a number.
    """
    items = request.view.items
    if request.view.prefix.tools or len(items) != 1:
        return False
    (only,) = items
    return isinstance(only, Prompt) and only.id < 1


def newest_prompt(view: View) -> int | None:
    """Id of the prompt that is being answered; None when a summary has replaced it."""
    prompts = (i.id for i in reversed(view.items) if isinstance(i, Prompt) and not i.steering)
    return next(prompts, None)
