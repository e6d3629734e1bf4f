"""Modules of Python behind `-m` that are no programs of their own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec
from turnloop_shell.programs.tables_making import CHANGES, NETWORK, PROJECT, spec

_RUNS = spec(effect=PROJECT, lenient=True, operands=Role.READ, shortened=False)

MODULES: Mapping[str, Spec] = MappingProxyType(
    {
        "json.tool": spec(
            "h",
            "sort-keys no-ensure-ascii json-lines tab no-indent compact help",
            text="indent",
            first=Role.READ,
            operands=Role.WRITE,
        ),
        "tokenize": spec("eh", "exact help"),
        "ast": spec(
            "ahO",
            "no-type-comments include-attributes optimize show-empty help",
            text="m mode i indent feature-version",
        ),
        "dis": spec("hCOSP", "help show-caches show-offsets show-positions specialized"),
        "tabnanny": spec("qv"),
        "symtable": spec("h"),
        "pickletools": spec(
            "amptvh",
            "annotate memo preamble test help",
            text="l indentlevel",
            output="o output",
        ),
        "calendar": spec(
            "h",
            "help",
            text="w width l lines s spacing m months L locale e encoding t type f first-weekday",
            read="c css",
            operands=Role.TEXT,
        ),
        **dict.fromkeys(("site", "this", "platform"), spec(
            "h", "user-base user-site help nonaliased terse", operands=Role.TEXT
        )),
        "sysconfig": spec("h", "help", operands=Role.TEXT, changes="generate-posix-vars!"),
        # They write beside what they read, into `__pycache__`.
        "py_compile": spec("qh", "quiet", operands=Role.CHANGE, effect=CHANGES),
        "compileall": spec(
            "lfqbh",
            "hardlink-dupes",
            text="d s p x j r o e invalidation-mode",
            list="i",
            operands=Role.CHANGE_DEEP,
            effect=CHANGES,
            minimum=1,
            default=Role.CHANGES,  # what is on the path of the system
        ),
        **dict.fromkeys(
            (
                "doctest", "build", "sphinx", "mkdocs", "mutmut", "hypothesis", "pytype", "ward",
                "setuptools", "hatchling", "flit_core", "slipcover", "xdoctest", "asv",
                "pytest_cov", "mypy.stubgen", "mypy.stubtest",
            ),
            _RUNS,
        ),
        "http.server": spec(effect=NETWORK, lenient=True, operands=Role.TEXT, read="d directory"),
    }
)  # fmt: skip
