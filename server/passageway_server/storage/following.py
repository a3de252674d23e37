"""One collection of a folder that another process writes, read as it grows.

Nothing is locked, swept or changed here. What is read is durable: a follower must not show what a crash of the one that
writes could take back. It is either told how far that is, or finds it in the files, where it stands in each later frame, in the
number of each later segment, and after a moment without commits in the file DURABLE.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from passageway_server.errors import PassagewayError, SnapshotDamaged
from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.directory import reading
from passageway_server.storage.log.following import LogCursor, LogMoved
from passageway_server.storage.log.frames import HEADER_LENGTH
from passageway_server.storage.log.reading import Logged
from passageway_server.storage.manifest import MANIFEST
from passageway_server.storage.records import DEFAULT_LIMITS
from passageway_server.storage.snapshot import OpenSnapshot

__all__ = ["FollowedCollection", "LogMoved", "Read"]

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Read:
    """A commit, and its frame: *size* bytes up to *end* of the segment whose first commit is number *first*."""

    commit: Logged
    first: int
    end: int
    size: int


class FollowedCollection:
    """A stored collection that somebody else changes, followed by one thread.

    ``snapshot`` is the number of the snapshot that was opened last, ``last`` that of the commit that was read last.
    """

    def __init__(
        self,
        stored: StoredCollection,
        *,
        opening: Callable[[StoredCollection], OpenSnapshot] = StoredCollection.open,
    ) -> None:
        """Snapshots are opened by *opening*: by ``StoredCollection.map`` where their bytes are compared by somebody else."""
        self.name = stored.name
        self._opening = opening
        self.snapshot = self.last = 0
        self._stored = stored
        self._manifest = b""
        self._cursor: LogCursor = stored.follow(0)
        self._durable = 0
        self._ahead = deque[Read]()  # read, and not known to be durable

    def open(self) -> OpenSnapshot:
        """The newest snapshot, mapped; what is read next follows it. NotFound, SnapshotDamaged, FormatTooNew, ReadFailed.

        One that is replaced and removed while it is opened is no damage: then the newer one is opened.
        """
        for tries_left in reversed(range(_TRIES)):
            before = self.newest_snapshot if self._stored.exists() else 0
            try:
                opened = self._opening(self._stored)
                self._manifest = self._read_manifest(opened.version.number)
            except PassagewayError:
                if not tries_left or not before or self.newest_snapshot == before:
                    raise
            else:
                self.snapshot = opened.version.number
                self._follow(self.snapshot)
                return opened
        raise AssertionError  # the last try returns or raises

    @property
    def newest_snapshot(self) -> int:
        """The number of the snapshot that counts. SnapshotDamaged, ReadFailed."""
        return layout.number_of(layout.read_current(self._stored.directory, self.name))

    def is_another(self) -> bool:
        """Whether what stands under the snapshot's number is not what was opened: the collection was made anew.

        SnapshotDamaged where it is gone, or replaced by a later one; ReadFailed.
        """
        return self._read_manifest(self.snapshot) != self._manifest

    def go_on(self, after: int) -> None:
        """Read what follows commit *after* next, wherever it stands."""
        self._follow(after)

    def commits(self, upto: int | None = None) -> Iterator[Read]:
        """The durable commits past ``last``, in order: those up to *upto*, or as far as the files say.

        LogMoved where the log does not lead on; LogDamaged, FormatTooNew, ReadFailed.
        """
        if upto is None:
            with suppress(SnapshotDamaged):  # it says nothing then
                told = layout.read_durable(self._stored.directory, self.name)
                self._durable = max(self._durable, told)
        before = self._cursor.place
        for commit in self._cursor.commits(upto):
            first, end = place = self._cursor.place
            size = end - (before[1] if first == before[0] else HEADER_LENGTH)
            self._ahead.append(Read(commit, first, end, size))
            before = place
            yield from self._safe(upto)
        if upto is None:
            firsts = layout.segments(self._stored.directory, self.name)
            self._durable = max(self._durable, firsts[-1][0] - 1 if firsts else 0)
        yield from self._safe(upto)

    def _safe(self, upto: int | None) -> Iterator[Read]:
        """Of what was read, what no crash takes back."""
        self._durable = max(self._durable, self._cursor.durable)
        limit = self._durable if upto is None else upto
        while self._ahead and self._ahead[0].commit.number <= limit:
            read = self._ahead.popleft()
            self.last = read.commit.number
            yield read

    def _follow(self, after: int) -> None:
        self.last = after
        self._durable = 0
        self._cursor = self._stored.follow(after)
        self._ahead.clear()

    def _read_manifest(self, number: int) -> bytes:
        folder = f"{self.name}/{layout.SNAPSHOTS}/{layout.version_folder(number)}"
        with reading(f"{folder}/{MANIFEST}"):
            return self._stored.directory.read(
                f"{folder}/{MANIFEST}", limit=DEFAULT_LIMITS.bytes + 1
            )
