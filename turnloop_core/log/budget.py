"""The window as arithmetic: window - reserved output - system - tools = what history may have."""

from __future__ import annotations

from turnloop_core.log.estimate import Estimator
from turnloop_core.ports.compactor import Budget
from turnloop_core.types.capabilities import Capabilities
from turnloop_core.types.view import View


def make_budget(
    view: View,
    capabilities: Capabilities,
    estimator: Estimator,
    max_output: int,
    *,
    cold: bool = False,
    attempts_so_far: int = 0,
    attempts_left: int = 0,
    urgent: bool = False,
) -> Budget:
    """The budget for the next request.

    Args:
        view: what would be sent.
        capabilities: the model's; its `max_context` is the window.
        estimator: the model's.
        max_output: tokens that the reply may have, as the request will say; they are reserved.
        cold: see `Budget`, as the rest.
    """
    system, tools = estimator.prefix(view.prefix)
    return Budget(
        window=capabilities.max_context,
        reserved_output=max_output,
        system=system,
        tools=tools,
        used=estimator.history(view),
        estimate=estimator.item,
        cold=cold,
        attempts_so_far=attempts_so_far,
        attempts_left=attempts_left,
        urgent=urgent,
    )
