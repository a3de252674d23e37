"""The bytes of a log: the header of a segment, and the frame around a commit.

A frame's checksum begins with a random number, the segment's salt: what stood in the same blocks before, or what
a writer put into a commit to look like a frame, does not pass for one.
"""

import secrets
import struct
from dataclasses import dataclass
from typing import Final

from passageway_server.storage.checksums import crc32c
from passageway_server.storage.records import Limits

MAGIC: Final = b"\x93PSGLOG\n"
LOG_FORMAT: Final = 1
"""The format that is written. Every later one keeps magic, format and checksum of the header in their places."""

HEADER_LENGTH: Final = 64
HEAD_LENGTH: Final = 24
"""Bytes of a frame before its payload."""

LOG_LIMITS: Final = Limits(bytes=256 * 1024 * 1024)
"""The most that the payload of a frame may hold."""

_HEADER: Final = struct.Struct("<8sIIQQQQI8s")
_HEAD: Final = struct.Struct("<IIQQ")
_CHECKED: Final = struct.Struct("<QIQQ")
_CHECKSUM: Final = struct.Struct("<I")


class BadFrame(Exception):
    """What stands at ``offset`` is no frame; ``found`` says why."""

    def __init__(self, offset: int, found: str) -> None:
        self.offset, self.found = offset, found
        super().__init__(f"{found} at offset {offset}")

    def of(self, number: int) -> str:
        """What was found where the commit *number* should be."""
        return f"{self.found} in the place of commit {number}"


@dataclass(frozen=True, slots=True)
class Previous:
    """The segment before another one: how long it was when that one began, and the checksum of those bytes."""

    length: int = 0
    checksum: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """How a segment begins.

    ``after`` is the commit that the segment before it ends with, which is the one before its own ``first`` where it
    holds none. It is the one before this ``first``, or where a snapshot alone holds what lies between, an earlier one.
    ``previous`` is empty in the first segment of a log, and where the one before was repaired. ``identity`` is that of the
    collection, as ``manifest.StoredVersion`` has it.
    """

    first: int
    after: int
    previous: Previous
    salt: int
    identity: str

    @classmethod
    def new(cls, first: int, *, after: int, previous: Previous, identity: str) -> "Header":
        """A header with a salt that nobody knows."""
        return cls(first, after, previous, secrets.randbits(64), identity)


@dataclass(frozen=True, slots=True)
class Frame:
    """A commit in a segment, from ``offset`` up to ``end``."""

    number: int
    durable_upto: int
    payload: bytes
    offset: int

    @property
    def end(self) -> int:
        return self.offset + HEAD_LENGTH + len(self.payload)


def encode_header(header: Header) -> bytes:
    """The 64 bytes of a header."""
    previous = header.previous
    numbers = (header.first, header.salt, header.after, previous.length, previous.checksum)
    packed = _HEADER.pack(MAGIC, LOG_FORMAT, 0, *numbers, header.identity.encode("ascii"))
    return packed + _CHECKSUM.pack(crc32c(packed))


def decode_header(packed: bytes) -> Header:
    """What *packed* says; BadFrame unless it is a header, which has the format that `format_of` tells."""
    if len(packed) < HEADER_LENGTH:
        raise BadFrame(0, f"a header of {len(packed)} bytes")
    body, end = packed[: _HEADER.size], packed[_HEADER.size : HEADER_LENGTH]
    magic, format, none, first, salt, after, length, crc, identity = _HEADER.unpack(body)
    if magic != MAGIC or _CHECKSUM.unpack(end) != (crc32c(body),):
        raise BadFrame(0, "no header of a log")
    if format != LOG_FORMAT or none or not identity.isalnum() or not after < first:
        raise BadFrame(0, "a header that sums up and is wrong")
    return Header(first, after, Previous(length, crc), salt, identity.decode("ascii"))


def format_of(packed: bytes) -> int:
    """The format that a whole header names, whatever else it says; 0 where it is none."""
    body, end = packed[: _HEADER.size], packed[_HEADER.size : HEADER_LENGTH]
    if len(end) < _CHECKSUM.size or _CHECKSUM.unpack(end) != (crc32c(body),):
        return 0
    magic, format = struct.unpack_from("<8sI", body)
    return format if magic == MAGIC else 0


def encode_frame(number: int, payload: bytes, *, durable_upto: int, salt: int) -> list[bytes]:
    """The parts of a frame, to be written one after the other."""
    crc = _sum(salt, number, durable_upto, payload)
    return [_HEAD.pack(len(payload), crc, number, durable_upto), payload]


def decode_head(head: bytes) -> tuple[int, int, int, int]:
    """Length, checksum, number and durable_upto, as they stand in the first 24 bytes of a frame."""
    length, crc, number, durable_upto = _HEAD.unpack(head)
    return length, crc, number, durable_upto


def sums_up(frame: Frame, crc: int, *, salt: int) -> bool:
    """Whether *crc* is the checksum of *frame*, and what it says of itself is possible."""
    expected = _sum(salt, frame.number, frame.durable_upto, frame.payload)
    return crc == expected and frame.durable_upto < frame.number


def _sum(salt: int, number: int, durable_upto: int, payload: bytes) -> int:
    before = crc32c(_CHECKED.pack(salt, len(payload), number, durable_upto))
    return crc32c(payload, before)
