"""Programs with a subcommand that starts another program: `uv run`, `npx`, `docker exec`, ..."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, code_text, dynamic, touch
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Use
from turnloop_shell.programs.wrapper_tables import Wrapper
from turnloop_shell.programs.wrappers import wrapped
from turnloop_shell.syntax.words import Word, plain

_P, _N, _U = Effect.PROJECT, Effect.NETWORK, Effect.UNKNOWN
_FETCHES = "it may fetch what it runs"


@dataclass(frozen=True, slots=True)
class Runner:
    """A program whose subcommands start others.

    Attributes:
        subs: subcommand -> how its program is found.
        short: options in front of the subcommand, as `scan` takes them.
        long: long options in front of the subcommand.
        read: this handler knows the other subcommands; None leaves them to the tables.
    """

    subs: Mapping[str, Wrapper]
    short: str = ""
    long: str = ""


_UV = (
    "qvnp:w:ims",
    (
        "with: with-editable: with-requirements: python: isolated no-project frozen locked no-sync "
        "extra: all-extras no-extra: group: all-groups no-group: no-default-groups only-group: "
        "no-dev "
        "dev only-dev package: all-packages project: directory: env-file: no-env-file active exact "
        "no-editable offline refresh upgrade index: default-index: color: cache-dir: no-cache "
        "config-file: no-config native-tls quiet verbose no-progress managed-python module script "
        "gui-script from: refresh-package: upgrade-package: reinstall link-mode: resolution: "
        "prerelease: python-platform: no-python-downloads help no-build no-binary torch-backend: "
        "exclude-newer: find-links: index-url: extra-index-url: constraints: overrides: no-index"
    ),
)
_UV_RUN = Wrapper(
    *_UV, effect=_P, folder=("directory",), reads=("project", "config-file", "env-file"),
    refuses=("m", "module", "s", "script"),
)  # fmt: skip
_UVX = Wrapper(*_UV, effect=_N, why=_FETCHES)
_NPX = Wrapper(
    "yp:c:qw:",
    "yes no package: call: quiet workspace: workspaces include-workspace-root no-install "
    "ignore-existing prefer-offline offline shell: script-shell: prefix: loglevel: silent help "
    "version node-options: cache: userconfig: registry:",
    effect=_N,
    why=_FETCHES,
    codes=("c", "call"),
    refuses=("shell", "script-shell", "node-options", "userconfig"),
)
_DLX = Wrapper(
    "p:qcs", "package: quiet shell-mode allow-build: silent reporter:", effect=_N, why=_FETCHES,
    refuses=("c", "shell-mode"),
)  # fmt: skip
_LOCAL = Wrapper("C:rcw", "dir: recursive shell-mode parallel filter: workspace-root silent "
                 "no-reporter-hide-prefix resume-from: report-summary no-bail",
                 effect=_P, folder=("C", "dir"), refuses=("c", "shell-mode"))  # fmt: skip
_RUN = Wrapper(effect=_P)
_SERVICE = "its command runs elsewhere"
_BUNDLE = Wrapper("", "gemfile: keep-file-descriptors verbose", effect=_P, refuses=("gemfile",))

RUNNERS: Mapping[str, Runner] = MappingProxyType(
    {
        "uv": Runner(
            {"run": _UV_RUN},
            "qvnhV",
            "quiet verbose no-cache cache-dir: directory: project: config-file: no-config color: "
            "offline native-tls no-progress help version python-preference: managed-python",
        ),
        "poetry": Runner(
            {"run": _RUN},
            "qnvhVC:P:",
            "quiet no-interaction verbose help version ansi no-ansi directory: project: no-plugins "
            "no-cache",
        ),
        "pdm": Runner(
            {"run": Wrapper("sp:g", "site-packages project: global env-file: recreate",
                            effect=_P, refuses=("env-file",))},
            "qvhVc:I",
            "quiet verbose help version config: ignore-python no-cache",
        ),
        "pipenv": Runner({"run": _RUN}, "vqh", "verbose quiet help version"),
        "hatch": Runner({"run": _RUN}, "e:p:vqh", "env: project: verbose quiet help version"),
        "rye": Runner({"run": _RUN}, "h", "help version"),
        "pixi": Runner({"run": _RUN, "x": replace(_UVX)}, "vqh", "help version"),
        "pipx": Runner(
            {"run": Wrapper("qv", "spec: pypackages no-cache python: path system-site-packages "
                            "index-url: editable pip-args: quiet verbose with: fetch-python: "
                            "backend:",
                            effect=_N, why=_FETCHES, refuses=("path", "pip-args"))},
            "hqv",
            "help quiet verbose version",
        ),
        "conda": Runner({"run": Wrapper(
            "n:p:v", "name: prefix: verbose no-capture-output live-stream cwd: dev "
            "debug-wrapper-scripts", effect=_P, folder=("cwd",))}, "h", "help version"),
        "mamba": Runner({"run": Wrapper("n:p:v", "name: prefix: cwd:", effect=_P,
                                        folder=("cwd",))}, "h", "help version"),
        "micromamba": Runner({"run": Wrapper("n:p:e:a:", "name: prefix: cwd: attach: env:",
                                             effect=_P, sets=("e", "env"), folder=("cwd",))}),
        "bundle": Runner({"exec": _BUNDLE, "e": _BUNDLE}),
        "bundler": Runner({"exec": _BUNDLE, "e": _BUNDLE}),
        "rustup": Runner({"run": Wrapper("h", "install help", 1, effect=_P)}, "qvh",
                         "quiet verbose help version"),
        "rbenv": Runner({"exec": _RUN}),
        "pyenv": Runner({"exec": _RUN}),
        "nodenv": Runner({"exec": _RUN}),
        "asdf": Runner({"exec": _RUN}),
        "nvm": Runner({"exec": Wrapper("", "silent lts?", 1, effect=_P),
                       "run": Wrapper("", "silent lts?", 1, effect=_P)}),
        "volta": Runner({"run": Wrapper("h", "node: npm: yarn: pnpm: no-npm no-pnpm no-yarn "
                                        "bundled-npm env:", effect=_P, sets=("env",))}),
        "mise": Runner(
            dict.fromkeys(
                ("exec", "x"),
                Wrapper("c:C:j:qvy", "command: cd: jobs: raw fresh-env no-deps quiet verbose yes",
                        1, effect=_P, codes=("c", "command"), folder=("C", "cd"),
                        dashes=True),
            ),
            "C:E:j:qvy",
            "cd: env: jobs: quiet verbose yes help version",
        ),
        "direnv": Runner({"exec": Wrapper("", "", 1, effect=_P)}),
        "dotenv": Runner({"run": Wrapper("", "override no-override", effect=_P)},
                         "f:e:c:v:op:q", "file: quote: export: override help version"),
        "npm": Runner(dict.fromkeys(("exec", "x"), _NPX),
                      "w:C:sqdg", "prefix: workspace: workspaces silent loglevel: global"),
        "yarn": Runner({"dlx": _DLX, "exec": _LOCAL}, "s", "silent cwd: offline json verbose"),
        "pnpm": Runner({"dlx": _DLX, "exec": _LOCAL},
                       "C:rFsw", "dir: recursive filter: workspace-root silent"),
        "lerna": Runner({"exec": Wrapper("", "scope: ignore: concurrency: parallel stream no-bail "
                                         "since? no-private", effect=_P)}),
        "chamber": Runner({"exec": Wrapper("", "", 1, effect=_N, why=_SERVICE, dashes=True)}),
        "aws-vault": Runner({"exec": Wrapper("nd:", "no-session duration: region: mfa-token: "
                                             "server ecs-server json", 1, effect=_N,
                                             dashes=True,
                                             why=_SERVICE)}, "", "backend: debug"),
        "op": Runner({"run": Wrapper("", "env-file: no-masking account:", effect=_N,
                                     why=_SERVICE)}, "", "account:"),
        "doppler": Runner({"run": Wrapper("p:c:t:", "project: config: token: command: mount: "
                                          "preserve-env? fallback:", effect=_N, why=_SERVICE,
                                          codes=("command",))}),
        "infisical": Runner({"run": Wrapper("c:", "env: path: projectId: command: token: watch",
                                            effect=_N, why=_SERVICE, codes=("c", "command"))}),
        "perf": Runner(
            {
                "stat": Wrapper("e:r:x:o:dvBnaSAgI:D:", "event: repeat: output: detailed verbose "
                                "big-num null append", writes=("o", "output"),
                                ends=("a",), effect=Effect.CHANGES),
                "record": Wrapper("e:F:c:o:gqva", "event: freq: call-graph: output: quiet verbose "
                                  "all-cpus", writes=("o", "output"), ends=("a",),
                                  effect=Effect.CHANGES),
                "trace": Wrapper("e:o:sSTv", "event: output: summary", writes=("o", "output"),
                                 effect=Effect.CHANGES),
            },
        ),
    }
)  # fmt: skip
DIRECT: Mapping[str, Wrapper] = MappingProxyType(
    {"npx": _NPX, "pnpx": _NPX, "pnx": _NPX, "uvx": _UVX}
)


def runner_use(command: Command) -> Use | None:
    """What a runner's subcommand starts; None where the subcommand is none of those."""
    if command.name in DIRECT:
        return _program(command, DIRECT[command.name], command.words[1:], command.name)
    runner = RUNNERS[command.name]
    front = scan(command.words[1:], runner.short, runner.long)
    rest = front.rest
    if front.problem:
        return _hidden(command, runner)
    if not rest or not rest[0].known or rest[0].text not in runner.subs:
        return (
            dynamic(f"it cannot be told what `{command.name}` runs")
            if (rest and not rest[0].known)
            else None
        )
    called = f"{command.name} {rest[0].text}"
    use = _program(command, runner.subs[rest[0].text], rest[1:], called)
    if command.name == "dotenv":
        files = front.values("f", "file") or (plain(".env"),)
        use = replace(use, touches=(*use.touches, *touch("r", files)))
    folders = front.values("C", "cwd", "dir", "directory", "cd", "prefix", "project")
    if not folders:
        return use
    runs = tuple(replace(run, folder=run.folder or folders[-1]) for run in use.runs)
    form = (command.words[0], *rest)
    return replace(use, runs=runs, forms=(*use.forms, form))


def _hidden(command: Command, runner: Runner) -> Use | None:
    """Options that are not known stand in front: is one of the later words a subcommand?"""
    for place, word in enumerate(command.words[1:], start=1):
        if not word.known:
            return dynamic(f"it cannot be told what `{command.name}` runs")
        if word.text in runner.subs:
            use = _program(command, runner.subs[word.text], command.words[place + 1 :], "")
            why = f"it cannot be told what `{command.name}` runs"
            return dynamic(why, runs=use.runs, code=use.code, forms=use.forms)
    return None


def _program(command: Command, wrapper: Wrapper, words: tuple[Word, ...], called: str) -> Use:
    use = wrapped(command, wrapper, words, called)
    if called.startswith("uv run"):
        return _uv_run(command, use, words)
    if called in ("npx", "pnpx", "npm exec", "npm x") and use.effect is _N and not use.dynamic:
        local = scan(words, wrapper.short, wrapper.long)
        if local.has("no", "no-install", "offline"):
            return replace(use, effect=_P, doubt="")
    return use


def _uv_run(command: Command, use: Use, words: tuple[Word, ...]) -> Use:
    """`uv run x.py` and `uv run -m module` are runs of python."""
    found = scan(words, *_UV)
    python = None
    rest = found.rest
    if found.has("m") or found.has("module"):
        python = (plain("python"), plain("-m"), *rest)
    elif found.has("s", "script") or (rest and (rest[0].text == "-" or rest[0].text[-3:] == ".py")):
        python = (plain("python"), *rest)
    if python is not None and not found.problem:
        runs = wrapped(command, Wrapper(), python).runs
        use = Use(_P, runs=runs, touches=use.touches)
    fetches = ("w", "with", "with-editable", "with-requirements", "index", "index-url",
               "default-index", "extra-index-url", "find-links", "upgrade", "refresh",
               "upgrade-package", "refresh-package", "torch-backend")  # fmt: skip
    if found.has(*fetches) and not use.dynamic:
        return replace(use, effect=_N, doubt=_FETCHES)
    return use


def nix_shell(command: Command) -> Use:
    """`nix-shell --run code`, `nix develop -c program`: what it builds is code too."""
    words = command.words[1:]
    code = []
    for place, word in enumerate(words):
        if word.known and word.text in ("--run", "--command", "-c") and place + 1 < len(words):
            code.append(Code(_rest(words[place + 1 :], word.text == "-c"), "what nix runs"))
    return dynamic(f"`{command.name}` builds and runs what expressions say", code=tuple(code))


def _rest(words: tuple[Word, ...], many: bool) -> str | None:
    texts = [code_text(word) for word in (words if many else words[:1])]
    return None if None in texts else " ".join(text for text in texts if text is not None)


NIX: Mapping[str, Handler] = MappingProxyType(
    {"nix-shell": nix_shell, "nix": nix_shell, "guix": nix_shell, "nix-build": nix_shell}
)
