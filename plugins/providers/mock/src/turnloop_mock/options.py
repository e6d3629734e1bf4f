"""What settings may say about a mock provider."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from turnloop_core.api import ProviderOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidCall:
    """A call that is known to be right.

    Attributes:
        name: the tool's name.
        arguments: what it is called with.
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockOptions(ProviderOptions):
    """A provider that is not there.

    `script`, `session` and the settings of chaos each belong to one mode; in another they are an
    error, so that none is ignored without a word.

    Attributes:
        mode: `echo` repeats the prompt; `scripted` plays a script; `replay` gives the replies of a
            recorded session; `chaos` writes calls that are broken on purpose.
        script: for `scripted`: path of the script, from the project root unless it is absolute;
            `~/` is home.
        session: for `replay`: id of a session, or the beginning of it, or the path of a log, which
            ends in `.jsonl` or has a `/` in it; paths as for `script`.
        seed: for `chaos`: the same seed and tools give the same calls.
        broken: for `chaos`: share of the calls that are broken, from 0 to 1.
        calls: for `chaos`: calls in each reply; 0 for one to three, as the seed has it.
        turns: for `chaos`: replies with calls to each prompt, before one that ends the run.
        valid: for `chaos`: calls that are right, to choose from. Without them, right calls are made
            from the schemas of tools that change nothing; where that cannot be done, all calls are
            broken.
        delay_s: seconds between two pieces of a reply.
    """

    mode: Literal["echo", "scripted", "replay", "chaos"] = "echo"
    script: str = ""
    session: str = ""
    seed: int = 0
    broken: float = 1.0
    calls: int = 0
    turns: int = 6
    valid: tuple[ValidCall, ...] = ()
    delay_s: float = 0.0
