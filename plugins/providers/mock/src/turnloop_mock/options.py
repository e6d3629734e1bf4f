"""What settings may say about a mock provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnloop_core.api import ProviderOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class MockOptions(ProviderOptions):
    """A provider that is not there.

    Attributes:
        mode: `echo` repeats the prompt; `scripted` plays a script.
        script: path of the script, from the project root unless it is absolute; `~` is home.
        delay_s: seconds between two pieces of a reply.
    """

    mode: Literal["echo", "scripted"] = "echo"
    script: str = ""
    delay_s: float = 0.0
