"""Scripts: YAML files that say what the model answers. `README.md` describes the format."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from turnloop_core import api
from turnloop_core.api import ProviderError, SettingsError, StopReason, Usage
from turnloop_mock.yaml_lines import Lines, read_yaml

MAX_BYTES = 10_000_000


def _json_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        raise ValueError("must be a map, or the raw text of one")  # noqa: TRY004 - for pydantic
    odd = [key for key in arguments if not isinstance(key, str)]
    if odd:
        raise ValueError(f"YAML takes the key {odd[0]!r} for something else than text: quote it")
    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot be written as JSON ({error}): quote it") from None


def _error_class(name: str) -> str:
    names = [n for n in api.__all__ if n.endswith("Error")]
    known = [n for n in names if issubclass(getattr(api, n), ProviderError)]
    if name not in known:
        raise ValueError(f"no error of a provider is called that; there are: {', '.join(known)}")
    return name


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CallPart(_Part):
    """A call. `arguments` is an object, or raw text that need not be JSON."""

    name: str = Field(min_length=1)
    arguments: Annotated[str, BeforeValidator(_json_text)] = "{}"
    id: str = ""


class UsagePart(_Part):
    """Tokens that the reply reports."""

    input: int = Field(0, ge=0)
    output: int = Field(0, ge=0)
    cache_read: int = Field(0, ge=0)
    cache_write: int = Field(0, ge=0)
    reasoning: int = Field(0, ge=0)

    @property
    def usage(self) -> Usage:
        return Usage(**self.model_dump())


class WaitPart(_Part):
    """A wait before the reply, as a transport would tell of it."""

    what: Literal["retry", "boot", "capacity"] = "retry"
    seconds: float = Field(0.0, ge=0)
    reason: str = "the script says so"


class ErrorPart(_Part):
    """A provider error, raised after what the turn says before it."""

    kind: Annotated[str, AfterValidator(_error_class)]
    message: str = "the script says so"
    hint: str = ""

    @property
    def error(self) -> ProviderError:
        made: ProviderError = getattr(api, self.kind)(self.message, hint=self.hint)
        return made


class ExpectPart(_Part):
    """What must hold of the request, or else the script has gone astray."""

    prompt_contains: list[str] = Field(default_factory=list)
    last_result_contains: list[str] = Field(default_factory=list)
    last_result_ok: bool | None = None
    tools: list[str] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _one_is_a_list(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        lists = ("prompt_contains", "last_result_contains", "tools")
        return {key: _as_list(value) if key in lists else value for key, value in data.items()}


class TurnPart(_Part):
    """One reply."""

    expect: ExpectPart = ExpectPart()
    waits: list[WaitPart] = Field(default_factory=list)
    reasoning: str = ""
    text: str = ""
    calls: list[CallPart] = Field(default_factory=list)
    stop: StopReason | None = None
    usage: UsagePart | None = None
    error: ErrorPart | None = None
    cut: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _whole(self) -> TurnPart:
        ids = [call.id for call in self.calls if call.id]
        if len(set(ids)) != len(ids):
            raise ValueError("two calls share an id")
        if self.error is not None and self.cut is not None:
            raise ValueError("give `error` or `cut`, not both")
        if self.stop is not None and (self.error is not None or self.cut is not None):
            raise ValueError("a turn that does not end has no `stop`")
        return self

    @property
    def stop_reason(self) -> StopReason:
        if self.stop is not None:
            return self.stop
        return StopReason.TOOL_USE if self.calls else StopReason.END_TURN

    @property
    def makes_a_turn(self) -> bool:
        """Whether the loop makes a turn of it, which then stands in the view."""
        if self.error is not None or self.cut is not None:
            return False
        if self.calls:
            return self.stop_reason in (StopReason.TOOL_USE, StopReason.END_TURN)
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class Script:
    """A script that was read and found right."""

    path: Path
    turns: tuple[TurnPart, ...]
    lines: Lines

    def where(self, turn: int, *place: str | int) -> str:
        """File and line of a turn (from 0), or of something in it."""
        return f"{self.path}:{self.lines.line(turn, *place)}"


_TURNS = TypeAdapter(list[TurnPart])


def read_script(path: Path) -> Script:
    """Read a script.

    Raises:
        SettingsError: it cannot be read, is no YAML, or is no script; names file and line.
    """
    try:
        raw = path.read_bytes()[: MAX_BYTES + 1]
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise SettingsError(
            f"cannot read the script: {error.strerror or error}",
            where=str(path),
            hint="relative paths start at the project root",
        ) from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"is not UTF-8 (byte {error.start})", where=str(path)) from None
    if len(raw) > MAX_BYTES:
        raise SettingsError(f"is larger than {MAX_BYTES:,} bytes", where=str(path))
    data, lines = read_yaml(text, path)
    if not isinstance(data, list) or not data:
        raise SettingsError(
            "a script is a list of turns", where=str(path), hint='begin with "- text: Hello."'
        )
    try:
        return Script(path, tuple(_TURNS.validate_python(data)), lines)
    except ValidationError as error:
        raise _first_problem(error, path, lines) from None


def _first_problem(error: ValidationError, path: Path, lines: Lines) -> SettingsError:
    first = error.errors(include_url=False)[0]
    place = first["loc"]
    shown = ".".join(str(part) for part in place[1:])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "there is no such key"
    turn = place[0] if place else 0
    number = turn + 1 if isinstance(turn, int) else turn
    return SettingsError(
        f"turn {number}{f', {shown}' if shown else ''}: {message}",
        where=f"{path}:{lines.line(*place)}",
        key=shown,
        hint="the format stands in the README of turnloop-mock",
    )
