"""Clients of databases: their statements may hold a way to a shell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, dynamic, one_of, touch
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Use
from turnloop_shell.syntax.words import Word


def _databases(short: str, long: str, code: tuple[str, ...], files: tuple[str, ...]) -> Handler:
    """A client whose statements may hold a way to a shell."""

    def use(command: Command) -> Use:
        name = command.name
        found = scan(command.words[1:], short, long, mixed=True)
        stdin = (command.stdin,) if isinstance(command.stdin, Word) else ()
        texts = (*found.values(*code), *stdin)
        touches = touch("r", found.values(*files))
        shells = [w for w in texts if not w.known or _ESCAPE.search(w.text)]
        inner = tuple(
            Code(match[1] or match[2], f"what `{name}` runs")
            for text in (*(w.text for w in shells), *_outputs(found.values(*files)))
            for match in _TO_SHELL.finditer(text)
        )
        if found.problem:
            return dynamic(f"it cannot be told what `{name}` runs: {found.problem}", code=inner)
        if shells or found.has(*files) or command.stdin in ("pipe", "file"):
            return dynamic(
                f"`{name}` may run a shell for what it reads", code=inner, touches=touches
            )
        if found.has("version", "V", "help", "?") and not texts:
            return Use(Effect.READS)
        return Use(Effect.NETWORK, doubt=f"`{name}` talks to a database")

    return use


_ESCAPE = re.compile(
    r"\\(?!(?:d[A-Za-z]*|l|x|timing|conninfo)\b)[!a-zA-Z]|^\s*(?:system\b|source\b|tee\b|pager\b|\.)|program\b",
    re.I | re.M,
)
_TO_SHELL = re.compile(
    r"(?:\\!|^\s*\\?system\s|^\s*\.(?:shell|system)\s|\\[ogw][a-z]*\s*\|)\s*([^\n]*)"
    r"|\bprogram\s*'([^']*)'",
    re.M | re.I,
)


def _outputs(values: tuple[Word, ...]) -> list[str]:
    """`-o '|program'` is `\\o |program`."""
    return [f"\\o {word.text}" for word in values if word.prefix.startswith("|")]


_psql = _databases(
    "aAbc:d:eEf:F:h:HlL:no:p:P:qR:sStT:U:v:VwWxXz01?",
    "echo-all no-align echo-errors command: dbname: echo-queries echo-hidden file: "
    "field-separator: "
    "host: html list log-file: no-readline output: port: pset: quiet record-separator: single-step "
    "single-line tuples-only table-attr: username: variable: set: version no-password password "
    "expanded no-psqlrc single-transaction csv field-separator-zero record-separator-zero help?",
    ("c", "command", "v", "variable", "set", "P", "pset"),
    ("f", "file", "o", "output", "L", "log-file"),
)
_mysql = _databases(
    "Abe:D:EGh:HiLNnop?P:qrsS:tTu:UvVwWXfB",
    "execute: database: host: port: user: password? socket: silent verbose batch table vertical "
    "xml "
    "html raw column-names skip-column-names default-character-set: force compress version help "
    "ssl-mode: protocol: init-command: no-auto-rehash safe-updates",
    ("e", "execute", "init-command"),
    (),
)


_FLAGS = one_of(
    "append ascii bail batch box column csv deserialize echo header noheader html json jsonlines "
    "line list markdown memtrace quote safe stats table tabs zip"
)


def sqlite(command: Command) -> Use:
    """Its options have one dash. A statement that begins with a dot is a command of the shell."""
    takes = (
        "cmd", "separator", "nullvalue", "newline", "init", "mmap", "maxsize", "nonce", "vfs",
        "heap", "escape", "storage-version",
    )  # fmt: skip
    files: list[Word] = []
    texts: list[Word] = [command.stdin] if isinstance(command.stdin, Word) else []
    words, place, reads, odd = command.words[1:], 0, False, False
    while place < len(words):
        word, place = words[place], place + 1
        option = word.text.lstrip("-") if word.prefix.startswith("-") else ""
        if not word.known and not word.prefix:
            odd = odd or not files
        if not option:
            (texts if files else files).append(word)
        elif option in takes:
            texts += words[place : place + 1] if option == "cmd" else ()
            odd = odd or option in ("init", "vfs")
            place += 1
        elif option == "readonly":
            reads = True
        elif option in ("version", "help"):
            return Use(Effect.READS)
        else:
            odd = odd or option not in _FLAGS or not word.known
    name = command.name
    reaches = _DUCK if name == "duckdb" else _DOT
    code = tuple(
        Code(match[1], f"what `{name}` runs")
        for word in texts
        for match in _TO_SHELL.finditer(word.text)
    )
    touches = touch("r" if reads else "c", [w for w in files if w.text != ":memory:"])
    if odd or command.stdin in ("pipe", "file") or not texts:
        return dynamic(f"it cannot be told what `{name}` runs", code=code, touches=touches)
    if any(not w.known or reaches.search(w.text) for w in texts):
        return dynamic(
            f"`{name}` may run a shell, or read and write other files", code=code, touches=touches
        )
    return Use(Effect.READS if reads else Effect.CHANGES, touches=touches)


_DOT = re.compile(
    r"^\s*\.|;\s*\.|\battach\b|\bvacuum\s+into\b|load_extension|readfile|writefile|\bedit\s*\(",
    re.I | re.M,
)

# Its statements read files, write them, and load code from other machines.
_DUCK = re.compile(
    _DOT.pattern + r"|\b(?:copy|export|import|install|load|attach|set|pragma|secret|use|getenv)\b"
    r"|\b(?:from|join|describe|summarize|into)\s*[\"']|\w*(?:read|scan|glob|sniff|query)\w*\s*\(",
    re.I | re.M,
)


DATABASES: Mapping[str, Handler] = MappingProxyType(
    {
        "psql": _psql,
        **dict.fromkeys(("mysql", "mariadb"), _mysql),
        **dict.fromkeys(("sqlite3", "sqlite", "duckdb"), sqlite),
    }
)
