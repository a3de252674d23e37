"""All collections of a server, and the folder that keeps them.

Without a folder everything lives in memory alone. With one, it is locked while the store is open; a collection is
written there when it is made, when a snapshot is asked for, and when the store is closed. What was committed since is
lost with the process.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from passageway_server.errors import (
    AlreadyExists,
    NoFolder,
    NotDurable,
    NotFound,
    PassagewayError,
    SnapshotDamaged,
    Stopping,
    StorageFailed,
)
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.directory import Directory
from passageway_server.storage.manifest import MANIFEST, StoredVersion
from passageway_server.storage.names import checked_name
from passageway_server.storage.page_key import new_page_key
from passageway_server.storage.snapshot import OpenSnapshot, Snapshot
from passageway_server.storage.verification import find_damage
from passageway_server.values.collections import CollectionSettings, SnapshotState
from passageway_server.version import persist
from passageway_server.version.collection import Collection
from passageway_server.version.settings import check_settings
from passageway_server.version.version import Contents

Clock = Callable[[], int]
# What decides who reads a row: its checksums are compared before it is served, the others aside.
_GATING = ("derived.gates.", "derived.out.gates", "derived.into.gates", "readers.")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _clock() -> int:
    return time.time_ns() // 1000


class Store:
    """The collections by name. ``now`` is the clock, in microseconds since 1970; ``page_key`` seals page tokens."""

    def __init__(self, folder: DataFolder | None = None, *, now: Clock = _clock) -> None:
        self.now = now
        self.page_key = new_page_key() if folder is None else folder.page_key
        self.damaged: dict[str, PassagewayError] = {}
        self._folder = folder
        self._collections: dict[str, Collection] = {}
        self._persisted: dict[str, Snapshot] = {}  # what CURRENT names, by collection
        self._stopping = threading.Event()
        self._verifying = threading.Thread(target=self._verify, name="verify", daemon=True)
        self._changing = (
            threading.RLock()
        )  # names come and go, and snapshots are written, one at a time
        if folder is not None:
            found = folder.open_collections()
            self.damaged = dict(found.damaged)
            for name, snapshot in found.opened.items():
                self._adopt(name, snapshot)
            self._verifying.start()

    @classmethod
    def open(cls, data: Path | None = None, *, create: bool = True, now: Clock = _clock) -> "Store":
        """The store of the folder *data*, locked and opened by mmap; in memory alone where None.

        With *create* the folder is made where there is none, else that is FolderMissing.

        A damaged collection stops no other: it is in ``damaged``. Raises FolderInUse, FormatTooNew.
        """
        if data is None:
            return cls(now=now)
        folder = DataFolder.open(data, create=create)
        try:
            return cls(folder, now=now)
        except BaseException:
            folder.close()
            raise

    def close(self) -> None:
        """Take no more commits, write what is newer than its snapshot, and let the folder go.

        Every collection is tried; the first error is raised at the end.
        """
        self._stopping.set()
        if self._verifying.is_alive():
            self._verifying.join()
        with self._changing:
            folder, self._folder = self._folder, None
            if folder is None:
                return
            errors: list[Exception] = []
            try:
                for name, collection in self._collections.items():
                    collection.close(Stopping())
                    try:
                        self._persist(folder, name, collection)
                    except Exception as error:  # the others are still to be saved
                        errors.append(error)
            finally:
                folder.close()
        if errors:
            raise errors[0]

    def names(self) -> list[str]:
        """The names of all collections that can be served, sorted."""
        return sorted(self._collections.copy())

    def collections(self) -> list[Collection]:
        """All collections that can be served, by name."""
        return [collection for _, collection in sorted(self._collections.copy().items())]

    def collection(self, name: str) -> Collection:
        """The collection *name*. Raises NotFound, or what is wrong with a damaged one."""
        found = self._collections.get(name)
        if found is not None:
            return found
        self._check_known(name)
        raise self.damaged[name].with_traceback(None)  # one of an earlier call would grow

    def create(self, settings: CollectionSettings) -> Collection:
        """A new, empty collection. Raises AlreadyExists, InvalidRequest."""
        name = checked_name(settings.name, field="collection.name")
        check_settings(settings)
        with self._changing:
            self._check_open()
            self._check_free(name)
            collection = Collection.created(Contents.empty(settings), self._time())
            if self._folder is not None:
                self._persist(self._folder, name, collection)
            self._collections[name] = collection
        return collection

    def delete(self, name: str) -> None:
        """Remove a collection with its snapshots. Raises NotFound."""
        with self._changing:
            self._check_known(name)
            try:
                if self._folder is not None:
                    with suppress(NotFound):  # an earlier try came as far as that
                        self._folder.collection(name).delete()
            except NotDurable:
                self._forget(name)
                raise
            self._forget(name)

    def create_snapshot(self, collection: str, name: str) -> SnapshotState:
        """Persist the newest version; with a *name* it is kept until it is deleted."""
        with self._changing:
            folder = self._required_folder()
            stored = self._persist(folder, collection, self.collection(collection))
            if name:
                return folder.collection(collection).create_named(name, created_at=self._time())
        manifest = stored.manifest
        token, size = manifest.version.token, manifest.array_bytes
        return SnapshotState(collection, "", token, size, manifest.created_at)

    def snapshots(self, collection: str) -> list[SnapshotState]:
        """The named snapshots of a collection, by name."""
        self._check_known(collection)
        if self._folder is None:
            return []
        return list(self._folder.collection(collection).list_named().listed)

    def delete_snapshot(self, collection: str, name: str) -> None:
        """Let a named snapshot go. Raises NotFound."""
        self._check_known(collection)
        with self._changing:
            self._required_folder().collection(collection).delete_named(name)

    def restore(self, collection: str, name: str, *, into: str) -> Collection:
        """Make the new collection *into* from a named snapshot, every byte of it verified first.

        That *collection* itself is damaged is no hindrance. Raises NotFound, AlreadyExists, SnapshotDamaged.
        """
        checked_name(into, field="into")
        self._check_known(collection)
        with self._changing:
            folder = self._required_folder()
            self._check_free(into)
            opened = folder.collection(collection).open_named(name)
            contents = persist.from_arrays(opened.arrays, opened.meta).contents
            contents = replace(contents, settings=replace(contents.settings, name=into))
            restored = Collection.created(contents, self._time())
            self._persist(folder, into, restored, previous=opened.snapshot)
            self._collections[into] = restored
        return restored

    def _adopt(self, name: str, snapshot: OpenSnapshot) -> None:
        gating = find_damage(self._directory_of(name), snapshot.snapshot.folder, under=_GATING)
        if gating:
            self.damaged[name] = gating[0]
            return
        try:
            version = persist.from_arrays(snapshot.arrays, snapshot.meta)
        except Exception as cause:  # whatever foreign bytes lead to, it is this collection's alone
            what = f"its arrays and settings do not fit together ({cause!r})"
            self.damaged[name] = SnapshotDamaged(f"{name}/{MANIFEST}", what)
            return
        self._collections[name] = Collection(version)
        self._persisted[name] = snapshot.snapshot

    def _verify(self) -> None:
        """Compare the checksums of all that was opened, aside; what is damaged is served no longer."""
        for name, snapshot in list(self._persisted.items()):
            if self._stopping.is_set() or self._folder is None:
                return
            damage = find_damage(self._directory_of(name), snapshot.folder)
            with self._changing:
                if damage and self._persisted.get(name) is snapshot:
                    self.damaged[name] = damage[0]
                    self._collections.pop(name).close(damage[0])
                    del self._persisted[name]

    def _persist(
        self,
        folder: DataFolder,
        name: str,
        collection: Collection,
        *,
        previous: Snapshot | None = None,
    ) -> Snapshot:
        """Write the current version, unless the folder holds it already; one snapshot at a time."""
        with self._changing:
            known = self._persisted.get(name)
            if known is not None and known.manifest.version.token == collection.current.token:
                return known
            version = collection.compact()
            arrays, meta = persist.to_arrays(version)
            stored = folder.collection(name).publish(
                StoredVersion(version.identity.number, version.token),
                arrays=arrays,
                meta=meta,
                created_at=self._time(),
                previous=previous or known,
            )
            self._persisted[name] = stored
            with suppress(StorageFailed):  # what is left over is dropped after the next one
                folder.collection(name).drop_old()
            return stored

    def _directory_of(self, name: str) -> Directory:
        return self._required_folder().collection(name).directory

    def _forget(self, name: str) -> None:
        """Serve a collection no longer; who holds it still cannot commit."""
        collection = self._collections.pop(name, None)
        if collection is not None:
            collection.close(NotFound("collection", name))
        self.damaged.pop(name, None)
        self._persisted.pop(name, None)

    def _check_known(self, name: str) -> None:
        """Raise NotFound where there is no such collection, served or damaged."""
        if name not in self._collections and name not in self.damaged:
            raise NotFound("collection", name)

    def _check_free(self, name: str) -> None:
        if name in self.damaged:
            raise self.damaged[name].with_traceback(None)
        if name in self._collections:
            raise AlreadyExists("collection", name)

    def _time(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.now())

    def _check_open(self) -> None:
        """Raise Stopping once the store is closed."""
        if self._stopping.is_set():
            raise Stopping

    def _required_folder(self) -> DataFolder:
        self._check_open()
        if self._folder is None:
            raise NoFolder
        return self._folder
