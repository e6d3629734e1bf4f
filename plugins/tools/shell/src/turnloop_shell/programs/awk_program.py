"""The language of `awk`, read far enough to know what a program writes and whether it runs things.

All that can leave awk is a pipe, `getline`, `system`, an output redirection, an extension, or a
change of its list of files. A `>` is a redirection only behind `print`, outside parentheses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from turnloop_shell.programs.making import one_of

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\\\r?\n|\#[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<number>0[xX][0-9a-fA-F]+|[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>\|\||&&|\|&|>>|\+\+|--|[<>=!+\-*%^]=|\*\*=?|[-+*%^!<>=|&?:,;(){}\[\]$~@\n])
    """,
    re.VERBOSE | re.DOTALL,
)
# A slash inside brackets ends a pattern for some of them and not for others: not understood.
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\\n/])*+\])++/|/=")
_BEFORE_REGEX = one_of(
    "print printf return in case if while else do and or not delete exit getline"
)
_LEAVES = frozenset(("system", "getline", "ARGV", "ARGC", "extension", "PROCINFO", "readfile"))
_SUSPECT = re.compile(r"system|getline|ARG[VC]|extension|PROCINFO|[|>@]")
_SYSTEM = re.compile(r"""system\s*\(\s*"((?:[^"\\\n]|\\.)*)"\s*\)""")
_PIPED = re.compile(
    r"""(?:\|&?\s*|(?<![|]))"((?:[^"\\\n]|\\.)*)"(?=\s*(?:\|&?\s*getline|[;}\n]|$))"""
)
_ESCAPES = re.compile(r"\\(.)", re.DOTALL)


@dataclass(slots=True)
class Program:
    """What a program does beside printing.

    Attributes:
        writes: files that it writes.
        code: texts that may be shell code, for deny rules.
        reason: why it cannot be known what it runs or touches, "" when it can.
    """

    writes: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    reason: str = ""


@dataclass(slots=True)
class _Tokens:
    found: list[tuple[str, str]] = field(default_factory=list)
    unsure: bool = False


def read_program(text: str) -> Program:
    program = Program()
    tokens = _tokens(text)
    if tokens is None:
        program.reason = "the program of `awk` is not understood"
    elif tokens.unsure and _SUSPECT.search(text):
        program.reason = "it cannot be told what in the program of `awk` is a pattern"
    else:
        _judge(tokens.found, program)
    if program.reason:
        strings = (*_SYSTEM.findall(text), *_PIPED.findall(text))
        program.code = [_ESCAPES.sub(_unescaped, string) for string in strings if string.strip()]
    return program


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(found[1], found[1])


def _tokens(text: str) -> _Tokens | None:
    tokens, place = _Tokens(), 0
    while place < len(text):
        if text[place] == "/":
            kind, value = tokens.found[-1] if tokens.found else ("", "")
            operand = kind in ("number", "string") or value in (")", "]", "$", "++", "--")
            operand = operand or (kind == "word" and value not in _BEFORE_REGEX)
            tokens.unsure = tokens.unsure or value in (")", "++", "--")
            found = None if operand else _REGEX.match(text, place)
            if found is None and not operand:
                return None
            end = place + 1 if found is None else found.end()
            tokens.found.append(("sign" if found is None else "regex", text[place:end]))
            place = end
            continue
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        place = token.end()
        if token.lastgroup != "blank":
            tokens.found.append((token.lastgroup or "", token[0]))
    return tokens


def _judge(tokens: list[tuple[str, str]], program: Program) -> None:
    printing, depth = False, 0
    for place, (kind, value) in enumerate(tokens):
        if kind == "word":
            if value in _LEAVES:
                program.reason = f"the program of `awk` uses `{value}`"
            if value in ("print", "printf"):
                printing, depth = True, 0
        elif kind != "sign":
            continue
        elif value in ("|", "|&", "@"):
            program.reason = "the program of `awk` may start other programs"
        elif value in ("(", "["):
            depth += 1
        elif value in (")", "]"):
            depth -= 1
        elif value in (";", "\n", "}", "{"):
            printing = False
        elif value in (">", ">>") and printing and depth <= 0:
            _redirect(tokens[place + 1 : place + 3], program)


def _redirect(after: list[tuple[str, str]], program: Program) -> None:
    """The file that `print` writes, where it is one string."""
    ends = len(after) == 1 or (len(after) == 2 and after[1][1] in (";", "\n", "}"))
    if not after or after[0][0] != "string" or not ends or "\\" in after[0][1]:
        program.reason = "it is not known which file the program of `awk` writes"
        return
    name = after[0][1][1:-1]
    if name.startswith("/inet"):
        program.reason = "the program of `awk` talks to other machines"
    elif name not in ("/dev/stdout", "/dev/stderr", "-"):
        program.writes.append(name)
