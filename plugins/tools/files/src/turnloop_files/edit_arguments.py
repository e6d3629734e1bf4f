"""What the model gives to Edit: one change, or a list of them."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, field_validator, model_validator
from pydantic_core import PydanticCustomError

from turnloop_files.plan import Change

MOST_EDITS = 100


class Replacement(BaseModel):
    """One of several changes."""

    model_config = ConfigDict(extra="forbid")

    old_string: str
    new_string: str
    replace_all: bool | None = None


# Written out: a schema made from the class would be a reference to a definition elsewhere, which
# costs more tokens than the definition.
_ITEM = {
    "type": "object",
    "properties": {
        "old_string": {"type": "string", "description": "exact"},
        "new_string": {"type": "string", "description": "new"},
    },
    "required": ["old_string", "new_string"],
}


class EditArguments(BaseModel):
    """Arguments of Edit."""

    model_config = ConfigDict(extra="forbid")

    file_path: str = Field(description="absolute or relative")
    old_string: str = Field("", description="exact text")
    new_string: str = Field("", description="its replacement")
    replace_all: bool = Field(False, description="every match")
    edits: list[Annotated[Replacement, WithJsonSchema(_ITEM)]] = Field(
        [], description="or several, all or none"
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        """Some models fill in every argument, with null for what they do not mean."""
        if not isinstance(value, dict):
            return value
        return {name: given for name, given in value.items() if given is not None}

    @field_validator("edits", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Some models send a list as the JSON text of one, or a single change without its list."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                return value
        return [value] if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _one_form(self) -> EditArguments:
        if len(self.edits) > MOST_EDITS:
            raise PydanticCustomError(
                "many",
                "{count} edits are too many for one call: send at most {most} at a time",
                {"count": len(self.edits), "most": MOST_EDITS},
            )
        given = {"old_string", "new_string"} & self.model_fields_set
        if not self.edits:
            missing = " and ".join(sorted({"old_string", "new_string"} - given, reverse=True))
            if missing:
                raise PydanticCustomError("incomplete", "{names} missing", {"names": missing})
        elif self.old_string or self.new_string:
            raise PydanticCustomError(
                "both", "give either old_string and new_string, or edits, not both"
            )
        return self

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, in the order given. `replace_all` beside a list holds for all of it."""
        if not self.edits:
            return (Change(self.old_string, self.new_string, self.replace_all),)
        return tuple(
            Change(
                edit.old_string,
                edit.new_string,
                self.replace_all if edit.replace_all is None else edit.replace_all,
            )
            for edit in self.edits
        )
