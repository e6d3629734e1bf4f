"""What may be typed at a permission question, and what it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Literal

from turnloop_core.ports.approver import PermissionAnswer, PermissionQuestion, SaveTo
from turnloop_core.values import dataclass

Command = Literal["edit", "explain", "whole"]

_NO = re.compile(r"(?:n|no)(?:[\s.,:;!]+(?P<words>.*))?", re.IGNORECASE)
_KEYS = re.compile(r"(y|yes|s|session|a|al|always|ap|au)[ ]?([0-9]{1,2})?")
_COMMANDS: MappingProxyType[str, Command] = MappingProxyType(
    {"e": "edit", "edit": "edit", "?": "explain", "help": "explain", "v": "whole", "view": "whole"}
)
_LAYERS: MappingProxyType[str, SaveTo] = MappingProxyType({"ap": "project", "au": "user"})


@dataclass(frozen=True, slots=True)
class Unclear:
    """A line that is no answer, and what to say to it."""

    text: str


def understood(line: str, question: PermissionQuestion) -> PermissionAnswer | Command | Unclear:
    """What a line means as an answer."""
    refused = _NO.fullmatch(line.strip())
    if refused:
        return PermissionAnswer(allow=False, comment=(refused["words"] or "").strip())
    said = " ".join(line.lower().split()).rstrip(".,:;!")
    command = _COMMANDS.get(said)
    if command == "edit" and not question.proposals:
        return Unclear("no rule makes this question go away: y or n")
    if command is not None:
        return command
    keys = _KEYS.fullmatch(said)
    if keys is None:
        return Unclear("that is no answer; ? explains the choices, n WORDS says no and why")
    return _allowed(keys[1], keys[2], question.proposals)


def kept_where(line: str) -> PermissionAnswer | None:
    """How long a rule of one's own is kept; None for what says nothing of it."""
    keys = _KEYS.fullmatch(" ".join(line.lower().split()))
    if keys is None or keys[2] or keys[1].startswith("y"):
        return None
    return _kept(keys[1], ())


def _allowed(
    word: str, number: str | None, proposals: Sequence[tuple[str, ...]]
) -> PermissionAnswer | Unclear:
    if word.startswith("y"):
        if number:
            return Unclear(f"y is for this once and takes no number; s{number} keeps rule {number}")
        return PermissionAnswer(allow=True)
    if not proposals:
        return Unclear("no rule makes this question go away: y or n")
    place = int(number or 1)
    if not 1 <= place <= len(proposals):
        many = "only one" if len(proposals) == 1 else f"only {len(proposals)}"
        return Unclear(f"there is no rule {place}, {many}")
    return _kept(word, proposals[place - 1] if number else ())


def _kept(word: str, rules: tuple[str, ...]) -> PermissionAnswer:
    if word.startswith("s"):
        return PermissionAnswer(allow=True, remember="session", rules=rules)
    layer = _LAYERS.get(word, "local")
    return PermissionAnswer(allow=True, remember="always", rules=rules, layer=layer)


def choices(question: PermissionQuestion) -> str:
    """The choices in one line."""
    if not question.proposals:
        return "[y]es once, [?], [n]o"
    return "[y]es once, [s]ession, [a]lways, [e]dit rule, [?], [n]o"


def explanation(question: PermissionQuestion) -> tuple[str, ...]:
    """All choices, one a line."""
    lines = ["y        yes, this once"]
    if question.proposals:
        second = "; s2 the second rule" if len(question.proposals) > 1 else ""
        lines += [
            f"s        yes, and the rule holds for this session{second}",
            "a        yes, and the rule is saved: for you, in this project (settings.local.json)",
            "ap       the same, for everybody in this project (settings.json)",
            "au       the same, for you in all projects (~/.turnloop/settings.json)",
            "e        yes, with a rule that you type",
        ]
    if question.preview:
        lines.append("v        show the whole preview")
    return (
        *lines,
        "n        no; with words after it, the model reads them: n use the other file",
        "/plan    another mode, /default and /auto too: the question is decided anew",
        "ctrl-c   stop the run",
    )
