"""Arguments of Bash."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

DEFAULT_LIMIT = 120.0
LONGEST_LIMIT = 600.0


class BashArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    command: str = Field(description="command line")
    timeout_s: float = Field(DEFAULT_LIMIT, description="at most 600")
    description: str = Field("", description="a few words for the user")
    run_in_background: bool = Field(False, description="return at once; no time limit")

    @field_validator("*", mode="before")
    @classmethod
    def _left_out(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[str(info.field_name)]
        return field.default if value is None and not field.is_required() else value

    @field_validator("command")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("is empty")
        return value

    @field_validator("timeout_s", mode="before")
    @classmethod
    def _limit(cls, value: object) -> object:
        return DEFAULT_LIMIT if value == 0 else value

    @field_validator("timeout_s")
    @classmethod
    def _positive(cls, value: float) -> float:
        if not value > 0:
            raise ValueError("must be above 0")
        return value
