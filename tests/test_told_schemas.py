"""What the model is told of a schema at each length."""

from __future__ import annotations

from typing import Any

import pytest

from turnloop_core.ports.tool import Verbosity
from turnloop_core.schemas import told_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "$defs": {
        "Step": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"text": {"type": "string", "maxLength": 9, "description": "words"}},
        }
    },
    "properties": {
        "default": {"type": "integer", "description": "a name like a keyword", "default": 7},
        "description": {"type": "string", "default": ""},
        "maxItems": {"type": "integer", "default": 0, "minimum": 0, "maximum": 5},
        "deep": {"anyOf": [{"type": "boolean", "default": False}, {"$ref": "#/$defs/Step"}]},
        "steps": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/Step"}},
    },
    "required": ["steps"],
}

TERSE: dict[str, Any] = {
    "type": "object",
    "$defs": {"Step": {"type": "object", "properties": {"text": {"type": "string"}}}},
    "properties": {
        "default": {"type": "integer"},
        "description": {"type": "string"},
        "maxItems": {"type": "integer", "minimum": 0, "maximum": 5},
        "deep": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/Step"}]},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
    },
    "required": ["steps"],
}

NORMAL: dict[str, Any] = {
    **TERSE,
    "$defs": {
        "Step": {
            "type": "object",
            "properties": {"text": {"type": "string", "description": "words"}},
        }
    },
    "properties": {
        **TERSE["properties"],
        "default": {"type": "integer", "description": "a name like a keyword", "default": 7},
    },
}

VERBOSE: dict[str, Any] = {
    **SCHEMA,
    "$defs": {
        "Step": {"type": "object", "properties": SCHEMA["$defs"]["Step"]["properties"]},
    },
}
del VERBOSE["additionalProperties"]


@pytest.mark.parametrize(
    ("length", "told"), [("terse", TERSE), ("normal", NORMAL), ("verbose", VERBOSE)]
)
def test_a_schema_is_told_at_three_lengths(length: Verbosity, told: dict[str, Any]) -> None:
    assert told_of(SCHEMA, length) == told
