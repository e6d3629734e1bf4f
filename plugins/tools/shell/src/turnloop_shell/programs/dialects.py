"""Code for a shell that may not be bash: where bash and a plain `sh` read it in two ways.

`{rm,x}` is two words to bash and one to dash; behind `$'\\'` the one is still in a string, and the
other is not; `((rm x))` is arithmetic to the one and a command to the other. What runs is then not
known, though rules that forbid what bash would run still hold.
"""

from __future__ import annotations

import re
from dataclasses import replace

from turnloop_shell.programs.making import one_of
from turnloop_shell.programs.use import Code, Command, Use

# Their code is read as bash reads it, as far as this goes.
_ALIKE = one_of("bash rbash bash5 zsh rzsh ksh ksh93 mksh lksh rksh oksh eval trap alias source .")
_ODD = re.compile(
    r"""\$'|\$\[|(?<!\$)\(\(|[<>]\(|\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}|\[\[\s(?=(?:(?!\]\])[^\n])*[|&<>(])"""
)
_BRACES = re.compile(r"\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}")
_LATER = re.compile(r"\b(?:eval|trap|alias)\b|<<")
_QUOTED = re.compile(r"""(?P<odd>\$'|\$\[)|\\.|'[^']*'|(?P<open>")|(?<=\s)\#[^\n]*""", re.DOTALL)


def bash_only(text: str) -> bool:
    """Whether it holds what only bash and its kind read as bash does."""
    if not _ODD.search(text):
        return False
    if _LATER.search(text):  # what is text now is code there
        return True
    return _ODD.search(_bare(text)) is not None


def _bare(text: str) -> str:
    """The text less what stands in quotes; code in double quotes stays."""
    found: list[str] = []
    place = 0
    while place < len(text):
        match = _QUOTED.match(text, place)
        if match is None:
            found.append(text[place])
            place += 1
        elif match["odd"]:
            return "$'"
        elif match["open"]:
            place = _string(text, place + 1, found)
        else:
            found.append(" x" if match[0][0] == "#" else "x")
            place = match.end()
    return "".join(found)


def _string(text: str, place: int, found: list[str]) -> int:
    """Pass over a string in double quotes. With code in it, all of it counts as bare."""
    end = place
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    inner = text[place:end]
    if "$(" in inner or "`" in inner:
        found.append(text[place:])
        return len(text)
    found.append("x")
    return end + 1


def two_readings(command: Command, use: Use) -> Use:
    """The use, with the doubt that goes with code for a shell that may not be bash."""
    if command.name in _ALIKE or not any(map(_unlike, use.code)):
        return use
    literal = (replace(code, text=_literal(code.text)) for code in use.code if _unlike(code))
    reason = f"its code means one thing to bash, and another to the shell of `{command.name}`"
    code = (*use.code, *(each for each in literal if each not in use.code))
    return replace(use, code=code, dynamic=use.dynamic or reason, doubt=use.doubt or reason)


def _literal(text: str | None) -> str | None:
    """The code with braces that mean nothing, where that is easily said."""
    if text is None or not {"'", '"', "\\"}.isdisjoint(text):
        return text
    return _BRACES.sub(lambda match: f"'{match[0]}'", text)


def _unlike(code: Code) -> bool:
    return code.text is not None and not code.here and bash_only(code.text)
