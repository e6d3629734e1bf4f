"""`awk` and its kin."""

from __future__ import annotations

import re

from turnloop_shell.programs.awk_program import Program, read_program
from turnloop_shell.programs.making import code_text, dynamic, touch
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Use
from turnloop_shell.syntax.words import plain

_LONG = (
    "field-separator: assign: file: version help posix re-interval characters-as-bytes traditional "
    "copyright gen-pot lint? bignum use-lc-numeric non-decimal-data optimize no-optimize "
    "sandbox dump-variables? debug? exec: source: include: load: profile? pretty-print? csv"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_REFUSED = ("f", "file", "E", "exec", "i", "include", "l", "load", "D", "debug", "W")
_WRITES = ("d", "dump-variables", "p", "profile", "o", "pretty-print")


def awk(command: Command) -> Use:
    name = command.name
    found = scan(command.words[1:], "F:v:f:bCcd?D?e:E:gi:l:L?MnNOo?p?PrsStVW:hk", _LONG)
    if found.problem:
        return dynamic(f"it cannot be told what `{name}` runs: {found.problem}")
    files, reads = found.rest, touch("r", found.values("f", "file", "E", "exec", "i", "include"))
    sources = found.values("e", "source")
    if not sources and not found.has("f", "file", "E", "exec"):
        sources, files = files[:1], files[1:]
    if not sources and found.has("version", "V", "help", "h"):
        return Use(Effect.READS)
    texts = [code_text(word) for word in sources]
    program = read_program("\n".join(text for text in texts if text is not None))
    if any(text is None for text in texts):
        program = Program(reason=f"the program of `{name}` is not known")
    if found.has(*_REFUSED):
        program.reason = f"`{name}` takes code from a file"
    if found.has(*_WRITES):
        program.reason = f"`{name}` writes a file that is not named"
    code = tuple(Code(text, f"what `{name}` runs") for text in program.code)
    operands = [w for w in files if not _ASSIGNMENT.match(w.prefix) and w.text != "-"]
    edits = any("inplace" in word.text for word in found.values("i", "include"))
    touches = (
        *reads,
        *touch("c" if edits else "r", operands),
        *touch("w", [plain(w) for w in program.writes]),
    )
    if program.reason:
        return dynamic(program.reason, code=code, touches=touches)
    return Use(Effect.CHANGES if program.writes else Effect.READS, touches=touches)
