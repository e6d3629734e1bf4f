"""Programs that test, check and bundle what is written in JavaScript and its kin."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_checks import CHECK, FIXES, FORMATS, TESTS
from turnloop_shell.programs.tables_making import PROJECT, alike, changed, group, spec

_JS = changed(
    TESTS,
    shortened=False,
    operands=Role.READ,
    config="c config",
    loaded="reporter reporters",
    text="t testNamePattern",
)
# A server of theirs may listen to other machines.
_SERVED = changed(
    _JS,
    write="o output output-path outfile metafile",
    write_deep="outdir outDir out-dir dist-dir",
    listens="host hostname H serve?",
)
_JS_TESTS = changed(
    _JS,
    read="require r globalSetup rootDir root",
    write="outputFile outputFile.json outputFile.junit outputFile.html",
    write_deep="outputDir coverageDirectory cacheDirectory coverage.reportsDirectory",
)
SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike(
            "jest vitest ava tap jasmine karma",
            _JS_TESTS,
        ),
        "mocha": changed(
            _JS_TESTS,
            loaded="R",
            placed="O reporter-option reporter-options",
            setting="n node-option",
        ),
        **alike(
            "playwright cypress",
            group(_JS_TESTS, network="install install-deps", default=_JS_TESTS, bare=_JS_TESTS),
        ),
        **alike(
            "eslint stylelint biome xo standard oxlint markdownlint markdownlint-cli2",
            changed(
                FIXES,
                read="rulesdir resolve-plugins-relative-to ignore-path",
                loaded="format f formatter custom-formatter custom-syntax",
                text="ext max-warnings rule",
            ),
        ),
        "prettier": changed(
            CHECK,
            "lcuw",
            "check list-different no-config write",
            read="ignore-path plugin",
            text="parser log-level tab-width print-width",
            cases={"w write": FORMATS},
        ),
        **alike(
            "tsc vue-tsc",
            changed(
                _JS,
                "wb",
                operands=Role.SOURCE,
                read="p project rootDir",
                write_deep="outDir declarationDir generateTrace",
                write="outFile tsBuildInfoFile generateCpuProfile",
                single_dash=True,
            ),
        ),
        **alike(
            "webpack vite esbuild parcel next nuxt astro ng",
            _SERVED,
        ),
        **alike("rollup swc babel", changed(_SERVED, write_deep="d dir", write="file")),
        **alike("gulp grunt turbo", changed(_JS, operands=Role.TARGET)),
        **alike(
            "c8 nyc",
            changed(
                _JS,
                starts=True,
                stops=True,
                loaded="i require",
                text="n x r",
                write_deep="o report-dir reports-dir temp-dir temp-directory",
            ),
        ),
        **alike(
            "nx lerna",
            group(
                spec(text="scope ignore"),
                {"exec": spec(effect=PROJECT, starts=True, stops=True)},
                project="test build lint serve run run-many affected ls changed diff graph",
                network="publish version release migrate add bootstrap init connect",
            ),
        ),
    }
)
