"""Glob: finds files by their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from turnloop_core.api import (
    CallContext,
    Descriptions,
    FactoryContext,
    Result,
    Scope,
    Searched,
    Subject,
    SubjectKind,
    TurnloopError,
    path_subject,
)
from turnloop_search.answers import MOST_CHARACTERS, Names, RefusedError, plural, some, with_notes
from turnloop_search.arguments import SearchArguments
from turnloop_search.base import folder_of
from turnloop_search.found import Found
from turnloop_search.listing import Lister
from turnloop_search.patterns import Split, compile_glob, split
from turnloop_search.stop import Stop, in_thread
from turnloop_search.window import cut_note, fitting

_DESCRIPTIONS = Descriptions(
    terse="Find files by name: src/**/*.py, *.md (at any depth), {a,b}.json.",
    normal=(
        "Find files by name: *.md at any depth, src/**/*.{ts,tsx} from `path`. Hidden files too; "
        "ignored ones are only counted. The answer says when it is cut, and which offset goes on."
    ),
    verbose=(
        "Find files by name, in path order, relative to the working folder where they lie inside. "
        "* and ? stay within a name, ** spans any number of folders, {a,b} and [a-z] work. A "
        "pattern without a slash means that name at any depth; with one it begins at `path`. "
        "Hidden files are found like others; the .git folder is passed by. Files that .gitignore "
        "leaves out are counted but not listed, unless include_ignored is set, or the pattern or "
        "path names their folder outright. Symbolic links are named and never followed. At most "
        "`limit` files are shown; the answer says how many there are, where the rest lies, and "
        "which offset goes on. After 20 seconds a search ends with what it has, and says so. "
        "Only names are looked at: for contents use Grep."
    ),
)


class GlobArguments(SearchArguments):
    """Arguments of Glob."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """Matching names, and all that was looked at; folders that would match."""

    names: list[str]
    found: Found
    folders: list[str]


class Glob:
    """Finds files by their names."""

    name = "Glob"
    arguments = GlobArguments
    descriptions = _DESCRIPTIONS

    def subjects(self, args: GlobArguments, scope: Scope) -> Sequence[Subject]:
        try:
            folder = split(args.pattern).folder
        except RefusedError as refused:
            raise TurnloopError(str(refused)) from None
        path = args.path or "."
        if folder:
            alone = folder.startswith(("/", "~/")) or folder == "~" or os.path.isabs(folder)  # noqa: PTH117
            path = folder if alone else os.path.join(path, folder)  # noqa: PTH118
        return (path_subject(path, scope, SubjectKind.READ),)

    async def run(self, args: GlobArguments, context: CallContext) -> Result:
        try:
            pattern = split(args.pattern)
            base = folder_of(context, _shown(args, pattern))
            work = partial(_listed, args, context, base.path, pattern)
            listed = await in_thread(work)
        except RefusedError as refused:
            return refused.result
        return _answer(listed, args, base.path, Names(base.path, context.scope))


def _listed(
    args: GlobArguments, context: CallContext, base: str, pattern: Split, stop: Stop
) -> _Listed:
    matcher = compile_glob(pattern.rest, anchored=pattern.anchored)
    lister = Lister(context.scope, context.environment, stop, ignored_too=args.include_ignored)
    found = lister.files(base)
    names = {name for name in (*found.files, *found.links) if matcher.fullmatch(name)}
    if pattern.literal:
        names.update(_outright(base, pattern.rest))
    folders = [] if names else [name for name in _folders(found) if matcher.fullmatch(name)]
    return _Listed(sorted(names), found, folders)


def _shown(args: GlobArguments, pattern: Split) -> str:
    return "/".join(part for part in (args.path, pattern.folder) if part) or "the working folder"


def _outright(base: str, name: str) -> list[str]:
    """A file that is named whole is found whatever the ignore rules say."""
    try:
        status = os.lstat(f"{base.rstrip(os.sep)}{os.sep}{name}")
    except OSError:
        return []
    plain = stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
    return [name] if plain else []


def _folders(found: Found) -> list[str]:
    folders: set[str] = set()
    for name in found.files:
        folder = name.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    folders.update(name.rstrip("/") for name in found.ignored_folders)
    return sorted(folders)


def _answer(listed: _Listed, args: GlobArguments, base: str, names: Names) -> Result:
    found, matched = listed.found, listed.names
    fact = Searched(args.pattern, base, len(matched), found.complete)
    notes = list(found.notes())
    if not matched:
        looked = plural(len(found.files), "file")
        said = f"no file matches {args.pattern} ({looked} below {names.folder} looked at)."
        if not found.complete:
            said = f"no file found so far for {args.pattern}: the search was not complete."
        if listed.folders:
            shown = [names.of(name) for name in listed.folders]
            notes.insert(0, f"folders that match: {some(shown)}; add /** for what is in them")
        return Result.say(with_notes(said, notes), facts=(fact,))
    lines = [names.of(name) for name in matched[args.offset : args.offset + args.limit]]
    lines = lines[: fitting(lines, MOST_CHARACTERS)]
    if not lines:
        past = f"there are {plural(len(matched), 'file')}; none after offset {args.offset:,}."
        return Result.say(with_notes(past, notes), facts=(fact,))
    rest = [(name, 1) for name in matched[args.offset + len(lines) :]]
    cut = cut_note(
        "file", args.offset, len(lines), len(matched), at_least=not found.complete, rest=rest
    )
    count = f"{plural(len(matched), 'file')} for {args.pattern}"
    return Result.say(
        with_notes("\n".join(lines), [cut, *notes]),
        display=f"{count}{'' if found.complete else ' (not complete)'}",
        facts=(fact,),
    )


def create(_context: FactoryContext) -> Glob:
    """The tool."""
    return Glob()
