"""The snapshots that spare a restart the log: one of each collection counts, and is replaced when much was committed since.

One at a time is written; the caller sees to that.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.times import from_micros
from passageway_server.errors import (
    NotDurable,
    PassagewayError,
    ReadOnly,
    Stopping,
    StorageFailed,
    bare,
)
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.snapshot import OpenSnapshot, Snapshot
from passageway_server.version import persist
from passageway_server.version.collection import Collection
from passageway_server.version.derivatives import under
from passageway_server.version.durability import Durability
from passageway_server.version.recovering import KEYS, LINES, opened_version
from passageway_server.version.version import Version

_KEPT = 1  # snapshots before the one that counts
_PART = 2  # of the bytes of a snapshot: a log as long is worth a new one
_PAUSE, _LONGEST_PAUSE = 10.0, 3600.0  # seconds after one that failed

_LOG = logging.getLogger("passageway.server")


class Checkpoints:
    """The snapshots of the collections of *folder* that count, by name.

    ``failed`` tells of collections whose snapshots cannot be written why, where that will not change by itself.
    ``now`` gives microseconds since 1970, ``timer`` seconds since some moment.
    """

    def __init__(
        self,
        folder: DataFolder,
        durability: Durability,
        *,
        now: Callable[[], int],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counting: dict[str, Snapshot] = {}
        self.folder = folder
        self._durability = durability
        self._now = now
        self._timer = timer
        self._since: dict[str, float] = {}  # when the first commit past the snapshot was seen
        self.failed: dict[str, Exception] = {}
        self._not_before: dict[str, float] = {}  # of those that failed
        self._pause: dict[str, float] = {}

    def write(self, name: str, collection: Collection) -> Snapshot:
        """Let a snapshot of the newest version count, unless one does. DiskFull, StorageFailed, NotDurable; ReadOnly.

        What fails leaves everything as it was, and the next one is not due for a while.
        """
        known, number = self.counting.get(name), collection.current.identity.number
        if known is not None and known.manifest.version.number == number:
            return known
        if collection.read_only is not None:
            raise collection.read_only.with_traceback(None)
        collection.resume()
        try:
            written = self._write(name, collection, collection.merge(), previous=known)
        except BaseException as error:
            self._put_off(name, error)
            raise
        with suppress(StorageFailed, ReadOnly):  # the log goes on where it was
            collection.roll()
        self._drop_old(name)
        return written

    def try_to_write(self, name: str, collection: Collection) -> None:
        """As `write`; what fails is not raised. It is tried again later, and the log goes on in its place."""
        try:
            self.write(name, collection)
        except (StorageFailed, ReadOnly, Stopping):
            pass  # whoever commits hears of it
        except Exception as error:
            # Whatever it is, it must end neither a server nor the other collections.
            if name not in self.failed:
                what = error.reason if isinstance(error, PassagewayError) else type(error).__name__
                _LOG.error("no snapshot of %s can be written: %s", name, what)
            self.failed[name] = bare(error)

    def _put_off(self, name: str, error: BaseException) -> None:
        """Try again after a while: a longer one each time, but where it is the disk that may have room again."""
        before = 0.0 if isinstance(error, StorageFailed) else self._pause.get(name, 0.0)
        self._pause[name] = pause = min(max(_PAUSE, 2 * before), _LONGEST_PAUSE)
        self._not_before[name] = self._timer() + pause

    def write_first(self, name: str, collection: Collection, *, like: Snapshot | None) -> Snapshot:
        """Make the folder of a new collection; arrays that it has from the snapshot *like* are linked. Raises as `write`."""
        return self._write(name, collection, collection.current, previous=like)

    def restore(self, name: str, collection: Collection, snapshot: OpenSnapshot) -> None:
        """Take *collection* back to a named *snapshot* of it, in a commit that is on the disk as a snapshot itself.

        Settings come back too, but for the name. Raises as `write`, with nothing changed, and SnapshotDamaged.
        """

        def write(version: Version) -> None:
            try:
                self._write(name, collection, version, previous=snapshot.snapshot)
            except NotDurable as error:
                # Either may count after a crash: no other commit may take the number.
                collection.freeze(ReadOnly(error.file, error.found))
                raise
            with suppress(StorageFailed, ReadOnly):  # the next commit tries again
                collection.roll(after=version.identity.number)

        collection.restore(opened_version(name, snapshot), write)
        self._drop_old(name)

    def due(self, name: str, collection: Collection) -> bool:
        """Whether a snapshot of *collection* is to be written: the log is long, or has waited for long."""
        known, number = self.counting.get(name), collection.current.identity.number
        if known is None or known.manifest.version.number == number:
            self._since.pop(name, None)
            return False
        now = self._timer()
        since = self._since.setdefault(name, now)
        if collection.read_only is not None or now < self._not_before.get(name, now):
            return False
        waited, logged = now - since, collection.logged_bytes
        if waited >= self._durability.checkpoint_seconds:
            return True
        # A stream of batches is not derived before its end, and a large snapshot not written again for little.
        size = known.manifest.array_bytes
        longest = max(self._durability.checkpoint_bytes, size // _PART)
        return logged > longest and collection.current.past is None

    def forget(self, name: str) -> None:
        """Know nothing more of a collection that is gone."""
        for known in (self.counting, self.failed, self._since, self._not_before, self._pause):
            known.pop(name, None)

    def _write(
        self, name: str, collection: Collection, version: Version, *, previous: Snapshot | None
    ) -> Snapshot:
        number = version.identity.number
        arrays, meta = persist.to_arrays(version)
        keys: dict[str, NDArray[np.generic]] = collection.keys.arrays(through=number)
        lines = collection.lines.through(version.identity.line, number)
        written = self.folder.collection(name).publish(
            StoredVersion(number, version.token),
            arrays=arrays | under(KEYS, keys) | under(LINES, lines.arrays()),
            meta=meta,
            created_at=from_micros(self._now()),
            previous=previous,
        )
        self.counting[name] = written
        for known in (self.failed, self._since, self._not_before, self._pause):
            known.pop(name, None)
        return written

    def _drop_old(self, name: str) -> None:
        with suppress(StorageFailed):  # what is left over is dropped after the next one
            self.folder.collection(name).drop_old(keep=_KEPT)
