"""Programs that run commands elsewhere: on other machines, in containers, under a debugger."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from turnloop_shell.programs.making import Handler, dynamic, one_of, text_of, touch
from turnloop_shell.programs.scan import scan
from turnloop_shell.programs.use import Code, Command, Effect, Runs, Use
from turnloop_shell.syntax.words import Word, plain

_SSH = "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:"
# Settings of ssh that name no program, no file and no other machine.
_SSH_SAFE = one_of(
    "batchmode connecttimeout connectionattempts stricthostkeychecking "
    "serveraliveinterval serveralivecountmax loglevel compression port user "
    "addressfamily tcpkeepalive requesttty passwordauthentication "
    "pubkeyauthentication identitiesonly numberofpasswordprompts "
    "preferredauthentications kbdinteractiveauthentication visualhostkey forwardagent "
    "forwardx11 clearallforwardings exitonforwardfailure logverbose controlpersist"
)


def ssh(command: Command) -> Use:
    """Its command runs on another machine: deny rules see it, but not as a command of this one."""
    found = scan(command.words[1:], _SSH)
    files = (*found.values("i", "F"),)
    touches = (*touch("r", files), *touch("w", found.values("E")))
    code = []
    reason = found.problem and f"it cannot be told what `ssh` runs: {found.problem}"
    for value in found.values("o"):
        name, _, given = value.text.replace("=", " ", 1).partition(" ")
        if name.lower() not in _SSH_SAFE or not value.known:
            reason = reason or f"the setting `{name}` of ssh may run a program here"
            code.append(Code(given if value.known else None, "what `ssh` runs here"))
    if found.has("F", "I", "S") or any("ProxyCommand" in w.text for w in found.values("J")):
        reason = reason or "an option of `ssh` names settings or code that it loads"
    rest = found.rest
    if rest and not found.problem and len(rest) > 1 and rest[1].prefix.startswith("-"):
        again = scan(rest[1:], _SSH)  # options may follow the machine
        if again.options or again.problem:
            reason = reason or "options of `ssh` follow its machine"
    elsewhere = rest[1:]
    why = "its command runs on another machine, where deny rules do not look" if elsewhere else ""
    return Use(
        Effect.NETWORK,
        tuple(code),
        touches=touches,
        forms=_remote_forms(elsewhere),
        dynamic=reason,
        opaque=why,
        doubt=reason or "`ssh` talks to other machines",
    )


def _remote_forms(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], ...]:
    """The words of a remote command, also where they stand in one."""
    if not words:
        return ()
    text = text_of(words)
    split = tuple(plain(part) for part in text.split()) if text else ()
    return (words, split) if split and len(split) != len(words) else (words,)


_EXEC = (
    "itdTIqu:w:e:c:n:f:l:x:U:",
    (
        "interactive tty detach privileged user: workdir: env: env-file: detach-keys: latest "
        "container: "
        "namespace: stdin quiet context: index: no-TTY"
    ),
)
_RUN = (
    "itdPqu:w:e:v:p:l:m:h:c:a:f:n:",
    (
        "interactive tty detach rm privileged user: workdir: env: env-file: volume: publish: name: "
        "network: net: entrypoint: mount: platform: pull: restart: label: memory: cpus: hostname: "
        "cap-add: cap-drop: security-opt: device: gpus: add-host: dns: init read-only tmpfs: "
        "ulimit: "
        "shm-size: ipc: pid: userns: group-add: log-driver: log-opt: cidfile: ip: link: expose: "
        "publish-all runtime: stop-signal: sysctl: volumes-from: no-deps service-ports build T "
        "quiet-pull "
        "use-aliases no-TTY image: command attach stdin overrides: image-pull-policy: namespace:"
    ),
)
_GLOBAL = (
    "H:c:Dl:f:p:n:",
    (
        "host: context: config: debug log-level: tls tlscacert: tlscert: tlskey: tlsverify file: "
        "project-name: profile: env-file: project-directory: ansi: progress: compatibility "
        "namespace: "
        "kubeconfig: connection: remote identity: url: cluster: user: as: server: token: "
        "request-timeout: insecure-skip-tls-verify kube-context:"
    ),
)
_SHOWS = one_of(
    "ps images version info inspect logs top stats events history port diff search context"
)
_INSIDE = "it runs a command in a container, where deny rules do not look"


def container(command: Command) -> Use:
    """`docker exec web rm x`: a deny rule for `rm` binds it, a rule for `rm` does not allow it."""
    name = command.name
    found = scan(command.words[1:], *_GLOBAL)
    rest = found.rest
    if rest and rest[0].known and rest[0].text in ("compose", "container", "pod"):
        again = scan(rest[1:], *_GLOBAL)
        found = replace(again, problem=found.problem or again.problem)
        rest = again.rest
    verb = rest[0].text if rest and rest[0].known else ""
    forms = ((command.words[0], *rest),) if len(rest) < len(command.words) - 1 and rest else ()
    if found.problem or (rest and not rest[0].known):
        return dynamic(f"it cannot be told what `{name}` runs", forms=forms)
    doubt = f"what `{name}` does reaches beyond the project"
    if verb not in ("exec", "run", "debug", "create", "attach", "rsh"):
        effect = Effect.NETWORK if verb in _SHOWS or name == "kubectl" else Effect.UNKNOWN
        return Use(effect, forms=forms, doubt=doubt)
    inner = scan(rest[1:], *(_EXEC if verb == "exec" else _RUN))
    program = inner.rest[1:]
    entry = inner.values("entrypoint")
    if entry:
        program = (*entry, *program)
    marks = [place for place, word in enumerate(program) if word.known and word.text == "--"]
    if marks:
        program = program[marks[0] + 1 :]
    touches = touch("r", inner.values("env-file"))
    forms = (*forms, *((program,) if program else ()))
    return Use(forms=forms, touches=touches, opaque=_INSIDE, doubt=doubt)


def socket(command: Command) -> Use:
    """`nc`, `socat`: a pipe to the network, and with some options a shell at its end."""
    words = command.words[1:]
    name = command.name
    starts = False
    for word in words:
        text = word.text
        short = text[1:] if text.startswith("-") and not text.startswith("--") else ""
        if name == "socat":
            starts = starts or re.search(r"exec|system|shell", text, re.I) is not None
            starts = starts or not word.known
        elif text.startswith(("--exec", "--sh-exec", "--lua-exec", "--e", "--sh", "--lu")):
            starts = True
        elif not word.known or {"e", "c"} & set(short):
            starts = starts or name != "telnet"
    code = tuple(Code(w.text, f"what `{name}` runs") for w in words if w.known) if starts else ()
    if starts:
        return dynamic(f"`{name}` may run a program for whoever connects", code=code)
    return Use(Effect.NETWORK, doubt=f"`{name}` talks to other machines")


def debugger(command: Command) -> Use:
    """Its commands may do anything; the program that it starts is named."""
    words = command.words[1:]
    marks = [n for n, w in enumerate(words) if w.known and w.text in ("--args", "--", "-args")]
    runs: tuple[Runs, ...] = ()
    if marks and words[marks[0] + 1 :]:
        rest = words[marks[0] + 1 :]
        runs = (Runs(rest, stdin=command.stdin),)
    if len(words) == 1 and words[0].text in ("--version", "--help", "-v", "-h"):
        return Use(Effect.READS)
    code = tuple(
        Code(found[1], f"what `{command.name}` runs")
        for word in words
        if word.known
        and (found := re.match(r"\s*(?:shell|!|platform shell|make)\s*(.*)", word.text))
    )
    return dynamic(f"`{command.name}` runs commands of its own", runs=runs, code=code)


def valgrind(command: Command) -> Use:
    """All its options are one word."""
    words = command.words[1:]
    files = []
    while words and words[0].prefix.startswith("-"):
        if not words[0].known:
            return dynamic("it cannot be told what `valgrind` runs")
        name, equals, _ = words[0].text.partition("=")
        if equals and name.endswith("-file"):
            files.append(words[0].without(len(name) + 1))
        words = words[1:]
    runs = (Runs(words, stdin=command.stdin),) if words else ()
    return Use(Effect.CHANGES, runs=runs, touches=touch("w", files))


_DOCKERS = one_of(
    "docker podman nerdctl kubectl oc docker-compose podman-compose lxc k3s kubectl.docker"
)
CLIENTS: Mapping[str, Handler] = MappingProxyType(
    {
        "ssh": ssh,
        "autossh": ssh,
        **dict.fromkeys(_DOCKERS, container),
        **dict.fromkeys(("nc", "ncat", "netcat", "socat", "telnet"), socket),
        **dict.fromkeys(("gdb", "lldb", "rr", "cgdb", "pwndbg"), debugger),
        "valgrind": valgrind,
    }
)
