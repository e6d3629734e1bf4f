"""Programs that start others and need more than a table: `watch`, `flock`, `script`, ..."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.env_xargs import env, replaced, xargs
from turnloop_shell.programs.making import Handler, code_text, dynamic, text_of, touch
from turnloop_shell.programs.scan import scan, single
from turnloop_shell.programs.shells import possible_code
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Use
from turnloop_shell.programs.wrapper_tables import Wrapper
from turnloop_shell.programs.wrappers import wrapped
from turnloop_shell.syntax.words import Word, plain

_AS_USER = "it runs a program as another user"
_WATCH = (
    "bcCd?efgq:n:prs:twxhv",
    (
        "beep color no-color differences? errexit follow chgexit equexit: interval: precise "
        "no-rerun "
        "shotsdir: no-title no-wrap exec help version"
    ),
)
_FLOCK = (
    "sexunw:E:oc:FhV",
    (
        "shared exclusive unlock nonblock nb timeout: wait: conflict-exit-code: close command: "
        "no-fork "
        "verbose help version"
    ),
)
_SCRIPT = (
    "aB:c:eE:fI:O:T:t?m:o:qhV",
    (
        "append log-io: command: return echo: flush force log-in: log-out: log-timing: timing? "
        "logging-format: output-limit: quiet help version"
    ),
)
_SU = (
    "mpw:g:G:lc:fs:PhVu:T",
    (
        "preserve-environment whitelist-environment: group: supp-group: login command: "
        "session-command: fast shell: pty no-pty user: help version"
    ),
)


def _watch(command: Command) -> Use:
    found = scan(command.words[1:], *_WATCH)
    if found.problem or not found.rest:
        return wrapped(command, Wrapper(*_WATCH))
    if found.has("x", "exec"):
        return Use(Effect.READS, runs=(Runs(found.rest),))
    return Use(Effect.READS, (Code(text_of(found.rest), "what `watch` runs"),))


def _flock(command: Command) -> Use:
    found = scan(command.words[1:], *_FLOCK)
    where = "what `flock` runs"
    code = tuple(Code(code_text(v), where) for v in found.values("c", "command"))
    if found.problem:
        return wrapped(command, Wrapper(*_FLOCK, codes=("c", "command")))
    lock, rest = found.rest[:1], found.rest[1:]
    if not rest and not code:
        number = all(word.known and word.text.isdigit() for word in lock)
        return Use(Effect.READS) if number else Use(Effect.CHANGES, touches=touch("w", lock))
    if not all(single(word) for word in lock):
        return dynamic("it cannot be told where the program of `flock` stands")
    touches = touch("w", lock)
    if rest and rest[0].known and rest[0].text in ("-c", "--command"):
        return Use(Effect.CHANGES, (*code, Code(text_of(rest[1:2]), where)), touches=touches)
    runs = (Runs(rest, stdin=command.stdin),) if rest else ()
    return Use(Effect.CHANGES, code, runs, touches)


def _script(command: Command) -> Use:
    mixed, front = scan(command.words[1:], *_SCRIPT, mixed=True), scan(command.words[1:], *_SCRIPT)
    code = tuple(
        Code(code_text(v), "the command of `script`") for v in mixed.values("c", "command")
    )
    logs = mixed.values(*"BIOTt", "log-io", "log-in", "log-out", "log-timing", "timing")
    touches = touch("w", (*logs, *(front.rest[:1] or (plain("typescript"),))))
    if front.problem or (mixed.problem and not front.rest):
        return dynamic(f"it cannot be told what `script` runs: {front.problem}", code=code)
    rest = front.rest[1:]
    if rest and rest[0].text == "--":
        rest = rest[1:]
    if code and not mixed.problem:
        return Use(Effect.CHANGES, code, touches=touches)
    if rest and rest[0].known and not rest[0].text.startswith("-"):
        return Use(Effect.CHANGES, code, (Runs(rest, stdin=command.stdin),), touches)
    if mixed.has("help", "version", "h", "V"):
        return Use(Effect.READS)
    return dynamic("`script` starts a shell that reads what it runs", code=code, touches=touches)


def _su(command: Command) -> Use:
    name = command.name
    front = scan(command.words[1:], *_SU)
    if name == "runuser" and front.has("u", "user"):
        wrapper = Wrapper(*_SU, effect=Effect.UNKNOWN, why=_AS_USER, alone=False)
        return wrapped(command, wrapper)
    found = scan(command.words[1:], *_SU, mixed=True)
    code = tuple(
        Code(code_text(value), f"the code of `{name} -c`")
        for value in found.values("c", "command", "session-command")
    )
    if found.problem or not code or found.has("s", "shell"):
        code = code or possible_code(name, command.words[1:])
        return dynamic(f"`{name}` starts a shell that reads what it runs", code=code)
    return Use(code=code, doubt=_AS_USER)


def _busybox(command: Command) -> Use:
    words = command.words[1:]
    if not words or (words[0].known and words[0].text in ("--help", "--list", "--list-full")):
        return Use(Effect.READS)
    if words[0].prefix.startswith("-") or not words[0].known:
        return dynamic(f"it cannot be told which program of `{command.name}` runs")
    return Use(Effect.READS, runs=(Runs(words, stdin=command.stdin),))


def _entr(command: Command) -> Use:
    found = scan(command.words[1:], "acdhnprsxz")
    if found.problem or not found.rest:
        return wrapped(command, Wrapper("acdhnprsxz"))
    if found.has("s"):
        return Use(Effect.READS, (Code(text_of(found.rest), "the code of `entr -s`"),))
    return Use(Effect.READS, runs=(Runs(tuple(replaced(w, "/_") for w in found.rest)),))


def _parallel(command: Command) -> Use:
    """Its options are a language of their own: what is known is given, for deny rules."""
    found = scan(
        command.words[1:],
        "0a:C:d:D:hI:j:P:kL:mN:n:qrRs:S:tuvVX",
        "jobs: keep-order dry-run halt: bar eta progress colsep: delimiter: null will-cite tag "
        "ungroup line-buffer arg-file: max-args: no-run-if-empty joblog: results: retries: "
        "timeout: delay: load: memfree: quote group verbose version help",
    )
    rest = found.rest
    while rest and rest[0].prefix.startswith("-"):
        rest = rest[1:]
    ends = [place for place, word in enumerate(rest) if word.text in (":::", "::::", ":::+")]
    rest = rest[: ends[0]] if ends else rest
    code: tuple[Code, ...] = ()
    runs: tuple[Runs, ...] = ()
    if rest and rest[0].known:
        code = (Code(text_of(rest), "what `parallel` runs"),)
        runs = (Runs(tuple(replaced(word, "{}") for word in rest), more=True),)
    return dynamic("`parallel` builds the commands that it runs", code=code, runs=runs)


def _hyperfine(command: Command) -> Use:
    found = scan(
        command.words[1:],
        "w:m:M:r:s:p:C:c:P:D:L:S:Niu:n:hV",
        "warmup: min-runs: max-runs: runs: setup: reference: prepare: conclude: cleanup: "
        "parameter-scan: parameter-step-size: parameter-list: shell: ignore-failure? style: sort: "
        "time-unit: export-asciidoc: export-csv: export-json: export-markdown: export-orgmode: "
        "show-output output: input: command-name: help version",
        mixed=True,
    )
    made = found.values("setup", "prepare", "conclude", "cleanup", "reference", *"spcC")
    code = tuple(
        Code(code_text(word), f"what `{command.name}` runs") for word in (*made, *found.rest)
    )
    files = [o.value for o in found.options if o.name.startswith("export-") and o.value]
    touches = (*touch("w", files), *touch("r", found.values("input")))
    odd = found.problem or found.has("S", "shell", "L", "P", "parameter-list", "parameter-scan")
    if odd:
        return dynamic(f"it cannot be told what `{command.name}` runs", code=code, touches=touches)
    return Use(Effect.READS, code, touches=touches)


def _concurrently(command: Command) -> Use:
    known = [word for word in command.words[1:] if not word.prefix.startswith("-")]
    code = tuple(Code(code_text(word), f"what `{command.name}` runs") for word in known)
    return dynamic(f"it cannot be told what `{command.name}` runs", code=code)


def _at(command: Command) -> Use:
    if isinstance(command.stdin, Word):
        text = code_text(command.stdin)
        return Use(code=(Code(text, "what runs later"),), doubt="it runs later, unwatched")
    if len(command.words) == 2 and command.words[1].text in ("-l", "-V"):
        return Use(doubt="it reads the system's list of jobs")
    return dynamic(f"`{command.name}` plans what runs later, unwatched")


LAUNCHERS: Mapping[str, Handler] = MappingProxyType(
    {
        "env": env,
        "genv": env,
        "xargs": xargs,
        "gxargs": xargs,
        "watch": _watch,
        "viddy": _watch,
        "flock": _flock,
        "script": _script,
        "su": _su,
        "runuser": _su,
        "busybox": _busybox,
        "toybox": _busybox,
        "entr": _entr,
        "parallel": _parallel,
        "sem": _parallel,
        "rush": _parallel,
        "hyperfine": _hyperfine,
        "concurrently": _concurrently,
        "watchexec": _concurrently,
        "nodemon": _concurrently,
        "at": _at,
        "batch": _at,
        "crontab": _at,
    }
)
