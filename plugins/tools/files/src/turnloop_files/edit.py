"""Edit: replaces passages of a file, and touches no other byte."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

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
from turnloop_files import edit_answers, preview, sniff
from turnloop_files.access import (
    Place,
    missing,
    place,
    real_path_note,
    refuse_new_names,
    refuse_unless_file,
)
from turnloop_files.answers import (
    RefusedError,
    refuse_in_plan_mode,
    system_error,
    with_notes,
)
from turnloop_files.diff import readable
from turnloop_files.document import Document, decode, has_surrogates
from turnloop_files.edit_arguments import EditArguments
from turnloop_files.plan import plan
from turnloop_files.save import refuse_unless_writable, save
from turnloop_files.seen import Copies, State, copies_in, digest_of, last_seen, state_of
from turnloop_files.write import what_changed

LARGEST = 32 * 1024 * 1024

_DESCRIPTIONS = Descriptions(
    terse=(
        "Replace old_string, which must match exactly, and only once without replace_all. edits: "
        "several, all or none."
    ),
    normal=(
        "Replace a passage of a file. old_string must match exactly, indentation included, and "
        "only once: quote more lines around it, or set replace_all. Leave out the line numbers "
        "that Read shows. edits are all matched against the file as it is now."
    ),
    verbose=(
        "Replace a passage of a file. old_string must stand in the file exactly as you give it, "
        "with its indentation, and only once: quote a few lines around the change to make it "
        "unique, or set replace_all to replace every match (to rename something, say). Leave out "
        "the line numbers and tabs that Read puts before each line. Line ends need no care: LF "
        "matches CRLF, and what you insert takes the line ends around it. No other byte of the "
        "file changes. To insert, quote the line beside and give it back with the new lines; to "
        "delete, give an empty new_string. When the passage is not found, the answer shows the "
        "nearest one and what differs; when it fits several times, the line numbers; when the "
        "new text already stands there, it says so: move on then. If the file changed since you "
        "read it, the edit is made only if it still fits, and the answer tells you. For several "
        "changes of one file give edits, a list of old_string and new_string, in place of the "
        "two: every one is matched against the file as it is now, not as the others leave it; "
        "they may not overlap; if one does not fit, none is made. replace_all then holds for all "
        "of them; at most 100. To replace a whole file, or create one, use Write."
    ),
)


class Edit:
    """Replaces passages of a file, and touches no other byte."""

    name = "Edit"
    arguments = EditArguments
    descriptions = _DESCRIPTIONS

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def subjects(self, args: EditArguments, scope: Scope) -> Sequence[Subject]:
        # Its answers quote the file, so what must not be read cannot be edited either.
        return (
            path_subject(args.file_path, scope, SubjectKind.WRITE),
            path_subject(args.file_path, scope, SubjectKind.READ),
        )

    def preview(self, args: EditArguments, scope: Scope) -> str:
        """What the edits would change."""
        subject = path_subject(args.file_path, scope, SubjectKind.WRITE)
        return preview.of_edit(subject, args.changes, args.file_path)

    async def run(self, args: EditArguments, context: CallContext) -> Result:
        try:
            refuse_in_plan_mode(context.mode)
            _refuse_arguments(args)
            with place(context, args.file_path) as at:
                return await _edit(self._copies, at, args, context)
        except RefusedError as refused:
            return refused.result
        except OSError as error:
            return system_error("edit", args.file_path, error)


def _refuse_arguments(args: EditArguments) -> None:
    edit_answers.refuse_empty(args.changes)
    if any(has_surrogates(change.new) for change in args.changes):
        raise RefusedError("new_string holds half of a character pair (a lone surrogate).")


async def _edit(copies: Copies, at: Place, args: EditArguments, context: CallContext) -> Result:
    from anyio.to_thread import run_sync

    status = at.status()
    if status is None:
        raise missing(at, "Write creates files.")
    refuse_unless_file(status, at.shown)
    refuse_new_names(context, status, at.shown)
    if status.st_size > LARGEST:
        raise RefusedError(
            f"{at.shown} has {status.st_size:,} bytes; Edit takes {LARGEST:,}. "
            "Change it in the shell (sed -i, or a short script)."
        )
    with at.open() as file:
        data = file.read()
    document = _text_of(at, data)
    path = context.subjects[0].narrow
    digest = digest_of(data)
    state = state_of(context.facts(), path, digest)
    # Matching, and the disk, may be slow, and the user may want to interrupt: not in the loop's own
    # thread.
    changes = args.changes
    planned = await run_sync(plan, document.text, changes)
    changed = " The file changed since you read it." if state is State.CHANGED else ""
    edit_answers.refuse_misfits(at.shown, planned, len(changes), changed)
    if not planned.made:
        return edit_answers.nothing_to_do(at.shown, planned, changed)
    refuse_unless_writable(at, status)
    new = _encoded(document, planned.text, at.shown)
    notes = edit_answers.left_out(planned)
    notes += await run_sync(partial(save, at, new, data, status))
    note, known = _staleness(copies, state, data, last_seen(context.facts(), path), at.shown)
    fact = WroteFile(path, len(new), digest_of(new), before=digest, known=known)
    copies.keep(fact.digest, new)
    notes += [note] if note else []
    notes += [document.trouble] if document.trouble else []
    notes += real_path_note(context, at.shown)
    done = edit_answers.done(at.shown, planned, len(changes))
    diff = readable(document.text, planned.text, at.shown)
    shown = with_notes(diff or done, notes)
    return Result.say(with_notes(done, notes), display=shown, facts=(fact,))


def _text_of(at: Place, data: bytes) -> Document:
    picture = sniff.picture(data)
    binary = sniff.binary(data, at.shown)
    if picture is not None or binary is not None:
        what = "a picture" if picture is not None else binary and binary.what
        raise RefusedError(f"{at.shown} is {what}, not text: Edit changes only text.")
    document = decode(data)
    if not document.exact or document.encode(document.text) != data:
        raise RefusedError(
            f"{at.shown} is {document.trouble or 'in an encoding that cannot be kept'}: an edit "
            "could damage the rest. Nothing was written. Repair it first, with iconv for example."
        )
    return document


def _encoded(document: Document, text: str, shown: str) -> bytes:
    try:
        return document.encode(text)
    except UnicodeEncodeError as error:
        raise RefusedError(
            f"{shown} is {document.title} ({document.trouble or 'by its mark'}), which has no "
            f"{text[error.start]!r}. Nothing was written. Use other characters, or convert the "
            "file first (iconv)."
        ) from None


def _staleness(
    copies: Copies, state: State, before: bytes, seen: str | None, shown: str
) -> tuple[str, bool]:
    """What the model should know when the file was not as it last saw it, and whether it then
    knows the whole of it.
    """
    if state is State.CURRENT:
        return "", True
    if state is State.UNREAD:
        return "", False
    changed = what_changed(copies, before, seen, shown)
    told = "the file had changed elsewhere since you read it"
    return (f"{told}.{changed}", True) if changed else (f"{told}: read it again", False)


def create(context: FactoryContext) -> Edit:
    """The tool."""
    return Edit(copies_in(context.shared))
