"""Arguments that both tools have."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

MOST_SHOWN = 5_000


class SearchArguments(BaseModel):
    """What both tools take."""

    model_config = ConfigDict(extra="forbid")

    pattern: str = Field(description="glob")
    path: str = Field("", description="folder or file")
    include_ignored: bool = Field(False, description="files of .gitignore too")
    limit: int = Field(100, description="most shown")
    offset: int = Field(0, description="to pass over")

    @model_validator(mode="before")
    @classmethod
    def _null_is_left_out(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}

    @field_validator("limit", mode="before")
    @classmethod
    def _limit(cls, value: object) -> object:
        return 100 if value == 0 else value

    @field_validator("limit")
    @classmethod
    def _bounded(cls, value: int) -> int:
        if not 1 <= value <= MOST_SHOWN:
            raise ValueError(f"from 1 to {MOST_SHOWN:,}; offset goes on from there")
        return value

    @field_validator("offset")
    @classmethod
    def _counts(cls, value: int) -> int:
        if value < 0:
            raise ValueError("counts from 0")
        return value
