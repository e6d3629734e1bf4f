"""Programs that hold a way to a shell for whoever sits at them: pagers, editors, multiplexers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, code_text, dynamic, one_of, touch
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Use
from turnloop_shell.syntax.words import Word


def pager(command: Command) -> Use:
    """`less` and `more`: commands on the line and key files may start programs."""
    words = command.words[1:]
    files: list[Word] = []
    for place, word in enumerate(words):
        if not word.known and not word.prefix:
            return dynamic(f"`{word.source}` may stand for a command of `{command.name}`")
        if word.text == "--":
            files += words[place + 1 :]
            break
        if not word.prefix.startswith(("-", "+")) or word.text == "-":
            files.append(word)
        elif word.prefix.startswith("--"):
            if re.match(r"--(?:les|log|LOG|tag|pr|pa|quo)", word.text):
                return dynamic(f"an option of `{command.name}` may run a program or write a file")
        elif word.prefix.startswith("+"):
            if not re.fullmatch(r"\+(?:[0-9]*[gG]?|/[^\n!]*)", word.text):
                return dynamic(f"`{command.name}` gets commands: `{word.source}`")
        elif {"k", "o", "O", "t", "T", "P", "p", "D", '"'} & set(word.text):
            return dynamic(f"an option of `{command.name}` may run a program or write a file")
    return Use(Effect.READS, touches=touch("r", files))


def man(command: Command) -> Use:
    found = scan(
        command.words[1:],
        "C:dDfkKlwWcR:L:m:M:S:s:e:iIauP:r:7E:p:tT?H?X?Z?V",
        "config-file: debug default warnings? whatis apropos global-apropos local-file where path "
        "location where-cat location-cat catman recode: locale: systems: manpath: sections: "
        "extension: ignore-case match-case regex wildcard names-only all update no-subpages pager: "
        "prompt: ascii encoding: no-hyphenation nh no-justification nj preprocessor: troff "
        "troff-device? html? gxditview? ditroff help usage version",
        mixed=True,
    )
    grave = ("C", "config-file", "P", "pager", "H", "html", "M", "manpath", "p", "preprocessor",
             "r", "prompt", "X", "gxditview", "Z", "t", "T", "R", "u", "update", "c")  # fmt: skip
    if found.problem or found.has(*grave):
        code = tuple(Code(code_text(v), "the pager of `man`") for v in found.values("P", "pager"))
        return dynamic("an option of `man` names what it runs", code=code)
    local = found.has("l", "local-file") or any("/" in word.text for word in found.rest)
    return Use(Effect.READS, touches=touch("r", found.rest) if local else ())


def editor(command: Command) -> Use:
    """An editor runs commands of its own, and whoever sits at it runs any."""
    if len(command.words) == 2 and command.words[1].text in ("--version", "--help", "-V"):
        return Use(Effect.READS)
    files = [word for word in command.words[1:] if word.prefix[:1] not in ("-", "+")]
    code = [
        Code(found[1], f"what `{command.name}` runs")
        for word in command.words[1:]
        if (found := re.search(r"!\s*([^!].*)", word.text)) and word.known
    ]
    why = f"`{command.name}` runs commands of its own"
    return dynamic(why, code=tuple(code), touches=touch("c", files))


_TMUX_RUNS = one_of(
    "new-session new new-window neww split-window splitw respawn-pane respawnp "
    "respawn-window respawnw run-shell run if-shell if pipe-pane pipep popup "
    "display-popup send-keys send set set-option"
)
_TMUX_READS = frozenset(("ls", "list-sessions", "list-windows", "lsw", "list-panes", "lsp", "has",
                         "has-session", "capture-pane", "capturep", "info", "-V"))  # fmt: skip


def tmux(command: Command) -> Use:
    """What is sent to a terminal runs there, unseen."""
    words = command.words[1:]
    verb = next((w.text for w in words if w.known and not w.text.startswith("-")), "")
    single = not any(word.text.endswith(";") or not word.known for word in words)
    if single and words and words[0].text in _TMUX_READS and command.name == "tmux":
        return Use(Effect.READS)
    known = [word for word in words if word.known and not word.text.startswith("-")]
    after = known[1:] if verb in _TMUX_RUNS else known
    code = tuple(Code(word.text, f"what `{command.name}` runs") for word in after)
    starts = [n for n, word in enumerate(words) if word in after]
    runs = tuple(Runs(words[start:]) for start in starts[:4])
    return dynamic(f"`{command.name}` runs it in another terminal", code=code, runs=runs)


_EDITORS = one_of(
    "vim vi nvim view vimdiff rvim gvim ex ed red emacs nano pico micro hx helix kak joe mcedit ne "
    "jed mc ranger nnn lf vifm lynx w3m elinks links mutt ftp lftp sftp"
)
EDITORS: Mapping[str, Handler] = MappingProxyType(
    {
        **dict.fromkeys(("less", "more", "zless", "most", "pg"), pager),
        "man": man,
        **dict.fromkeys(_EDITORS, editor),
        **dict.fromkeys(("tmux", "screen", "zellij", "byobu", "dtach", "abduco"), tmux),
    }
)
