"""Start-up actions: what a project would have the harness do before anybody asked for anything.

A setting that counts, a hook, a server, a variable: whether such a thing happens is decided here
and nowhere else. What is the user's own happens. What a project brings happens when the user
trusts the project's folder and has approved exactly this content. A single setting that the user
had saved there is the user's own word, and needs no trust in the rest.

Settings and `.env` go by it, and `tl permissions check` answers for every kind. What plugins read
by themselves (hooks, servers) is theirs to bring here, through a port that comes with its first
user.
"""

from __future__ import annotations

import json
from collections.abc import Container
from hashlib import sha256
from typing import Any, Literal, get_args

from turnloop_core.config.layer import PROJECT_LAYERS, LayerName
from turnloop_core.types.subjects import Verdict
from turnloop_core.values import dataclass

StartUpKind = Literal["setting", "hook", "mcp_start", "env", "helper", "probe", "include"]

# Whatever has another origin came with the project.
OWN_ORIGINS = frozenset(get_args(LayerName)) - frozenset(PROJECT_LAYERS)
DOTENV = "dotenv"

_STEERING_STARTS = ("TURNLOOP_", "LD_", "DYLD_", "PYTHON")
_STEERING_ENDS = ("_BASE_URL", "_PROXY")
_STEERING = frozenset(
    {
        "PATH",
        "HOME",
        "SHELL",
        "ENV",
        "BASH_ENV",
        "NODE_OPTIONS",
        "PERL5OPT",
        "RUBYOPT",
        "JAVA_TOOL_OPTIONS",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "SSLKEYLOGFILE",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
    }
)


@dataclass(frozen=True, slots=True)
class StartUpAction:
    """One thing that would happen at start.

    Attributes:
        kind: what sort of thing.
        name: which one of its kind: the setting's key, the server's name, the variable, the path.
        content: all that decides what it does, as a JSON value: the setting's value, the command.
        origin: the layer of settings that it stands in, `dotenv`, or `project` for any other file
            of the project.
    """

    kind: StartUpKind
    name: str
    content: Any
    origin: str

    @property
    def label(self) -> str:
        """Which thing it is, whatever its content."""
        return f"{self.origin} {self.kind} {self.name}"

    @property
    def digest(self) -> str:
        """The same for the same kind, name and content; order of keys and blanks do not matter.

        Raises:
            TypeError, ValueError: the content is no JSON value.
        """
        return digest_of([self.kind, self.name, self.content])


def digest_of(value: Any) -> str:
    """The SHA-256 of a JSON value, in the one form that it has here.

    Raises:
        TypeError, ValueError: it is no JSON value.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return sha256(text.encode("ascii")).hexdigest()


def decide(
    action: StartUpAction, *, trusted: bool, approved: Container[str], saved: Container[str] = ()
) -> tuple[Verdict, str]:
    """Whether the action may happen without a question, and why or why not.

    Args:
        action: what would happen.
        trusted: the user trusts the project's folder.
        approved: the digests of what the user approved there; they count with trust only.
        saved: the digests of settings that the user had saved there; they count without it.

    Raises:
        TypeError, ValueError: the content is no JSON value.
    """
    if action.origin in OWN_ORIGINS:
        return Verdict.ALLOW, "it is the user's own"
    if action.kind == "env" and action.origin == DOTENV and steers(action.name):
        return Verdict.ASK, "it steers turnloop or the programs that it starts"
    if action.kind == "setting" and action.digest in saved:
        return Verdict.ALLOW, "exactly this was saved in this folder by the user"
    if not trusted:
        return Verdict.ASK, "this folder is not trusted"
    if action.digest not in approved:
        return Verdict.ASK, "it is not what was approved in this folder"
    return Verdict.ALLOW, "exactly this was approved in this folder"


def steers(variable: str) -> bool:
    """Whether a variable of that name says what runs, what is loaded, or where requests go."""
    name = variable.upper()
    return name in _STEERING or name.startswith(_STEERING_STARTS) or name.endswith(_STEERING_ENDS)
