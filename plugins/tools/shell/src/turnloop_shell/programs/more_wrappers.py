"""Programs that start others in another view of the system, each with options of its own kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, code_text, dynamic, one_of, touch
from turnloop_shell.programs.scan import scan, single
from turnloop_shell.programs.shells import possible_code
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Use
from turnloop_shell.programs.wrapper_tables import Wrapper
from turnloop_shell.programs.wrappers import wrapped
from turnloop_shell.syntax.words import Word, plain

_VIEW = "it runs a program in another view of the system"
_GROUP = "it runs a program as another group"
_BWRAP: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(
            one_of(
                "bind bind-try dev-bind dev-bind-try ro-bind ro-bind-try bind-fd ro-bind-fd file "
                "bind-data ro-bind-data symlink setenv chmod"
            ),
            2,
        ),
        "overlay": 3,
        **dict.fromkeys(
            one_of(
                "overlay-src tmp-overlay ro-overlay argv0 userns userns2 pidns uid gid hostname "
                "chdir unsetenv lock-file sync-fd remount-ro exec-label file-label proc dev tmpfs "
                "mqueue dir seccomp add-seccomp-fd block-fd userns-block-fd info-fd cap-add size "
                "json-status-fd cap-drop perms"
            ),
            1,
        ),
        **dict.fromkeys(
            one_of(
                "unshare-all share-net unshare-user unshare-user-try unshare-ipc unshare-pid "
                "unshare-net unshare-uts unshare-cgroup unshare-cgroup-try new-session clearenv "
                "die-with-parent as-pid-1 disable-userns assert-userns-disabled"
            ),
            0,
        ),
    }
)


def _unsure(command: Command, words: tuple[Word, ...]) -> Use:
    """Where the program stands is not known: it is looked for behind each of the words."""
    starts = [n for n, word in enumerate(words) if word.known and word.text[:1] not in "-"]
    runs = tuple(Runs(words[place:]) for place in starts[:_MOST])
    return dynamic(f"it cannot be told what `{command.name}` runs", runs=runs)


_MOST = 8


def _started(command: Command, rest: tuple[Word, ...], why: str = _VIEW) -> Use:
    if rest and rest[0].known and rest[0].text == "--":
        rest = rest[1:]
    if not rest:
        return dynamic(f"`{command.name}` starts a shell that reads what it runs")
    return Use(runs=(Runs(rest, stdin=command.stdin),), doubt=why)


def _firejail(command: Command) -> Use:
    """Each of its options is one word."""
    words = command.words[1:]
    place = 0
    while place < len(words) and words[place].prefix.startswith("--"):
        if not single(words[place]):
            return _unsure(command, words[place + 1 :])
        place += 1
        if words[place - 1].text == "--":
            break
    rest = words[place:]
    if rest and (rest[0].prefix.startswith("-") or not (rest[0].known or rest[0].prefix)):
        return _unsure(command, rest)
    return _started(command, rest)


def _bwrap(command: Command) -> Use:
    words = command.words[1:]
    place = 0
    while place < len(words) and words[place].prefix.startswith("-"):
        word = words[place]
        if word.text == "--":
            break
        count = _BWRAP.get(word.text[2:]) if word.known else None
        values = words[place + 1 : place + 1 + (count or 0)]
        if count is None or not all(map(single, values)):
            return _unsure(command, words[place + 1 :])
        place += 1 + count
    return _started(command, words[place:])


def _runcon(command: Command) -> Use:
    """Without a part of a context among its options the first operand is one."""
    found = scan(command.words[1:], "ct:u:r:l:", "compute type: user: role: range: help version")
    parts = found.has("t", "u", "r", "l", "type", "user", "role", "range", "c", "compute")
    table = Wrapper(
        "ct:u:r:l:",
        "compute type: user: role: range: help version",
        0 if parts else 1,
        effect=Effect.UNKNOWN,
        why=_VIEW,
    )
    return wrapped(command, table)


def _group(command: Command) -> Use:
    """`sg group -c code`, `sg group code`; `newgrp group` is a shell."""
    words = command.words[1:]
    if words and words[0].text in ("-", "-l"):
        words = words[1:]
    rest = words[1:]
    if rest and rest[0].known and rest[0].text == "-c":
        rest = rest[1:]
    if command.name == "newgrp" or not rest or not all(map(single, words)):
        code = possible_code(command.name, words)
        return dynamic(f"`{command.name}` starts a shell that reads what it runs", code=code)
    return Use(code=(Code(code_text(rest[0]), f"the code of `{command.name}`"),), doubt=_GROUP)


def _capsh(command: Command) -> Use:
    """Behind `--` stand words for a shell, behind `==` those for itself."""
    words = command.words[1:]
    marks = [n for n, word in enumerate(words) if word.known and word.text in ("--", "==", "=+")]
    odd = any(not single(word) for word in words[: marks[0] if marks else None])
    options = [word.text.partition("=")[0] for word in words[: marks[0] if marks else None]]
    if odd or "--shell" in options or (marks and words[marks[0]].text != "--"):
        code = possible_code(command.name, words)
        return dynamic(f"it cannot be told what `{command.name}` runs", code=code)
    if not marks:
        return Use(doubt=_VIEW)
    shell = (plain("bash"), *words[marks[0] + 1 :])
    return Use(runs=(Runs(shell, stdin=command.stdin),), doubt=_VIEW)


_START_STOP = (
    "SKTHVp:x:n:u:a:r:d:k:c:g:N:P:I:R:s:botqvmCO:",
    (
        "start stop status help version pidfile: exec: name: user: startas: chroot: chdir: umask: "
        "chuid: group: nicelevel: procsched: iosched: retry: signal: background oknodo test quiet "
        "verbose make-pidfile remove-pidfile no-close notify-await notify-timeout: output: ppid: "
        "pid: stdout: stderr: interpreted: wait: env:"
    ),
)


def _start_stop(command: Command) -> Use:
    words = command.words[1:]
    marks = [n for n, word in enumerate(words) if word.known and word.text == "--"]
    front, rest = (words[: marks[0]], words[marks[0] + 1 :]) if marks else (words, ())
    found = scan(front, *_START_STOP, mixed=True)
    programs = found.values("a", "startas", "x", "exec")
    runs = tuple(Runs((program, *found.rest, *rest)) for program in programs)
    if not marks:  # what looks like its own options may be meant for the program
        places = [n for n, word in enumerate(words) for p in programs if word is p]
        runs += tuple(Runs(words[place:]) for place in places)
    touches = touch("w", found.values("p", "pidfile", "O", "output", "stdout", "stderr"))
    if found.problem or found.has("interpreted"):
        unsure = _unsure(command, front)
        return dynamic(unsure.dynamic, runs=(*runs, *unsure.runs), touches=touches)
    return Use(runs=runs, touches=touches, doubt="it starts or stops a process of the system")


MORE_WRAPPERS: Mapping[str, Handler] = MappingProxyType(
    {
        "firejail": _firejail,
        "bwrap": _bwrap,
        "runcon": _runcon,
        "sg": _group,
        "newgrp": _group,
        "capsh": _capsh,
        "start-stop-daemon": _start_stop,
    }
)
