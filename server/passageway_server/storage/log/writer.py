"""The segment of a log that grows.

**What a crash leaves** is what was synced, and of what was appended since any part, in any order: behind the last
durable commit there may be whole frames, torn ones and zeros. Reading tells them from damage (reading.py).

**After a failed sync** nothing is known: the system may have dropped the bytes and call them written from then on. So
that file is not synced again, nor appended to; the log is read-only until it is opened anew, and opening copies what
it trusts into a new file (opening.py).
"""

import threading
from collections.abc import Mapping
from contextlib import suppress

from passageway_server.errors import ReadOnly
from passageway_server.storage import layout, records
from passageway_server.storage.checksums import crc32c
from passageway_server.storage.directory import Directory, LogFile, parent, writing
from passageway_server.storage.log.files import drop_segments, write_segment
from passageway_server.storage.log.frames import (
    HEADER_LENGTH,
    LOG_LIMITS,
    Header,
    Previous,
    encode_frame,
    encode_header,
)


class Log:
    """A log that takes commits: one thread appends at a time, any may sync or begin the next segment."""

    def __init__(
        self, directory: Directory, collection: str, *, header: Header, size: int = 0
    ) -> None:
        """Go on in the segment of *header*, which is on the disk and holds no commit yet; OSError."""
        self._directory, self._collection = directory, collection
        self._appending = threading.RLock()  # taken before the other one
        self._syncing = threading.Lock()
        self._marking = threading.Lock()
        self._failed: ReadOnly | None = None
        self._file: LogFile | None = None
        self._appended = self._durable = header.first - 1
        self._last = header.first - 1  # a snapshot alone holds what lies between it and _appended
        self._path, self._first, self._salt = "", header.first, header.salt
        self._identity = header.identity
        self._length = self._checksum = self._size = 0
        self._take(header)
        self._size = size

    @property
    def appended(self) -> int:
        """The number of the last commit, which may not be on the disk yet."""
        return self._appended

    @property
    def durable(self) -> int:
        """The number of the last commit that is known to be on the disk."""
        return self._durable

    @property
    def size(self) -> int:
        """Bytes of the commits since `roll` began a segment; after opening, of those that were read then."""
        return self._size

    @property
    def failed(self) -> ReadOnly | None:
        """Why no more commits are taken, if so."""
        return self._failed

    def append(self, number: int, payload: Mapping[str, object]) -> None:
        """Write a commit, the one after ``appended``; on the disk once `sync` has returned.

        DiskFull or StorageFailed with nothing kept; ReadOnly, then or earlier, where that cannot be said.
        ValueError for another number, and for a payload that is no record or past LOG_LIMITS.
        """
        packed = records.encode(payload, limits=LOG_LIMITS)
        with self._appending:
            self._check()
            if number != self._appended + 1:
                raise ValueError(f"commit {number} cannot follow {self._appended}")
            if self._last < self._appended:
                self._begin()  # what lies between is in a snapshot alone
            parts = encode_frame(number, packed, durable_upto=self._durable, salt=self._salt)
            with writing(self._path):
                try:
                    self._open_file().append(parts)
                except OSError:
                    self._take_back()
                    raise
            for part in parts:
                self._checksum = crc32c(part, self._checksum)
                self._length += len(part)
                self._size += len(part)
            self._appended = self._last = number

    def _take_back(self) -> None:
        """Cut off what a failed append left, for good: a commit that failed must not be there after a crash."""
        try:
            self._open_file().cut(self._length)
        except OSError as error:
            raise self._fail(f"a commit could not be taken back ({error.strerror})") from error
        with self._syncing:
            self._sync_file()

    def sync(self) -> None:
        """Wait until all that was appended before the call is on the disk; ReadOnly once that has failed.

        It costs nothing where that is so already.
        """
        asked = self._appended
        if self._durable >= asked:
            return
        with self._syncing:
            if self._durable < asked:
                self._sync_file()

    def _sync_file(self) -> None:
        self._check()
        covered = self._appended
        try:
            self._open_file().sync()
        except OSError as error:
            raise self._fail(f"a sync failed ({error.strerror})") from error
        self._durable = covered

    def mark(self) -> bool:
        """Write down in DURABLE how far the log is on the disk; whether that was done. DiskFull, StorageFailed.

        A log that failed, or was closed, marks nothing: by then another one may have its place.
        """
        with self._marking:
            if self._file is None or self._failed is not None:
                return False
            with writing(f"{self._collection}/{layout.DURABLE}"):
                layout.name_durable(self._directory, self._collection, self._durable)
            return True

    def roll(self, after: int | None = None) -> None:
        """Begin the next segment, whose first commit is the one after ``appended``; ``size`` begins at 0.

        With *after*, commits up to that one are in a snapshot that counts, and the next one follows it; the next
        append tries again where this fails. DiskFull or StorageFailed with the segment before going on; ReadOnly where
        that cannot be said.
        """
        with self._appending:
            self._check()
            if after is not None and after < self._appended:
                raise ValueError(f"the log holds commit {self._appended}, past {after}")
            self.sync()
            if after is not None:
                self._appended = self._durable = after
            self._begin()

    def _begin(self) -> None:
        """Go on in a new segment. All before it is on the disk first, for its name says so."""
        self.sync()
        with self._syncing:
            if self._first == self._appended + 1:
                return
            header = Header.new(
                self._appended + 1,
                after=self._last,
                previous=Previous(self._length, self._checksum),
                identity=self._identity,
            )
            path = layout.segment_file(self._collection, header.first)
            with writing(path):
                write_segment(self._directory, path, [encode_header(header)])
            try:
                self._directory.sync(parent(path))
                self._take(header)
            except OSError as error:
                # Its name may be there or not: a commit in the segment before it would be in doubt.
                raise self._fail(f"a segment could not be begun ({error.strerror})") from error
            self._name_newest()

    def _take(self, header: Header) -> None:
        """Append to the segment of *header* from now on; OSError."""
        path = layout.segment_file(self._collection, header.first)
        file, self._file = self._file, self._directory.append_to(path)
        self._path, self._first, self._salt = path, header.first, header.salt
        self._last = header.first - 1
        self._length, self._checksum = HEADER_LENGTH, crc32c(encode_header(header))
        self._size = 0
        if file is not None:
            with suppress(OSError):
                file.close()

    def _name_newest(self) -> None:
        # Where it cannot be named, LOG names an earlier one, which is kept for as long.
        with suppress(OSError):
            layout.name_newest_segment(self._directory, self._collection, self._first)
        try:
            self._directory.sync(self._collection)
        except OSError as error:
            raise self._fail(f"a sync failed ({error.strerror})") from error

    def drop(self, through: int) -> None:
        """Remove the segments that hold no commit past *through*; the newest one stays. StorageFailed."""
        drop_segments(self._directory, self._collection, through=through)

    def close(self) -> None:
        """Sync what is not on the disk yet, and take no more commits. ReadOnly where the sync fails."""
        with self._appending:
            try:
                if self._file is not None and self._failed is None:
                    self.sync()
            finally:
                with self._syncing, self._marking:
                    file, self._file = self._file, None
                    if file is not None:
                        with suppress(OSError):
                            file.close()

    def _open_file(self) -> LogFile:
        if self._file is None:
            raise ValueError("the log is closed")
        return self._file

    def _check(self) -> None:
        if self._failed is not None:
            raise self._failed.with_traceback(None)

    def _fail(self, found: str) -> ReadOnly:
        self._failed = ReadOnly(self._path, found)
        return self._failed
