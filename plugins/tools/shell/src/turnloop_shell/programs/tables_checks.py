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

_TESTS = spec(effect=PROJECT, lenient=True)
_PYTEST = changed(
    _TESTS,
    "vqxslhV",
    "exitfirst verbose quiet last-failed lf failed-first ff new-first nf stepwise sw collect-only "
    "co "
    "pdb no-header no-summary pyargs strict-markers strict-config showlocals no-cov",
    text="k m n p o W r maxfail tb durations log-level log-cli-level color import-mode "
    "ignore-glob "
    "deselect override-ini numprocesses dist cov? cov-report cov-fail-under timeout capture "
    "show-capture assert verbosity",
    read="c config-file rootdir confcutdir ignore cov-config",
    write="junitxml junit-xml log-file report-log debug?",
    write_deep="basetemp html",
    network="pastebin",
    shortened=False,
)
_TOX = changed(
    _TESTS,
    flags="rqv",
    text="e f k m n p o",
    read="c conf root workdir work-dir",
    refused="x override",
    shortened=False,
)
_JS = changed(_TESTS, shortened=False, read="c config", text="t testNamePattern reporter")
_CHECK = changed(
    _TESTS,
    "qv",
    shortened=False,
    read="c config config-file rcfile settings-path settings-file cache-dir",
    text="select ignore extend-ignore extend-select line-length l max-line-length j jobs "
    "n target-version t p python-version output-format",
    write="output-file output",
    output="o",
    program="python-executable pythonpath",
    foreign="init-hook",
)
_FORMATS = changed(_CHECK, operands=Role.CHANGE, flags="wi", effect=PROJECT)
_FORMATS_BOTH = changed(_FORMATS, cases={"check diff check-only dry-run": _CHECK})
_FIXES = changed(
    _CHECK,
    cases={
        "fix w write i in-place inplace fix-only unsafe-fixes autocorrect A a auto-correct "
        "apply": changed(_FORMATS)
    },
    flags="wiAa",
    long="fix write in-place inplace fix-only unsafe-fixes autocorrect apply",
)
_RUFF = group(
    spec("qvsn", "quiet verbose silent isolated no-cache", read="config"),
    {
        "check": _FIXES,
        "format": _FORMATS_BOTH,
        "clean": spec(effect=CHANGES),
        **alike(
            "rule linter version config", spec("", "all", text="output-format", operands=Role.TEXT)
        ),
    },
    project="server analyze",
    default=_FIXES,
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
        "nox": changed(_TESTS, script="f noxfile", text="s e k t p", read="envdir"),
        **alike(
            "coverage",
            group(
                None,
                {
                    "run": changed(
                        _TESTS,
                        stops=True,
                        flags="mpa",
                        long="branch append module",
                        text="source omit include context concurrency",
                        read="rcfile",
                        write="data-file",
                    )
                },
                project="report html xml json lcov combine erase annotate debug",
            ),
        ),
        **alike("unittest nose2 trial stestr behave robot", _TESTS),
        **alike(
            "jest vitest mocha ava tap jasmine playwright cypress karma",
            changed(
                _JS,
                read="require r globalSetup rootDir root",
                write_deep="outputDir coverageDirectory cacheDirectory",
            ),
        ),
        **alike(
            "eslint stylelint biome xo standard oxlint markdownlint markdownlint-cli2",
            changed(
                _FIXES,
                read="rulesdir resolve-plugins-relative-to ignore-path",
                text="ext format f max-warnings rule",
            ),
        ),
        "prettier": changed(
            _CHECK,
            "lcuw",
            "check list-different no-config write",
            read="ignore-path plugin",
            text="parser log-level tab-width print-width",
            cases={"w write": _FORMATS},
        ),
        **alike(
            "tsc vue-tsc",
            changed(
                _JS,
                "wb",
                read="p project rootDir",
                write_deep="outDir declarationDir",
                write="outFile tsBuildInfoFile generateTrace",
                single_dash=True,
            ),
        ),
        **alike(
            "webpack vite rollup esbuild parcel swc babel next nuxt astro ng",
            changed(
                _JS,
                write="o output output-path outfile",
                write_deep="outdir outDir out-dir dist-dir",
            ),
        ),
        **alike("gulp grunt turbo", changed(_JS, operands=Role.TARGET)),
        **alike("c8 nyc", changed(_JS, starts=True, stops=True, text="n x r")),
        **alike(
            "nx lerna",
            group(
                spec(text="scope ignore"),
                {"exec": spec(effect=PROJECT, starts=True, stops=True)},
                project="test build lint serve run run-many affected ls changed diff graph",
                network="publish version release migrate add bootstrap init connect",
            ),
        ),
        "ruff": _RUFF,
        **alike(
            "black isort autopep8 yapf autoflake pyupgrade docformatter",
            changed(_FORMATS, foreign="c code", cases={"check diff check-only": _CHECK}),
        ),
        **alike(
            "flake8 mypy dmypy pylint pyright basedpyright bandit vulture pydocstyle pycodestyle "
            "pyflakes codespell radon interrogate import-linter lint-imports deptry",
            changed(_CHECK, write="cobertura-xml-report html-report junit-xml"),
        ),
        **alike(
            "rspec minitest cucumber phpunit pest phpstan psalm phpcs",
            changed(
                _TESTS,
                read="r require c configuration bootstrap I",
                text="e example t tag f format filter",
                write="o out log-junit",
            ),
        ),
        **alike("rubocop standardrb phpcbf php-cs-fixer", _FIXES),
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
            _CHECK, read="p", refused="load extra-arg extra-arg-before", single_dash=True
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
        **alike(
            "hadolint yamllint actionlint taplo vale proselint checkov tflint sqlfluff", _FIXES
        ),
    }
)
