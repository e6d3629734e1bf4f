"""Content types: what can be shown, and what to do about the rest."""

from __future__ import annotations

import re
import shlex
from typing import Literal

Kind = Literal["html", "text", "unclear", "other"]

UNKNOWN = "unknown"
_MEDIA = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)
_SPOKEN = (  # what stands after `application/`, an x- before it or not
    *("json", "jsonl", "ndjson", "xml", "yaml", "toml", "javascript", "ecmascript", "typescript"),
    *("sh", "sql", "graphql", "httpd-php", "tex", "rtf"),
)
_HTML = ("text/html", "application/xhtml+xml")
_UNCLEAR = ("", UNKNOWN, "application/octet-stream", "binary/octet-stream", "application/unknown")
_ARCHIVES = ("zip", "tar", "gzip", "compress", "7z", "rar", "bzip", "xz", "zstd")
_OFFICE = ("officedocument", "opendocument", "msword", "ms-excel", "ms-powerpoint", "epub")


def media_type(header: str) -> str:
    """`text/html` of `Text/HTML; charset=utf-8`; "" for none, "unknown" for what is no type."""
    media = header.partition(";")[0].strip().lower()
    return media if not media or (len(media) <= 100 and _MEDIA.fullmatch(media)) else UNKNOWN


def charset(header: str) -> str:
    """The charset that a content type names, "" for none."""
    for part in header.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""


def kind_of(media: str) -> Kind:
    """What a media type is to us. `unclear` needs a look at the bytes."""
    if media in _HTML:
        return "html"
    top, _, sub = media.partition("/")
    if top in ("text", "message") or sub.endswith(("+json", "+xml", "+yaml")):
        return "text"
    if top == "application" and sub.removeprefix("x-") in _SPOKEN:
        return "text"
    return "unclear" if media in _UNCLEAR else "other"


def instead(media: str, url: str) -> str:
    """What can be done on the command line with what is not shown here."""
    address = shlex.quote(url)
    top, _, sub = media.partition("/")
    if media == "application/pdf":
        return f"On the command line: curl -sSLo page.pdf {address} && pdftotext -layout page.pdf -"
    if top == "image":
        return f"Save it, curl -sSLO {address}, and look at it with Read."
    if top in ("audio", "video"):
        return f"On the command line: ffprobe {address}"
    if any(word in sub for word in _OFFICE):
        return f"Save it, curl -sSLO {address}, and convert it (pandoc, libreoffice --headless)."
    if any(word in sub for word in _ARCHIVES):
        return f"Save it, curl -sSLO {address}, and list it with tar -tf or unzip -l."
    return f"Save it, curl -sSLO {address}, and see what it is with file."
