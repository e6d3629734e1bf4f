"""What a session has on record, for tests that look at attempts."""

from __future__ import annotations

from pathlib import Path

from turnloop_core.log.reader import read_log
from turnloop_core.log.records import AttemptRecord


def attempts(log_path: Path) -> list[AttemptRecord]:
    """The attempts of a session, in their order."""
    bodies = [record.body for record in read_log(log_path).records]
    return [body for body in bodies if isinstance(body, AttemptRecord)]
