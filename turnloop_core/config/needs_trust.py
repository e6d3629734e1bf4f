"""What a project may not do before the user trusts it, and why: the one list of it.

What counts in any case is listed; all else needs trust, a key of a plugin that nobody has thought
of among it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_core.config.paths import KeyPath
from turnloop_core.config.startup import StartUpKind
from turnloop_core.values import dataclass

# What counts from an untrusted project: it can neither run code nor move data.
COUNTS_UNTRUSTED: frozenset[KeyPath] = frozenset(
    {
        ("max_iterations",),
        ("tool_verbosity",),
        ("system_variant",),
        ("thinking",),
        ("compaction",),
        ("permissions", "deny"),
        ("permissions", "ask"),
    }
)

# Rules that tighten always count: a stronger layer adds to these lists, and takes nothing away.
ADDS: frozenset[KeyPath] = frozenset({("permissions", "deny"), ("permissions", "ask")})


@dataclass(frozen=True, slots=True)
class NeedsTrust:
    """Something that a project may not do before the user trusts it.

    Attributes:
        what: what it would do, for the documentation.
        why: what could come of it, as a clause for the user.
        keys: the keys of core's settings that would do it.
        kinds: the sorts of start-up actions that would do it.
    """

    what: str
    why: str
    keys: tuple[str, ...] = ()
    kinds: tuple[StartUpKind, ...] = ()


_SECTION = NeedsTrust(
    "set anything for a plugin: hooks, MCP servers, helper commands, variables, further folders, "
    "addresses, and whatever else its section holds",
    "settings of a plugin can run code or move data",
    kinds=("setting", "hook", "helper"),
)
_KEYS_FILE = NeedsTrust(
    "give keys in `.env`; variables that steer turnloop or programs never count from there",
    "its .env could choose the key that is used",
    kinds=("env",),
)

# The one list of it. The page on permissions shows it, and a test compares the two.
NEEDS_TRUST: tuple[NeedsTrust, ...] = (
    NeedsTrust(
        "choose a provider or a model",
        "it chooses who is sent your code",
        ("provider", "model"),
    ),
    NeedsTrust(
        "describe a provider: its address, its headers, the names of variables that hold keys",
        "an address, a header or a key name can send your key and code elsewhere",
        ("providers",),
    ),
    NeedsTrust(
        "add allow rules",
        "it would allow things without asking you",
        ("permissions",),
    ),
    NeedsTrust(
        "choose a permission mode wider than your own, in settings or in any other file",
        "it would ask you less than your own settings do",
        ("permission_mode",),
    ),
    NeedsTrust(
        "switch plugins on or off",
        "it would choose which plugins run",
        ("plugins",),
    ),
    NeedsTrust(
        "move the bounds of a reply",
        "it would let replies run on at your cost",
        ("thinking_cap", "repetition_limit"),
    ),
    _SECTION,
    NeedsTrust(
        "name MCP servers in a file of its own, such as `.mcp.json`",
        "a server is a program of the project, or an address that is sent your data",
        kinds=("mcp_start",),
    ),
    _KEYS_FILE,
    NeedsTrust(
        "have its own configuration run by what turnloop looks up by itself",
        "the configuration of a repository can name programs",
        kinds=("probe",),
    ),
    NeedsTrust(
        "pull files from outside into its instructions, by a link or an include",
        "a file that you never meant to send would be sent",
        kinds=("include",),
    ),
)

WHY_DOTENV = _KEYS_FILE.why
WHY_SECTION = _SECTION.why
WHY: Mapping[str, str] = MappingProxyType(
    {key: entry.why for entry in NEEDS_TRUST for key in entry.keys}
)
