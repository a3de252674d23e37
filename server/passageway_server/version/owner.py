"""A folder that this process holds: what recovers its collections, keeps them on the disk meanwhile, and ends it."""

import threading
from collections.abc import Mapping
from contextlib import suppress

from passageway_server.errors import (
    NoFolder,
    NotDurable,
    NotFound,
    PassagewayError,
    ReadOnly,
    Stopping,
    bare,
)
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.page_key import new_page_key
from passageway_server.storage.recovery import Recovered
from passageway_server.storage.report import Finding
from passageway_server.storage.snapshot import Snapshot
from passageway_server.version.catalog import Catalog, Clock
from passageway_server.version.checkpoints import Checkpoints
from passageway_server.version.collection import Collection
from passageway_server.version.durability import USUAL, Durability
from passageway_server.version.readable import clock
from passageway_server.version.recovering import own, recovered
from passageway_server.version.repeating import Repeating

_SYNC_EVERY, _LOOK_EVERY = 0.1, 1.0  # seconds


class Owner(Catalog):
    """The collections of a folder that no other process writes to; without one, of memory alone.

    ``findings`` is what recovering passed over, such as commits that a crash cut off before they were acknowledged.
    """

    def __init__(
        self,
        folder: DataFolder | None = None,
        *,
        now: Clock = clock,
        durability: Durability = USUAL,
    ) -> None:
        super().__init__(page_key=new_page_key() if folder is None else folder.page_key, now=now)
        self.findings: list[Finding] = []
        self._durability = durability
        self._bridging: dict[str, Recovered] = {}  # what CURRENT names is damaged
        self._stopping = threading.Event()
        # Names come and go, and snapshots are written, one at a time.
        self._changing = threading.RLock()
        self._aside = [Repeating("checkpoint", self.checkpoint, every=_LOOK_EVERY)]
        if durability.fsync == "interval":
            self._aside.append(Repeating("sync", self.sync, every=_SYNC_EVERY))
        self._folder = folder
        if folder is None:
            return
        self.checkpoints = Checkpoints(folder, durability, now=now)
        for name in folder.names():
            self._recover(folder, name)
        for each in self._aside:
            each.start()

    def close(self) -> None:
        """Take no more commits, write what is newer than its snapshot, and let the folder go.

        Every collection is tried; the first error is raised at the end.
        """
        self._stopping.set()
        for each in self._aside:
            each.stop()
        with self._changing:
            folder, self._folder = self._folder, None
            if folder is None:
                return
            errors: list[Exception] = []
            try:
                for name, collection in self._collections.items():
                    try:
                        self._close(name, collection)
                    except Exception as error:  # the others are still to be saved
                        errors.append(error)
            finally:
                folder.close()
        if errors:
            raise errors[0]

    def checkpoint(self) -> None:
        """Open the logs that found no room, and write the snapshots that are due; what fails is tried again later."""
        for name, collection in self._collections.copy().items():
            with suppress(PassagewayError):
                collection.resume()
            self._settle(name)
            if not self.checkpoints.due(name, collection):
                continue
            with self._changing:
                if self._collections.get(name) is collection and not self._stopping.is_set():
                    self.checkpoints.try_to_write(name, collection)

    def sync(self) -> None:
        """Put on the disk what can be read already."""
        for collection in self._collections.copy().values():
            with suppress(ReadOnly):
                collection.sync()

    def _recover(self, folder: DataFolder, name: str) -> None:
        stored = folder.collection(name)
        try:
            collection, found = recovered(stored, now=self.now)
        except PassagewayError as error:
            self.damaged[name] = bare(error)
            return
        own(stored, collection, found=found, sync_each=self._sync_each)
        self.findings += found.findings  # which say by now where things were moved
        self._bridging[name] = found
        self._settle(name)
        self.checkpoints.counting[name] = found.snapshot.snapshot
        self.put(name, collection)

    def followed(self) -> list[Collection]:
        return [
            each
            for name, each in sorted(self._collections.copy().items())
            if name not in self._bridging
        ]

    @property
    def unsaved(self) -> Mapping[str, Exception]:
        return {} if self._folder is None else self.checkpoints.failed

    def _settle(self, name: str) -> None:
        """Let *name* be followed once no damaged snapshot of it stands in the place of the one it was recovered from."""
        found = self._bridging.get(name)
        if found is not None and not found.damaged:
            self._bridging.pop(name, None)
            self._changed()

    def _found(
        self, folder: DataFolder, name: str, made: Collection, *, like: Snapshot | None = None
    ) -> None:
        """Make the folder of a new collection. Raises as `Checkpoints.write`; after NotDurable it is served."""
        try:
            self.checkpoints.write_first(name, made, like=like)
        except NotDurable as error:
            # A crash may take the folder away, and with it whatever was committed by then.
            made.freeze(ReadOnly(error.file, error.found))
            self.put(name, made)
            raise
        own(folder.collection(name), made, sync_each=self._sync_each)

    def _close(self, name: str, collection: Collection) -> None:
        try:
            collection.close(Stopping())
            if collection.read_only is None:
                self.checkpoints.try_to_write(name, collection)  # else the next start reads the log
        finally:
            collection.release()

    def _forget(self, name: str) -> None:
        """Serve a collection no longer; who holds it still cannot commit."""
        collection = self.take_away(name)
        self._bridging.pop(name, None)
        if collection is not None:
            with suppress(ReadOnly):
                try:
                    collection.close(NotFound("collection", name))
                finally:
                    collection.release()
        if self._folder is not None:
            self.checkpoints.forget(name)

    @property
    def _sync_each(self) -> bool:
        return self._durability.fsync == "always"

    def _check_open(self) -> None:
        """Raise Stopping once the store is closed."""
        if self._stopping.is_set():
            raise Stopping

    def _required_folder(self) -> DataFolder:
        self._check_open()
        if self._folder is None:
            raise NoFolder
        return self._folder
