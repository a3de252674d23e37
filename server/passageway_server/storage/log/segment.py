"""A segment of a log, read from its start to where it is good, and searched behind that."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from passageway_server.errors import FormatTooNew, LogDamaged, SnapshotDamaged
from passageway_server.storage import layout
from passageway_server.storage.checksums import crc32c
from passageway_server.storage.directory import Directory, reading
from passageway_server.storage.log.frames import (
    HEAD_LENGTH,
    HEADER_LENGTH,
    LOG_FORMAT,
    LOG_LIMITS,
    BadFrame,
    Frame,
    Header,
    Previous,
    decode_head,
    decode_header,
    format_of,
    sums_up,
)

_READ_AT_ONCE: Final = 1 << 20
_LEAST_FRAME: Final = HEAD_LENGTH + 1
_MOST_MISSING: Final = 1024
_MOST_SEARCHED: Final = 4 << 30
"""Bytes that are summed in vain before a search gives up: it is a search for hints, not for content."""


class Segment:
    """A file of a log. What it reads is checked, and where the file ends is looked at when it is opened."""

    def __init__(self, directory: Directory, path: str) -> None:
        """Open the segment at *path*, which has no header where it is none. ReadFailed."""
        self.path = path
        self._directory = directory
        self._window, self._window_at = b"", 0
        self.size, self._none = 0, ""
        try:
            with reading(path):
                self.size = directory.size(path)
        except SnapshotDamaged as damage:
            self._none = damage.found
        self.length = self.size

    def end_at(self, length: int) -> None:
        """Take the segment to end after *length* bytes, where it is longer."""
        self.length = min(self.size, length)

    def header(self) -> Header:
        """How it begins. BadFrame unless it is whole, FormatTooNew, ReadFailed."""
        if self._none:
            raise BadFrame(0, self._none)
        packed = self.read(0, HEADER_LENGTH)
        if (found := format_of(packed)) > LOG_FORMAT:
            raise FormatTooNew(self.path, found=found, newest=LOG_FORMAT)
        return decode_header(packed)

    def frame(self, at: int, *, salt: int) -> Frame | None:
        """The frame at *at*; None where the segment ends, or holds only zeros from there on. BadFrame."""
        head = self.read(at, HEAD_LENGTH)
        if not any(head):
            if self.zeros_from(at):
                return None
            raise BadFrame(at, "zeros, and then more")
        if len(head) < HEAD_LENGTH:
            raise BadFrame(at, f"{len(head)} bytes where a frame should begin")
        length, crc, number, durable_upto = decode_head(head)
        if not 0 < length <= LOG_LIMITS.bytes or at + HEAD_LENGTH + length > self.length:
            raise BadFrame(at, f"a frame of {length} bytes, which do not follow")
        frame = Frame(number, durable_upto, self.read(at + HEAD_LENGTH, length), at)
        if not sums_up(frame, crc, salt=salt):
            raise BadFrame(at, "a frame whose checksum is not its own")
        return frame

    @property
    def behind(self) -> int:
        """How many bytes stand behind the end that the next segment names: none, for no crash leaves such."""
        return self.size - self.length

    @property
    def said_behind(self) -> str:
        return f"{self.behind} bytes behind the end that the next segment names"

    def search(self, at: int, *, salt: int, after: int) -> Iterator[Frame]:
        """The good frames of commits past *after* from *at* on, where a bad one stands, as far as they are found."""
        spent = 0
        while True:
            found = None
            for place in self._likely(at, after):
                try:
                    found = self.frame(place, salt=salt)
                except BadFrame:
                    spent += decode_head(self.read(place, HEAD_LENGTH))[0]
                if found or spent > _MOST_SEARCHED:
                    break
            if found is None:
                return
            try:
                while found:
                    yield found
                    at, after = found.end, found.number
                    found = self.frame(at, salt=salt)
                return
            except BadFrame:
                continue

    def _likely(self, start: int, after: int) -> Iterator[int]:
        """Where a frame might begin from *start* on: its length fits, and so do its numbers."""
        at = start
        while at + _LEAST_FRAME <= self.length:
            part = self.read(at, _READ_AT_ONCE)
            count = len(part) - HEAD_LENGTH + 1
            if count <= 0:
                return
            lengths, numbers, durables = (
                np.ndarray((count,), dtype, part, offset, (1,))
                for dtype, offset in (("<u4", 0), ("<u8", 8), ("<u8", 16))
            )
            # Each commit in between took a frame, so the way bounds the number: not sharply, for bytes may be missing.
            reach = np.arange(at - start, at - start + count, dtype=np.uint64) // _LEAST_FRAME
            fits = (lengths > 0) & (lengths <= min(LOG_LIMITS.bytes, self.length - at))
            fits &= (numbers > after) & (numbers <= reach + np.uint64(after + _MOST_MISSING))
            fits &= durables < numbers
            yield from (at + int(place) for place in np.flatnonzero(fits))
            at += count

    def zeros_from(self, at: int) -> bool:
        """Whether nothing but zeros stands from *at* on."""
        while part := self.read(at, _READ_AT_ONCE):
            if part.count(0) != len(part):
                return False
            at += len(part)
        return True

    def checksum_of(self, length: int) -> int:
        """The checksum of the first *length* bytes, or of all where there are fewer."""
        crc = 0
        for part in self.parts(0, length):
            crc = crc32c(part, crc)
        return crc

    def parts(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from *start* to *end*, or to where the segment ends, a part at a time."""
        while start < end and (part := self.read(start, min(_READ_AT_ONCE, end - start))):
            yield part
            start += len(part)

    def previous(self, length: int) -> Previous:
        """What the next segment says of this one, when this one ends after *length* bytes."""
        return Previous(length, self.checksum_of(length))

    def read(self, at: int, count: int) -> bytes:
        """Up to *count* bytes from *at* on; those behind the end, as it was on opening, are not there. ReadFailed."""
        count = min(count, self.length - at)
        if count <= 0:
            return b""
        start = at - self._window_at
        if start < 0 or start + count > len(self._window):
            with _reading(self.path):
                limit = min(max(count, _READ_AT_ONCE), self.length - at)
                self._window = self._directory.read(self.path, offset=at, limit=limit)
            self._window_at, start = at, 0
        return self._window[start : start + count]


def open_segments(
    directory: Directory, collection: str, *, after: int, identity: str
) -> list[tuple[Segment, Header | BadFrame]]:
    """The segments of a log from the one with the commit past *after* on, each with its header or what is in its place.

    A segment ends where the next one says that it does, and is of the collection with that *identity*, unless it is "".
    LogDamaged, FormatTooNew, ReadFailed.
    """
    opened: list[tuple[Segment, Header | BadFrame]] = []
    for first, path in layout.needed_segments(directory, collection, after=after):
        segment = Segment(directory, path)
        header: Header | BadFrame
        try:
            header = segment.header()
        except BadFrame as bad:
            header = bad
        if isinstance(header, Header):
            if identity not in ("", header.identity):
                found = "a segment of another collection, or of an earlier one of this name"
                header = BadFrame(0, found)
            elif header.first != first:
                header = BadFrame(0, f"a header of segment {header.first}")
            elif opened and header.previous.length:
                opened[-1][0].end_at(header.previous.length)
        opened.append((segment, header))
    return opened


@contextmanager
def _reading(path: str) -> Generator[None]:
    """Turn OSError into LogDamaged where the file is gone, or none, else into ReadFailed."""
    try:
        with reading(path):
            yield
    except SnapshotDamaged as damage:
        raise LogDamaged(path, offset=0, found=damage.found) from damage
