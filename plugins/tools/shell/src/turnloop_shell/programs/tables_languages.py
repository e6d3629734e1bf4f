"""Compilers, and the build programs of one language."""

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

_CARGO = spec(
    "qvhV",
    "quiet verbose locked offline frozen list help version",
    text="color Z explain",
    read="C manifest-path",
    refused="config",
)
_CARGO_BUILDS = spec(
    "r",
    "release lib bins tests benches examples all-targets all-features no-default-features "
    "workspace all keep-going no-run no-fail-fast doc ignore-rust-version build-plan "
    "unit-graph future-incompat-report no-deps open document-private-items fix allow-dirty "
    "allow-staged allow-no-vcs broken-code edition edition-idioms check",
    text="p package exclude j jobs profile F features target bin test bench example "
    "message-format timings? emit",
    write_deep="target-dir out-dir artifact-dir",
    operands=Role.TEXT,
    effect=PROJECT,
)
_CARGO_TELLS = spec(
    "d",
    "no-deps all-features no-default-features workspace duplicates all no-dedupe",
    text="F features p package i invert depth prefix charset format edges e target "
    "format-version filter-platform",
    operands=Role.TEXT,
)
_CC = spec(
    "cSEvPCwsMdpHrn",
    "pipe shared static nostdlib nodefaultlibs nostartfiles pthread ansi pedantic rdynamic "
    "save-temps pie no-pie MD MMD MP MM MG time pg",
    text="arch target MT MQ x u z e D U A l? m? O? g? "
    "std? print-file-name? print-prog-name? dumpversion? dumpmachine? dumpspecs?",
    linked="Xlinker Xassembler Xpreprocessor W? f?",
    read="I L T isystem iquote idirafter include imacros iprefix iwithprefix isysroot sysroot "
    "framework F",
    write="o MF dumpdir dumpbase aux-info",
    refused="B wrapper fplugin specs fuse-ld plugin Xclang ld-path fpass-plugin load ftemplate",
    operands=Role.SOURCE,
    minimum=99,
    default=Role.WRITE,
    single_dash=True,
    shortened=False,
    lenient=True,
    effect=CHANGES,
)
_RUSTC = spec(
    "gOvV",
    "test verbose",
    text="l crate-type crate-name edition target W A D F warn allow deny forbid cfg "
    "check-cfg color error-format json cap-lints remap-path-prefix explain",
    linked="C codegen Z",
    placed="emit print",
    read="extern sysroot L",
    write="o",
    write_deep="out-dir",
    operands=Role.SOURCE,
    minimum=99,
    default=Role.WRITE,
    effect=CHANGES,
    shortened=False,
)
_JAVA = spec(
    "",
    "server client showversion ea da esa dsa enableassertions disableassertions enable-preview",
    text="add-modules add-opens add-exports add-reads m module D? s?",
    linked="X? ja",
    refused="ag",  # `-agentlib:x`, `-agentpath:x`: code that it loads
    read="jar cp classpath class-path p module-path upgrade-module-path",
    operands=Role.READ,
    first=Role.SOURCE,
    stops=True,
    single_dash=True,
    shortened=False,
    lenient=True,
    effect=PROJECT,
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        "cargo": group(
            _CARGO,
            {
                **alike("build check test clippy doc bench fix", _CARGO_BUILDS),
                # What follows `--` goes to the compiler: `-C linker=...`.
                **alike("rustc rustdoc", changed(_CARGO_BUILDS, operands=Role.VARIABLE)),
                "run": changed(_CARGO_BUILDS, stops=True),
                "fmt": spec("", "all check", text="p package", operands=Role.TEXT, effect=PROJECT),
                "nextest": group(_CARGO_BUILDS, project="run list", network="self"),
                "clean": changed(_CARGO_BUILDS, effect=CHANGES),
                # They may write the lock file, and start the compiler that the project names.
                "tree": changed(_CARGO_TELLS, effect=PROJECT),
                "metadata": changed(_CARGO_TELLS, effect=PROJECT, cases={"no-deps": _CARGO_TELLS}),
                **alike(
                    "pkgid locate-project verify-project read-manifest version help",
                    _CARGO_TELLS,
                ),
                **alike(
                    "new init",
                    spec(
                        "",
                        "bin lib",
                        text="edition name vcs registry",
                        operands=Role.WRITE_DEEP,
                        effect=CHANGES,
                    ),
                ),
            },
            network="install publish add update search login logout owner yank fetch vendor "
            "package remove uninstall generate-lockfile audit deny outdated report binstall",
            project="expand llvm-cov miri",
            aliases="b=build c=check t=test d=doc r=run rm=remove",
            skipped="+",
        ),
        **alike("gcc g++ cc c++ clang clang++ gcc-12 gcc-13 clang-15 tcc", _CC),
        **alike(
            "ld ld.gold ld.lld lld ld.bfd as",
            changed(
                _CC,
                text="defsym e entry soname rpath rpath-link dynamic-linker",
                write="Map",
                refused="audit P depaudit",
                lenient=True,
            ),
        ),
        "rustc": _RUSTC,
        "rustfmt": spec(
            "lvq",
            "check verbose quiet backup files-with-diff",
            text="edition style-edition emit color config print-config",
            read="config-path",
            operands=Role.CHANGE,
            effect=CHANGES,
        ),
        **alike(
            "javac kotlinc scalac",
            spec(
                text="source target release encoding g? X? W?",
                read="cp classpath class-path p module-path sourcepath",
                write_deep="d h s",
                refused="processor processorpath processor-path",
                operands=Role.SOURCE,
                lenient=True,
                single_dash=True,
                shortened=False,
                effect=PROJECT,
            ),
        ),
        "java": _JAVA,
        # It imports what it tells of.
        **alike(
            "pydoc pydoc3",
            spec("h", effect=PROJECT, text="k", write="w!", network="p n b!"),
        ),
        "dotnet": group(
            spec("d", "diagnostics"),
            {
                **alike(
                    "build test clean format msbuild vstest",
                    spec(
                        effect=PROJECT,
                        lenient=True,
                        operands=Role.SOURCE,
                        text="c configuration f framework v verbosity",
                        write_deep="o output artifacts-path results-directory",
                        placed="l logger",
                        write="bl? diag",
                    ),
                ),
                "run": spec(
                    effect=PROJECT,
                    lenient=True,
                    stops=True,
                    read="project",
                    text="c configuration f framework",
                ),
            },
            network="restore add remove publish pack nuget tool new workload sdk store",
        ),
        "swift": group(
            spec("v", read="package-path C"),
            {
                "run": spec(effect=PROJECT, lenient=True, stops=True),
                "build": spec(
                    effect=PROJECT, lenient=True, write_deep="scratch-path build-path cache-path"
                ),
            },
            project="test",
            network="package",
        ),
        "mix": group(
            None,
            {"run": spec(effect=PROJECT, lenient=True, foreign="e eval", read="r require")},
            project="test compile format credo dialyzer phx.server ecto.migrate",
            network="deps.get deps.update hex.publish hex.info local.hex archive.install",
        ),
    }
)
