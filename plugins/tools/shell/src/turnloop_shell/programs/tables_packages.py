"""Package managers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    NETWORK,
    PROJECT,
    UNKNOWN,
    alike,
    changed,
    group,
    spec,
)

_NODE = spec(
    "sqdvlphyrDES",
    "silent quiet verbose json long parseable yes if-present workspaces include-workspace-root "
    "ignore-scripts foreground-scripts no-color color offline prefer-offline no-fund no-audit "
    "production all recursive parallel stream no-bail frozen-lockfile version help "
    "no-update-notifier",
    text="loglevel w workspace F filter depth omit include scope tag otp access reporter "
    "workspace-concurrency",
    read="prefix C dir cwd cache modules-dir lockfile-dir use-yarnrc",
    refused="script-shell scripts-prepend-node-path node-options userconfig globalconfig shell "
    "init-module node-gyp git viewer browser editor",
    changes="g! global!",
    shortened=False,
)
_SCRIPT = spec(effect=PROJECT, first=Role.TARGET, operands=Role.TEXT, lenient=True)
_NODE_TEST = spec(effect=PROJECT, operands=Role.TEXT, lenient=True)
_NODE_EXEC = spec(
    effect=NETWORK,
    text="p package",
    code="c call",
    starts=True,
    flags="yq",
)
_NODE_CONFIG = group(None, reads="get list ls", unknown="set delete edit fix")
_NODE_INSTALLS = (
    "install ci add publish unpublish update upgrade audit login logout adduser init create dlx "
    "uninstall remove link unlink outdated view info search fund dedupe prune owner deprecate "
    "dist-tag access team token profile ping doctor org star stars repo docs bugs hook rebuild "
    "pack "
    "install-test install-ci-test exec explore import upgrade-interactive up fetch "
    "patch patch-commit self-update env store deploy workspaces-focus npm plugin policies set"
)
_NODE_READS = spec(
    "alpgd",
    "long parseable json all prod dev production link unicode",
    text="depth omit include",
    operands=Role.TEXT,
)
_NODE_SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("run run-script", _SCRIPT),
        **alike("test start stop restart build", _NODE_TEST),
        "exec": _NODE_EXEC,
        "config": _NODE_CONFIG,
        **alike("ls list why explain root prefix bin help", _NODE_READS),
        "version": spec(effect=UNKNOWN, operands=Role.TEXT, lenient=True),
    }
)
_PIP = spec(
    "qvhV",
    "quiet verbose isolated require-virtualenv no-input no-color no-cache-dir "
    "disable-pip-version-check editable local user not-required include-editable "
    "exclude-editable all files help version",
    text="format exclude path proxy retries timeout exists-action trusted-host cert client-cert "
    "use-feature",
    write="log",
    write_deep="cache-dir",
    network="o! outdated! u! uptodate!",
    program="python",
)
_PY_RUN = spec(
    "qvm",
    "quiet verbose no-sync frozen locked isolated no-project all-extras no-dev dev active "
    "offline no-cache module script",
    text="p python extra group package env-file index color",
    network="with with-editable with-requirements",
    effect=PROJECT,
    starts=True,
    stops=True,
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        "npm": group(
            _NODE,
            {k: v for k, v in _NODE_SPECS.items() if k != "build"},
            network=_NODE_INSTALLS,
            shortened=True,
            unknown="completion edit",
            aliases="i=install in=install ins=install isntall=install t=test tst=test x=exec "
            "c=config rum=run urn=run r=uninstall rm=uninstall un=uninstall la=ls ll=ls "
            "innit=init ic=ci clean-install=ci it=install-test cit=install-ci-test ln=link "
            "v=view show=view s=search find=search se=search ddp=dedupe up=update "
            "udpate=update author=owner issues=bugs home=docs rb=rebuild",
        ),
        **alike(
            "yarn yarnpkg",
            group(
                _NODE,
                {**_NODE_SPECS, "workspace": spec(effect=UNKNOWN, first=Role.TEXT)},
                network=_NODE_INSTALLS,
                default=_SCRIPT,
                bare=spec(effect=NETWORK),
            ),
        ),
        "pnpm": group(
            _NODE,
            dict(_NODE_SPECS),
            network=_NODE_INSTALLS,
            default=_SCRIPT,
            aliases="i=install t=test rm=remove un=remove up=update la=ls ll=ls c=config "
            "tst=test ln=link",
        ),
        **alike(
            "pip pip3 pip2",
            group(
                _PIP,
                {"config": group(None, reads="list get debug", unknown="set unset edit")},
                reads="list show freeze check inspect debug help",
                network="install download wheel search index uninstall cache lock hash",
            ),
        ),
        "uv": group(
            spec(
                "qvn",
                "quiet verbose no-cache offline no-progress no-config native-tls",
                text="color python-preference",
                read="directory project config-file cache-dir",
            ),
            {
                "run": _PY_RUN,
                "pip": group(
                    _PIP,
                    reads="list show freeze check tree",
                    network="install sync compile uninstall",
                ),
                "tool": group(
                    None,
                    {"run": changed(_PY_RUN, effect=NETWORK, text="from")},
                    reads="list dir",
                    network="install uninstall upgrade update-shell",
                ),
                **alike("tree version help", spec(operands=Role.TEXT)),
                "venv": spec(effect=NETWORK, operands=Role.WRITE_DEEP, text="p python prompt"),
            },
            network="sync add remove lock init export publish build python self cache",
        ),
        **alike(
            "poetry pdm hatch rye pipenv",
            group(
                spec(
                    "qvn",
                    "quiet verbose no-interaction no-ansi no-plugins no-cache",
                    read="C directory P project p",
                ),
                {
                    "run": _PY_RUN,
                    "show": spec(
                        "atloT",
                        "tree latest outdated all top-level",
                        text="only with without",
                        operands=Role.TEXT,
                    ),
                    **alike("check version about help", spec(operands=Role.TEXT)),
                    **alike("test fmt", spec(effect=PROJECT, lenient=True)),
                },
                network="install add remove update lock build publish init new export sync self "
                "source cache search shell env config plugin uninstall upgrade fetch clean graph",
            ),
        ),
        **alike(
            "conda mamba micromamba",
            group(
                spec("qvy", "quiet verbose yes json", text="n name", read="p prefix"),
                {
                    "run": spec(
                        "",
                        "no-capture-output live-stream",
                        text="n name",
                        read="p prefix cwd",
                        effect=PROJECT,
                        starts=True,
                        stops=True,
                    )
                },
                reads="list info",
                network="install create update remove search clean env config init "
                "activate deactivate upgrade uninstall",
            ),
        ),
        **alike(
            "pipx",
            group(
                None,
                {
                    "run": spec(
                        effect=NETWORK, starts=True, stops=True, text="spec python pip-args with"
                    )
                },
                reads="list",
                network="install uninstall upgrade inject upgrade-all ensurepath",
            ),
        ),
        **alike(
            "gem",
            group(
                None,
                reads="list environment help contents which",
                network="install uninstall update push search fetch build cleanup "
                "owner yank signin signout",
                unknown="exec",
            ),
        ),
        "bundle": group(
            spec("", "no-color verbose quiet", text="r retry", read="gemfile"),
            {"exec": spec("", "keep-file-descriptors", effect=PROJECT, starts=True, stops=True)},
            reads="list show info check platform",
            network="install update add remove outdated "
            "package cache lock init clean config open binstubs console doctor",
            aliases="e=exec i=install ex=exec exe=exec",
            bare=spec(effect=NETWORK),
            shortened=True,
        ),
        "composer": group(
            spec(
                "qvnV",
                "quiet no-interaction profile no-plugins no-scripts no-cache ansi no-ansi",
                read="d working-dir",
            ),
            {
                **alike("run-script run", changed(_SCRIPT)),
                "test": _NODE_TEST,
                "exec": spec(effect=PROJECT, starts=True, stops=True),
            },
            reads="show licenses depends prohibits check-platform-reqs validate status about",
            network="install update require remove create-project global self-update outdated "
            "search audit config init archive browse diagnose bump reinstall suggests fund "
            "dump-autoload",
            shortened=True,
        ),
    }
)
