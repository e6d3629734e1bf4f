"""Programs that make, change, move and remove files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    CHANGES,
    UNKNOWN,
    alike,
    changed,
    spec,
)

_BACKUP = "S suffix backup?"
_INTO = "t target-directory"
_CP = spec(
    "abdfHilLnPpRrsTuvxZcX",
    "archive attributes-only copy-contents debug force interactive link dereference no-clobber "
    "no-dereference parents recursive remove-destination strip-trailing-slashes symbolic-link "
    "no-target-directory verbose keep-directory-symlink one-file-system",
    text=f"{_BACKUP} no-preserve context? preserve? sparse reflink? update?",
    write=_INTO,
    unless=_INTO,
    into=True,
    operands=Role.READ,
    last=Role.WRITE,
    effect=CHANGES,
)
_CP_DEEP = changed(_CP, operands=Role.READ_DEEP, last=Role.WRITE_DEEP, write_deep=_INTO)
_MV = spec(
    "bfinTuvZh",
    "debug force interactive no-clobber no-copy exchange strip-trailing-slashes "
    "no-target-directory verbose context",
    text=f"{_BACKUP} update?",
    write_deep=_INTO,
    unless=_INTO,
    into=True,
    operands=Role.CHANGE_DEEP,
    last=Role.WRITE_DEEP,
    effect=CHANGES,
)
_RM = spec(
    "dfIiPvWx",
    "force one-file-system no-preserve-root dir verbose",
    text="interactive? preserve-root?",
    operands=Role.WRITE,
    effect=CHANGES,
)
_RM_BOTH = changed(_RM, "rR", "recursive")
_LN = spec(
    "bdFfiLnPrsTvhw",
    "directory force interactive logical no-dereference physical relative symbolic "
    "no-target-directory verbose",
    text=_BACKUP,
    write=_INTO,
    unless=_INTO,
    into=True,
    operands=Role.READ,
    last=Role.WRITE,
    minimum=2,
    default=Role.WRITE,
    effect=CHANGES,
)
_MODES = spec(
    "cfvhHLPnE",
    "changes silent quiet verbose dereference no-dereference preserve-root no-preserve-root",
    read="reference",
    text="from",
    operands=Role.CHANGE,
    first=Role.TEXT,
    unless="reference",
    effect=CHANGES,
)
_MODES_BOTH = changed(_MODES, "R", "recursive")
# `chmod -x file`: the mode looks like options.
_CHMOD = changed(_MODES_BOTH, "rwxXst=+,ugo", unless="r w x X s t")
_OWNERS = changed(
    _MODES_BOTH,
    effect=UNKNOWN,
    cases={"R recursive": changed(_MODES_BOTH, operands=Role.CHANGE_DEEP, effect=UNKNOWN)},
)
_TOUCH = spec(
    "acfhm",
    "no-create no-dereference",
    text="d date t time A",
    read="r reference",
    operands=Role.WRITE,
    effect=CHANGES,
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike(
            "cp gcp",
            changed(_CP, cases={"r R a recursive archive": _CP_DEEP}),
        ),
        **alike("mv gmv", _MV),
        **alike(
            "rm grm",
            changed(_RM_BOTH, cases={"r R recursive": changed(_RM_BOTH, operands=Role.WRITE_DEEP)}),
        ),
        "trash": spec("vFsldy", operands=Role.WRITE_DEEP, effect=CHANGES),
        "rmdir": spec(
            "pv",
            "ignore-fail-on-non-empty parents verbose",
            operands=Role.WRITE,
            effect=CHANGES,
        ),
        "unlink": spec(operands=Role.WRITE, effect=CHANGES),
        "link": spec(last=Role.WRITE, effect=CHANGES),
        "mkdir": spec(
            "pvZ",
            "parents verbose",
            text="m mode context?",
            operands=Role.WRITE,
            effect=CHANGES,
        ),
        "mkfifo": spec("Z", text="m mode context?", operands=Role.WRITE, effect=CHANGES),
        "mknod": spec("Z", text="m mode context?", operands=Role.WRITE, effect=UNKNOWN),
        "touch": _TOUCH,
        # With `-r` the target is meant from the current folder, as for a hard link.
        "ln": changed(_LN, cases={"r relative": _LN, "s symbolic": changed(_LN, links=True)}),
        "install": spec(
            "bcCdDpsTvZ",
            "compare directory context preserve-context preserve-timestamps strip "
            "no-target-directory verbose debug",
            text=f"g group m mode o owner {_BACKUP}",
            write=_INTO,
            unless=_INTO,
            into=True,
            program="strip-program",
            last=Role.WRITE,
            effect=CHANGES,
            cases={
                "d directory": spec(
                    "dvpD",
                    "directory verbose",
                    text="g group m mode o owner",
                    operands=Role.WRITE,
                    effect=CHANGES,
                )
            },
        ),
        "chmod": changed(
            _CHMOD,
            cases={"R recursive": changed(_CHMOD, operands=Role.CHANGE_DEEP)},
        ),
        **alike("chown chgrp chcon chattr setfacl xattr chflags", _OWNERS),
        "truncate": spec(
            "co",
            "no-create io-blocks",
            text="s size",
            read="r reference",
            operands=Role.CHANGE,
            effect=CHANGES,
        ),
        "fallocate": spec(
            "cdinpuvxzw",
            text="l length o offset",
            operands=Role.CHANGE,
            effect=CHANGES,
        ),
        "dd": spec(
            operands=Role.TEXT,
            assigned={"if": Role.READ, "of": Role.WRITE, "": Role.TEXT},
            effect=CHANGES,
        ),
        "mktemp": spec(
            "dqutV",
            "directory dry-run quiet",
            text="suffix",
            write="p tmpdir?",
            operands=Role.WRITE,
            # A name of its own choosing in the folder for temporary files: nothing that was there.
            effect=CHANGES,
        ),
        "shred": spec(
            "fuvxz",
            "force exact verbose zero",
            text="n iterations s size remove?",
            read="random-source",
            operands=Role.CHANGE,
            effect=CHANGES,
        ),
        # The expression is Perl code in the one, text in the other.
        "rename": spec(
            "vnofilsda",
            effect=UNKNOWN,
            operands=Role.CHANGE,
            first=Role.FOREIGN,
        ),
        "sponge": spec("a", operands=Role.WRITE, effect=CHANGES),
        "dos2unix": spec("cfkloqsSuv", operands=Role.CHANGE, last=Role.WRITE, effect=CHANGES),
        "unix2dos": spec("cfkloqsSuv", operands=Role.CHANGE, last=Role.WRITE, effect=CHANGES),
        "patch": spec(
            "bcCEflnNRstTuvZ",
            "backup context remove-empty-files force ignore-whitespace normal forward reverse "
            "quiet silent batch set-time unified verbose set-utc dry-run posix binary "
            "no-backup-if-mismatch backup-if-mismatch follow-symlinks",
            text="D ifdef F fuzz g get p strip V version-control x debug quoting-style merge? "
            "read-only reject-format B prefix Y basename-prefix z suffix",
            read="i input",
            # An ed script may start programs.
            foreign="e! ed!",
            output="o output r reject-file",
            write_deep="d directory",
            operands=Role.CHANGE,
            last=Role.READ,
            minimum=99,
            # Which files it changes stands in the patch.
            default=Role.CHANGE_DEEP,
            effect=CHANGES,
        ),
    }
)
