"""What a command does: the one place where it is chosen who knows.

Handlers of programs that start others, or that have a language of their own, come first, then the
tables of ordinary programs. Of all others nothing is known.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from turnloop_shell.programs.addresses import with_addresses
from turnloop_shell.programs.awk import awk
from turnloop_shell.programs.builtins_plain import PLAIN
from turnloop_shell.programs.clients import CLIENTS
from turnloop_shell.programs.databases import DATABASES
from turnloop_shell.programs.dialects import two_readings
from turnloop_shell.programs.editors import EDITORS
from turnloop_shell.programs.find import fd, find
from turnloop_shell.programs.git import git
from turnloop_shell.programs.interpreters import INTERPRETERS
from turnloop_shell.programs.javascript import JAVASCRIPT
from turnloop_shell.programs.launchers import LAUNCHERS
from turnloop_shell.programs.making import Handler, dynamic, touch, unknown, worst
from turnloop_shell.programs.more_wrappers import MORE_WRAPPERS
from turnloop_shell.programs.processes import ps
from turnloop_shell.programs.python import python
from turnloop_shell.programs.runners import DIRECT, NIX, RUNNERS, runner_use
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.sed import sed
from turnloop_shell.programs.shells import SHELLS
from turnloop_shell.programs.state import STATE
from turnloop_shell.programs.suffixes import suffixes
from turnloop_shell.programs.tables import use_by_table
from turnloop_shell.programs.use import Command, Effect, Runs, Use
from turnloop_shell.programs.wrappers import NAMES as WRAPPER_NAMES, wrapper_use
from turnloop_shell.syntax.words import Word, plain

_SYSTEM = frozenset(
    (
        "/bin",
        "/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/opt/homebrew/bin",
        "/opt/homebrew/sbin",
        "/usr/libexec",
        "/usr/lib/git-core",
        "/usr/libexec/git-core",
        "/snap/bin",
        "/run/current-system/sw/bin",
    )
)
_VERSIONED = re.compile(r"(python|pypy|perl|ruby|php|lua|node|tclsh|bash|ksh)[0-9][0-9.]*t?")
_GNU = re.compile(r"g(sed|awk|find|xargs|env|timeout|nice|stdbuf|test|printf|kill|time)")


def _command(command: Command) -> Use:
    """`command X`: X, but no function; with `-v` or `-V` only a look where it is."""
    found = scan(command.words[1:], "pvV")
    if found.problem:
        return dynamic(f"it cannot be told what `command` runs: {found.problem}")
    if found.has("v", "V") or not found.rest:
        return Use(Effect.READS)
    return _same_shell(found.rest, command)


def _builtin(command: Command) -> Use:
    words = command.words[1:]
    if words and words[0].known and words[0].text == "--":
        words = words[1:]
    return _same_shell(words, command) if words else Use(Effect.READS)


def _exec(command: Command) -> Use:
    found = scan(command.words[1:], "cla:")
    if found.problem:
        return dynamic(f"it cannot be told what `exec` runs: {found.problem}")
    if not found.rest:
        return Use(Effect.READS, inert=True)
    return Use(Effect.READS, runs=(Runs(found.rest, True, stdin=command.stdin),))


def _same_shell(words: tuple[Word, ...], command: Command) -> Use:
    """What it runs may be a builtin: it then changes this shell."""
    inner = use_of(Command(words, command.stdin))
    return Use(
        Effect.READS,
        runs=(Runs(words, True, stdin=command.stdin),),
        folder=inner.folder,
        folder_unknown=inner.folder_unknown,
        assigns=inner.assigns,
        exports=inner.exports,
        positional=inner.positional,
    )


def _git_part(command: Command) -> Use:
    """`git-push` is `git push`."""
    words = (plain("git"), plain(command.name[4:]), *command.words[1:])
    use = git(Command(words, command.stdin))
    return replace(use, forms=(words, *use.forms))


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        **INTERPRETERS,
        **JAVASCRIPT,
        **CLIENTS,
        **DATABASES,
        **EDITORS,
        **NIX,
        **dict.fromkeys(WRAPPER_NAMES, wrapper_use),
        **LAUNCHERS,
        **MORE_WRAPPERS,
        **SHELLS,
        **STATE,
        **PLAIN,
        "command": _command,
        "builtin": _builtin,
        "exec": _exec,
        "git": git,
        "ps": ps,
        "find": find,
        "fd": fd,
        "fdfind": fd,
        "sed": sed,
        **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "original-awk"), awk),
        **dict.fromkeys(("python", "pypy", "pythonw"), python),
    }
)
# Builtins that are programs as well, and mean the same.
_BOTH = frozenset(("printf", "test", "[", "true", "false", "kill", "pwd", "which"))
_BUILTINS = frozenset((*STATE, *PLAIN, "eval", "source", ".", "trap", "command", "builtin", "exec"))


def use_of(command: Command) -> Use:
    """What a command does with its words. Looks at nothing but the words."""
    return with_addresses(command, _use_of(command))


def _use_of(command: Command) -> Use:
    word = command.words[0]
    if not word.known or word.tilde:
        known = not word.nested and word.tilde and word.known
        if not known:
            return dynamic(f"the command word `{word.source}` is known only while it runs")
    if "/" not in word.text:
        return two_readings(command, _by_name(command))
    folder, _, name = word.text.rpartition("/")
    if not name:
        return replace(unknown(word.text), forms=suffixes(command.words))
    builtin = name in _BUILTINS and name not in _BOTH
    use = Use() if builtin else _by_name(command)
    use = two_readings(command, replace(use, inert=False))
    if folder.startswith("/") and posixpath.normpath("/" + folder.lstrip("/")) in _SYSTEM:
        return use
    return _of_project(use, command)


def _of_project(use: Use, command: Command) -> Use:
    """A file that has the name of a program need not be it: what counts against it stays."""
    word = command.words[0]
    strange = use.effect is Effect.UNKNOWN and not (use.dynamic or use.opaque or use.runs)
    return replace(
        use,
        effect=Effect.PROJECT if strange else worst(use.effect, Effect.PROJECT),
        doubt="" if strange else use.doubt,
        touches=(*touch("r", (word,)), *use.touches),
        forms=tuple(dict.fromkeys((*use.forms, *suffixes(command.words)))),
        runs=tuple(replace(run, plain=False) for run in use.runs),
    )


def _by_name(command: Command) -> Use:
    name = command.name
    handler = HANDLERS.get(name) or _alias(name)
    if handler is not None:
        return handler(command)
    if name in RUNNERS or name in DIRECT:
        use = runner_use(command)
        if use is not None:
            return use
    if name.startswith("git-"):
        return _git_part(command)
    found: Callable[[Command], Use | None] = use_by_table
    return found(command) or replace(unknown(name), forms=suffixes(command.words))


def _alias(name: str) -> Handler | None:
    """`python3.12` is python, `gsed` is sed."""
    versioned = _VERSIONED.fullmatch(name)
    if versioned:
        return HANDLERS.get("python" if versioned[1] == "pypy" else versioned[1])
    gnu = _GNU.fullmatch(name)
    return HANDLERS.get(gnu[1]) if gnu else None
