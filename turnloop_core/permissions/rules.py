"""Rules as users write them: `Tool` or `Tool(pattern)`.

Patterns mean, by what the named tool touches:

- paths (`Read`, `Edit`, `Write`, `Grep`, ...): a glob. `src/**` starts at the project root, `~/x`
  at home, `/x` at the root of the file system. `*` and `?` stay within one name, `**` spans any
  number of folders, and `folder/**` (or `folder/`) is the folder with all that is below it. An
  allow rule `**/x` reaches to any depth of the project; a deny or ask rule `**/x` to any depth of
  the file system. Deny and ask rules also understand `[abc]` and `{a,b}`, and bind what is below
  a folder that they name.
- commands (`Bash`): the whole command, runs of blanks folded; `*` is any text.
- addresses (`WebFetch`): `scheme://host[:port]/glob`; the host is exact, or `*.example.com`.
- MCP tools: `mcp__server__tool`, `mcp__server` or `mcp__server__*`, without a pattern.
"""

from __future__ import annotations

import re
from typing import Literal

from turnloop_core.errors import SettingsError
from turnloop_core.permissions.urls import parse_url_pattern
from turnloop_core.permissions.wildcards import MAX_ALTERNATIVES, expand_braces
from turnloop_core.types.subjects import PUBLIC_NAMES, SubjectKind
from turnloop_core.values import dataclass

RuleKind = Literal["allow", "deny", "ask"]

SHIPPED = "shipped with turnloop"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_MCP_NAME = re.compile(r"mcp__(\*|[A-Za-z0-9.-]+(?:_[A-Za-z0-9.-]+)*)(?:__([A-Za-z0-9_.*-]+))?")
_UP_AFTER_WILDCARD = re.compile(r"[*?\[].*/\.\.(?:/|$)", re.DOTALL)
_NOT_PATHS = tuple(
    PUBLIC_NAMES[k] for k in (SubjectKind.COMMAND, SubjectKind.URL, SubjectKind.SEARCH)
)
_KNOWN = (*PUBLIC_NAMES.values(), "Write")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        name: the tool that it names.
        pattern: what stands in the parentheses, None when there are none.
        text: the rule as written.
        source: where it stands: a file, a flag, a session.
    """

    name: str
    pattern: str | None
    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of a session. Order within a list does not matter."""

    allow: tuple[Rule, ...] = ()
    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()


def parse_rule(text: str, source: str) -> Rule:
    """Read one rule.

    Raises:
        SettingsError: it is not a rule; names the rule, where it stands, and what would be right.
    """
    if not isinstance(text, str):
        raise _wrong(repr(text), source, "a rule is text", 'write for example "Edit(src/**)"')
    stripped = text.strip()
    name, bracket, rest = stripped.partition("(")
    name = name.rstrip()
    if not bracket:
        _check_name(name, text, source)
        return Rule(name, None, stripped, source)
    if not rest.endswith(")"):
        raise _wrong(text, source, "no closing parenthesis at its end", f"write {name}(pattern)")
    _check_name(name, text, source)
    pattern = rest[:-1].strip()
    _check_pattern(name, pattern, text, source)
    return Rule(name, pattern, stripped, source)


def _wrong(text: str, source: str, message: str, hint: str) -> SettingsError:
    return SettingsError(
        f"permission rule {text!r}: {message}", where=source, key="permissions", hint=hint
    )


def _check_name(name: str, text: str, source: str) -> None:
    if name.startswith("mcp__"):
        if not _MCP_NAME.fullmatch(name):
            raise _wrong(
                text,
                source,
                "not the name of an MCP server or tool",
                "write mcp__server, mcp__server__tool or mcp__server__*",
            )
        return
    if not _NAME.fullmatch(name):
        raise _wrong(
            text,
            source,
            "it does not begin with the name of a tool",
            "write Tool or Tool(pattern), for example Edit(src/**) or Bash(git status)",
        )
    for known in _KNOWN:
        if name != known and name.lower() == known.lower():
            raise _wrong(text, source, f"no tool is called {name}", f"write {known}")


def _check_pattern(name: str, pattern: str, text: str, source: str) -> None:
    if name.startswith("mcp__"):
        raise _wrong(text, source, "rules for MCP tools take no pattern", f"write {name}")
    if not pattern:
        raise _wrong(text, source, "the pattern is empty", f"write {name} to mean all of it")
    if "\0" in pattern:
        raise _wrong(text, source, "the pattern holds a NUL character", "leave it out")
    if name not in _NOT_PATHS:
        _check_path(pattern, text, source)
    if name == PUBLIC_NAMES[SubjectKind.URL] and pattern != "*":
        try:
            parse_url_pattern(pattern)
        except ValueError as error:
            raise _wrong(
                text, source, str(error), f"write for example {name}(https://docs.example.com/*)"
            ) from None


def _check_path(pattern: str, text: str, source: str) -> None:
    choices = expand_braces(pattern)
    if len(choices) > MAX_ALTERNATIVES:
        raise _wrong(text, source, "too many alternatives in braces", "write several rules")
    if any(_UP_AFTER_WILDCARD.search(choice) for choice in (pattern, *choices)):
        raise _wrong(
            text, source, ".. after a wildcard names no place", "write the path without .."
        )


def _shipped(*texts: str) -> tuple[Rule, ...]:
    return tuple(parse_rule(text, SHIPPED) for text in texts)


# The files that hold secrets on most machines. `.env.example` and its kind hold none, and stay
# readable: the variants of `.env` are named one by one.
DEFAULT_DENY: tuple[Rule, ...] = _shipped(
    "Read(**/.env)",
    "Read(**/.env.{local,*.local,dev,development,stage,staging,prod,production,secret,secrets})",
    "Read(**/.ssh/**)",
    "Read(**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk})",
    "Read(**/*.{pem,key,p12,pfx,jks,keystore})",
    "Read(**/.aws/**)",
    "Read(~/.config/{gcloud,gh,op}/**)",
    "Read(~/.{kube,azure,gnupg,docker}/**)",
    "Read(**/{.netrc,_netrc,.pgpass,.git-credentials})",
    "Read(~/.{npmrc,pypirc,cargo/credentials,cargo/credentials.toml,gem/credentials})",
)
