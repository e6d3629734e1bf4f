"""Builtins that set variables and options of the shell: `export`, `read`, `set`, `alias`, ..."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, code_text, dynamic, one_of
from turnloop_shell.programs.names import assigned, declared, is_name
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Use
from turnloop_shell.syntax.words import Word, plain

_READS = Use(Effect.READS)
_INERT = Use(Effect.READS, inert=True)
_POSITIONAL = Use(Effect.READS, inert=True, positional=True)
_SET_LETTERS = frozenset("eufxvbhmTEnCt")
_SET_NAMES = one_of(
    "errexit nounset noglob xtrace verbose pipefail errtrace functrace noclobber "
    "notify monitor hashall emacs vi ignoreeof interactive-comments nolog physical"
)
_SHOPT_NAMES = one_of(
    "nullglob failglob inherit_errexit checkwinsize dotglob huponexit sourcepath mailwarn"
)


def _declare(command: Command) -> Use:
    """`declare` and its kin. What turns later values into code or other names is not known."""
    name, words = command.name, command.words[1:]
    letters, place = "", 0
    while place < len(words) and words[place].prefix[:1] in ("-", "+"):
        word = words[place]
        if not word.known:
            return dynamic(f"the options of `{name}` are not known")
        place += 1
        if word.text == "--":
            break
        letters += word.text[1:] if word.text[0] == "-" else ""
    names = words[place:]
    if not set(letters) <= set("aAfFgilnprtuxI"):
        return dynamic(f"the options of `{name}` are not known")
    if "p" in letters or "F" in letters or not names:
        return _READS
    if "f" in letters:
        if name == "export" or "x" in letters:
            return dynamic(f"`{name} -f` hands functions to every program that is a shell")
        return _READS
    if "n" in letters and name != "export":
        return dynamic(f"`{name} -n` makes one name mean another")
    if "i" in letters:
        return dynamic(f"`{name} -i` evaluates what the variable is set to")
    pairs: list[tuple[str, Word | None]] = []
    for word in names:
        pair = declared(word)
        if pair is None:
            return dynamic(f"`{name}` may evaluate `{word.source}`")
        pairs.append((pair[0], None) if {"u", "l"} & set(letters) else pair)
    exports = name == "export" or "x" in letters
    return Use(Effect.READS, assigns=tuple(pairs), exports=exports)


def _read(command: Command) -> Use:
    found = scan(command.words[1:], "a:d:eEi:n:N:p:rst:u:")
    if found.problem:
        return dynamic(f"it cannot be told which variables `{command.name}` sets")
    names = (*found.values("a"), *found.rest)
    return assigned(names or (plain("REPLY"),), command.name)


def _mapfile(command: Command) -> Use:
    found = scan(command.words[1:], "d:n:O:s:tu:C:c:")
    if found.problem:
        return dynamic(f"it cannot be told which variables `{command.name}` sets")
    if found.has("C"):
        code = tuple(Code(code_text(v), "the callback of `mapfile`") for v in found.values("C"))
        return dynamic("`mapfile -C` runs code on what it reads", code=code)
    return assigned(found.rest[:1] or (plain("MAPFILE"),), command.name)


def _getopts(command: Command) -> Use:
    use = assigned(command.words[2:3], "getopts")
    if use.dynamic:
        return use
    return Use(Effect.READS, assigns=(*use.assigns, ("OPTARG", None), ("OPTIND", None)))


def _printf(command: Command) -> Use:
    words = command.words[1:]
    if not words:
        return _READS
    first = words[0]
    if first.prefix.startswith("-v"):
        name = first.without(2) if first.text != "-v" else (words[1] if len(words) > 1 else first)
        return assigned((name,), "printf -v")
    if not first.prefix and not first.known and len(words) > 1:
        return dynamic("the format of `printf` may name a variable that is set")
    return _READS


def _unset(command: Command) -> Use:
    names = [word for word in command.words[1:] if not word.prefix.startswith("-")]
    options = [word for word in command.words[1:] if word.prefix.startswith("-")]
    known = all(w.known and w.text in ("-v", "-f", "-n", "-fv", "--") for w in options)
    if not known or not all(is_name(word) for word in names):
        return dynamic("`unset` may evaluate a subscript")
    if any("f" in w.text for w in options):
        return _READS
    return Use(Effect.READS, assigns=tuple((word.text, None) for word in names))


def _set(command: Command) -> Use:
    words = command.words[1:]
    place = 0
    while place < len(words):
        word = words[place]
        if not word.known:
            break
        text = word.text
        if text == "-" and place + 1 == len(words):
            return _INERT  # it only ends tracing
        if text in ("--", "-") or text[:1] not in ("-", "+"):
            return _POSITIONAL
        place += 1
        for letter in text[1:]:
            if letter == "o":
                if place >= len(words):
                    return _READS
                value, place = words[place], place + 1
                if not value.known or value.text not in _SET_NAMES:
                    return dynamic(f"`set {text} {value.source}` changes how the shell reads code")
            elif letter not in _SET_LETTERS:
                return dynamic(f"`set {text}` changes how the shell reads code or what it exports")
    if place < len(words):
        return dynamic("the options of `set` are not known")
    return _INERT if words else _READS


def _shopt(command: Command) -> Use:
    words = command.words[1:]
    if not all(word.known for word in words):
        return dynamic("the options of `shopt` are not known")
    texts = [word.text for word in words]
    letters = "".join(text[1:] for text in texts if text.startswith("-"))
    names = {text for text in texts if not text.startswith("-")}
    if not {"s", "u"} & set(letters) or not names:
        return _READS
    safe = _SET_NAMES if "o" in letters else _SHOPT_NAMES
    return _INERT if names <= safe else dynamic("`shopt` changes how the shell reads code")


def _alias(command: Command) -> Use:
    words = command.words[1:]
    if all(word.known and "=" not in word.text for word in words):
        return _READS
    values = (w.without(w.prefix.index("=") + 1) for w in words if "=" in w.prefix)
    code = tuple(Code(code_text(value), "an alias") for value in values)
    return dynamic("an alias gives a word another meaning", code=code)


def _hash(command: Command) -> Use:
    words = command.words[1:]
    if all(word.known and not word.text.startswith("-p") for word in words):
        letters = "".join(word.text[1:] for word in words if word.text.startswith("-"))
        if set(letters) <= set("rdlt"):
            return _READS
    return dynamic("`hash` may make a word run another program")


def _only(builtin: str, harmless: str, why: str, *, bare: bool = True) -> Handler:
    """A builtin that is harmless with these letters and no others, and alone where `bare`."""

    def use(command: Command) -> Use:
        words = command.words[1:]
        letters = "".join(w.text[1:] for w in words if w.known and w.text.startswith("-"))
        known = all(w.known for w in words) and set(letters) <= set(harmless)
        if known and (letters or (bare and not words)):
            return _READS
        return dynamic(f"`{builtin}` {why}")

    return use


def _history(command: Command) -> Use:
    words = command.words[1:]
    if not words or (words[0].known and words[0].text.isdigit()):
        return _READS
    return Use(doubt="it changes the history of the shell, or the file that holds it")


STATE: Mapping[str, Handler] = MappingProxyType(
    {
        **dict.fromkeys(("declare", "typeset", "local", "export", "readonly"), _declare),
        "integer": lambda _: dynamic("`integer` evaluates what the variable is set to"),
        "nameref": lambda _: dynamic("`nameref` makes one name mean another"),
        "read": _read,
        "mapfile": _mapfile,
        "readarray": _mapfile,
        "getopts": _getopts,
        "printf": _printf,
        "unset": _unset,
        "set": _set,
        "shopt": _shopt,
        "setopt": lambda _: dynamic("`setopt` changes how the shell reads code"),
        "unsetopt": lambda _: dynamic("`unsetopt` changes how the shell reads code"),
        "emulate": lambda _: dynamic("`emulate` changes how the shell reads code"),
        "alias": _alias,
        "unalias": lambda _: _READS,
        "hash": _hash,
        "rehash": lambda _: _READS,
        "enable": _only("enable", "aps", "changes which words are builtins"),
        "bind": _only("bind", "lpPsSvVX", "may bind code to a key", bare=False),
        "complete": _only("complete", "p", "sets code that completes words"),
        "compgen": _only("compgen", "abcdefgjksuv", "may run code", bare=False),
        "compopt": _only("compopt", "", "changes what completes words"),
        "history": _history,
        "fc": _only("fc", "lnr", "runs commands of the history", bare=False),
        "autoload": lambda _: dynamic("`autoload` makes a word run code from a file"),
        "zmodload": lambda _: dynamic("`zmodload` loads code into the shell"),
        "zle": lambda _: dynamic("`zle` runs code of the shell"),
        "functions": lambda _: dynamic("`functions` changes what words mean"),
    }
)
