"""Interpreters of other languages: a file of the project runs, or code nobody can look into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, one_of, touch
from turnloop_shell.programs.scan import Scan, scan, single, upto
from turnloop_shell.programs.use import Command, Effect, Touch, Use
from turnloop_shell.syntax.words import Word

STDIN = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))


def opaque(why: str, *, files: tuple[Word, ...] = (), effect: Effect = Effect.UNKNOWN) -> Use:
    """It runs code that nobody can look into."""
    return Use(effect, touches=touch("r", files), opaque=why, doubt=why)


def script_file(name: str, script: Word) -> Use:
    """It runs a file."""
    if not script.known or script.nested or script.text.startswith(("/dev/", "/proc/")):
        return opaque(f"which script `{name}` runs is not known", files=(script,))
    return Use(Effect.PROJECT, touches=touch("r", (script,)))


def from_stdin(name: str) -> Use:
    return opaque(f"`{name}` runs the code that it reads")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What the options of an interpreter mean.

    Attributes:
        short: short options, as `scan` takes them.
        long: long options, as `scan` takes them.
        code: options whose value is code.
        load: options that load further code, or settings that may.
        files: options whose value is the script.
        prints: options with which nothing runs.
        checks: options with which files are only read.
        lines: options with which code runs over the lines of the operands.
    """

    short: str = ""
    long: str = ""
    code: tuple[str, ...] = ("e",)
    load: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    prints: tuple[str, ...] = ("v", "version", "h", "help")
    checks: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


def interpreted(command: Command, table: Interpreter) -> Use:
    name, words = command.name, command.words[1:]
    cut = upto(words, table.short, table.long, table.code)
    found: Scan = cut[0] if cut is not None else scan(words, table.short, table.long)
    if cut is not None or found.has(*table.code):
        use = opaque(f"`{name}` runs code that stands in the command")
        return replace(use, touches=_edited(found, cut[1] if cut is not None else (), table))
    if found.problem:
        return opaque(f"it cannot be told what `{name}` runs: {found.problem}")
    if found.has(*table.load):
        return opaque(f"an option of `{name}` loads more code", files=found.rest[:1])
    rest = (*found.values(*table.files), *found.rest)
    if found.has(*table.checks) and rest and all(single(word) for word in rest):
        return Use(Effect.READS, touches=touch("r", rest))
    if not rest:
        return Use(Effect.READS) if found.has(*table.prints) else from_stdin(name)
    if rest[0].known and rest[0].text in STDIN:
        return from_stdin(name)
    return script_file(name, rest[0])


def _edited(found: Scan, words: tuple[Word, ...], table: Interpreter) -> tuple[Touch, ...]:
    """The files that code runs over, line by line (`perl -pi -e`)."""
    more = scan(words, table.short, table.long, mixed=True)
    if not table.lines or not (found.has(*table.lines) or more.has(*table.lines)):
        return ()
    return touch("c" if found.has("i") or more.has("i") else "r", more.rest)


_PERL = Interpreter(
    "0#acC?d?D?e:E:fF?hi?I:l#m:M:npsStTuUvV?wWx?X",
    "help version",
    ("e", "E"),
    ("m", "M", "I", "d", "D", "x", "S", "u", "s"),
    prints=("v", "V", "h", "help", "version"),
    lines=("n", "p", "i"),
)
_RUBY = Interpreter(
    "0#aC:cdE:F?he:i?I:K:lnpr:sST#vwW#x?yU",
    "version help copyright verbose yjit jit disable: enable: encoding: external-encoding: "
    "internal-encoding: dump: debug yydebug backtrace-limit:",
    load=("r", "I", "C", "S", "x"),
    prints=("v", "version", "h", "help", "copyright"),
    checks=("c",),
    lines=("n", "p", "i"),
)
_PHP = Interpreter(
    "ac:Cd:eE:f:F:hHiIlmnqr:R:B:sS:t:vwz:",
    "version help ini info modules syntax-check rf: rc: re: rz: ri: no-header no-chdir",
    ("r", "R", "B", "E", "a", "S"),
    ("c", "d", "z", "t", "F"),
    ("f",),
    ("v", "h", "i", "m", "version", "help", "ini", "info", "modules", "rf", "rc", "re", "rz", "ri"),
    ("l", "s", "w", "syntax-check"),
)
_LUA = Interpreter("e:l:ivEWj:O?b", "version", load=("l", "i", "j", "b"), prints=("v", "version"))
_R = Interpreter(
    "e:f:g:hqs",
    "vanilla no-save no-restore no-environ no-site-file no-init-file slave quiet silent "
    "interactive verbose no-echo default-packages: file: encoding: args help version",
    files=("f", "file"),
)
_TCL = Interpreter("c:f:b:dDinNv", "encoding: version", ("c",), ("i", "d", "D"), ("f", "b"))
_OSA = Interpreter("e:l:s:ih", load=("i",), prints=("h",))
_JULIA = Interpreter(
    "vhiqe:E:L:p:t:O#g#J:H:m:C:",
    "version help project? threads: procs: machine-file: load: eval: print: startup-file? quiet "
    "banner? color? history-file? depwarn? check-bounds? optimize? sysimage: compiled-modules? "
    "code-coverage? track-allocation? inline? warn-overwrite? handle-signals? home: "
    "interactive module:",
    ("e", "E", "eval", "print"),
    ("L", "load", "J", "sysimage", "H", "home", "i", "m", "module", "machine-file"),
)
_ELIXIR = Interpreter(
    "vhe:r:S:",
    "version help eval: rpc-eval: require: no-halt logger-sasl-reports: erl: app: cookie: sname: "
    "name: pa: pz:",
    ("e", "eval", "rpc-eval"),
    ("r", "require", "S", "erl", "app", "pa", "pz"),
)
_PLAIN = Interpreter("e:E:c:r:l:i:hvV", "version help eval: command: require:", ("e", "E", "c",
                     "eval", "command"), ("r", "require", "l", "i"))  # fmt: skip
_TS = Interpreter(
    "e:pr:hvTPsCD:OiI:",
    "version help eval: print require: project: transpile-only swc esm files cwd-mode script-mode "
    "type-check compiler: log-error pretty skip-project ignore:",
    ("e", "p", "eval", "print"),
    ("r", "require", "compiler", "i", "C"),
)

TABLE: Mapping[str, Interpreter] = MappingProxyType(
    {
        "perl": _PERL,
        "ruby": _RUBY,
        "jruby": _RUBY,
        "php": _PHP,
        "lua": _LUA,
        "luajit": _LUA,
        "Rscript": _R,
        "R": _R,
        "littler": _R,
        "tclsh": _TCL,
        "wish": _TCL,
        "expect": _TCL,
        "osascript": _OSA,
        "julia": _JULIA,
        "elixir": _ELIXIR,
        "iex": _ELIXIR,
        "ts-node": _TS,
        **dict.fromkeys(
            one_of(
                "groovy scala kotlin kotlinc-jvm runghc runhaskell ghci racket guile clj clojure "
                "bb ocaml utop raku crystal nim escript erl gforth gst swipl hy amm ammonite "
                "janet fennel octave gnuplot jshell irb pry ipython bpython ptpython bc-lua "
                "coffee gjs qjs d8 babel-node esno sbcl clisp ecl emacsclient m4 cscript wscript "
                "mshta"
            ),
            _PLAIN,
        ),
    }
)


def _generic(command: Command) -> Use:
    use = interpreted(command, TABLE[command.name])
    if TABLE[command.name] is not _PLAIN or use.opaque or use.effect is Effect.READS:
        return use
    # Their options are not all known: what looks like the script may be the value of one.
    return opaque(f"`{command.name}` has a language of its own", files=command.words[1:2])


def _dc(command: Command) -> Use:
    found = scan(command.words[1:], "e:f:hVi", "expression: file: help version")
    texts = (*found.values("e", "expression"),)
    stdin = (command.stdin,) if isinstance(command.stdin, Word) else ()
    files = (*found.values("f", "file"), *found.rest)
    fine = not found.problem and not files and (texts or stdin)
    if fine and all(word.known and "!" not in word.text for word in (*texts, *stdin)):
        return Use(Effect.READS)
    return opaque("`dc` can start programs", files=files)


INTERPRETERS: Mapping[str, Handler] = MappingProxyType(
    {**dict.fromkeys(TABLE, _generic), "dc": _dc}
)
