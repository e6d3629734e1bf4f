"""Programs that search files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnloop_shell.programs.options import Role, Spec, Subcommands
from turnloop_shell.programs.tables_making import (
    alike,
    changed,
    spec,
)

_GREP = spec(
    "abcEFGhHiIlLnoPqsTuUvVwxyzZR",
    "basic-regexp byte-offset count extended-regexp files-with-matches files-without-match "
    "fixed-strings ignore-case initial-tab invert-match line-buffered line-number line-regexp "
    "no-filename no-group-separator no-ignore-case no-messages null null-data only-matching "
    "perl-regexp quiet silent "
    "text unix-byte-offsets with-filename word-regexp binary help version",
    text="A B C D d e m after-context before-context context devices directories exclude "
    "exclude-dir group-separator include label max-count regexp binary-files color? colour?",
    read="f file exclude-from",
    first=Role.TEXT,
    unless="e f file regexp",
    numbers=True,
)
_GREP_ALL = changed(_GREP, "r", "recursive dereference-recursive", numbers=True)
_GREP_DEEP = changed(_GREP_ALL, operands=Role.READ_DEEP, minimum=1, default=Role.READ_DEEP)
_GREP_BOTH = changed(
    _GREP_ALL, cases={"r R recursive dereference-recursive d directories": _GREP_DEEP}
)
_NEGATED = (
    "no-auto-hybrid-regex no-binary no-block-buffered no-byte-offset no-column no-config "
    "no-context-separator no-crlf no-encoding no-filename no-fixed-strings no-follow "
    "no-glob-case-insensitive "
    " no-heading no-hidden no-ignore no-ignore-dot no-ignore-exclude "
    "no-ignore-file-case-insensitive "
    " no-ignore-files no-ignore-global no-ignore-messages no-ignore-parent "
    "no-ignore-vcs no-include-zero no-invert-match no-json no-line-buffered no-line-number "
    "no-max-columns-preview no-messages no-mmap no-multiline no-multiline-dotall "
    "no-one-file-system "
    "no-pcre2 no-pcre2-unicode no-pre no-require-git no-search-zip no-sort-files no-stats no-text "
    "no-trim no-unicode"
)
_RG = spec(
    "0abcFhHiIlLnNoPpqsSuUvVwxz.",
    _NEGATED + " auto-hybrid-regex binary block-buffered byte-offset case-sensitive column count "
    "count-matches crlf debug files files-with-matches files-without-match fixed-strings follow "
    "glob-case-insensitive heading hidden ignore ignore-case ignore-dot ignore-exclude "
    "ignore-file-case-insensitive ignore-files ignore-global ignore-messages ignore-parent "
    "ignore-vcs include-zero invert-match json line-buffered line-number line-regexp "
    "max-columns-preview messages mmap multiline multiline-dotall null null-data one-file-system "
    "only-matching passthru passthrough pcre2 pcre2-unicode pcre2-version pretty quiet "
    "require-git search-zip smart-case sort-files stats stop-on-nonmatch text trace trim "
    "type-list unicode unrestricted vimgrep with-filename word-regexp version help",
    text="A B C E M T d e g j m r t after-context before-context color colors context "
    "context-separator dfa-size-limit encoding engine field-context-separator "
    "field-match-separator generate glob hyperlink-format iglob max-columns max-count max-depth "
    "maxdepth max-filesize path-separator pre-glob regex-size-limit regexp replace sort sortr "
    "threads type type-add type-clear type-not",
    read="f file ignore-file",
    program="pre hostname-bin",
    first=Role.TEXT,
    unless="e f file regexp",
    operands=Role.READ_DEEP,
    minimum=1,
    default=Role.READ_DEEP,
    filters=True,
    shortened=False,
)
_RG_SEEN = changed(_RG, operands=Role.READ_VISIBLE, default=Role.READ_VISIBLE)
_RG_BOTH = changed(
    _RG_SEEN,
    cases={
        "files": changed(
            _RG_SEEN,
            first=None,
            cases={". u hidden unrestricted": changed(_RG, first=None)},
        ),
        ". u hidden unrestricted": _RG,
    },
)
_AG = spec(
    "0acDfFghHiLlnoQrRsSuUvVwz",
    "ackmate all-text all-types break nobreak color nocolor column count debug filename nofilename "
    "files-with-matches files-without-matches fixed-strings follow nofollow group nogroup heading "
    "noheading hidden ignore-case invert-match line-numbers literal multiline nomultiline numbers "
    "nonumbers null only-matching parallel passthrough passthru print-all-files print0 recurse "
    "norecurse search-binary search-files search-zip silent skip-vcs-ignores smart-case stats "
    "stats-only unrestricted vimgrep word-regexp case-sensitive python js ts go rust java",
    text="A B C G m W after before context depth ignore ignore-dir file-search-regex max-count "
    "color-line-number color-match color-path width workers",
    read="p path-to-ignore",
    program="pager",
    first=Role.TEXT,
    operands=Role.READ_DEEP,
    minimum=1,
    default=Role.READ_DEEP,
    filters=True,
)
_AG_BOTH = changed(
    changed(_AG, operands=Role.READ_VISIBLE, default=Role.READ_VISIBLE),
    cases={"u hidden unrestricted": _AG},
)
_ACK = changed(
    _AG,
    "x",
    "noenv sort-files show-types nopager flush bar thpppt",
    text="type t T match range-start range-end ignore-file is",
    list="files-from",
    read="ackrc",
    foreign="output",
)

SPECS: Mapping[str, Spec | Subcommands] = MappingProxyType(
    {
        **alike("grep egrep fgrep ggrep zgrep zegrep zfgrep bzgrep xzgrep", _GREP_BOTH),
        "rgrep": _GREP_DEEP,
        "rg": _RG_BOTH,
        "ag": _AG_BOTH,
        **alike("ack ack-grep", _ACK),
    }
)
