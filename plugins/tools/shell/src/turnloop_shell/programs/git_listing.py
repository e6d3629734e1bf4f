"""Names of files that git prints."""

from __future__ import annotations

from collections.abc import Sequence, Set as AbstractSet
from types import MappingProxyType

from turnloop_shell.programs.making import HERE, one_of
from turnloop_shell.programs.use import Touch
from turnloop_shell.syntax.words import Word

# Options with which these print names of files of the repository, and nothing else.
_NAMES = MappingProxyType(
    {
        "ls-files": one_of(
            "c cached d deleted m modified o others i ignored z x exclude X exclude-from "
            "exclude-standard exclude-per-directory error-unmatch full-name deduplicate k killed"
        ),
        "diff": one_of(
            "name-only cached staged merge-base z diff-filter relative no-relative no-renames M "
            "find-renames w ignore-all-space no-ext-diff S G"
        ),
        "grep": one_of(
            "l files-with-matches name-only L files-without-match i ignore-case w word-regexp E F "
            "P G extended-regexp fixed-strings perl-regexp e I cached v invert-match z null f n "
            "untracked no-index no-exclude-standard exclude-standard line-number and or not "
            "all-match"
        ),
    }
)
_WANTED = MappingProxyType(
    {"diff": {"name-only"}, "grep": {"l", "files-with-matches", "name-only", "L",
                                    "files-without-match"}}
)  # fmt: skip


def names_printed(sub: str, options: AbstractSet[str], places: Sequence[Word]) -> tuple[Touch, ...]:
    """Where the files lie whose names it prints. What git tracks is no secret, hidden or not."""
    if sub not in _NAMES or not options <= _NAMES[sub]:
        return ()
    if sub in _WANTED and not options & _WANTED[sub]:
        return ()
    if any(".." in word.text.split("/") or word.text.startswith("/") for word in places):
        return ()  # names outside the folder
    stray = options & {"o", "others", "untracked", "no-index"}
    return (Touch(HERE, deep=True, visible=not stray),)
