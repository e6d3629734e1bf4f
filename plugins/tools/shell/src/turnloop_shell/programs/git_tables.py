"""What the subcommands of git do, and which of their options matter.

An option's role is one letter, behind `f` for an option without a value, behind `o` for one whose
value may only be glued to it:
`v` a text, `r` a file that is read, `w` a file that is written, `W` a folder that is written,
`U` a folder that is written, with effects that are not known, `l` `lines:file`, a file that is
read, `x` shell code or a program that git runs, `d` what it runs cannot be known, `n` other
machines, `c` changes something, `u` effects that are not known, `i` operands are read as plain
files.
What is not listed is an option without a value that does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from turnloop_shell.programs.making import one_of
from turnloop_shell.programs.use import Effect

Roles = Mapping[str, str]


def _roles(text: str) -> dict[str, str]:
    """`name:role name:role ...`"""
    return dict(pair.split(":") for pair in text.split())


@dataclass(frozen=True, slots=True)
class Sub:
    """A subcommand.

    Attributes:
        effect: with options that do not matter.
        roles: its options.
        operands: "" not paths, "s" shown (`rev`, `rev:path` or a path), "o" shown, where it is
            `rev:path`, "r" read, "w" written, "W" written with all below, "c" changed, "p" those
            behind `--`, or behind a commit, are paths, which are written, "t" the second one is a
            folder that is written, "a" paths behind the first are shown with all below.
        spreads: options with which files all over the current folder are written; "" where they
            are always, unless one of `spares` is given.
        spares: see `spreads`.
        wide: those files may lie anywhere in the repository, above the current folder too.
        first: the first operand is no path (the pattern of `grep`), unless one of these options
            is given.
        remote: an operand may be an address of another repository.
        why: why it is refused, for subcommands that run what nobody can know.
    """

    effect: Effect = Effect.READS
    roles: Roles = field(default_factory=dict)
    operands: str = ""
    first: tuple[str, ...] = ()
    spreads: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()
    wide: bool = False
    remote: bool = False
    why: str = ""


_DIFF = _roles(
    "output:w ext-diff:fd textconv:fd text:f O:r no-index:fi S:v G:v L:l n:v U:v l:v format:v "
    "pretty:ov since:v after:v until:v before:v author:v committer:v grep:v max-count:v skip:v "
    "date:v diff-filter:v inter-hunk-context:v word-diff-regex:v anchored:v find-object:v "
    "glob:v branches:ov tags:ov remotes:ov exclude:v src-prefix:v dst-prefix:v line-prefix:v "
    "diff-algorithm:v ws-error-highlight:v encoding:v unified:v no-textconv:f no-ext-diff:f"
)
_FILES = _roles("pathspec-from-file:r")
_MESSAGE = _roles("m:v message:v F:r file:r cleanup:v S:ov gpg-sign:ov")
_PACK = _roles("upload-pack:x o:v server-option:v depth:v j:v jobs:v shallow-since:v refmap:v")
_R, _C, _N, _U = Effect.READS, Effect.CHANGES, Effect.NETWORK, Effect.UNKNOWN
_TOOL = "it starts a tool that the configuration names"
_SERVER = "it starts a server, or a part of one"

SUBS: Mapping[str, Sub] = MappingProxyType(
    {
        **dict.fromkeys(one_of(
"status describe merge-base name-rev for-each-ref count-objects "
"var version check-ignore check-attr check-mailmap check-ref-format show-ref "
"show-branch cherry patch-id get-tar-commit-id stripspace column "
"diff-pairs last-modified refs"
),
            Sub(),
        ),
        **dict.fromkeys(one_of(
"log show diff ls-tree unpack-file whatchanged shortlog rev-list diff-tree diff-index diff-files "
"range-diff"
),
            Sub(_R, _DIFF, "s"),
        ),
        **dict.fromkeys(
            ("blame", "annotate"),
            Sub(
                _R,
                {**_DIFF, **_roles("contents:r S:r ignore-revs-file:r ignore-rev:v L:v")},
                "s",
            ),
        ),
        "grep": Sub(
            _R,
            _roles(
                "O:od open-files-in-pager:od f:r e:v ext-grep:fd no-ext-grep:f textconv:fd text:f "
                "no-index:fi untracked:f cached:f recurse-submodules:f "
                "A:v B:v C:v m:v max-depth:v threads:v context:v after-context:v "
                "before-context:v max-count:v parent-basename:v"
            ),
            "s",
            ("e", "f"),
        ),
        "cat-file": Sub(_R, _roles("textconv:fd filters:fd path:v filter:v"), "s"),
        "ls-files": Sub(_R, _roles("X:r exclude-from:r x:v exclude:v with-tree:v format:v")),
        "help": Sub(_R, _roles("w:fd web:fd i:fd info:fd")),
        "fsck": Sub(_R, _roles("lost-found:fc")),
        "rev-parse": Sub(_R, {}, "o"),
        "archive": Sub(
            _R,
            _roles(
                "o:w output:w remote:n exec:x add-file:r add-virtual-file:v format:v prefix:v "
                "mtime:v"
            ),
            "a",
        ),
        "hash-object": Sub(_R, _roles("w:fc t:v path:v"), "r"),
        "verify-commit": Sub(Effect.PROJECT),
        "verify-tag": Sub(Effect.PROJECT),
        "verify-pack": Sub(_R, {}, "r"),
        "fast-export": Sub(_R, _roles("export-marks:w import-marks:r"), "s"),
        "add": Sub(_C, {**_FILES, "chmod": "v"}, "r"),
        "stage": Sub(_C, {**_FILES, "chmod": "v"}, "r"),
        "commit": Sub(
            _C,
            {
                **_MESSAGE,
                **_FILES,
                **_roles(
                    "t:r template:r C:v c:v author:v date:v fixup:v squash:v trailer:v u:ov "
                    "reuse-message:v reedit-message:v"
                ),
            },
        ),
        "checkout": Sub(
            _C, {**_FILES, **_roles("b:v B:v orphan:v conflict:v t:f track:of")}, "p",
            spreads=("pathspec-from-file",),
        ),
        "switch": Sub(_C, _roles("c:v C:v create:v force-create:v orphan:v conflict:v")),
        "restore": Sub(
            _C, {**_FILES, **_roles("s:v source:v conflict:v")}, "W",
            spreads=("pathspec-from-file",),
        ),
        "reset": Sub(_C, _FILES),
        "merge": Sub(
            _C, {**_MESSAGE, **_roles("s:v strategy:v X:v strategy-option:v into-name:v")}
        ),
        "rebase": Sub(
            _C,
            _roles(
                "x:x exec:x onto:v s:v strategy:v X:v strategy-option:v C:v S:ov gpg-sign:ov "
                "whitespace:v empty:v"
            ),
        ),
        "cherry-pick": Sub(_C, _roles("m:v mainline:v s:v strategy:v X:v strategy-option:v S:ov")),
        "revert": Sub(_C, _roles("m:v mainline:v s:v strategy:v X:v strategy-option:v S:ov")),
        "rm": Sub(_C, _FILES, "W"),
        "mv": Sub(_C, {}, "c"),
        "clean": Sub(_C, _roles("e:v exclude:v"), "W"),
        "init": Sub(
            _C,
            _roles(
                "template:d separate-git-dir:U b:v initial-branch:v object-format:v shared:ov "
                "ref-format:v"
            ),
            "W",
        ),
        "apply": Sub(
            _C,
            _roles(
                "unsafe-paths:fd apply:f directory:v "
                "build-fake-ancestor:w p:v C:v exclude:v include:v "
                "whitespace:v"
            ),
            "r",
            spreads=("", "apply"),
            spares=("check", "stat", "numstat", "summary", "cached"),
        ),
        "am": Sub(
            _C,
            _roles(
                "S:ov gpg-sign:ov p:v C:v directory:v exclude:v include:v whitespace:v "
                "patch-format:v quoted-cr:v show-current-patch:ov empty:v "
                "continue:f resolved:f"
            ),
            "r",
            spreads=("", "continue", "r", "resolved"),
            spares=("abort", "skip", "quit", "show-current-patch"),
            wide=True,
        ),
        "format-patch": Sub(
            _C,
            {**_DIFF, **_roles("o:W output-directory:W signature-file:r description-file:r "
                               "in-reply-to:v to:v cc:v from:ov v:v reroll-count:v base:v "
                               "suffix:v subject-prefix:v start-number:v")},
            "s",
        ),
        "notes": Sub(_C, {**_MESSAGE, **_roles("C:v c:v ref:v")}),
        "interpret-trailers": Sub(_C, _roles("trailer:v where:v if-exists:v if-missing:v"), "c"),
        "merge-file": Sub(_C, _roles("L:v"), "c"),
        "checkout-index": Sub(
            _C, _roles("prefix:W stage:v all:f stdin:f"), "c", spreads=("a", "all", "stdin")
        ),
        "read-tree": Sub(
            _C,
            _roles("index-output:w prefix:v exclude-per-directory:v"),
            spreads=("u",),
            wide=True,
        ),
        "index-pack": Sub(_C, _roles("o:w rev-index:f keep:ov threads:v"), "c"),
        "commit-tree": Sub(_C, _roles("F:r m:v p:v S:ov gpg-sign:ov")),
        "fmt-merge-msg": Sub(_R, _roles("F:r file:r m:v message:v log:ov into-name:v")),
        "pack-objects": Sub(_C, {}, "w"),
        **dict.fromkeys(one_of(
"update-index update-ref symbolic-ref write-tree mktree "
"mktag unpack-objects prune prune-packed repack pack-refs gc rerere replace "
"merge-tree merge-base-tree commit-graph multi-pack-index pack-redundant "
"update-server-info replay"
),
            Sub(_C, _FILES),
        ),
        "push": Sub(
            _N,
            _roles("receive-pack:x exec:x o:v push-option:v repo:v force-with-lease:ov signed:ov"),
            remote=True,
        ),
        "fetch": Sub(_N, _PACK, remote=True),
        "pull": Sub(
            _N,
            {**_PACK, **_roles("s:v strategy:v X:v strategy-option:v S:ov gpg-sign:ov")},
            remote=True,
        ),
        "ls-remote": Sub(_N, _roles("upload-pack:x exec:x o:v server-option:v"), remote=True),
        "fetch-pack": Sub(_N, _roles("upload-pack:x exec:x"), remote=True),
        "send-pack": Sub(_N, _roles("receive-pack:x exec:x"), remote=True),
        "clone": Sub(
            _N,
            {
                **_PACK,
                **_roles(
                    "u:x template:d c:d config:d reference:r reference-if-able:r b:v branch:v "
                    "separate-git-dir:W origin:v filter:v bundle-uri:v ref-format:v"
                ),
            },
            "t",
            remote=True,
        ),
        "lfs": Sub(_N),
        "request-pull": Sub(_N, remote=True),
        "backfill": Sub(_N),
        "filter-branch": Sub(
            _U,
            _roles(
                "setup:x env-filter:x tree-filter:x index-filter:x parent-filter:x msg-filter:x "
                "commit-filter:x tag-name-filter:x subdirectory-filter:v original:v d:W "
                "state-branch:v"
            ),
        ),
        "difftool": Sub(_U, _roles("x:x extcmd:x t:v tool:v"), why=_TOOL),
        "mergetool": Sub(_U, why=_TOOL),
        "send-email": Sub(
            _N,
            _roles("sendmail-cmd:x smtp-server:x to-cmd:x cc-cmd:x header-cmd:x"),
            why="it may run programs that its options or the configuration name",
        ),
        "merge-index": Sub(_U, why="it runs the program that its operand names"),
        "hook": Sub(_U, why="it runs hooks"),
        "fast-import": Sub(_U, why="it takes commands from its input"),
        **dict.fromkeys(one_of(
"instaweb daemon cvsserver shell http-backend upload-pack receive-pack "
"upload-archive remote-ext remote-fd gui citool web--browse credential "
"credential-cache credential-store http-fetch http-push imap-send p4 svn "
"cvsimport cvsexportcommit archimport quiltimport gitk gitweb"
),
            Sub(_U, why=_SERVER),
        ),
        "bundle": Sub(_C, {}, "c", ("",)),
        "maintenance": Sub(_U),
        "sparse-checkout": Sub(_U),
        "fsmonitor--daemon": Sub(_U, why=_SERVER),
        "bugreport": Sub(_C, _roles("o:W output-directory:W diagnose:ov s:v suffix:v")),
        "diagnose": Sub(_C, _roles("o:W output-directory:W s:v suffix:v")),
    }
)  # fmt: skip
