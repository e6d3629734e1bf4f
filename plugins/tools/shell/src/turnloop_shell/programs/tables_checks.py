"""Programs that test and check a project, and that set its code in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    CHANGES,
    PROJECT,
    alike,
    changed,
    group,
    spec,
)

# `@file` holds further options.
TESTS = spec(effect=PROJECT, lenient=True, operands=Role.SOURCE)
_PYTEST = changed(
    TESTS,
    "vqxslhV",
    "exitfirst verbose quiet last-failed lf failed-first ff new-first nf stepwise sw collect-only "
    "co "
    "pdb no-header no-summary pyargs strict-markers strict-config showlocals no-cov",
    text="k m n p W r maxfail tb durations log-level log-cli-level color import-mode "
    "ignore-glob "
    "deselect numprocesses dist cov? cov-fail-under timeout capture "
    "show-capture assert verbosity",
    read="c config-file rootdir confcutdir ignore cov-config",
    write="junitxml junit-xml log-file report-log json-report-file resultlog benchmark-json debug?",
    write_deep="basetemp html alluredir benchmark-storage",
    setting="o override-ini",
    placed="cov-report",
    network="pastebin tx",
    shortened=False,
)
_TOX = changed(
    TESTS,
    flags="rqv",
    text="e f k m n p o",
    read="c conf root",
    write_deep="workdir work-dir",
    write="result-json",
    refused="x override",
    shortened=False,
)
CHECK = changed(
    TESTS,
    "qv",
    shortened=False,
    config="c config",
    read="config-file rcfile settings-path settings-file",
    write_deep="cache-dir cache-location cache-file",
    text="select ignore extend-ignore extend-select line-length l max-line-length j jobs "
    "n target-version t p python-version output-format",
    write="output-file output",
    output="o",
    program="python-executable pythonpath",
    foreign="init-hook",
)
FORMATS = changed(CHECK, operands=Role.CHANGE, flags="wi", effect=PROJECT)
_FORMATS_BOTH = changed(FORMATS, cases={"check diff check-only dry-run": CHECK})
FIXES = changed(
    CHECK,
    cases={
        "fix w write i in-place inplace fix-only unsafe-fixes autocorrect A a auto-correct "
        "apply": changed(FORMATS)
    },
    flags="wiAa",
    long="fix write in-place inplace fix-only unsafe-fixes autocorrect apply",
)
_RUFF = group(
    spec("qvsn", "quiet verbose silent isolated no-cache", config="config", write_deep="cache-dir"),
    {
        "check": FIXES,
        "format": _FORMATS_BOTH,
        "clean": spec(effect=CHANGES),
        **alike(
            "rule linter version config", spec("", "all", text="output-format", operands=Role.TEXT)
        ),
    },
    project="server analyze",
    default=FIXES,
)


SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("pytest py.test", _PYTEST),
        "tox": group(
            _TOX,
            {
                "exec": changed(_TOX, starts=True),
                **alike("run run-parallel list config depends devenv legacy", _TOX),
            },
            aliases="r=run p=run-parallel l=list c=config d=devenv e=exec le=legacy",
            default=_TOX,
            bare=_TOX,
        ),
        "nox": changed(
            TESTS,
            script="f noxfile",
            text="s e k t p",
            write_deep="envdir",
            write="report",
        ),
        **alike(
            "coverage",
            group(
                spec(
                    "im",
                    "ignore-errors skip-covered no-skip-covered skip-empty show-contexts "
                    "pretty-print show-missing keep quiet",
                    text="include omit fail-under precision sort contexts format title",
                    read="rcfile",
                    write="data-file",
                ),
                {
                    **alike("html annotate", changed(TESTS, write_deep="d directory")),
                    **alike("xml json lcov", changed(TESTS, output="o")),
                    "run": changed(
                        TESTS,
                        stops=True,
                        flags="mpa",
                        long="branch append module",
                        text="source context concurrency",
                    ),
                },
                project="report combine erase debug",
            ),
        ),
        **alike("unittest nose2 trial stestr behave robot", TESTS),
        "ruff": _RUFF,
        **alike(
            "black autopep8 yapf autoflake pyupgrade docformatter",
            changed(FORMATS, foreign="c code", cases={"check diff check-only": CHECK}),
        ),
        **alike(
            "flake8 pylint bandit vulture pydocstyle pycodestyle "
            "pyflakes codespell radon interrogate import-linter lint-imports deptry",
            changed(CHECK, write="junit-xml"),
        ),
        "isort": changed(
            FORMATS,
            "c",
            read="sp settings-path settings-file",
            single_dash=True,
            cases={"c check check-only diff": changed(CHECK, "c", single_dash=True)},
        ),
        **alike(
            "mypy dmypy",
            changed(
                CHECK,
                read="custom-typeshed-dir custom-typing-module",
                write="junit-xml log-file status-file perf-stats-file timing-stats "
                "line-checking-stats",
                write_deep="any-exprs-report cobertura-xml-report html-report linecount-report "
                "linecoverage-report lineprecision-report memory-xml-report txt-report xml-report "
                "xslt-html-report xslt-txt-report",
                network="install-types!",
            ),
        ),
        **alike(
            "pyright basedpyright",
            changed(
                CHECK,
                read="p project t typeshedpath v venvpath venv-path typeshed-path",
            ),
        ),
        **alike(
            "rspec minitest cucumber phpunit pest phpstan psalm phpcs",
            changed(
                TESTS,
                read="r require c configuration bootstrap I",
                loaded="f format",
                text="e example t tag filter",
                write="o out log-junit",
            ),
        ),
        **alike("rubocop standardrb phpcbf php-cs-fixer", FIXES),
        "pre-commit": group(
            spec("", text="color", read="c config"),
            project="run",
            network="install autoupdate install-hooks gc clean uninstall try-repo",
        ),
        **alike(
            "clang-format",
            spec(
                "i",
                "dry-run Werror verbose",
                text="style fallback-style sort-includes lines offset length assume-filename",
                single_dash=True,
                cases={
                    "i": spec(
                        "i",
                        "verbose",
                        text="style fallback-style lines",
                        operands=Role.CHANGE,
                        effect=CHANGES,
                        single_dash=True,
                    )
                },
                list="files",
            ),
        ),
        "clang-tidy": changed(
            CHECK, read="p", refused="load extra-arg extra-arg-before", single_dash=True
        ),
        "shellcheck": spec(
            "axV",
            "check-sourced external-sources norc list-optional",
            text="e exclude f format i include o enable s shell S severity W wiki-link-count C? "
            "color?",
            read="P source-path rcfile",
        ),
        "shfmt": spec(
            "dlfsw",
            "diff list find simplify minify write",
            text="i indent ln language-dialect p posix filename",
            single_dash=True,
            cases={
                "w write": spec(
                    "dlsw",
                    "write simplify",
                    text="i indent ln language-dialect",
                    operands=Role.CHANGE,
                    effect=CHANGES,
                    single_dash=True,
                )
            },
        ),
        **alike("hadolint yamllint actionlint taplo vale proselint checkov tflint sqlfluff", FIXES),
    }
)
