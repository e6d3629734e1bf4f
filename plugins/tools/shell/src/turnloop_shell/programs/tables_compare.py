"""Programs that compare, count and show files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    alike,
    changed,
    spec,
)

_HASH = spec(
    "btczqrw",
    "binary tag text check zero ignore-missing quiet status strict warn untagged raw base64",
    text="a algorithm l length",
)
# `-i` is a flag on Linux and takes a file on macOS, where `-o` names what is written.
_DIFF = spec(
    "qscuenypltTEZbwBaidrNPv0123456789",
    "normal brief report-identical-files ed rcs side-by-side left-column suppress-common-lines "
    "show-c-function initial-tab suppress-blank-empty paginate recursive no-dereference new-file "
    "unidirectional-new-file ignore-file-name-case no-ignore-file-name-case ignore-case "
    "ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space "
    "ignore-blank-lines text strip-trailing-cr minimal speed-large-files expand-tabs",
    text="C U W F label width show-function-line tabsize x exclude S starting-file I "
    "ignore-matching-lines D ifdef GTYPE-group-format line-format LTYPE-line-format "
    "old-group-format new-group-format unchanged-group-format changed-group-format "
    "old-line-format new-line-format unchanged-line-format horizon-lines palette context? "
    "unified? color?",
    read="from-file to-file X exclude-from",
)
_DIFFING = changed(_DIFF, cases={"r recursive": changed(_DIFF, operands=Role.READ_DEEP)})
_UNPACKED = spec(
    "cdfhklLnNqrtvVezH",
    "stdout to-stdout decompress uncompress force keep list quiet test verbose ascii "
    "no-name name recursive synchronous rsyncable fast best",
    text="S suffix b bits",
    numbers=True,
)


SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum", _HASH),
        **alike("shasum md5 sum sha1 sha256", changed(_HASH, "psU01", "portable")),
        **alike("diff colordiff", _DIFFING),
        "diff3": spec(
            "AeEximTa3X",
            "show-all ed show-overlap easy-only overlap-only merge text strip-trailing-cr "
            "initial-tab",
            text="L label",
            program="diff-program",
        ),
        "sdiff": spec(
            "iEZbWBalstdH",
            "ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change "
            "ignore-all-space ignore-blank-lines text left-column suppress-common-lines "
            "expand-tabs strip-trailing-cr minimal speed-large-files",
            text="I ignore-matching-lines w width tabsize",
            write="o output",
            program="diff-program",
        ),
        "cmp": spec("bcls", "print-bytes verbose quiet silent", text="i ignore-initial n bytes"),
        **alike("zcat gzcat bzcat xzcat lzcat", _UNPACKED),
        "cloc": spec(
            "v",
            "by-file by-file-by-lang quiet json xml yaml csv md sum-one count-and-diff diff "
            "hide-rate "
            "skip-uniqueness vcs no-autogen",
            text="exclude-dir exclude-ext exclude-lang include-ext include-lang match-f "
            "not-match-f match-d not-match-d timeout processes exclude-content",
            read="exclude-list-file ignored force-lang-def read-lang-def",
            list="list-file",
            write="out report-file",
            refused="config extract-with script-lang",
            operands=Role.READ,
            single_dash=True,
        ),
        **alike(
            "tokei scc",
            spec(
                "fChV",
                "files compact hidden no-ignore verbose by-file no-complexity no-cocomo wide",
                output="o output",
                placed="format-multi",
                text="t type types e exclude s sort format exclude-dir i include-ext x exclude-ext",
                operands=Role.READ,
                default=Role.READ,
                minimum=1,
            ),
        ),
        **alike(
            "bat batcat",
            spec(
                "AfnpPuSh",
                "show-all plain number no-paging force-colorization list-languages list-themes "
                "chop-long-lines unbuffered diagnostic",
                text="l language H highlight-line file-name d diff diff-context tabs wrap "
                "terminal-width color italic-text decorations paging theme style r line-range "
                "m map-syntax ignored-suffix squeeze-limit binary nonprintable-notation",
                program="pager",
            ),
        ),
        "diffstat": spec(
            "bcdEhklmqrRsSTuv",
            "",
            text="C e f n N p t w D",
            write="o",
        ),
        "xmllint": spec(
            "",
            "noout format recover html xmlout nonet quiet stream noblanks nsclean huge",
            text="xpath encode pretty",
            # They follow what the file names, wherever that lies.
            changes="noent! valid! postvalid! loaddtd! dtdattr! xinclude! noxincludenode! "
            "catalogs! shell! schema relaxng schematron dtdvalid dtdvalidfpi path",
            write="output o",
            single_dash=True,
        ),
    }
)
