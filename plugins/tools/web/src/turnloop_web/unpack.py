"""Bodies that a server packed, bounded: a packed body can be a thousand times its size."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from turnloop_core.api import TurnloopError

TAKEN = "gzip, deflate"  # what is asked for
_GZIP = ("gzip", "x-gzip", "deflate")
_GZIP_OR_ZLIB = 47  # zlib's word for "see which it is"
_PIECE = 64 * 1024


class Body:
    """Takes the pieces of a body, and keeps the first bytes of what they say.

    Args:
        packing: the value of `content-encoding`.
        most: how many bytes are kept.

    Raises:
        TurnloopError: it is packed in a way that nobody asked for.

    Attributes:
        kept: the bytes so far.
        cut: there was more.
    """

    def __init__(self, packing: str, most: int) -> None:
        name = packing.strip().lower()
        if name not in ("", "identity", *_GZIP):
            raise TurnloopError(
                f"the answer is packed as {name[:40]!r}, which was not asked for",
                hint="Fetch it on the command line: curl --compressed.",
            )
        self._unpack = zlib.decompressobj(wbits=_GZIP_OR_ZLIB) if name in _GZIP else None
        self._deflate, self._raw, self._begun = name == "deflate", 0, False
        self._most = most
        self.kept = bytearray()
        self.cut = False

    def feed(self, chunk: bytes) -> bool:
        """Take a piece; whether more is wanted.

        Raises:
            TurnloopError: it is not packed as its header says.
        """
        self._raw += len(chunk)
        try:
            for piece in self._pieces(chunk):
                self.kept += piece[: self._most - len(self.kept) + 1]
                if len(self.kept) > self._most:
                    break
        except zlib.error as error:
            raise TurnloopError(f"the body is not packed as its header says: {error}") from error
        # Packed bytes that say nothing are bounded as well.
        self.cut = len(self.kept) > self._most or self._raw > self._most
        del self.kept[self._most :]
        return not self.cut

    def _pieces(self, chunk: bytes) -> Iterator[bytes]:
        if self._unpack is None:
            yield chunk
            return
        data = self._first(chunk)
        while data:
            yield data
            data = self._unpack.decompress(self._unpack.unconsumed_tail, _PIECE)

    def _first(self, chunk: bytes) -> bytes:
        assert self._unpack is not None
        begun, self._begun = self._begun, True
        try:
            return self._unpack.decompress(chunk, _PIECE)
        except zlib.error:
            if begun or not self._deflate:
                raise
        # Some servers say deflate and leave out the header that zlib expects.
        self._unpack = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        return self._unpack.decompress(chunk, _PIECE)
