"""Work that blocks, in a thread that nobody waits for once its result is of no use.

A thread of a pool is joined when the program ends, so one that cannot be stopped would hold up a
user who interrupts.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Found = TypeVar("Found")


async def in_background(function: Callable[..., Found], *arguments: Any) -> Found:
    """What the function gives, or raises. Cancelled, it is left to itself."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Found] = loop.create_future()

    def work() -> None:
        try:
            found = function(*arguments)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever awaits the result
            # A future takes no StopIteration, and nothing that would end the loop.
            fit = isinstance(error, Exception) and not isinstance(error, StopIteration)
            told = error if fit else RuntimeError(f"{type(error).__name__} in a thread")
            _tell(loop, future, lambda: future.set_exception(told))
        else:
            _tell(loop, future, lambda: future.set_result(found))

    threading.Thread(target=work, name="turnloop-web", daemon=True).start()
    return await future


def _tell(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], tell: Callable[[], None]
) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody listens any more
        loop.call_soon_threadsafe(lambda: None if future.done() else tell())
