"""Where wrappers have the program that they start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from turnloop_shell.programs.use import Effect


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How to find the program in a wrapper's words.

    Attributes:
        short: short options, as `scan` takes them.
        long: long options, as `scan` takes them.
        before: operands in front of the program.
        plain: all it does is to start the program.
        effect: of the wrapper itself.
        why: the doubt that goes with an effect beyond the project.
        number: `-10` is an option.
        assigns: `NAME=value` words may stand in front of the program.
        writes: options whose value is a file that is written.
        reads: options whose value is a file that is read.
        folder: options whose value is where the program runs.
        sets: options whose value is `NAME=value` for the program.
        refuses: options that run something else, or change what is run: nobody can tell.
        ends: options with which no program runs; what they do is not known.
        codes: options whose value is shell code.
        dashes: the program stands behind `--`, where there is one, whatever stands in front.
        alone: without a program it only prints; else it starts a shell.
    """

    short: str = ""
    long: str = ""
    before: int = 0
    plain: bool = False
    effect: Effect = Effect.READS
    why: str = ""
    number: bool = False
    assigns: bool = False
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    dashes: bool = False
    alone: bool = True


_OTHER = "it runs a program as another user, or in another view of the system"
_TRACE = "it looks into another process"

WRAPPERS: Mapping[str, Wrapper] = MappingProxyType(
    {
        "nice": Wrapper("n:", "adjustment: help version", plain=True, number=True),
        "nohup": Wrapper("", "help version", plain=True),
        "timeout": Wrapper(
            "k:s:vfp",
            "preserve-status foreground kill-after: signal: verbose help version",
            before=1,
            plain=True,
        ),
        "time": Wrapper(
            "apvqlhf:o:",
            "append portability verbose quiet format: output: help version",
            plain=True,
            writes=("o", "output"),
        ),
        "stdbuf": Wrapper("i:o:e:", "input: output: error: help version", plain=True),
        "ionice": Wrapper(
            "c:n:p:P:tu:hV",
            "class: classdata: pid: pgid: ignore uid: help version",
            plain=True,
            ends=("p", "P", "u", "pid", "pgid", "uid"),
        ),
        "chrt": Wrapper(
            "bdfiorRT:P:D:ampvhV",
            "batch deadline fifo idle other rr reset-on-fork sched-runtime: sched-period: "
            "sched-deadline: all-tasks max pid verbose help version",
            before=1,
            plain=True,
            ends=("p", "pid"),
        ),
        "taskset": Wrapper(
            "apchV",
            "all-tasks pid cpu-list help version",
            before=1,
            plain=True,
            ends=("p", "pid"),
        ),
        "setsid": Wrapper("cfwhV", "ctty fork wait help version", plain=True),
        "numactl": Wrapper(
            "ai:w:p:P:m:C:N:lbsHh",
            "all interleave: weighted-interleave: preferred: preferred-many: membind: physcpubind: "
            "cpunodebind: localalloc balancing show hardware help version",
            plain=True,
        ),
        "prlimit": Wrapper(
            "p:o:hVc?d?e?f?i?l?m?n?q?r?s?t?u?v?x?y?",
            "pid: output: noheadings raw verbose core? data? nice? fsize? sigpending? memlock? "
            "rss? "
            "nofile? msgqueue? rtprio? stack? cpu? nproc? as? locks? rttime? help version",
            plain=True,
            ends=("p", "pid"),
        ),
        "unshare": Wrapper(
            "muinpUCTfrcR:w:S:G:hV",
            "mount? uts? ipc? net? pid? user? cgroup? time? fork map-user: map-group: "
            "map-root-user "
            "map-current-user map-auto map-users: map-groups: kill-child? mount-proc? propagation: "
            "setgroups: keep-caps root: wd: setuid: setgid: monotonic: boottime: help version",
            effect=Effect.UNKNOWN,
            why=_OTHER,
            folder=("w", "wd"),
            alone=False,
        ),
        "nsenter": Wrapper(
            "at:m?u?i?n?p?C?U?T?S:G:r?w?W:FZhV",
            "all target: mount? uts? ipc? net? pid? cgroup? user? time? setuid: setgid: "
            "preserve-credentials root? wd? wdns: no-fork follow-context help version",
            effect=Effect.UNKNOWN,
            why=_OTHER,
            alone=False,
        ),
        "chroot": Wrapper(
            "",
            "groups: userspec: skip-chdir help version",
            before=1,
            effect=Effect.UNKNOWN,
            why=_OTHER,
            alone=False,
        ),
        "sudo": Wrapper(
            "ABbC:c:D:EeFg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vv",
            "askpass auth-type: background bell close-from: login-class: chdir: preserve-env? edit "
            "group: set-home help host: login remove-timestamp reset-timestamp no-update list "
            "non-interactive preserve-groups prompt: chroot: role: stdin shell command-timeout: "
            "type: other-user: user: version validate",
            effect=Effect.UNKNOWN,
            why=_OTHER,
            assigns=True,
            folder=("D", "chdir"),
            refuses=("A", "askpass", "e", "edit"),
            ends=("l", "list"),
            alone=False,
        ),
        "doas": Wrapper(
            "C:Lnsu:",
            effect=Effect.UNKNOWN,
            why=_OTHER,
            ends=("C", "L"),
            alone=False,
        ),
        "pkexec": Wrapper(
            "",
            "user: disable-internal-agent keep-cwd help version",
            effect=Effect.UNKNOWN,
            why=_OTHER,
            alone=False,
        ),
        "gosu": Wrapper("", "help version", 1, effect=Effect.UNKNOWN, why=_OTHER),
        "su-exec": Wrapper("", "", 1, effect=Effect.UNKNOWN, why=_OTHER),
        "setpriv": Wrapper(
            "dh",
            "dump nnp no-new-privs inh-caps: ambient-caps: bounding-set: ruid: euid: reuid: rgid: "
            "egid: regid: clear-groups keep-groups init-groups groups: securebits: pdeathsig: "
            "selinux-label: apparmor-profile: reset-env help version",
            effect=Effect.UNKNOWN,
            why=_OTHER,
        ),
        "fakeroot": Wrapper("l:s:i:ub:hv", "lib: faked: unknown-is-real fd-base: help version"),
        "strace": Wrapper(
            "a:Ab:cCdDe:E:fFhiI:kno:O:p:P:qrs:S:tTu:U:vVwxX:yYzZ",
            "columns: output-append-mode detach-on: summary-only summary debug daemonize? env: "
            "follow-forks output-separately help instruction-pointer interruptible: stack-traces "
            "syscall-number output: summary-syscall-overhead: attach: trace-path: quiet? "
            "relative-timestamps? string-limit: summary-sort-by: absolute-timestamps? "
            "syscall-times? user: summary-columns: no-abbrev version summary-wall-clock "
            "strings-in-hex? const-print-style: decode-fds? decode-pids: successful-only "
            "failed-only trace: signal: status: abbrev: verbose: raw: read: write: seccomp-bpf "
            "tips?",
            writes=("o", "output"),
            sets=("E", "env"),
            refuses=("u", "user"),
            ends=("p", "attach"),
        ),
        "ltrace": Wrapper(
            "a:A:bcCD:e:fF:hiIl:L:n:o:p:rs:StTu:Vw:x:",
            "align: summary demangle debug: output: library: indent: help version",
            writes=("o", "output"),
            refuses=("u", "F"),
            ends=("p",),
            why=_TRACE,
        ),
        "caffeinate": Wrapper("dimsut:w:", plain=True),
        "unbuffer": Wrapper("p", plain=True),
        "chronic": Wrapper("ve", plain=True),
        "ifne": Wrapper("n", plain=True),
        "eatmydata": Wrapper("", plain=True),
        "nocache": Wrapper("n:", plain=True),
        "catchsegv": Wrapper("", plain=True),
        "tini": Wrapper("hp:svwge:l", "version", plain=True),
        "dumb-init": Wrapper("cr:vhV", "single-child rewrite: verbose help version", plain=True),
        "rlwrap": Wrapper("aAcirRhvnN", "help version"),
        "setarch": Wrapper(
            "BFILRSTXZvhV",
            "32bit 3gb 4gb fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize "
            "whole-seconds sticky-timeouts read-implies-exec mmap-page-zero uname-2.6 verbose help "
            "version list",
            before=0,
        ),
        "ccache": Wrapper(
            "cCF:M:sVzx:X:hpvk:o:",
            "cleanup clear max-files: max-size: show-stats version zero-stats help",
            ends=("o",),
            effect=Effect.CHANGES,
        ),
        "sccache": Wrapper(
            "szhV",
            "show-stats zero-stats start-server stop-server help version",
            effect=Effect.CHANGES,
        ),
        "torsocks": Wrapper("u:p:P:aidq", "help version", effect=Effect.NETWORK, why=_OTHER),
        "proxychains": Wrapper("qf:", reads=("f",), effect=Effect.NETWORK, why=_OTHER),
        "xvfb-run": Wrapper(
            "ae:f:hn:lp:s:w:",
            "auto-servernum error-file: auth-file: help server-num: listen-tcp xauth-protocol: "
            "server-args: wait:",
            refuses=("s", "server-args"),
        ),
        "dbus-run-session": Wrapper(
            "",
            "dbus-daemon: config-file: help version",
            refuses=("dbus-daemon", "config-file"),
        ),
        "systemd-run": Wrapper(
            "GPqrtSdu:p:M:H:E:",
            "no-ask-password scope user system unit: property: description: slice: slice-inherit "
            "remain-after-exit send-sighup service-type: uid: gid: nice: working-directory: "
            "same-dir setenv: pty pipe quiet collect wait shell no-block on-active: on-boot: "
            "on-startup: on-unit-active: on-unit-inactive: on-calendar: timer-property: "
            "path-property: socket-property: machine: host: help version",
            effect=Effect.UNKNOWN,
            why="it starts a service of the system",
            sets=("E", "setenv"),
            folder=("working-directory",),
            refuses=("p", "property", "H", "host", "M", "machine"),
            alone=False,
        ),
        "cross-env": Wrapper("", assigns=True, plain=True),
        "daemonize": Wrapper(
            "ac:e:E:l:o:p:u:v",
            sets=("E",),
            writes=("e", "o", "p", "l"),
            folder=("c",),
            effect=Effect.UNKNOWN,
            why="it leaves a process behind",
        ),
    }
)
