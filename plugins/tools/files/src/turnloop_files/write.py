"""Write: gives a file new content, whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from turnloop_core.api import (
    CallContext,
    Descriptions,
    FactoryContext,
    Result,
    Scope,
    Subject,
    SubjectKind,
    WroteFile,
    path_subject,
)
from turnloop_files import preview, sniff
from turnloop_files.access import (
    Place,
    place,
    real_path_note,
    refuse_new_names,
    refuse_unless_file,
)
from turnloop_files.answers import (
    RefusedError,
    plural,
    refuse_in_plan_mode,
    system_error,
    with_notes,
)
from turnloop_files.diff import readable, unified
from turnloop_files.document import Document, decode, has_surrogates, line_ends, split_lines
from turnloop_files.save import refuse_unless_writable, save
from turnloop_files.seen import Copies, State, copies_in, digest_of, last_seen, state_of

LARGEST = 64 * 1024 * 1024
_KEPT_ENDS = {"crlf": "\r\n", "cr": "\r"}
_ENDS = {"lf": "LF", "crlf": "CRLF", "mixed": "LF and CRLF", "cr": "CR"}

_DESCRIPTIONS = Descriptions(
    terse="Create a file or replace all of its content. Read an existing file first.",
    normal=(
        "Create a file, or replace all of it; missing folders are made. An existing file must have "
        "been read in this session and not have changed since. Its line ends, encoding and mode "
        "bits are kept. To change a part use Edit."
    ),
    verbose=(
        "Create a file with this content, or replace the whole content of an existing one. "
        "Missing folders are made. To change a part of a file use Edit: it sends less and leaves "
        "the rest as it is. An existing file must have been read in this session, and must not "
        "have changed since you last read or wrote it; otherwise nothing is written, and the "
        "answer shows what changed where that is known. The file is replaced in one step, so a "
        "crash leaves the old content or the new. Mode bits, encoding and byte-order mark of the "
        "old file are kept; if all its lines end in CRLF and yours in LF, CRLF is kept. What "
        "could not be kept is reported. A path through a symbolic link writes the real file. "
        "Give the content exactly as it is to stand in the file, without line numbers, and with a "
        "newline at the end if there should be one."
    ),
)


class WriteArguments(BaseModel):
    """Arguments of Write."""

    model_config = ConfigDict(extra="forbid")

    file_path: str = Field(description="absolute or relative")
    content: str = Field(description="whole file")


@dataclass(frozen=True, slots=True)
class _Old:
    """What stands there: bytes, their text when they are text, and the file's status."""

    data: bytes
    document: Document | None


class Write:
    """Gives a file new content, whole."""

    name = "Write"
    arguments = WriteArguments
    descriptions = _DESCRIPTIONS

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def subjects(self, args: WriteArguments, scope: Scope) -> Sequence[Subject]:
        return (path_subject(args.file_path, scope, SubjectKind.WRITE),)

    def preview(self, args: WriteArguments, scope: Scope) -> str:
        """The new file's head, or what it would change."""
        subject = path_subject(args.file_path, scope, SubjectKind.WRITE)
        return preview.of_write(subject, args.content, args.file_path)

    async def run(self, args: WriteArguments, context: CallContext) -> Result:
        try:
            refuse_in_plan_mode(context.mode)
            _refuse_half_characters(args.content)
            with place(context, args.file_path, create=True) as at:
                return await _write(self._copies, at, args, context)
        except RefusedError as refused:
            return refused.result
        except OSError as error:
            return system_error("write", args.file_path, error)


def _refuse_half_characters(content: str) -> None:
    if has_surrogates(content):
        raise RefusedError("content holds half of a character pair (a lone surrogate).")


async def _write(copies: Copies, at: Place, args: WriteArguments, context: CallContext) -> Result:
    from anyio.to_thread import run_sync

    status = at.status()
    path = context.subjects[0].narrow
    old: _Old | None = None
    notes: list[str] = []
    data = args.content.encode()
    if status is not None:
        refuse_unless_file(status, at.shown)
        refuse_new_names(context, status, at.shown)
        _refuse_large(status.st_size, at.shown)
        old = _read_old(at)
        _refuse_unseen(copies, old, path, at.shown, context)
        refuse_unless_writable(at, status)
        data, notes = _in_the_manner_of(old, args.content)
        if data == old.data:
            digest = digest_of(data)
            fact = WroteFile(path, len(data), digest, changed=False, before=digest)
            return Result.say(f"no change: {at.shown} already has this content.", facts=(fact,))
    # The disk may be slow, and the user may want to interrupt: not in the loop's own thread.
    before = old.data if old is not None else None
    notes += await run_sync(partial(save, at, data, before, status))
    notes += real_path_note(context, at.shown)
    digest = digest_of(data)
    copies.keep(digest, data)
    size = f"{plural(len(split_lines(args.content)), 'line')}, {plural(len(data), 'byte')}"
    done = f"{'created' if old is None else 'replaced'} {at.shown}: {size}"
    replaced = "" if before is None else digest_of(before)
    return Result.say(
        with_notes(done, notes),
        display=with_notes(_display(old, args.content, at.shown) or done, notes),
        facts=(WroteFile(path, len(data), digest, created=old is None, before=replaced),),
    )


def _refuse_large(size: int, shown: str) -> None:
    if size > LARGEST:
        raise RefusedError(
            f"{shown} has {size:,} bytes, too many to compare with what you read. Nothing was "
            "written. Remove it in the shell if it is really to be replaced."
        )


def _read_old(at: Place) -> _Old:
    with at.open() as file:
        data = file.read()
    binary = sniff.picture(data) or sniff.binary(data, at.shown)
    return _Old(data, None if binary else decode(data))


def _refuse_unseen(copies: Copies, old: _Old, path: str, shown: str, context: CallContext) -> None:
    facts = context.facts()
    state = state_of(facts, path, digest_of(old.data))
    if state is State.UNREAD:
        raise RefusedError(
            f"{shown} exists, and you have not read it as it is now. Nothing was written. Read it "
            "first, or change a part of it with Edit."
        )
    if state is State.CHANGED:
        changed = what_changed(copies, old.data, last_seen(facts, path), shown)
        raise RefusedError(
            f"{shown} changed since you last read it. Nothing was written. Read it again, then "
            f"write what is to stand there now.{changed}"
        )


def what_changed(copies: Copies, now: bytes, seen: str | None, shown: str) -> str:
    """The diff from what the model saw to what stands there now, "" when that is not known."""
    before = copies.get(seen or "")
    if before is None or sniff.binary(now, shown) or sniff.binary(before, shown):
        return ""
    diff = unified(decode(before).text, decode(now).text, shown, most=60)
    return f" What changed:\n{diff}" if diff else ""


def _in_the_manner_of(old: _Old, content: str) -> tuple[bytes, list[str]]:
    """The bytes of the new content, with the encoding, mark and line ends of the old file."""
    if old.document is None:
        return content.encode(), ["the old content was binary"]
    document, notes = old.document, []
    before, now = line_ends(document.text), line_ends(content)
    if now == "lf" and before in _KEPT_ENDS and "\r" not in content:
        content = content.replace("\n", _KEPT_ENDS[before])
        notes.append(f"{_ENDS[before]} line ends kept")
    elif before and now not in (before, ""):
        notes.append(f"line ends were {_ENDS[before]}, are {_ENDS[now]}")
    if document.text.endswith("\n") and content and not content.endswith("\n"):
        notes.append("no newline at the end, unlike before")
    content = content.removeprefix("\ufeff") if document.mark else content
    if document.codec == "utf-8" and not document.mark:
        return content.encode(), [*notes, *_now_clean(document)]
    try:
        data = document.encode(content)
    except UnicodeEncodeError as error:
        sign = content[error.start]
        notes.append(f"the old encoding {document.title} has no {sign!r}: written as UTF-8")
        return content.encode(), notes
    return data, [*notes, f"{document.title} kept"]


def _now_clean(document: Document) -> list[str]:
    return ["the old content was not clean UTF-8; the new one is"] if document.trouble else []


def _display(old: _Old | None, content: str, shown: str) -> str:
    if old is not None and old.document is None:
        return ""
    before = old.document.text if old is not None and old.document is not None else ""
    return readable(before, content, shown)


def create(context: FactoryContext) -> Write:
    """The tool."""
    return Write(copies_in(context.shared))
