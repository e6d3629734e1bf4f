"""The files below a folder, and all that has to be said of those that are not among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from turnloop_search.answers import plural, some

MOST_FILES = 500_000


@dataclass(slots=True)
class Found:
    """What a folder holds. Names are relative to it, with `/`, in the order of their text.

    Attributes:
        files: plain files.
        links: symbolic links; they are named, never followed.
        ignored_files: left out because of ignore rules.
        ignored_folders: the same; what is in them was not counted.
        unread: folders that could not be listed, and what could not be looked at.
        all_of: why ignore rules were not applied, "" when they were.
        cut: why there may be more, "" when there is not.
    """

    files: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    ignored_files: list[str] = field(default_factory=list)
    ignored_folders: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    all_of: str = ""
    cut: str = ""

    def take_in(self, other: Found, folder: str) -> None:
        """Add what a folder below holds."""
        for mine, theirs in (
            (self.files, other.files),
            (self.links, other.links),
            (self.ignored_files, other.ignored_files),
            (self.ignored_folders, other.ignored_folders),
            (self.unread, other.unread),
        ):
            mine.extend(f"{folder}/{name}" for name in theirs)
        self.cut = self.cut or other.cut

    def in_order(self) -> Found:
        """The same, sorted."""
        for names in (self.files, self.links, self.ignored_files, self.ignored_folders):
            names.sort()
        return self

    @property
    def complete(self) -> bool:
        """Nothing that should have been looked at was missed."""
        return not self.cut and not self.unread

    def notes(self) -> Iterable[str]:
        """What the reader has to know, a line each."""
        if self.all_of:
            yield self.all_of
        left_out = []
        if self.ignored_files:
            left_out.append(plural(len(self.ignored_files), "ignored file"))
        if self.ignored_folders:
            count = plural(len(self.ignored_folders), "ignored folder")
            left_out.append(f"{count} ({some(self.ignored_folders)})")
        if left_out:
            yield (
                f"left out: {' and '.join(left_out)}; include_ignored=true, or a path within, "
                "takes them in"
            )
        if self.unread:
            yield f"could not be read: {some(self.unread)}"
        if self.cut:
            yield f"not complete: {self.cut}"
