"""`node`, `deno`, `bun`, `tsx`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from turnloop_shell.programs.interpreters import STDIN, from_stdin, opaque, script_file
from turnloop_shell.programs.making import Handler, network, one_of, touch
from turnloop_shell.programs.use import Command, Effect, Runs, Use
from turnloop_shell.syntax.words import Word

_CODE = re.compile(r"--(?:eval|print)(?:=.*)?|-[a-z]*[ep].*", re.DOTALL)
_LOADS = re.compile(
    r"--(?:require|import|loader|experimental-loader|env-file|env-file-if-exists|openssl-config"
    r"|experimental-config-file|experimental-default-config-file|test-reporter|build-snapshot"
    r"|build-snapshot-config|snapshot-blob|icu-data-dir|test-global-setup|experimental-sea-config"
    r"|preload|inspect|inspect-brk|inspect-wait|interactive|repl)(?:[=-].*)?|-[ric].*",
    re.DOTALL,
)
# Flags that take no value, or one behind `=`: what follows them is the script.
_FLAG = re.compile(
    r"--(?:no-[a-z-]+|trace-[a-z-]+|experimental-[a-z-]+|enable-[a-z-]+|expose[_-]gc|harmony[a-z-]*"
    r"|throw-deprecation|pending-deprecation|preserve-symlinks(?:-main)?|use-[a-z-]+|watch|hot|smol"
    r"|abort-on-uncaught-exception|frozen-intrinsics|prof|cpu-prof|heap-prof|test|test-only|check"
    r"|test-force-exit|strip-types|transform-types|bun|[a-z-]+=.*)",
    re.DOTALL,
)
_WRITES = re.compile(r"--(?:redirect-warnings|[a-z-]*-dir|[a-z-]*-destination|tls-keylog"
                     r"|[a-z-]*filename|outfile|outdir|[a-z-]*file)=")  # fmt: skip
_PRINTS = one_of("-v --version -h --help --v8-options --revision")


def node(command: Command) -> Use:
    name, words = command.name, command.words[1:]
    tests, checks, place = False, False, 0
    files: list[Word] = []
    while place < len(words) and words[place].prefix.startswith("-") and words[place].text != "-":
        word = words[place]
        text, place = word.text, place + 1
        if not word.known:
            return opaque(f"the options of `{name}` are not known")
        if text == "--":
            break
        if text in _PRINTS:
            return Use(Effect.READS)
        if text.startswith("--run"):
            return Use(Effect.PROJECT)
        if text in ("-c", "--check"):
            checks = True
        elif _CODE.fullmatch(text):
            return opaque(f"`{name}` runs code that stands in the command")
        elif _LOADS.fullmatch(text):
            glued = (word.without(text.index("=") + 1),) if "=" in text else ()
            loaded = glued or words[place : place + 1]
            return opaque(f"the option `{text}` of `{name}` loads more code", files=loaded)
        elif found := _WRITES.match(text):
            files.append(word.without(found.end()))
        elif not _FLAG.fullmatch(text):
            return opaque(f"it cannot be told which script `{name} {text}` runs")
        tests = tests or text == "--test"
    rest = words[place:]
    return _node_script(name, rest, tests, checks, touch("w", files))


def _node_script(
    name: str, rest: tuple[Word, ...], tests: bool, checks: bool, touches: tuple[object, ...]
) -> Use:
    if touches:
        return opaque(f"`{name}` writes what its options name", files=rest[:1])
    if tests:
        return Use(Effect.PROJECT, touches=touch("r", rest))
    if not rest or (rest[0].known and rest[0].text in STDIN):
        return from_stdin(name)
    if checks:
        return Use(Effect.READS, touches=touch("r", rest[:1]))
    return script_file(name, rest[0])


def _values(options: tuple[Word, ...]) -> tuple[Word, ...]:
    """What stands behind `=` in them."""
    return tuple(w.without(w.prefix.index("=") + 1) for w in options if "=" in w.prefix)


_REMOTE = re.compile(r"[a-z]+://|(?:npm|jsr|node|data|blob):", re.I)
_DENO_PROJECT = one_of("test fmt lint check task doc bench info coverage types")


def deno(command: Command) -> Use:
    words = command.words[1:]
    first = words[0].text if words and words[0].known else ""
    rest = tuple(word for word in words[1:] if not word.prefix.startswith("-"))
    if first in ("--version", "-V", "--help", "-h", "help"):
        return Use(Effect.READS)
    if first in ("run", "serve") and rest:
        dashed = tuple(word for word in words[1:] if word.prefix.startswith("-"))
        named = _values(dashed)
        if _REMOTE.match(rest[0].text):
            return network("deno")
        if len(rest) > 1 or any(_LOADS.fullmatch(word.text) for word in dashed):
            files = (*rest[:1], *named)
            return opaque("it cannot be told which script `deno` runs", files=files)
        use = script_file("deno", rest[0])
        return replace(use, touches=(*use.touches, *touch("r", named)))
    if first in ("fmt", "lint", "check", "doc", "test", "bench"):
        settings = _values(tuple(w for w in words[1:] if w.prefix.startswith("-")))
        own = touch("r" if first != "fmt" else "c", rest)
        return Use(Effect.PROJECT, touches=(*own, *touch("r", settings)))
    if first in _DENO_PROJECT:
        return Use(Effect.PROJECT)
    if first in ("eval", "repl", "") or not words:
        return opaque("`deno` runs code that stands in the command")
    if words[0].known and ("/" in first or "." in first) and "://" not in first:
        return script_file("deno", words[0])
    return network("deno")


_BUN_FETCHES = one_of(
    "install i add remove rm update create init upgrade link publish pm outdated audit patch "
    "info unlink"
)


def bun(command: Command) -> Use:
    words = command.words[1:]
    first = words[0].text if words and words[0].known else ""
    if first in ("--version", "-v", "--revision", "--help", "-h"):
        return Use(Effect.READS)
    if first == "x":
        return bunx(Command((words[0], *words[1:]), command.stdin))
    if first == "exec":
        return opaque("`bun exec` runs code of a shell of its own")
    if first in ("test", "run", "build"):
        loads = tuple(w for w in words[1:] if _LOADS.fullmatch(w.text))
        bad = loads or not all(w.known for w in words[1:])
        named = tuple(w for w in words[1:] if not w.prefix.startswith("-"))
        forms = (named, words[1:]) if first == "run" and named else ()
        if bad or (first == "run" and len(words) < 2):
            use = opaque(f"it cannot be told what `bun {first}` runs", files=_values(loads))
            return replace(use, forms=forms)
        files = [w for w in words[1:2] if "/" in w.text or w.text.endswith((".js", ".ts", ".tsx"))]
        reads = touch("r", files if first == "run" else ())
        return Use(Effect.PROJECT, touches=reads, forms=forms)
    if first in _BUN_FETCHES:
        return network("bun")
    return node(command)


def bunx(command: Command) -> Use:
    """The program may be fetched first."""
    words = command.words[1:]
    while words and words[0].known and words[0].text in ("--bun", "--silent", "--verbose"):
        words = words[1:]
    if not words:
        return Use(Effect.READS)
    if words[0].prefix.startswith("-"):
        return opaque("it cannot be told what `bunx` runs")
    return Use(Effect.NETWORK, runs=(Runs(words),), doubt="`bunx` fetches what it runs")


JAVASCRIPT: Mapping[str, Handler] = MappingProxyType(
    {
        "node": node,
        "nodejs": node,
        "tsx": node,
        "iojs": node,
        "deno": deno,
        "bun": bun,
        "bunx": bunx,
    }
)
