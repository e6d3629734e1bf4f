"""Read: shows a file to the model."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from functools import partial
from shlex import quote
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, Field, field_validator

from turnloop_core.api import (
    CallContext,
    Descriptions,
    FactoryContext,
    Image,
    ReadRange,
    Result,
    Scope,
    Subject,
    SubjectKind,
    Text,
    path_subject,
)
from turnloop_files import sniff
from turnloop_files.access import missing, place, refuse_unless_file
from turnloop_files.answers import RefusedError, plural, system_error
from turnloop_files.large import MOST_SECONDS, StoppedError
from turnloop_files.pages import DEFAULT_LIMIT, Page, large_page, small_page
from turnloop_files.seen import Copies, copies_in, digest_of

HELD_WHOLE = 8 * 1024 * 1024
MARKED_HELD = 64 * 1024 * 1024  # UTF-16 and UTF-32 are decoded whole
COUNTED = 256 * 1024 * 1024  # above it, reading ends with the range
LARGEST_PICTURE = 3_750_000  # 5 MB in base64, which is where the common interfaces stop
WIDEST_PICTURE = 8_000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)

_DESCRIPTIONS = Descriptions(
    terse=(
        "Read a file as numbered lines (number, tab, text), 2,000 at once; offset goes on. Shows "
        "pictures."
    ),
    normal=(
        "Read a file as numbered lines: number, tab, line; number and tab are not in the file. At "
        "most 2,000 lines and 60,000 characters at once; the last line says which offset goes on. "
        "Shows pictures; refuses folders and other binary files. Read a file before you overwrite "
        "it."
    ),
    verbose=(
        "Read a file from disk. Text comes as numbered lines: number, tab, line. The number and "
        "the tab are not part of the file: leave them out when you quote a passage to Edit. "
        "Without offset and limit you get the first 2,000 lines, at most 60,000 characters; when "
        "there is more, the last line says which lines were shown, how many there are, and which "
        "offset goes on. For a long file of which you need one part, give offset and limit. "
        "Lines over 2,000 characters are cut visibly. PNG, JPEG, GIF and WebP are shown as "
        "pictures when the model can see. Other binary files (PDF, archives, programs) are "
        "refused, naming a command that converts them. UTF-8, UTF-16 with a mark and Latin-1 are "
        "understood; anything but clean UTF-8 is reported. Folders, pipes and devices are "
        "refused: list a folder with the shell or Glob. Several files can be read side by side in "
        "one reply. A file must be read before Write overwrites it, and again when something else "
        "changed it; there is no need to read it again after your own Write or Edit."
    ),
)


class ReadArguments(BaseModel):
    """Arguments of Read."""

    model_config = ConfigDict(extra="forbid")

    file_path: str = Field(description="absolute or relative")
    offset: int = Field(1, description="first line")
    limit: int = Field(DEFAULT_LIMIT, description="lines")

    @field_validator("offset", mode="before")
    @classmethod
    def _offset(cls, value: object) -> object:
        return 1 if value is None or value == 0 else value

    @field_validator("limit", mode="before")
    @classmethod
    def _limit(cls, value: object) -> object:
        return DEFAULT_LIMIT if value is None or value == 0 else value

    @field_validator("offset", "limit")
    @classmethod
    def _counts(cls, value: int) -> int:
        if value < 1:
            raise ValueError("counts from 1")
        return value


class Read:
    """Shows a file to the model: lines, or a picture."""

    name = "Read"
    arguments = ReadArguments
    descriptions = _DESCRIPTIONS

    def __init__(self, copies: Copies) -> None:
        self._copies = copies

    def subjects(self, args: ReadArguments, scope: Scope) -> Sequence[Subject]:
        return (path_subject(args.file_path, scope, SubjectKind.READ),)

    async def run(self, args: ReadArguments, context: CallContext) -> Result:
        try:
            with place(context, args.file_path) as at:
                status = at.status()
                if status is None:
                    raise missing(at)
                refuse_unless_file(status, args.file_path)
                with at.open() as file:
                    return await _show(self._copies, file, status.st_size, args, context)
        except RefusedError as refused:
            return refused.result
        except OSError as error:
            return system_error("read", args.file_path, error)


async def _show(
    copies: Copies, file: BinaryIO, size: int, args: ReadArguments, context: CallContext
) -> Result:
    path = context.subjects[0].narrow
    head = file.read(sniff.SNIFFED) or b""  # None from what would make us wait
    picture = sniff.picture(head)
    if picture is not None:
        _refuse_picture(picture.media_type, size, args, context)
        return _picture(head + file.read(LARGEST_PICTURE), args, path)
    binary = sniff.binary(head, args.file_path)
    if binary is not None:
        raise RefusedError(
            f"{args.file_path} is {binary.what}, not text. "
            f"A command that shows what is in it: {binary.command}"
        )
    held = MARKED_HELD if head.startswith(_WIDE_MARKS) else HELD_WHOLE
    data = head
    if size <= held:
        data += file.read(held) or b""
    if len(data) > held or size > held:  # it may have grown, and a kernel file says that it has 0
        _refuse_wide(head, args.file_path)
        return _text(await _large(file, size and max(size, len(data)), args), args, path)
    digest = digest_of(data)
    copies.keep(digest, data)
    return _text(small_page(data, digest, args.offset, args.limit), args, path)


def _refuse_wide(head: bytes, shown: str) -> None:
    if head.startswith(_WIDE_MARKS):
        raise RefusedError(
            f"{shown} is UTF-16 or UTF-32, and larger than {MARKED_HELD:,} bytes. Convert it in "
            f"the shell: iconv -f UTF-16 -t UTF-8 {quote(shown)} > copy"
        )


async def _large(file: BinaryIO, size: int, args: ReadArguments) -> Page:
    from threading import Event

    from anyio.to_thread import run_sync

    file.seek(0)
    left = Event()
    work = partial(
        large_page,
        file,
        args.offset,
        args.limit,
        most=size or None,
        count_all=size <= COUNTED,
        stopped=left.is_set,
    )
    try:
        return await run_sync(work, abandon_on_cancel=True)
    except StoppedError:
        raise RefusedError(
            f"{args.file_path} has {size:,} bytes, and line {args.offset:,} was not reached in "
            f"{MOST_SECONDS:.0f} s. Look in the shell: tail -n 200, grep -n, or sed -n."
        ) from None
    finally:
        left.set()


def _text(page: Page, args: ReadArguments, path: str) -> Result:
    if page.total == 0 and not page.lines:
        fact = ReadRange(path, 0, 0, page.digest, whole=True)
        return Result.say(
            "\n".join([f"[{args.file_path} is empty: 0 lines]", *page.notes]), facts=(fact,)
        )
    if not page.lines:
        raise RefusedError(
            f"{args.file_path} has {page.total:,} lines; there is no line {args.offset:,}."
        )
    fact = ReadRange(path, page.start, page.end, page.digest, whole=page.whole)
    of = f" of {page.total:,}" if page.total else ""
    display = f"{args.file_path}: lines {page.start:,}-{page.end:,}{of}"
    if page.start == 1 and page.end == page.total:
        display = f"{args.file_path}: {plural(page.total, 'line')}"
    display += f", {page.cut:,} of them cut" if page.cut else ""
    return Result.say(page.text, display=display, facts=(fact,))


def _refuse_picture(media_type: str, size: int, args: ReadArguments, context: CallContext) -> None:
    if not context.vision:
        raise RefusedError(
            f"{args.file_path} is a picture ({media_type}), and the model of provider "
            f"{context.provider} takes no pictures. What it says of itself: file {args.file_path}"
        )
    if size > LARGEST_PICTURE:
        raise RefusedError(
            f"{args.file_path} has {size:,} bytes; a picture may have {LARGEST_PICTURE:,}. "
            f"Make a smaller copy: magick {args.file_path} -resize 1568x1568 small.png"
        )


def _picture(data: bytes, args: ReadArguments, path: str) -> Result:
    from base64 import b64encode

    shown = sniff.picture(data)
    assert shown is not None  # its first bytes said so
    if max(shown.width, shown.height) > WIDEST_PICTURE:
        raise RefusedError(
            f"{args.file_path} is {shown.width:,} x {shown.height:,} pixels; a side may have "
            f"{WIDEST_PICTURE:,}. Make a smaller copy: magick {args.file_path} "
            "-resize 1568x1568 small.png"
        )
    image = Image(shown.media_type, b64encode(data).decode("ascii"), shown.width, shown.height)
    words = f"{args.file_path}: {shown.media_type}, {shown.width} x {shown.height} pixels"
    fact = ReadRange(path, 0, 0, digest_of(data), whole=True)
    return Result((Text(words), image), display=words, facts=(fact,))


def create(context: FactoryContext) -> Read:
    """The tool."""
    return Read(copies_in(context.shared))
