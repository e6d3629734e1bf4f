"""Events as lines of JSON, for programs: `tl -p PROMPT --json`.

One event per line, `{"v": 1, "event": "call_started", ...}`; the fields are those of the class in
`types/events.py`. The first line is `session`, the last one `run_ended`, with the exit status, the
answer and the error if there was one. An error that comes before the session is one `error` line.
All lines are ASCII: everything else, control characters too, is escaped.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnloop_core.types.events import Event

SCHEMA_VERSION = 1


def encode(name: str, /, **values: Any) -> str:
    """One line."""
    import json

    return json.dumps({"v": SCHEMA_VERSION, "event": name, **values}) + "\n"


def encode_event(event: Event, **more: Any) -> str:
    """One line for an event: all its own fields, also those at their default."""
    from turnloop_core.types.codec import to_json

    own = {f.name: to_json(getattr(event, f.name)) for f in fields(event)}
    return encode(event.kind, **own, **more)
