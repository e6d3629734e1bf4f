"""`python`: inline code, files, and what is known of the modules behind `-m`."""

from __future__ import annotations

from dataclasses import replace

from turnloop_shell.programs.interpreters import STDIN, from_stdin, opaque, script_file
from turnloop_shell.programs.making import one_of, touch
from turnloop_shell.programs.meaning import use_by_spec
from turnloop_shell.programs.python_modules import MODULES
from turnloop_shell.programs.scan import Scan, scan, upto
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
_NETWORK = one_of(
    "pip ensurepip http.server http smtplib ftplib telnetlib xmlrpc.server poplib "
    "imaplib webbrowser twine pipx uv poetry pdm hatch flit idlelib jupyter notebook "
    "uvicorn gunicorn flask"
)


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
    cache = [v for v in found.values("X") if v.text.startswith("pycache_prefix=")]
    written = touch("w", (v.without(len("pycache_prefix=")) for v in cache), deep=True)
    use = _started(command, found, after)
    return replace(use, touches=(*written, *use.touches))


def _started(command: Command, found: Scan, after: tuple[Word, ...]) -> Use:
    """What runs, options told apart."""
    name, modules = command.name, found.values("m")
    if modules:
        use = _module(command, modules[0], after)
        # The current folder is searched first: the project may have a module of that name.
        own = use.effect in (Effect.READS, Effect.CHANGES) and not found.has("P", "I")
        return replace(use, effect=Effect.PROJECT) if own else use
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
    if name in ("venv", "virtualenv"):
        folders = [word for word in words if not word.prefix.startswith("-")]
        return Use(Effect.CHANGES, touches=touch("w", folders, deep=True))
    spec = MODULES.get(name)
    if spec is not None:
        return use_by_spec(Command((plain(name), *words)), spec)
    if name in _PROJECT or name in _NETWORK:
        known = use_by_table(Command((plain(name.replace("_", "-")), *words)))
        if known is not None:
            return known
    if name in _PROJECT:
        return Use(Effect.PROJECT, touches=touch("r", (w for w in words if w.prefix[:1] != "-")))
    if name in _NETWORK:
        return Use(Effect.NETWORK, doubt=f"the module {name} talks to other machines")
    return Use(doubt=f"it is not known what the module {name} does")
