"""One collection on the disk: its snapshots, and which of them counts.

One thread at a time may change a collection here; the caller sees to that. Reading needs no such
care: what is mapped stays, whatever is published, dropped or deleted after it was opened.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from passageway_server.errors import NotDurable, NotFound, PassagewayError
from passageway_server.storage import layout, named, recovery
from passageway_server.storage.belonging import check_belongs
from passageway_server.storage.checking import find_damage, open_snapshot
from passageway_server.storage.directory import (
    ROOT,
    Directory,
    holds_folder,
    remove_tree,
    settle,
    writing,
)
from passageway_server.storage.layout import CURRENT, NAMED, SNAPSHOTS
from passageway_server.storage.log.files import drop_segments
from passageway_server.storage.log.following import LogCursor
from passageway_server.storage.log.opening import begin_log
from passageway_server.storage.log.writer import Log
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.named import NamedSnapshots
from passageway_server.storage.npy import AnyArray
from passageway_server.storage.recovery import Recovered
from passageway_server.storage.snapshot import (
    PARTIAL,
    OpenSnapshot,
    Snapshot,
    discard,
    discard_renamed,
    map_snapshot,
    read_manifest,
    withdraw,
    write_snapshot,
)
from passageway_server.values.collections import SnapshotState


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """The folder of one collection, there yet or not; ``DataFolder.collection`` makes it."""

    directory: Directory
    name: str

    def exists(self) -> bool:
        """Whether there is such a folder, damaged or not."""
        return holds_folder(self.directory, self.name)

    def open(self) -> OpenSnapshot:
        """The snapshot that counts, every byte compared. NotFound, SnapshotDamaged, FormatTooNew or ReadFailed."""
        opened = open_snapshot(self.directory, self._current())
        check_belongs(self.directory, opened.snapshot.folder, opened.snapshot.manifest)
        return opened

    def map(self) -> OpenSnapshot:
        """As `open`, for who knows that the one that owns the folder opened or wrote this snapshot: values are not read."""
        folder = self._current()
        mapped = map_snapshot(self.directory, folder, read_manifest(self.directory, folder))
        check_belongs(self.directory, mapped.snapshot.folder, mapped.snapshot.manifest)
        return mapped

    def recover(self) -> Recovered:
        """The newest snapshot that is whole, and the commits after it, as ``recovery.recover``; changes nothing.

        NotFound, SnapshotDamaged, FormatTooNew, ReadFailed; and LogDamaged while commits are taken.
        """
        if not self.exists():
            raise NotFound("collection", self.name)
        return recovery.recover(self.directory, self.name)

    def open_log(self, after: int, *, recovered: Recovered | None = None) -> Log:
        """The log for commits past *after*, the last that was *recovered*; as ``recovery.resume``.

        Without *recovered*, of a collection that `publish` just made.
        """
        return recovery.resume(self.directory, self.name, after=after, recovered=recovered)

    def follow(self, after: int) -> LogCursor:
        """Reads commits past *after* while the owner appends them; as ``log.following.LogCursor``."""
        return LogCursor(self.directory, self.name, after=after)

    def find_damage(self) -> list[PassagewayError]:
        """What is wrong with the snapshot that counts and with the named ones, every byte read."""
        found: list[PassagewayError] = []
        try:
            found += find_damage(self.directory, self._current())
        except PassagewayError as error:
            found.append(error)
        for folder in layout.named_folders(self.directory, self.name):
            found += find_damage(self.directory, folder)
        return found

    def _current(self) -> str:
        if not self.exists():
            raise NotFound("collection", self.name)
        return layout.read_current(self.directory, self.name)

    def publish(
        self,
        version: StoredVersion,
        *,
        arrays: Mapping[str, AnyArray],
        meta: Mapping[str, object],
        created_at: datetime,
        previous: Snapshot | None = None,
    ) -> Snapshot:
        """Write *version* and let it count, durably; the first version makes the folder.

        *previous* may be a snapshot of any collection of this folder, whose unchanged arrays are
        linked. A version that counts already is left as it is. DiskFull or StorageFailed when the
        disk refuses, and then what counted counts still; NotDurable when the new version counts,
        or the folder was made, but may not be so after a crash; SnapshotDamaged if what counts cannot be read, which is then not
        touched; ValueError for a version older than it.
        """
        if not self.exists():
            return self._make(
                version, arrays=arrays, meta=meta, created_at=created_at, previous=previous
            )
        current = self._current()
        manifest = read_manifest(self.directory, current)
        if manifest.version.number >= version.number and manifest.version != version:
            raise ValueError(f"{version} of {self.name} cannot follow {manifest.version}")
        if manifest.version == version:
            snapshot = Snapshot(current, manifest, {})
            if previous and previous.folder == current:
                snapshot = previous
        else:
            folder = f"{self.name}/{SNAPSHOTS}/{layout.version_folder(version.number)}"
            with writing(folder):
                for left in layout.versions(self.directory, self.name):
                    if left > current:  # it never came to count, and would seem to have done so
                        remove_tree(self.directory, left)
            snapshot = write_snapshot(
                self.directory,
                folder,
                version=version,
                arrays=arrays,
                meta=meta,
                created_at=created_at,
                previous=previous,
            )
        with writing(f"{self.name}/{CURRENT}"):
            try:
                layout.name_current(self.directory, self.name, snapshot.folder)
            except BaseException:
                if snapshot.folder != current:
                    withdraw(self.directory, snapshot.folder)
                raise
        # When this fails, either may count after a crash. Both are whole, and CURRENT is written
        # anew when the version is published again.
        settle(self.directory, f"{self.name}/{CURRENT}")
        return snapshot

    def _make(
        self,
        version: StoredVersion,
        *,
        arrays: Mapping[str, AnyArray],
        meta: Mapping[str, object],
        created_at: datetime,
        previous: Snapshot | None,
    ) -> Snapshot:
        """Write the whole folder aside: without CURRENT it is damage, never a beginning."""
        directory, aside = self.directory, f".{self.name}{PARTIAL}"
        folder = f"{SNAPSHOTS}/{layout.version_folder(version.number)}"
        with writing(self.name):
            remove_tree(directory, aside)
            try:
                for made in (aside, f"{aside}/{SNAPSHOTS}", f"{aside}/{NAMED}"):
                    directory.make_folder(made)
                snapshot = write_snapshot(
                    directory,
                    f"{aside}/{folder}",
                    version=version,
                    arrays=arrays,
                    meta=meta,
                    created_at=created_at,
                    previous=previous,
                )
                layout.name_current(directory, aside, folder)
                begin_log(directory, aside, after=version.number, identity=version.identity)
                directory.sync(aside)
                directory.rename(aside, self.name)
            except BaseException:
                discard_renamed(directory, aside)
                raise
            try:
                directory.sync(ROOT)
            except OSError as error:
                if self._taken_back(aside):
                    raise
                raise NotDurable(self.name, error.strerror or "failed") from error
        return replace(snapshot, folder=f"{self.name}/{folder}")

    def _taken_back(self, aside: str) -> bool:
        """Whether the folder that was made could be put aside again for good; if not, it stays."""
        try:
            self.directory.rename(self.name, aside)
        except OSError:
            return False
        try:
            self.directory.sync(ROOT)
        except OSError:
            with suppress(OSError):
                self.directory.rename(aside, self.name)
            return False
        discard(self.directory, aside)
        return True

    def drop_old(self, *, keep: int = 0) -> list[str]:
        """Remove the snapshots before the one that counts, but the newest *keep*, and the log that no
        snapshot needs then; name them.

        What is mapped from them stays readable, and files that other snapshots share stay.
        StorageFailed.
        """
        current = layout.read_current(self.directory, self.name)
        older = [each for each in layout.versions(self.directory, self.name) if each < current]
        kept = max(0, len(older) - keep)
        dropped = older[:kept]
        for path in dropped:
            with writing(path):
                layout.remove_safely(self.directory, path)
        oldest = layout.number_of((*older[kept:], current)[0])
        return dropped + drop_segments(self.directory, self.name, through=oldest)

    def delete(self) -> None:
        """Remove the collection and its snapshots, damaged or not. NotFound, StorageFailed.

        After NotDurable it is gone, and asking again is NotFound.
        """
        if not self.exists():
            raise NotFound("collection", self.name)
        with writing(self.name):
            layout.remove_safely(self.directory, self.name)

    def create_named(self, name: str, *, created_at: datetime) -> SnapshotState:
        """Keep what counts under *name*; as ``named.create``."""
        self._current()
        return named.create(self.directory, self.name, name, created_at=created_at)

    def list_named(self) -> NamedSnapshots:
        """The named snapshots; as ``named.listed``."""
        return named.listed(self.directory, self.name)

    def open_named(self, name: str) -> OpenSnapshot:
        """A named snapshot, verified and mapped; as ``named.opened``."""
        return named.opened(self.directory, self.name, name)

    def delete_named(self, name: str) -> None:
        """Remove a named snapshot; as ``named.delete``."""
        named.delete(self.directory, self.name, name)
