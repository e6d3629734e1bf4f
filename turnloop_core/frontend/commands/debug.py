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
        answer = _error_answer(data) if name.endswith(".json") else None
        told = describe_stream(format_, data, chunk) if answer is None else describe_error(answer)
        line = json.dumps({"file": name, **told}, ensure_ascii=True)
        sys.stdout.write(line + "\n")
    return 0


def _format(top: Top, kind: str) -> WireFormat:
    plugins = load_quietly(top.disabled, top.cwd)
    entry: ProviderEntry = plugins.registries.providers.get(kind)
    if not entry.wire:
        raise UsageError(
            f"provider kind {kind} has no wire to look at",
            hint="name one of: " + ", ".join(e.name for e in plugins.registries.providers if e.wire)
            or "none is installed: tl plugins",
        )
    made = load_object(entry.wire)
    if not isinstance(made, WireFormat):
        raise UsageError(f"{entry.wire} is not a WireFormat: a fault of the plugin")
    return made


def _read(name: str) -> bytes:
    try:
        path = Path(name)
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{name} is larger than {LARGEST:,} bytes", hint="cut it first")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from error


def _error_answer(data: bytes) -> dict[str, Any] | None:
    """The recorded error answer; None for a body that is JSON itself."""
    try:
        value = json.loads(data)
    except ValueError:
        return None
    is_answer = isinstance(value, dict) and isinstance(value.get("status"), int) and "body" in value
    return value if is_answer else None
