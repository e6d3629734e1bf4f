"""Subcommands of git that have subcommands, or read and change under one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from turnloop_shell.programs.git_config import code_of, harmless
from turnloop_shell.programs.git_options import read, sub_use
from turnloop_shell.programs.git_paths import shown_path
from turnloop_shell.programs.git_tables import SUBS
from turnloop_shell.programs.making import HERE, Handler, code_text, dynamic, network, touch
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Use
from turnloop_shell.syntax.words import Word, plain

_READS = Use(Effect.READS)
_CHANGES = Use(Effect.CHANGES)
_INPUT = "which objects `git cat-file` shows is not known before it runs"
_SETTINGS = "it changes settings of git"
_CONFIG = (
    "f:lez",
    (
        "global system local worktree file: blob: get get-all get-regexp get-urlmatch get-color "
        "get-colorbool list edit add replace-all unset unset-all rename-section remove-section "
        "type: "
        "bool int bool-or-int bool-or-str path expiry-date no-type null name-only show-origin "
        "show-scope includes no-includes default: fixed-value comment: all regexp url: show-names "
        "no-show-names append value:"
    ),
)
_SETS = ("add", "unset", "unset-all", "replace-all", "rename-section", "remove-section")
_GETS = ("get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "list", "l")


def _config(command: Command) -> Use:
    found = scan(command.words[1:], *_CONFIG, mixed=True)
    if found.problem:
        return dynamic(f"it cannot be told what `git config` changes: {found.problem}")
    files, rest = found.values("f", "file"), list(found.rest)
    verb = rest[0].text if rest and rest[0].known else ""
    if found.has("e", "edit") or verb == "edit":
        return dynamic("`git config --edit` starts an editor")
    shows = found.has(*_GETS) or verb in ("get", "list") or (len(rest) == 1 and not _writes(verb))
    if shows and not found.has(*_SETS):
        blobs = map(shown_path, found.values("blob"))
        return Use(Effect.READS, touches=touch("r", (*files, *blobs)))
    if not rest:
        return _READS
    if verb in ("set", "unset", "rename-section", "remove-section"):
        rest = rest[1:]
    touches = touch("c", files)
    name = rest[0].text if rest and rest[0].known else ""
    value = rest[1] if len(rest) > 1 else None
    if not harmless(name, value):
        code = code_of(name, value) if value is not None else ()
        why = f"the setting `{name}` may make git run a program"
        return dynamic(why, code=code, touches=touches)
    return Use(doubt=_SETTINGS, touches=touches)


def _writes(verb: str) -> bool:
    return verb in ("set", "unset", "rename-section", "remove-section", "edit")


def _first(command: Command) -> tuple[str, tuple[Word, ...]]:
    """The first operand, and the words behind it; None where it is not known."""
    for place, word in enumerate(command.words[1:], start=1):
        if not word.prefix.startswith("-"):
            return (word.text if word.known else "?"), command.words[place + 1 :]
    return "", ()


def _listing(command: Command) -> Use:
    """`branch` and `tag`: without operands, or with `--list`, they only show."""
    name = command.words[0].text
    roles = {
        "m": "v" if name == "tag" else "f", "message": "v", "F": "r", "file": "r", "u": "v",
        "set-upstream-to": "v", "contains": "v", "no-contains": "v", "merged": "v",
        "no-merged": "v", "points-at": "v", "sort": "v", "format": "v", "t": "f",
        "edit-description": "f", "n": "ov", "cleanup": "v",
    }  # fmt: skip
    state = read(roles, command.words[1:], Effect.READS)
    shows = {"l", "list", "show-current", "v", "a", "r", "all", "remotes", "contains", "merged",
             "no-contains", "no-merged", "points-at", "n"}  # fmt: skip
    alters = {"d", "D", "delete", "m", "M", "move", "c", "C", "copy", "f", "force", "u", "a",
              "set-upstream-to", "unset-upstream", "edit-description", "s", "F", "message", "file",
              "annotate", "sign", "track", "t", "v", "local-user"}  # fmt: skip
    alters -= {"a", "v", "t"} if name == "branch" else {"v"} if "list" in state.names else set()
    listed = not (state.operands or state.paths) or bool(state.names & shows)
    effect = Effect.READS if listed and not state.names & alters else Effect.CHANGES
    return Use(effect, touches=tuple(state.touches), dynamic=state.dynamic, doubt=state.dynamic)


def _remote(command: Command) -> Use:
    verb, rest = _first(command)
    if verb in ("", "get-url"):
        return _READS
    if verb == "show" and any(w.known and w.text == "-n" for w in rest):
        return _READS
    if any("::" in word.prefix for word in rest):
        return dynamic("git may run a program for an address with `::`")
    if verb in ("show", "update", "add", "set-url", "prune"):
        return network(f"git remote {verb}")
    return Use(doubt=_SETTINGS)


def _stash(command: Command) -> Use:
    verb, rest = _first(command)
    if verb == "list":
        return sub_use("log", SUBS["log"], rest)
    if verb == "show":
        return _stash_shown(rest)
    return _CHANGES


def _stash_shown(words: tuple[Word, ...]) -> Use:
    """With files that were not tracked, it shows what is in them too."""
    use = sub_use("show", replace(SUBS["show"], operands=""), words)
    names = read(SUBS["show"].roles, words, Effect.READS).names
    if "u" not in names and not any(name.startswith(("inc", "onl")) for name in names):
        return use
    return replace(use, touches=(*use.touches, *touch("r", (HERE,), deep=True)))


def _cat_file(command: Command) -> Use:
    """With `--batch` it reads what it shows, from its input."""
    use = sub_use("cat-file", SUBS["cat-file"], command.words[1:])
    names = read(SUBS["cat-file"].roles, command.words[1:], Effect.READS).names
    if not any(name.startswith("batch") and name != "batch-check" for name in names):
        return use
    given = command.stdin
    if not isinstance(given, Word) or not given.known or "batch-all-objects" in names:
        return replace(use, dynamic=_INPUT, doubt=_INPUT)
    rows = (line.split() for line in given.text.splitlines())
    shown = [shown_path(plain(word)) for row in rows for word in row]
    return replace(use, touches=(*use.touches, *touch("r", shown)))


def _reflog(command: Command) -> Use:
    verb, rest = _first(command)
    if verb in ("expire", "delete", "drop", "write"):
        return _CHANGES
    words = rest if verb in ("show", "exists", "list") else command.words[1:]
    return sub_use("log", replace(SUBS["log"], operands=""), words)


def _worktree(command: Command) -> Use:
    verb, rest = _first(command)
    if verb == "list":
        return _READS
    roles = {"b": "v", "B": "v", "reason": "v", "expire": "v"}
    state = read(roles, rest, Effect.CHANGES)
    places = (*state.operands, *state.paths)
    if verb == "add":
        return Use(Effect.CHANGES, touches=touch("w", places[:1], deep=True))
    if verb in ("remove", "move", "repair"):
        return Use(Effect.CHANGES, touches=touch("c", places, deep=True))
    return _CHANGES if verb in ("lock", "unlock", "prune") else Use(doubt="it is not known")


def _submodule(command: Command) -> Use:
    verb, rest = _first(command)
    if verb in ("", "status", "summary"):
        return _READS
    if verb == "?":
        return dynamic("it cannot be told what `git submodule` does")
    if verb == "foreach":
        return _foreach(rest)
    if verb in ("add", "update"):
        if any("::" in word.prefix for word in rest):
            return dynamic("git may run a program for an address with `::`")
        return network(f"git submodule {verb}")
    return Use(doubt=_SETTINGS)


def _foreach(words: tuple[Word, ...]) -> Use:
    """One word is code; several are the words of a program."""
    while words and words[0].known and words[0].text in ("--recursive", "-q", "--quiet", "--"):
        words = words[1:]
    if not words:
        return _READS
    if words[0].prefix.startswith("-"):
        return dynamic("it cannot be told what `git submodule foreach` runs")
    if len(words) > 1:
        return Use(Effect.CHANGES, runs=(Runs(words),))
    where = "what runs in each submodule"
    return Use(Effect.CHANGES, (Code(code_text(words[0]), where),))


def _bisect(command: Command) -> Use:
    verb, rest = _first(command)
    if verb == "run":
        return Use(Effect.CHANGES, runs=(Runs(rest),)) if rest else _CHANGES
    if verb in ("visualize", "view", "?"):
        return dynamic("`git bisect visualize` starts a program that shows the history")
    return _READS if verb in ("log", "terms", "") else _CHANGES


def _notes(command: Command) -> Use:
    verb, _ = _first(command)
    if verb in ("", "list", "show", "get-ref"):
        return _READS
    return sub_use("notes", SUBS["notes"], command.words[1:])


def _bundle(command: Command) -> Use:
    verb, rest = _first(command)
    how = "w" if verb == "create" else "r"
    state = read({}, rest, Effect.CHANGES)
    effect = Effect.READS if verb in ("verify", "list-heads") else Effect.CHANGES
    return Use(effect, touches=touch(how, state.operands[:1]))


def _clean(command: Command) -> Use:
    use = sub_use("clean", SUBS["clean"], command.words[1:])
    state = read(SUBS["clean"].roles, command.words[1:], Effect.CHANGES)
    return replace(use, effect=Effect.READS, touches=()) if state.names & {"n", "dry-run"} else use


SPECIAL: Mapping[str, Handler] = MappingProxyType(
    {
        "config": _config,
        "branch": _listing,
        "tag": _listing,
        "remote": _remote,
        "stash": _stash,
        "reflog": _reflog,
        "worktree": _worktree,
        "submodule": _submodule,
        "bisect": _bisect,
        "notes": _notes,
        "bundle": _bundle,
        "clean": _clean,
        "cat-file": _cat_file,
    }
)
