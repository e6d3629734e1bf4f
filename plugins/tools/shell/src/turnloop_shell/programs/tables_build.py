"""Programs that build a project: they run its code, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    PROJECT,
    alike,
    changed,
    group,
    spec,
)

_STEERED = MappingProxyType(
    {
        **dict.fromkeys(
            ("SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKE", "BASH_ENV"),
            Role.REFUSED,
        ),
        "": Role.VARIABLE,
    }
)
_MAKE = spec(
    "bBdeikLmnpqrRsStvw",
    "always-make environment-overrides ignore-errors keep-going check-symlink-times just-print "
    "dry-run recon print-data-base question no-builtin-rules no-builtin-variables silent quiet "
    "no-keep-going stop touch trace print-directory no-print-directory warn-undefined-variables "
    "no-silent help version",
    text="o old-file assume-old W what-if new-file assume-new j? jobs? l? load-average? "
    "max-load? debug? O? output-sync? shuffle? jobserver-auth jobserver-fds",
    script="f file makefile",
    read="C directory I include-dir",
    refused="E eval",
    operands=Role.TARGET,
    assigned=_STEERED,
    effect=PROJECT,
)
_TASKS = spec(effect=PROJECT, operands=Role.TARGET, lenient=True, shortened=False)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("make gmake bmake", _MAKE),
        "ninja": spec(
            "vnh",
            "verbose quiet version",
            text="j k l t w d",
            read="C",
            script="f",
            operands=Role.TARGET,
            effect=PROJECT,
        ),
        "cmake": spec(
            "LNhvi",
            "fresh clean-first verbose list-presets debug-output trace trace-expand "
            "warn-uninitialized-cli log-context",
            text="G T A W U j parallel t config preset build-preset workflow component "
            "log-level strip? resolve-package-references Wno? graphviz profiling-format",
            variable="D",
            target="target",
            script="P C toolchain",
            read="S",
            write_deep="B build",
            write="profiling-output trace-redirect",
            refused="E! find-package! open",
            lenient=True,
            changes="install install-prefix prefix",
            assigned=_STEERED,
            effect=PROJECT,
            shortened=False,
        ),
        "ctest": spec(
            effect=PROJECT,
            lenient=True,
            read="test-dir",
            script="S SP",
            refused="build-and-test! test-command build-makeprogram ctest-command",
            text="R E L LE j I C T M D",
            write="O output-log output-junit",
            shortened=False,
        ),
        "meson": group(
            spec(read="C"),
            {
                "devenv": spec(effect=PROJECT, starts=True, stops=True, read="C w workdir"),
                "setup": spec(
                    effect=PROJECT,
                    lenient=True,
                    operands=Role.CHANGE_DEEP,
                    script="native-file cross-file",
                    text="D buildtype backend",
                ),
                "test": spec(
                    effect=PROJECT,
                    lenient=True,
                    operands=Role.TEXT,
                    program="wrapper wrap gdb-path",
                    text="suite t j num-processes",
                ),
                "introspect": spec("a", "all targets tests"),
            },
            project="compile configure rewrite",
            unknown="install wrap subprojects dist",
        ),
        **alike(
            "bazel bazelisk buck buck2",
            group(
                spec(
                    script="bazelrc",
                    write_deep="output_base output_user_root",
                    shortened=False,
                    long="nohome_rc nosystem_rc noworkspace_rc batch",
                    program="workspace_status_command",
                    refused="run_under shell_executable server_javabase host_jvm_args",
                ),
                alike("run test", spec(effect=PROJECT, lenient=True, operands=Role.TEXT)),
                project="build coverage clean query cquery aquery info",
                network="fetch sync mod vendor",
            ),
        ),
        **alike(
            "gradle gradlew",
            changed(
                _TASKS,
                text="x exclude-task P D tests console max-workers warning-mode",
                script="I init-script b build-file c settings-file",
                read="p project-dir",
                write_deep="project-cache-dir g gradle-user-home",
                changes="scan!",
            ),
        ),
        **alike(
            "mvn mvnw mvnd",
            changed(
                _TASKS,
                operands=Role.GOAL,
                text="P activate-profiles pl projects T threads rf resume-from D",
                script="f file",
                refused="s settings gs global-settings t toolchains",
            ),
        ),
        "ant": changed(
            _TASKS,
            script="f file buildfile",
            text="D",
            refused="logger listener lib",
            single_dash=True,
        ),
        **alike(
            "mage invoke doit",
            changed(
                _TASKS,
                script="f justfile",
                read="d working-directory dir",
                refused="shell shell-arg",
                assigned={"": Role.VARIABLE},
            ),
        ),
        "task": changed(
            _TASKS,
            script="t taskfile",
            read="d dir",
            text="o output c concurrency",
            changes="g! global!",
            assigned={"": Role.VARIABLE},
        ),
        "just": changed(
            _TASKS,
            script="f justfile",
            read="d working-directory",
            refused="shell shell-arg c command chooser e! edit!",
            variable="set&",
            assigned={"": Role.VARIABLE},
        ),
        **alike(
            "scons waf",
            changed(_TASKS, script="f file", read="C directory", assigned={"": Role.VARIABLE}),
        ),
        "sbt": changed(_TASKS, refused="client!"),
        "rake": changed(
            _TASKS,
            script="f rakefile",
            foreign="e execute p execute-print E execute-continue",
            read="r require I libdir R rakelibdir",
            assigned={"": Role.VARIABLE},
        ),
        **alike("nmake msbuild xcodebuild", changed(_TASKS, assigned={"": Role.VARIABLE})),
    }
)
