"""Upper and lower case: the file system is asked, not the platform."""

from __future__ import annotations

import os


def folds_case(path: str) -> bool:
    """Whether the file system takes upper and lower case for the same where `path` is.

    Asked of the nearest part of the path that exists and has letters: is it there under the other
    case too? Without such a part the answer is no.
    """
    while True:
        above, _, name = path.rpartition(os.sep)
        if not name:
            return False
        swapped = name.swapcase()
        if swapped != name:
            try:
                status = os.lstat(path)
            except (OSError, ValueError):  # a NUL character
                path = above
                continue
            try:
                return os.path.samestat(status, os.lstat(f"{above}{os.sep}{swapped}"))
            except OSError:
                return False
        path = above
