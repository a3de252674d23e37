"""The collections of a server, and the folder that keeps them.

Without a folder everything lives in memory alone. With one, it is locked while the store is open; every commit is in the
log of its collection before it is acknowledged, and snapshots spare a restart most of the log.
"""

from contextlib import suppress
from pathlib import Path

from passageway_server.columns.times import from_micros
from passageway_server.errors import NotDurable, NotFound
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.names import checked_name
from passageway_server.values.collections import CollectionSettings, SnapshotState
from passageway_server.version.catalog import Clock
from passageway_server.version.collection import Collection
from passageway_server.version.contents import Contents
from passageway_server.version.durability import USUAL, Durability
from passageway_server.version.owner import Owner
from passageway_server.version.readable import clock
from passageway_server.version.recovering import opened_version
from passageway_server.version.settings import check_settings


class Store(Owner):
    """The collections that a process owns: it alone commits to them."""

    @classmethod
    def open(
        cls,
        data: Path | None = None,
        *,
        create: bool = True,
        now: Clock = clock,
        durability: Durability = USUAL,
    ) -> "Store":
        """The store of the folder *data*, locked and recovered; in memory alone where None.

        With *create* the folder is made where there is none, else that is FolderMissing.

        A damaged collection stops no other: it is in ``damaged``. Raises FolderInUse, FormatTooNew.
        """
        if data is None:
            return cls(now=now)
        folder = DataFolder.open(data, create=create)
        try:
            return cls(folder, now=now, durability=durability)
        except BaseException:
            folder.close()
            raise

    def create(self, settings: CollectionSettings) -> Collection:
        """A new, empty collection. Raises AlreadyExists, InvalidRequest, DiskFull, StorageFailed."""
        name = checked_name(settings.name, field="collection.name")
        check_settings(settings)
        with self._changing:
            self._check_open()
            self._check_free(name)
            made = Collection.created(
                Contents.empty(settings), from_micros(self.now()), now=self.now
            )
            if self._folder is not None:
                self._found(self._folder, name, made)
            self.put(name, made)
        return made

    def delete(self, name: str) -> None:
        """Remove a collection with its log and snapshots. Raises NotFound, StorageFailed."""
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
        """Persist the newest version; with a *name* it is kept until it is deleted. Raises ReadOnly, StorageFailed."""
        with self._changing:
            folder = self._required_folder()
            stored = self.checkpoints.write(collection, self.collection(collection))
            if name:
                created_at = from_micros(self.now())
                return folder.collection(collection).create_named(name, created_at=created_at)
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

    def restore(self, collection: str, name: str, *, into: str = "") -> Collection:
        """Make the new collection *into* from a named snapshot; without one, take back the collection itself to it.

        Every byte of it is verified first. That *collection* itself is damaged is no hindrance to a new one. Raises
        NotFound, AlreadyExists, SnapshotDamaged, ReadOnly, DiskFull, StorageFailed.
        """
        if into:
            checked_name(into, field="into")
        self._check_known(collection)
        with self._changing:
            folder = self._required_folder()
            kept = None if into else self.collection(collection)
            if into:
                self._check_free(into)
            snapshot = folder.collection(collection).open_named(name)
            if kept is not None:
                self.checkpoints.restore(collection, kept, snapshot)
                return kept
            held = opened_version(collection, snapshot)
            made = Collection.copied(held, into, from_micros(self.now()), now=self.now)
            self._found(folder, into, made, like=snapshot.snapshot)
            self.put(into, made)
        return made
