"""Blocks: the pieces that prompts, replies and results are made of."""

from __future__ import annotations

from typing import Any, ClassVar

from turnloop_core.values import dataclass

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text.

    Attributes:
        text: the words; never empty in a reply that was assembled by the loop.
        opaque: vendor data that arrived with this text (a thought signature, say), or None.
    """

    kind: ClassVar[str] = "text"
    text: str
    opaque: Any = None


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the model thought before it answered.

    Attributes:
        text: the readable part; empty when the vendor hides it.
        opaque: vendor data (signature, encrypted block) to be sent back untouched, or None.
    """

    kind: ClassVar[str] = "reasoning"
    text: str
    opaque: Any = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture.

    Attributes:
        media_type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        data: the bytes, base64-encoded (RFC 4648, no line breaks).
        width: pixels, 0 when unknown.
        height: pixels, 0 when unknown.
    """

    kind: ClassVar[str] = "image"
    media_type: str
    data: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """The model asks for a tool.

    Attributes:
        id: unique within its reply; made by the loop where the wire has none.
        name: the tool's name as the model wrote it.
        arguments: the arguments as received: JSON text, which may be malformed.
        opaque: vendor data attached to the call, or None; goes only where the provider refuses it.
    """

    kind: ClassVar[str] = "call"
    id: str
    name: str
    arguments: str
    opaque: Any = None


Block = Text | Reasoning | Image | Call
ResultBlock = Text | Image
PromptBlock = Text | Image
