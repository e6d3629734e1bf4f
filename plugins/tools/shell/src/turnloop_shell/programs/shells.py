"""Shells and what runs code in them: `sh -c`, `eval`, `source`, `trap`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, code_text, dynamic, one_of, text_of, touch
from turnloop_shell.programs.scan import single
from turnloop_shell.programs.use import Code, Command, Effect, Use
from turnloop_shell.syntax.words import Word

# Letters of options that change nothing of what runs: exit on error, trace, login, ...
_FLAGS = frozenset("abefhiklmnprtuvxBCEHPTD")
_FISH_FLAGS = frozenset("iln")
_SAFE_LONG = frozenset(
    (
        "--login",
        "--noediting",
        "--noprofile",
        "--norc",
        "--posix",
        "--restricted",
        "--verbose",
        "--no-config",
        "--private",
        "--interactive",
        "--pretty-print",
    )
)
_SAFE_O = one_of(
    "allexport errexit noclobber noexec nounset pipefail verbose xtrace noglob "
    "monitor physical posix errtrace functrace hashall ignoreeof nolog notify "
    "privileged keyword"
)
_STDIN = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-")


def _shell(command: Command) -> Use:
    name, words = command.name, command.words[1:]
    inline, reads, place = False, False, 0
    while place < len(words):
        word = words[place]
        if not word.known:
            if word.prefix and word.prefix[0] not in "-+" and not inline:
                break  # a script whose name is not known in full
            return _unsure(name, word, inline=inline)
        text = word.text
        if text in ("-", "--"):
            place += 1
            break
        if not text.startswith(("-", "+")):
            break
        if text in ("--version", "--help") or (name == "fish" and text in ("-v", "-h")):
            return Use(Effect.READS)
        if text in _SAFE_LONG:
            place += 1
            continue
        if name == "fish" and text in ("--command", "-c"):
            inline, place = True, place + 1
            break
        fish = name == "fish" and not _FISH_FLAGS.issuperset(text[1:].replace("c", ""))
        taken = -1 if fish else _cluster(text, words[place + 1 :])
        if taken < 0:
            return dynamic(
                f"it cannot be told what `{name}` runs: its option `{text}` is not known",
                code=possible_code(name, words[place + 1 :]),
            )
        inline = inline or ("c" in text[1:] and text[0] == "-")
        reads = reads or "s" in text[1:]
        place += 1 + taken
    rest = words[place:]
    if inline:
        return _inline(name, rest)
    if reads or not rest or (rest[0].known and rest[0].text in _STDIN):
        return _from_stdin(command, f"the script on the input of `{name}`")
    return _file(name, rest[0])


def _inline(name: str, rest: tuple[Word, ...]) -> Use:
    if name == "fish" and rest and not {"\\", "("}.isdisjoint(rest[0].text):
        code = possible_code(name, rest[:1])
        return dynamic(f"`{name}` has quotes and brackets of its own", code=code)
    where = f"the script of `{name} -c`"
    return Use(Effect.READS, (Code(code_text(rest[0]) if rest else None, where),))


def _cluster(text: str, after: tuple[Word, ...]) -> int:
    """How many more words a cluster of options takes; -1 when it is not understood."""
    if text.startswith("--"):
        return -1
    taken = 0
    for letter in text[1:]:
        if letter in "oO":
            value = after[taken] if taken < len(after) else None
            if letter == "O" or value is None or not value.known or value.text not in _SAFE_O:
                return -1
            taken += 1
        elif letter not in _FLAGS and letter not in "cs":
            return -1
    return taken


def possible_code(name: str, words: tuple[Word, ...]) -> tuple[Code, ...]:
    """Every later word might be the code: deny rules look into all that are known."""
    texts = (code_text(word) for word in words)
    return tuple(Code(text, f"what `{name}` may run") for text in texts if text)


def _unsure(name: str, word: Word, *, inline: bool) -> Use:
    if inline and single(word) and not word.prefix.startswith("-"):
        return Use(Effect.READS, (Code(None, f"the script of `{name} -c`"),))
    return dynamic(f"it cannot be told what `{name}` runs: `{word.source}` is not known")


def _from_stdin(command: Command, where: str, *, here: bool = False) -> Use:
    if isinstance(command.stdin, Word):
        return Use(Effect.READS, (Code(code_text(command.stdin), where, here),))
    return dynamic(f"`{command.name}` runs what it reads, and nobody knows what that is")


def _file(name: str, script: Word) -> Use:
    if not script.known or script.text.startswith(("/dev/", "/proc/")) or script.nested:
        return dynamic(
            f"`{name}` runs a script that is not known: `{script.source}`",
            touches=touch("r", (script,)),
        )
    return Use(Effect.PROJECT, touches=touch("r", (script,)))


def _eval(command: Command) -> Use:
    words = command.words[1:]
    if words and words[0].known and words[0].text == "--":
        words = words[1:]
    if not words:
        return Use(Effect.READS, inert=True)
    return Use(Effect.READS, (Code(text_of(words), "the code of `eval`", here=True),))


def _source(command: Command) -> Use:
    words = command.words[1:]
    if words and words[0].known and words[0].text == "--":
        words = words[1:]
    if not words or words[0].prefix.startswith("-"):
        return dynamic("it cannot be told which file runs in this shell")
    script = words[0]
    if script.known and script.text in _STDIN[:-1]:
        return _from_stdin(command, "the code that is read into this shell", here=True)
    return dynamic(
        f"it runs what stands in `{script.source}` in this shell", touches=touch("r", (script,))
    )


def _trap(command: Command) -> Use:
    words = command.words[1:]
    if not words:
        return Use(Effect.READS, inert=True)
    first = words[0]
    if first.known and first.text in ("-l", "-p", "-P"):
        return Use(Effect.READS, inert=True)
    if first.known and first.text == "--":
        words = words[1:]
    if not words or (words[0].known and words[0].text in ("-", "")):
        return Use(Effect.READS, inert=True)
    if len(words) == 1 and words[0].known:
        return Use(Effect.READS, inert=True)  # one signal: its action is reset
    return Use(Effect.READS, (Code(code_text(words[0]), "the action of `trap`", here=True),))


def _multi(command: Command) -> Use:
    """Shells whose options are not known here: only their plainest form is."""
    words = command.words[1:]
    if len(words) == 2 and words[0].known and words[0].text in ("-c", "-Command", "/c"):
        return dynamic(
            f"`{command.name}` has a language of its own",
            code=(Code(code_text(words[1]), f"the script of `{command.name} -c`"),),
        )
    return dynamic(f"`{command.name}` has a language of its own")


_POSIX = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ksh93", "lksh", "pdksh", "ash", "yash",
          "rbash", "rzsh", "fish", "posh", "oksh", "bash5", "rksh")  # fmt: skip
_OTHER = ("csh", "tcsh", "nu", "xonsh", "elvish", "pwsh", "powershell", "cmd", "rc", "es", "scsh",
          "cmd.exe", "powershell.exe", "osh", "ysh", "oil", "murex", "ion")  # fmt: skip

SHELLS: Mapping[str, Handler] = MappingProxyType(
    {
        **dict.fromkeys(_POSIX, _shell),
        **dict.fromkeys(_OTHER, _multi),
        "eval": _eval,
        "source": _source,
        ".": _source,
        "trap": _trap,
    }
)
