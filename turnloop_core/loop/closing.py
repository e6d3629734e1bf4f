"""Closing a stream, also when the run was cancelled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio

T = TypeVar("T")

CLOSE_WITHIN_S = 2.0


@asynccontextmanager
async def closing(stream: AsyncIterator[T]) -> AsyncIterator[AsyncIterator[T]]:
    """`stream`, closed at the end if it can be: an early end must close the connection.

    Closing is shielded from cancellation, for at most `CLOSE_WITHIN_S`.
    """
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            with anyio.move_on_after(CLOSE_WITHIN_S, shield=True):
                await close()
