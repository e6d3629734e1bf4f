"""`tl debug`: for authors of plugins, and for reports of bugs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from turnloop_core.errors import UsageError
from turnloop_core.frontend.options import Top
from turnloop_core.frontend.places import load_quietly
from turnloop_core.registry import ProviderEntry, load_object
from turnloop_core.transport.recorded import describe_error, describe_stream
from turnloop_core.transport.wire_format import WireFormat
from turnloop_core.types.json_text import parse_wire_json

LARGEST = 256 * 1024 * 1024


@click.group()
def debug() -> None:
    """Look at recorded traffic of providers."""


@debug.command()
@click.option("--kind", required=True, metavar="KIND", help="The kind of provider that sent it.")
@click.option(
    "--chunk",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Feed N bytes at a time; 0, the default, feeds all at once.",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.pass_obj
def wire(top: Top, kind: str, chunk: int, files: tuple[str, ...]) -> int:
    """Decode recorded answers, and print one JSON object a file.

    A FILE is the body of a good answer, byte for byte; or, with the ending .json, an error answer:
    an object of "status", "headers" and "body". Nothing is sent anywhere.
    """
    format_ = _format(top, kind)
    for name in files:
        data = _read(name)
        answer = _error_answer(name, data) if name.endswith(".json") else None
        if answer is None:
            told = describe_stream(format_, data, chunk, kind)
        else:
            told = describe_error(answer)
        sys.stdout.write(json.dumps({"file": name, **told}, ensure_ascii=True) + "\n")
    return 0


def _format(top: Top, kind: str) -> WireFormat:
    plugins = load_quietly(top.disabled, top.cwd)
    entry: ProviderEntry = plugins.registries.providers.get(kind)
    if not entry.wire:
        others = ", ".join(e.name for e in plugins.registries.providers if e.wire)
        raise UsageError(
            f"provider kind {kind} has no wire to look at",
            hint=f"name one of: {others}" if others else "none is installed: tl plugins",
        )
    made = load_object(entry.wire)
    if not isinstance(made, WireFormat):
        raise UsageError(f"{entry.wire} is not a WireFormat: a fault of the plugin")
    return made


def _read(name: str) -> bytes:
    try:
        with Path(name).open("rb") as stream:
            data = stream.read(LARGEST + 1)  # devices have no size, and some no end
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from error
    if len(data) > LARGEST:
        raise UsageError(f"{name} is larger than {LARGEST:,} bytes", hint="cut it first")
    return data


def _error_answer(name: str, data: bytes) -> dict[str, Any] | None:
    """The recorded error answer; None for a body that is JSON itself."""
    try:
        value = parse_wire_json(data.decode("utf-8-sig"))
    except ValueError:
        return None
    if not (isinstance(value, dict) and type(value.get("status")) is int and "body" in value):
        return None
    if not isinstance(value.get("headers") or {}, dict):
        raise UsageError(f"{name}: headers is no object", hint='write {"name": "value", ...}')
    return value
