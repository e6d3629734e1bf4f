"""Grep: finds lines in files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field, field_validator

from turnloop_core.api import (
    CallContext,
    Descriptions,
    FactoryContext,
    Result,
    Scope,
    Subject,
    SubjectKind,
    path_subject,
)
from turnloop_search.answers import Names, RefusedError
from turnloop_search.arguments import SearchArguments
from turnloop_search.base import Base, base_of
from turnloop_search.engine import Search
from turnloop_search.expression import Expression, parse
from turnloop_search.found import Found
from turnloop_search.hits import Hits
from turnloop_search.listing import Lister
from turnloop_search.patterns import Filter
from turnloop_search.programs import find, surroundings
from turnloop_search.report import Searched, report
from turnloop_search.stop import Stop, in_thread

LARGEST = 64 * 1024 * 1024
MOST_CONTEXT = 50

_DESCRIPTIONS = Descriptions(
    terse="Search files for a regular expression, line by line. glob: *.py, !*.min.js.",
    normal=(
        "Search the contents of files, line by line. Hidden files too; ignored ones are only "
        "counted. The answer says when it is cut, and which offset goes on."
    ),
    verbose=(
        "Search the contents of files for a regular expression (as in ripgrep or Python), one "
        "line at a time: an expression cannot span lines. To find the characters ( [ { . * "
        "themselves put a backslash before them. `path` is a folder or one file; `glob` chooses "
        "files below it: *.py at any depth, src/**/*.ts, several with commas, ! to leave out. "
        "output: `lines` shows matching lines with their numbers under the name of their file "
        "(12: a match, 13- a line beside one), `files` only names, `counts` names with the "
        "number of matching lines. Hidden files are searched, the .git folder is not. Files that "
        ".gitignore leaves out are counted but not searched, unless `path` names them or "
        "include_ignored is set. Symbolic links are not followed. Binary files that match are "
        "named, not shown; long lines are cut around the match. Results come in path order; the "
        "answer says how many there are, where the rest lies and which offset goes on. After 20 "
        "seconds a search ends with what it has, and says so."
    ),
)


class GrepArguments(SearchArguments):
    """Arguments of Grep."""

    pattern: str = Field(description="regular expression")
    glob: str = Field("", description="*.py, src/**, !*.min.js")
    ignore_case: bool = Field(False, description="any case")
    context: int = Field(0, description="lines around")
    output: Literal["lines", "files", "counts"] = Field("lines", description="what to show")

    @field_validator("context")
    @classmethod
    def _context(cls, value: int) -> int:
        if not 0 <= value <= MOST_CONTEXT:
            raise ValueError(f"from 0 to {MOST_CONTEXT}; use Read for more")
        return value


@dataclass(slots=True)
class _Chosen:
    """The files to be searched, and those that are not.

    Attributes:
        names: what is searched; empty files are counted alone.
        searched: how many.
        denied: may not be read.
        large: over the limit.
        looked: how many there were.
    """

    names: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)
    searched: int = 0
    looked: int = 0


class Grep:
    """Finds lines in files."""

    name = "Grep"
    arguments = GrepArguments
    descriptions = _DESCRIPTIONS

    def subjects(self, args: GrepArguments, scope: Scope) -> Sequence[Subject]:
        return (path_subject(args.path or ".", scope, SubjectKind.READ),)

    async def run(self, args: GrepArguments, context: CallContext) -> Result:
        try:
            expression = parse(args.pattern)
            wanted = Filter(args.glob) if args.glob else None
            base = base_of(context, args.path or "the working folder")

            def work(stop: Stop) -> Result:
                search = _search(args, expression, context, stop)
                if base.is_file:
                    return _in_file(args, base, context, search)
                return _in_folder(args, base, wanted, context, search)

            return await in_thread(work)
        except RefusedError as refused:
            return refused.result


def _search(
    args: GrepArguments, expression: Expression, context: CallContext, stop: Stop
) -> Search:
    return Search(
        expression,
        args.ignore_case,
        args.context,
        keep=args.output == "lines",
        rg=find("rg", context.environment, context.scope),
        environment=surroundings(context.environment),
        stop=stop,
    )


def _in_file(args: GrepArguments, base: Base, context: CallContext, search: Search) -> Result:
    try:
        with context.open_checked(context.subjects[0], "rb") as file:
            _refuse_large(file, args)
            hits = search.opened(str(Path(base.path).parent), file)
    except OSError as error:
        raise RefusedError(f"cannot read {args.path}: {error.strerror}.") from None
    names = Names(base.path, context.scope)
    return report(args, Searched(base.path, names, Found(), hits, 1, is_file=True))


def _refuse_large(file: BinaryIO, args: GrepArguments) -> None:
    size = os.fstat(file.fileno()).st_size
    if size > LARGEST:
        raise RefusedError(
            f"{args.path} has {size:,} bytes, over {LARGEST:,}. Search it in the shell: grep -n."
        )


def _in_folder(
    args: GrepArguments, base: Base, wanted: Filter | None, context: CallContext, search: Search
) -> Result:
    lister = Lister(
        context.scope, context.environment, search.stop, ignored_too=args.include_ignored
    )
    found = _listed(lister, base.path, wanted)
    chosen = _chosen(found, base.path, wanted, context, search.stop)
    hits = search.files(base.path, chosen.names) if chosen.names else Hits()
    names = Names(base.path, context.scope)
    return report(
        args,
        Searched(
            base.path,
            names,
            found,
            hits,
            chosen.searched,
            denied=chosen.denied,
            large=chosen.large,
            passed=chosen.looked,
        ),
    )


def _listed(lister: Lister, base: str, wanted: Filter | None) -> Found:
    """The files below the base; only those of the folder in which alone the glob can match."""
    if wanted is None or not wanted.folder:
        return lister.files(base)
    below = f"{base.rstrip(os.sep)}{os.sep}{wanted.folder}"
    if os.path.realpath(below) != below or not os.path.isdir(below):  # noqa: PTH112
        return lister.files(base)
    found = Found()
    inner = lister.files(below)
    found.take_in(inner, wanted.folder)
    found.all_of = inner.all_of
    return found


def _chosen(
    found: Found, base: str, wanted: Filter | None, context: CallContext, stop: Stop
) -> _Chosen:
    chosen = _Chosen(looked=len(found.files))
    lead = base.rstrip(os.sep) + os.sep
    for name in found.files:
        if stop:
            break
        if wanted is not None and not wanted.takes(name):
            continue
        # Judged before anything is searched: whether a file that may not be read matches would
        # tell what is in it.
        if not context.readable(lead + name):
            chosen.denied.append(name)
            continue
        size = _size(lead + name)
        if size > LARGEST:
            chosen.large.append(name)
        else:
            chosen.searched += 1
            if size:
                chosen.names.append(name)
    return chosen


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:  # what is wrong with it, the search will tell
        return 1


def create(_context: FactoryContext) -> Grep:
    """The tool."""
    return Grep()
