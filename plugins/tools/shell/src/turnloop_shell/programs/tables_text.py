"""Programs that read text and hand it on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    CHANGES,
    alike,
    changed,
    spec,
)

_CODING = spec(
    "dD",
    "decode ignore-garbage base64 base64url base32 base32hex base16 base2msbf base2lsbf z85 base58",
    text="w wrap b break",
    read="i input",
    output="o output",
)
_TAB = spec("ai", "all initial first-only", text="t tabs")
_OD = spec(
    "abcdDfFhHiIlLoOsxXBev",
    "output-duplicates traditional",
    text="A j N t address-radix endian skip-bytes read-bytes format w? width? S? strings?",
    numbers=True,
)
_HEXDUMP = spec(
    "bcCdovxX",
    "canonical no-squeezing one-byte-octal one-byte-hex one-byte-char two-bytes-decimal "
    "two-bytes-octal two-bytes-hex",
    text="e format n length s skip L? color?",
    read="f format-file",
)
_SORT = spec(
    "bdfghiMnRrVcCmusz",
    "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort "
    "ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort debug merge "
    "stable unique zero-terminated",
    text="k key t field-separator S buffer-size batch-size parallel sort check?",
    write="o output T temporary-directory",
    program="compress-program",
    read="random-source",
    list="files0-from",
)
_LINES = spec(
    "qvz",
    "quiet silent verbose zero-terminated",
    text="c bytes n lines",
    numbers=True,
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        "cat": spec(
            "AbeEnstTuvl",
            "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
        ),
        "tac": spec("br", "before regex", text="s separator"),
        "head": _LINES,
        "tail": changed(
            _LINES,
            "fFr",
            "retry debug",
            text="s sleep-interval pid max-unchanged-stats follow? b",
        ),
        "wc": spec(
            "clmLw",
            "bytes chars lines max-line-length words debug",
            text="total",
            list="files0-from",
        ),
        "nl": spec(
            "p",
            "no-renumber",
            text="b d f h i l n s v w body-numbering section-delimiter footer-numbering "
            "header-numbering line-increment join-blank-lines number-format number-separator "
            "starting-line-number number-width",
        ),
        "cut": spec(
            "nsz",
            "complement only-delimited zero-terminated",
            text="b bytes c characters d delimiter f fields output-delimiter",
        ),
        "paste": spec("sz", "serial zero-terminated", text="d delimiters"),
        "join": spec(
            "iz",
            "ignore-case check-order nocheck-order header zero-terminated",
            text="a e j o t v 1 2",
        ),
        "sort": _SORT,
        "gsort": _SORT,
        "uniq": spec(
            "cdDiuz",
            "count repeated ignore-case unique zero-terminated",
            text="f skip-fields s skip-chars w check-chars all-repeated? group?",
            last=Role.WRITE,
        ),
        "comm": spec(
            "123iz",
            "check-order nocheck-order total zero-terminated",
            text="output-delimiter",
        ),
        "tr": spec("cCdstu", "complement delete squeeze-repeats truncate-set1", operands=Role.TEXT),
        "fold": spec("bsc", "bytes spaces characters", text="w width", numbers=True),
        "fmt": spec(
            "cstu",
            "crown-margin split-only tagged-paragraph uniform-spacing",
            text="p prefix w width g goal",
            numbers=True,
        ),
        **alike("expand unexpand", changed(_TAB, numbers=True)),
        "column": spec(
            "tJeLx",
            "table json table-noheadings keep-empty-lines fillrows",
            text="c o s n N W T H O l r i p C R E d output-width output-separator separator "
            "table-columns table-column table-noextreme table-order table-right table-truncate "
            "table-wrap table-hide table-empty-lines table-name table-columns-limit tree tree-id "
            "tree-parent columns",
        ),
        "rev": spec("0", "zero"),
        "tsort": spec(),
        "pr": spec(
            "acdfFJmrtTv0123456789",
            "across show-control-chars double-space form-feed join-lines merge "
            "no-file-warnings omit-header omit-pagination show-nonprinting",
            text="D date-format h header l length o indent w width W page-width N "
            "first-line-number pages columns e? i? n? s? S? expand-tabs? output-tabs? "
            "number-lines? separator? sep-string?",
        ),
        "tee": spec("aip", "append ignore-interrupts", text="output-error?", operands=Role.WRITE),
        "od": _OD,
        "xxd": spec(
            "abCdeEhipruv",
            "autoskip bits capitalize decimal little-endian ebcdic include plain postscript ps "
            "revert uppercase",
            text="c cols g groupsize l len n name o offset s seek R",
            last=Role.CHANGE,
            single_dash=True,
        ),
        **alike("hexdump hd", _HEXDUMP),
        "hexyl": spec("vpCi", "no-squeezing plain", text="n length c bytes s skip b border color"),
        "strings": spec(
            "adfowv",
            "all data print-file-name include-all-whitespace",
            text="n bytes t radix T target e encoding s output-separator U unicode",
            numbers=True,
        ),
        **alike("base64 base32 basenc", _CODING),
        "look": spec(
            "adf", "alphanum alternative ignore-case", text="t terminate", first=Role.TEXT
        ),
        "split": spec(
            "dexuz",
            "elide-empty-files verbose unbuffered",
            text="a suffix-length b bytes C line-bytes l lines n number t separator "
            "additional-suffix numeric-suffixes? hex-suffixes?",
            code="filter",
            last=Role.WRITE,
            minimum=2,
            default=Role.WRITE,
            numbers=True,
        ),
        "csplit": spec(
            "kqsz",
            "keep-files suppress-matched quiet silent elide-empty-files",
            text="b suffix-format n digits",
            write="f prefix",
            first=Role.READ,
            operands=Role.TEXT,
            minimum=99,
            default=Role.WRITE,
        ),
        "shuf": spec(
            "erz",
            "echo repeat zero-terminated",
            text="i input-range n head-count",
            output="o output",
            read="random-source",
        ),
        "iconv": spec(
            "clsv",
            "list silent verbose",
            text="f from-code t to-code unicode-subst byte-subst widechar-subst",
            output="o output",
        ),
        "numfmt": spec(
            "z",
            "debug grouping zero-terminated",
            text="d delimiter field format from from-unit invalid padding round suffix to "
            "to-unit header?",
            operands=Role.TEXT,
        ),
        **alike("yes echo expr", spec(literal=True, operands=Role.TEXT)),
        "seq": spec("w", "equal-width", text="f format s separator t", operands=Role.TEXT),
        "factor": spec("h", "exponents", operands=Role.TEXT),
        # The operands behind `--args` are text, which costs nothing to take for files.
        "jq": spec(
            "acCeijMnrRsS0",
            "raw-input null-input slurp compact-output raw-output raw-output0 join-output "
            "ascii-output sort-keys color-output monochrome-output tab unbuffered stream "
            "stream-errors seq exit-status args jsonargs",
            text="indent arg& argjson&",
            read="f from-file L library-path slurpfile& rawfile&",
            first=Role.QUERY,
            unless="f from-file",
            shortened=False,
        ),
        "yq": spec(
            "eEnNPrMCjyvVcSaRi",
            "exit-status null-input no-colors colors prettyPrint unwrapScalar "
            "no-doc raw-output yaml-output inplace in-place slurp compact-output sort-keys",
            text="o output-format p input-format I indent w width arg& argjson&",
            query="expression",
            read="from-file f slurpfile& rawfile&",
            changes="s! split-exp",
            first=Role.QUERY,
            sole=Role.READ,
            unless="f from-file expression",
            cases={
                "i inplace in-place": spec(
                    "eEnNPrMCivyYVcSa",
                    "inplace in-place",
                    first=Role.QUERY,
                    sole=Role.CHANGE,
                    operands=Role.CHANGE,
                    effect=CHANGES,
                )
            },
        ),
    }
)
