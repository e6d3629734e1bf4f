"""Where further wrappers have the program that they start: supervisors, sandboxes, displays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.use import Effect
from turnloop_shell.programs.wrapper_tables import Wrapper

_OTHER = "it runs a program as another user, or in another view of the system"
_U, _P, _N = Effect.UNKNOWN, Effect.PROJECT, Effect.NETWORK
_SETS = "it takes variables for its program from elsewhere"
_AS_USER = Wrapper("", "", 1, effect=_U, why=_OTHER)
_LIMITS = Wrapper("m:d:s:l:a:o:p:f:c:r:t:", plain=True)
_FOLDER = Wrapper("iIfnL", "", 1, effect=_U, why=_SETS)

MORE: Mapping[str, Wrapper] = MappingProxyType(
    {
        "choom": Wrapper("n:p:hV", "adjust: pid: help version", plain=True, ends=("p", "pid")),
        "chpst": Wrapper(
            "vP012u:U:b:e:/:C:n:l:L:m:d:o:p:f:c:r:t:s:a:",
            effect=_U,
            why=_OTHER,
            writes=("l", "L"),
            folder=("C",),
        ),
        "setuidgid": _AS_USER,
        "s6-setuidgid": _AS_USER,
        "envuidgid": _AS_USER,
        "s6-envuidgid": _AS_USER,
        "softlimit": _LIMITS,
        "s6-softlimit": _LIMITS,
        "envdir": _FOLDER,
        "s6-envdir": _FOLDER,
        "with-contenv": Wrapper("", "", effect=_U, why=_SETS),
        "setlock": Wrapper("nNxX", "", 1, effect=_U, why="it makes the file of its lock"),
        "pgrphack": Wrapper("", "", plain=True),
        "fghack": Wrapper("", "", plain=True),
        "faketime": Wrapper("mfp:h", "exclude-monotonic help version", 1, plain=True),
        "datefudge": Wrapper("s", "static help version", 1, plain=True),
        "cpulimit": Wrapper(
            "l:e:p:P:c:bfqkrsizmvh",
            "limit: exe: pid: path: cpu: background foreground quiet kill restore signal: lazy "
            "include-children monitor-forks verbose help",
            plain=True,
            ends=("e", "p", "P", "exe", "pid", "path"),
        ),
        "trickle": Wrapper("hvVsd:u:w:t:l:n:", plain=True),
        "authbind": Wrapper("", "deep depth:", effect=_U, why=_OTHER),
        "fakechroot": Wrapper(
            "se:c:d:b:hv",
            "use-system-libs environment: config-dir: elfloader: bindir: help version lib:",
            effect=_U,
            why=_OTHER,
            refuses=("lib", "elfloader", "d", "bindir", "b", "config-dir", "c"),
        ),
        "proot": Wrapper(
            "r:b:q:w:v:VhkS:R:0i:m:",
            "rootfs: bind: mount: qemu: pwd: cwd: verbose: version help kernel-release: root-id "
            "change-id: kill-on-exit link2symlink",
            effect=_U,
            why=_OTHER,
            refuses=("q", "qemu"),
            alone=False,
        ),
        "cgexec": Wrapper("g:hb", "sticky help", effect=_U, why=_OTHER),
        "aa-exec": Wrapper(
            "p:n:fivdh",
            "profile: namespace: file: immediate verbose debug help",
            effect=_U,
            why=_OTHER,
        ),
        "sandbox-exec": Wrapper("f:n:p:D:", effect=_U, why=_OTHER, reads=("f",)),
        "systemd-inhibit": Wrapper(
            "h",
            "what: who: why: mode: list no-pager no-legend no-ask-password help version",
            effect=_U,
            why=_OTHER,
        ),
        "torify": Wrapper("", "verbose help version", effect=_N, why=_OTHER),
        "tsocks": Wrapper("", "", effect=_N, why=_OTHER),
        "gamemoderun": Wrapper("", "", plain=True),
        "mangohud": Wrapper("", "dlsym version help", plain=True),
        "prime-run": Wrapper("", "", plain=True),
        "pasuspender": Wrapper("hs:", "help version server:", plain=True),
        "ssh-agent": Wrapper("cDdska:E:O:P:t:", effect=_U, why=_OTHER, ends=("k",)),
        "timelimit": Wrapper("pqS:s:T:t:h", plain=True),
        "heaptrack": Wrapper(
            "o:dhvr", "output: debug help version record-only use-inject", effect=_P, writes=("o",)
        ),
        "kcov": Wrapper("h", "include-path: exclude-path: verify help version", 1, effect=_P),
        "mpirun": Wrapper("n:c:", "np: oversubscribe allow-run-as-root help version", effect=_P),
        "mpiexec": Wrapper("n:c:", "np: oversubscribe allow-run-as-root help version", effect=_P),
    }
)
