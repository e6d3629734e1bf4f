"""tar: its options mean what its mode makes them mean."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import CHANGES, READS, alike, changed, spec

_TAR = spec(
    "AcdrtuxBGhiJjklmMnoOpPRsSUvwWzZa",
    "catenate concatenate create diff compare delete append list test-label update extract get "
    "check-device no-check-device incremental ignore-failed-read sparse seek no-seek "
    "keep-newer-files "
    "keep-old-files skip-old-files overwrite overwrite-dir no-overwrite-dir recursive-unlink "
    "remove-files unlink-first verify ignore-command-error no-ignore-command-error to-stdout "
    "atime-preserve delay-directory-restore no-delay-directory-restore no-same-owner same-owner "
    "numeric-owner preserve-permissions same-permissions no-same-permissions touch "
    "preserve-order same-order preserve acls no-acls selinux no-selinux xattrs no-xattrs "
    "force-local multi-volume ignore-zeros read-full-records no-auto-compress auto-compress bzip2 "
    "xz lzip lzma lzop gzip gunzip ungzip compress uncompress zstd no-recursion recursion "
    "check-links keep-directory-symlink restrict "
    "one-file-system absolute-names dereference hard-dereference exclude-backups exclude-caches "
    "exclude-caches-all exclude-caches-under exclude-vcs exclude-vcs-ignores no-null null "
    "block-number utc verbose interactive confirmation show-defaults "
    "show-omitted-dirs show-stored-names show-transformed-names full-time no-unquote unquote "
    "verbatim-files-from no-verbatim-files-from anchored no-anchored ignore-case no-ignore-case "
    "wildcards no-wildcards wildcards-match-slash no-wildcards-match-slash clamp-mtime portability "
    "old-archive posix",
    text="b H K L N V blocking-factor format starting-file tape-length newer after-date "
    "newer-mtime label exclude exclude-tag exclude-tag-all exclude-tag-under exclude-ignore "
    "exclude-ignore-recursive group owner mode mtime sort strip-components transform xform "
    "pax-option quoting-style xattrs-exclude xattrs-include record-size suffix level occurrence? "
    "checkpoint? warning "
    "sparse-version backup? index quote-chars no-quote-chars hole-detection one-top-level? totals?",
    read="X exclude-from group-map owner-map add-file",
    read_deep="C directory cd",
    list="T files-from",
    change="g listed-incremental volno-file f file",
    write="index-file",
    program="I use-compress-program rsh-command rmt-command",
    code="to-command F info-script new-volume-script",
    action="checkpoint-action",
    operands=Role.READ_DEEP,
    bundled=True,
    remote=True,
    effect=CHANGES,
)
_UNPACK = changed(
    _TAR,
    changes="P! absolute-names!",
    read="f file",
    write_deep="C directory cd one-top-level?",
    operands=Role.TEXT,
    minimum=99,
    default=Role.WRITE_DEEP,
)
_UNPACK_ELSEWHERE = changed(_UNPACK, default=None)
_LIST = changed(_TAR, read="f file", operands=Role.TEXT, effect=READS)
_PACK = changed(_TAR, write="f file")
_MOVE = changed(_PACK, change_deep="C directory cd", operands=Role.CHANGE_DEEP)
_TO_STDOUT = changed(_LIST, effect=CHANGES)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike(
            "tar gtar bsdtar",
            changed(
                _TAR,
                cases={
                    "remove-files": _MOVE,
                    "x extract get": changed(
                        _UNPACK,
                        cases={"O to-stdout": _TO_STDOUT, "C directory cd": _UNPACK_ELSEWHERE},
                    ),
                    "t list test-label d diff compare": _LIST,
                    "c create": _PACK,
                },
            ),
        )
    }
)
