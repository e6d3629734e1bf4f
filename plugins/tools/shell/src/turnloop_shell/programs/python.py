"""`python`: inline code, files, and what is known of the modules behind `-m`."""

from __future__ import annotations

from dataclasses import replace

from turnloop_shell.programs.interpreters import STDIN, from_stdin, opaque, script_file
from turnloop_shell.programs.making import one_of, touch
from turnloop_shell.programs.scan import scan, upto
from turnloop_shell.programs.tables import use_by_table
from turnloop_shell.programs.use import Command, Effect, Use
from turnloop_shell.syntax.words import Word, plain

_SHORT = "bBdEhiIOPqRsStuvVxW:X:c:m:"
_LONG = "help version help-env help-xoptions help-all check-hash-based-pycs:"
_PROJECT = one_of(
    "pytest unittest doctest mypy ruff black isort flake8 pylint pyright coverage tox "
    "nox build compileall py_compile sphinx mkdocs pydocstyle pycodestyle pyflakes "
    "bandit vulture autoflake autopep8 yapf pyupgrade mutmut hypothesis pytype nose2 "
    "stestr ward pydoc setuptools hatchling flit_core slipcover import_linter "
    "mypy.stubgen mypy.stubtest pytest_cov docformatter interrogate radon xdoctest "
    "asv"
)
_READS = one_of(
    "tokenize ast dis sysconfig site this platform calendar tabnanny symtable pickletools"
)
_NETWORK = one_of(
    "pip ensurepip http.server http smtplib ftplib telnetlib xmlrpc.server poplib "
    "imaplib webbrowser twine pipx uv poetry pdm hatch flit idlelib jupyter notebook "
    "uvicorn gunicorn flask"
)
_PIP_READS = one_of("list show freeze check help debug inspect --version -V --help -h")


def python(command: Command) -> Use:
    words = command.words[1:]
    name = command.name
    cut = upto(words, _SHORT, _LONG, ("c", "m"))
    found, after = cut if cut is not None else (scan(words, _SHORT, _LONG), ())
    if found.has("c"):
        return opaque(f"`{name} -c` runs code that stands in the command")
    if found.problem:
        return opaque(f"it cannot be told what `{name}` runs: {found.problem}")
    if any(not v.known or v.text.startswith("presite") for v in found.values("X")):
        return opaque(f"an option of `{name}` loads more code")
    modules = found.values("m")
    if modules:
        return _module(command, modules[0], after)
    if found.has("V", "version", "h", "help", "help-env", "help-xoptions", "help-all"):
        return Use(Effect.READS)
    rest = found.rest
    if not rest or (rest[0].known and rest[0].text in STDIN):
        return from_stdin(name)
    if found.has("i") and command.stdin is not None:
        return opaque(f"`{name} -i` runs the code that it reads", files=rest[:1])
    return script_file(name, rest[0])


def _module(command: Command, module: Word, words: tuple[Word, ...]) -> Use:
    """`python -m module`: also a deny rule for the program of that name binds it."""
    if not module.known:
        return opaque(f"which module `{command.name}` runs is not known")
    use = _known_module(module.text, words)
    name = module.text.removesuffix(".__main__")
    return replace(
        use, forms=((plain(name), *words), (plain("python"), plain("-m"), module, *words))
    )


def _known_module(name: str, words: tuple[Word, ...]) -> Use:
    if name in (
        "timeit",
        "cProfile",
        "profile",
        "trace",
        "pdb",
        "runpy",
        "code",
        "zipapp",
        "asyncio",
    ):
        return opaque(f"the module {name} runs code", files=words[:1])
    if name == "json.tool":
        found = scan(
            words,
            "h",
            "sort-keys no-ensure-ascii json-lines indent: tab no-indent compact help",
            mixed=True,
        )
        touches = (*touch("r", found.rest[:1]), *touch("w", found.rest[1:2]))
        if found.problem:
            return Use(doubt="it is not known what `json.tool` writes")
        return Use(Effect.CHANGES if found.rest[1:] else Effect.READS, touches=touches)
    if name in ("venv", "virtualenv"):
        folders = [word for word in words if not word.prefix.startswith("-")]
        return Use(Effect.CHANGES, touches=touch("w", folders, deep=True))
    if name == "pip" and words and words[0].known and words[0].text in _PIP_READS:
        return Use(Effect.READS)
    if name in _PROJECT or name in _NETWORK:
        known = use_by_table(Command((plain(name.replace("_", "-")), *words)))
        if known is not None:
            return known
    if name in _READS:
        return Use(Effect.READS, touches=touch("r", [w for w in words if w.text[:1] != "-"]))
    if name in _PROJECT:
        return Use(Effect.PROJECT)
    if name in _NETWORK:
        return Use(Effect.NETWORK, doubt=f"the module {name} talks to other machines")
    return Use(doubt=f"it is not known what the module {name} does")
