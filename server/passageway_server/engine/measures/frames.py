"""How a server and the process of a measure talk: frames, each a kind, a length and that many bytes.

The server sends one question, as JSON, and the arrays that it names; back come shares done, arrays, and an end.
"""

import struct
from collections.abc import Iterator
from typing import BinaryIO

QUESTION, ARRAY, SHARE, END = b"Q", b"A", b"S", b"E"
_HEADER = struct.Struct("<cQ")
_SHARE = struct.Struct("<d")

Frame = tuple[bytes, bytes]
"""A kind, and what the frame holds."""


def header(kind: bytes, length: int) -> bytes:
    """What comes before the *length* bytes of a frame."""
    return _HEADER.pack(kind, length)


def write(out: BinaryIO, kind: bytes, content: bytes = b"") -> None:
    """Write a frame, and see that it leaves."""
    out.write(header(kind, len(content)))
    out.write(content)
    out.flush()


def write_share(out: BinaryIO, done: float) -> None:
    """Tell how much is done, 0 to 1."""
    write(out, SHARE, _SHARE.pack(done))


def share(content: bytes) -> float:
    """What a frame of a share holds."""
    (done,) = _SHARE.unpack(content)
    return float(done)


def read(source: BinaryIO) -> Frame:
    """The next frame; EOFError where the other side is gone."""
    kind, length = _HEADER.unpack(_exactly(source, _HEADER.size))
    return kind, _exactly(source, length)


def _exactly(source: BinaryIO, length: int) -> bytes:
    content = source.read(length)
    if len(content) < length:
        raise EOFError
    return content


class Arriving:
    """Frames out of bytes that come in pieces."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def frames(self, piece: bytes) -> Iterator[Frame]:
        """The frames that are whole with *piece*."""
        self._waiting += piece
        while len(self._waiting) >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._waiting)
            end = _HEADER.size + length
            if len(self._waiting) < end:
                return
            content = bytes(self._waiting[_HEADER.size : end])
            del self._waiting[:end]
            yield kind, content
