"""The way of a commit to its readers: into the log, onto the disk, and only then to be seen.

The writer of a collection appends, one commit at a time, and builds each version on the one before it, seen or not.
Whoever waits for its own commit syncs for all that were appended by then, unless another one is at it: commits that come at
the same time share a sync. They are published in their order. Without a log they are published at once.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from passageway_server.errors import PassagewayError, ReadOnly
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version


class Log(Protocol):
    """Where commits are kept, as storage/log/writer.py keeps them; one thread appends, any may sync."""

    @property
    def size(self) -> int:
        """Bytes of the commits since the snapshot."""
        ...

    def append(self, number: int, payload: Mapping[str, object]) -> None:
        """Keep a commit at the end. DiskFull or StorageFailed with nothing kept; ReadOnly."""
        ...

    def sync(self) -> None:
        """Put on the disk all that was appended before the call. ReadOnly once it has failed, for good."""
        ...

    def mark(self) -> bool:
        """Write down how far the log is on the disk; whether that was done. DiskFull, StorageFailed."""
        ...

    def roll(self, after: int | None = None) -> None:
        """Begin the next file; with *after*, commits up to it are in a snapshot. DiskFull, StorageFailed; ReadOnly."""
        ...

    def close(self) -> None:
        """Sync, and let the file go. ReadOnly."""
        ...


def _nobody() -> None:
    """Nobody listens."""


class Committing:
    """The commits of one collection that are under way, and the version that readers take."""

    def __init__(self, first: Version, *, published: Callable[[Version], None]) -> None:
        """Begin with *first*, which is there to be read; *published* is told of each later one, in order."""
        self.current: Version = first
        self.newest: Version = first  # what the next commit is made on
        self.read_only: PassagewayError | None = None
        self.changed: Callable[[], None] = _nobody
        """Told once other versions can be read, and when no commit is taken any more; it must not wait."""
        self._published = published
        self.log: Log | None = None
        self._sync_each = False
        self._at_once = True  # what is appended is published before it is synced
        self._pending = deque[Version]()
        self._syncing = False
        self._moved = threading.Condition()

    def keep_in(self, log: Log, *, sync_each: bool) -> None:
        """Append to *log* from now on, and where *sync_each* publish nothing that is not on the disk."""
        with self._moved:
            self.log = log
            self._sync_each = sync_each
            # The first commit after an opening brings a new epoch of tokens, which no crash may take back.
            self._at_once = False

    def append(self, version: Version, record: Callable[[], Mapping[str, object]]) -> None:
        """Log *version*, the next after the newest, by its *record*; the writer alone calls this.

        Raises DiskFull or StorageFailed with nothing changed, and ReadOnly.
        """
        self.check()
        if self.log is not None:
            try:
                self.log.append(version.identity.number, record())
            except ReadOnly as error:
                self.fail(error)
                raise
        with self._moved:
            self.check()  # a sync may have failed meanwhile
            self.newest = version
            self._pending.append(version)
            if self._at_once:
                self._publish(through=version)

    def adopt(self, version: Version) -> None:
        """Publish *version*, a commit that is on the disk already, or the same one in another form."""
        with self._moved:
            self.newest = version
            self._pending.append(version)
            self._publish(through=version)

    def exchange(self, version: Version) -> None:
        """Let *version* take the place of the newest, of which it is another form; of none, where that was dropped."""
        with self._moved:
            if version.identity != self.newest.identity:
                return
            self.newest = version
            if self._pending:
                self._pending[-1] = version
            else:
                self._published(version)
                self.current = version

    def settle(self, number: int) -> None:
        """Wait until commit *number*, which was appended, can be seen; sync for all where nobody does.

        Raises ReadOnly where that cannot be.
        """
        while not self._seen(number):
            newest = self.newest
            try:
                self._sync()
            except BaseException:
                self._resume()
                raise
            with self._moved:
                if self.read_only is None:
                    self._at_once = not self._sync_each
                    self._publish(through=newest)
                self._syncing = False
                self._moved.notify_all()

    def _seen(self, number: int) -> bool:
        """Whether *number* is published; False for the one who is to sync, once nobody else does."""
        with self._moved:
            while self.current.identity.number < number:
                self.check()
                if not self._syncing:
                    self._syncing = True
                    return False
                self._moved.wait()
            return True

    def _resume(self) -> None:
        with self._moved:
            self._syncing = False
            self._moved.notify_all()

    def sync(self) -> None:
        """Put on the disk what was published before it was there. ReadOnly, where that fails, for good."""
        self.check()
        self._sync()

    def _sync(self) -> None:
        log = self.log  # which a close takes away
        if log is None:
            return
        try:
            log.sync()
        except ReadOnly as error:
            self.fail(error)
            raise

    def mark(self) -> bool:
        """Write down how far the log is on the disk; whether there is one that did. Raises what it does."""
        log = self.log
        return log is not None and log.mark()

    def roll(self, after: int | None = None) -> None:
        """Begin the next file of the log, as it does. Raises what it does."""
        log = self.log
        if log is None:
            return
        try:
            log.roll(after)
        except ReadOnly as error:
            self.fail(error)
            raise

    def look_again(self) -> None:
        """Let those who wait until something is so look whether it is."""
        with self._moved:
            self._moved.notify_all()

    def wait_until(self, is_so: Callable[[], bool], halt: Halt, *, seconds: float) -> bool:
        """Whether what hangs on the versions that can be seen *is_so* within *seconds*. Raises DeadlineExceeded, Cancelled."""

        def comes(moment: float) -> bool:
            with self._moved:
                return self._moved.wait_for(is_so, timeout=moment)

        return halt.wait_for(comes, seconds=seconds)

    def check(self) -> None:
        """Raise ReadOnly where no commit is taken any more."""
        if self.read_only is not None:
            raise self.read_only.with_traceback(None)

    def close(self) -> None:
        """Let the log go."""
        with self._moved:
            log, self.log = self.log, None
        if log is not None:
            log.close()

    def fail(self, error: PassagewayError) -> None:
        """Take no more commits: what was not published is dropped, whether or not the disk kept it."""
        with self._moved:
            self.read_only = self.read_only or error
            self._pending.clear()
            self.newest = self.current
            self._moved.notify_all()
        self.changed()

    def _publish(self, *, through: Version) -> None:
        """Let readers see the pending versions up to *through*."""
        last = through.identity.number
        while self._pending and self._pending[0].identity.number <= last:
            version = self._pending.popleft()
            self._published(version)
            self.current = version
        self._moved.notify_all()
        self.changed()
