"""Programs that pack and copy many files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    CHANGES,
    NETWORK,
    PROJECT,
    READS,
    UNKNOWN,
    alike,
    changed,
    spec,
)

_GZIP = spec(
    "cdfhklLnNqrtvV0",
    "stdout to-stdout decompress uncompress force keep list quiet test verbose ascii no-name name "
    "recursive synchronous rsyncable fast best license small compress extreme no-sparse "
    "single-stream robot ultra rm no-check check no-progress progress",
    text="S suffix b bits T threads M memlimit memory F format C level B blocksize p processes "
    "long? block-size",
    operands=Role.CHANGE,
    numbers=True,
    effect=CHANGES,
)
_GZIP_READS = changed(_GZIP, operands=Role.READ_DEEP, effect=READS)
_GZIP_BOTH = changed(
    _GZIP,
    list="files? files0?",
    cases={
        "c stdout to-stdout l list t test": _GZIP_READS,
        "r recursive": changed(_GZIP, operands=Role.CHANGE_DEEP),
    },
)
_ZSTD = spec(
    "dfkqtvcCzlrhV",
    "decompress compress force keep quiet test verbose stdout list ultra rm no-check check "
    "rsyncable exclude-compressed no-progress progress sparse no-sparse no-dictID "
    "content-size no-content-size single-thread mmap-dict",
    text="T M B threads memory memlimit block-size format fast? long? adapt? level auto-threads S "
    "i e",
    read="D patch-from",
    changes="train! train-cover? train-fastcover? train-legacy? trace b?",
    output="o",
    write_deep="output-dir-flat output-dir-mirror",
    list="filelist",
    operands=Role.CHANGE_DEEP,
    numbers=True,
    effect=CHANGES,
)
_ZIP = spec(
    "0123456789AcDdeEfFghjJklLmNopqrRSTuUvVwXyz!@$",
    "recurse-paths junk-paths quiet verbose move delete update freshen filesync grow copy test "
    "symlinks no-extra encrypt latest-time must-match no-dir-entries no-wild",
    text="b n P t tt x i s sf compression-method suffixes password exclude include split-size",
    write="O output-file out",
    code="TT unzip-command",
    operands=Role.READ_DEEP,
    first=Role.CHANGE,
    effect=CHANGES,
    single_dash=True,
    cases={"@ names-stdin": spec(effect=UNKNOWN, operands=Role.CHANGE)},
)
_ZIP_MOVES = changed(_ZIP, operands=Role.CHANGE_DEEP)
_UNZIP = spec(
    "abBCDfFjJKLMnNoqsuUvVW^",
    changes=":!",
    text="P x I O",
    write_deep="d exdir",
    first=Role.READ,
    operands=Role.TEXT,
    minimum=99,
    default=Role.WRITE_DEEP,
    effect=CHANGES,
    shortened=False,
)
_UNZIP_BOTH = changed(
    _UNZIP,
    cases={
        "d": changed(_UNZIP, default=None),
        "l p t v z Z c": changed(_UNZIP, "lptzZc12hms", default=None, effect=READS),
    },
)
_RSYNC = spec(
    "vqacrRbudlLkKHpEAXogDtUJNOSnxWmCyzhPiF0468I",
    "verbose quiet no-motd archive recursive relative no-implied-dirs backup update inplace append "
    "append-verify dirs mkpath links copy-links copy-unsafe-links safe-links munge-links "
    "copy-dirlinks keep-dirlinks hard-links perms executability acls xattrs owner group devices "
    "copy-devices specials times atimes open-noatime crtimes omit-dir-times omit-link-times super "
    "fake-super sparse preallocate dry-run whole-file one-file-system existing ignore-existing "
    "del delete delete-before delete-during delete-delay delete-after delete-excluded "
    "ignore-missing-args delete-missing-args ignore-errors force partial delay-updates "
    "prune-empty-dirs numeric-ids ignore-times size-only fuzzy compress cvs-exclude from0 "
    "secluded-args protect-args trust-sender stats 8-bit-output human-readable progress "
    "itemize-changes list-only fsync ipv4 ipv6 checksum no-perms no-owner no-group no-times "
    "no-links "
    "no-recursive no-relative old-args blocking-io msgs2stderr",
    text="B f info debug stderr chmod block-size max-delete max-size min-size max-alloc "
    "modify-window timeout contimeout compare-choice checksum-choice compress-choice "
    "compress-level skip-compress filter exclude include iconv checksum-seed suffix usermap "
    "groupmap chown port sockopts outbuf protocol bwlimit stop-after stop-at out-format "
    "log-file-format address copy-as",
    read="exclude-from include-from password-file",
    read_deep="compare-dest copy-dest link-dest",
    list="files-from",
    write="log-file write-batch only-write-batch",
    write_deep="T temp-dir partial-dir backup-dir",
    program="e rsh rsync-path",
    refused="M remote-option early-input read-batch config daemon!",
    network="server!",
    operands=Role.READ_DEEP,
    last=Role.WRITE_DEEP,
    remote=True,
    effect=CHANGES,
)


SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("gzip gunzip pigz unpigz compress uncompress", _GZIP_BOTH),
        **alike("bzip2 bunzip2 pbzip2 lbzip2 xz unxz lzma unlzma lz4 unlz4 lzip", _GZIP_BOTH),
        **alike("zstd unzstd zstdmt", _ZSTD),
        "zstdcat": changed(_ZSTD, operands=Role.READ, effect=READS),
        "zip": changed(_ZIP, cases={"m move": _ZIP_MOVES}),
        "unzip": _UNZIP_BOTH,
        "zipinfo": spec("12CghlmMstTvzZ", first=Role.READ, operands=Role.TEXT),
        "ar": spec(
            effect=CHANGES,
            first=Role.TEXT,
            operands=Role.CHANGE,
            lenient=True,
            refused="plugin",
        ),
        **alike(
            "nm size objdump readelf",
            spec(lenient=True, text="j section M m", refused="plugin"),
        ),
        # It may start the program, to see what the loader finds.
        "ldd": spec(effect=PROJECT, lenient=True),
        **alike(
            "cpio pax",
            spec(effect=UNKNOWN, operands=Role.CHANGE_DEEP, program="rsh-command", lenient=True),
        ),
        **alike(
            "7z 7za 7zr 7zz unrar rar",
            spec(
                effect=CHANGES,
                write_deep="o?",
                text="m? t? p? x? i? v? a? y!",
                first=Role.TEXT,
                operands=Role.CHANGE_DEEP,
                minimum=99,
                default=Role.WRITE_DEEP,
                lenient=True,
            ),
        ),
        "rsync": _RSYNC,
        "rclone": spec(effect=NETWORK, lenient=True, operands=Role.CHANGE_DEEP, remote=True),
    }
)
