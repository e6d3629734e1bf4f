"""Go and its programs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    CHANGES,
    PROJECT,
    UNKNOWN,
    alike,
    changed,
    group,
    spec,
)

_GO_BUILDS = spec(
    "anvxi",
    "race msan asan cover work linkshared modcacherw trimpath json c failfast short benchmem "
    "fullpath",
    text="p covermode coverpkg buildmode buildvcs compiler installsuffix mod pkgdir tags run skip "
    "bench benchtime count cpu list parallel shuffle timeout vet fuzz fuzztime "
    "fuzzminimizetime blockprofilerate memprofilerate mutexprofilefraction pgo f",
    variable="gcflags ldflags asmflags gccgoflags",
    read="C modfile overlay",
    write="o coverprofile blockprofile cpuprofile memprofile mutexprofile trace",
    write_deep="outputdir",
    program="exec toolexec vettool",
    operands=Role.MODULE,
    single_dash=True,
    shortened=False,
    effect=PROJECT,
)
_GO_TEST = changed(_GO_BUILDS, flags="v", long="args")
_GO_RUN = changed(_GO_BUILDS, stops=True)
_GO_LISTS = changed(
    _GO_BUILDS,
    "evm",
    "deps find test",
    network="u! versions! retracted!",
    read="reuse",
)
# With these it builds, or changes `go.mod`.
_GO_READS = changed(
    _GO_LISTS,
    effect=spec().effect,
    cases={"export compiled mod modfile toolexec": changed(_GO_LISTS, long="export compiled")},
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        "go": group(
            spec(read="C", single_dash=True, shortened=False),
            {
                **alike("build vet generate", changed(_GO_BUILDS, flags="v")),
                "test": _GO_TEST,
                "run": _GO_RUN,
                "list": _GO_READS,
                "version": spec("mv"),
                "env": spec(
                    "",
                    "json changed",
                    operands=Role.TEXT,
                    single_dash=True,
                    cases={"w u": spec(effect=UNKNOWN, operands=Role.TEXT)},
                    changes="w! u!",
                ),
                "doc": spec(
                    "cu",
                    "all cmd short src",
                    operands=Role.TEXT,
                    single_dash=True,
                    network="http!",
                ),
                "fmt": spec(
                    "nx",
                    text="mod",
                    operands=Role.CHANGE,
                    effect=CHANGES,
                    minimum=1,
                    default=Role.CHANGE,
                ),
                "fix": spec(operands=Role.CHANGE, effect=CHANGES),
                "clean": spec(
                    "inrx",
                    "cache testcache",
                    changes="modcache! fuzzcache!",
                    operands=Role.TEXT,
                    effect=CHANGES,
                    single_dash=True,
                ),
                "mod": group(
                    None,
                    {"graph": spec(), "why": spec("mv", operands=Role.TEXT), "verify": spec()},
                    network="download tidy vendor",
                    project="init edit",
                ),
                "work": group(None, project="init use edit", network="sync vendor"),
                "tool": spec(
                    effect=PROJECT,
                    lenient=True,
                    single_dash=True,
                    shortened=False,
                    first=Role.TEXT,
                    operands=Role.SOURCE,
                    network="http",
                    refused="extld toolexec",
                    read="html func importcfg embedcfg symabis",
                    write="o asmhdr linkobj blockprofile cpuprofile memprofile mutexprofile "
                    "traceprofile",
                    write_deep="outputdir",
                ),
                "help": spec(operands=Role.TEXT),
            },
            network="get install telemetry bug",
        ),
        **alike(
            "gofmt goimports",
            spec(
                "delsw",
                text="r cpuprofile srcdir local",
                single_dash=True,
                operands=Role.READ,
                cases={
                    "w": spec(
                        "delsw",
                        text="r srcdir local",
                        operands=Role.CHANGE,
                        effect=CHANGES,
                        single_dash=True,
                    )
                },
            ),
        ),
        "golangci-lint": group(
            spec("v", text="color", read="c config"),
            reads="version help linters",
            project="run fmt",
            network="custom",
            unknown="cache config",
        ),
    }
)
