"""One approver for all sessions of a process."""

from __future__ import annotations

import anyio

from turnloop_core.ports.approver import (
    Approver,
    PermissionAnswer,
    PermissionQuestion,
    UserQuestion,
)


class ApproverQueue:
    """One question at a time, whoever asks: a child's questions never race with its parent's."""

    def __init__(self, approver: Approver) -> None:
        self._approver = approver
        self._lock = anyio.Lock()

    @property
    def interactive(self) -> bool:
        return self._approver.interactive

    async def permission(self, question: PermissionQuestion) -> PermissionAnswer:
        async with self._lock:
            return await self._approver.permission(question)

    async def answer(self, question: UserQuestion) -> str | None:
        async with self._lock:
            return await self._approver.answer(question)
