"""The environment of a command: nothing in it waits for a human."""

from __future__ import annotations

from collections.abc import Mapping

MARK = "TL_CALL_MARK"

# Run by git through the shell: it says why it fails, and what to do instead.
_NO_GIT_EDITOR = (
    "echo 'there is no editor here: give the text by an option (git commit -m ...)' >&2; false"
)
_FIXED = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": _NO_GIT_EDITOR,
    "GIT_SEQUENCE_EDITOR": _NO_GIT_EDITOR,
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "SSH_ASKPASS_REQUIRE": "never",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "TERM": "dumb",
    "NO_COLOR": "1",
}
_DROPPED = ("FORCE_COLOR", "CLICOLOR_FORCE")


def inherited(environment: Mapping[str, str]) -> frozenset[str]:
    """Names of the variables that every command starts with."""
    return frozenset({*environment, *_FIXED, MARK})


def surroundings(environment: Mapping[str, str], mark: str) -> dict[str, str]:
    """The variables of a command.

    Args:
        environment: what core lets children have.
        mark: names the call. Everything that the command starts inherits it, which is how
            processes are found again that left their parents and their group. A session within a
            session adds its own.
    """
    marks = f"{environment.get(MARK, '')} {mark}".strip()
    child = {**environment, **_FIXED, MARK: marks}
    for name in _DROPPED:
        child.pop(name, None)
    return child
