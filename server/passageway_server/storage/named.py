"""Named snapshots of a collection: second names of a snapshot's files, which outlive it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from passageway_server.errors import AlreadyExists, NotFound, PassagewayError
from passageway_server.storage.belonging import check_belongs
from passageway_server.storage.checking import open_snapshot
from passageway_server.storage.directory import (
    Directory,
    holds_folder,
    reading,
    remove_tree,
    writing,
)
from passageway_server.storage.layout import NAMED, named_folders, read_current, remove_safely
from passageway_server.storage.manifest import MANIFEST, Manifest, StoredArray, file_of
from passageway_server.storage.names import checked_name, is_name
from passageway_server.storage.snapshot import (
    PARTIAL,
    OpenSnapshot,
    finish_snapshot,
    link_file,
    read_manifest,
    withdraw,
)
from passageway_server.values.collections import SnapshotState


@dataclass(frozen=True, slots=True)
class NamedSnapshots:
    """Those that can be read, by name, and what is wrong with the others."""

    listed: tuple[SnapshotState, ...]
    damaged: Mapping[str, PassagewayError]


def create(
    directory: Directory, collection: str, name: str, *, created_at: datetime
) -> SnapshotState:
    """Keep the collection's current snapshot under *name*.

    InvalidRequest unless it can be a name, AlreadyExists if it is taken, SnapshotDamaged if a file
    is not whole, DiskFull or StorageFailed with nothing left behind.
    """
    folder = f"{collection}/{NAMED}/{checked_name(name, field='name')}"
    if holds_folder(directory, folder):
        raise AlreadyExists("snapshot", name)
    source = read_current(directory, collection)
    manifest = replace(read_manifest(directory, source), created_at=created_at)
    partial = folder + PARTIAL
    with writing(folder):
        _make_room(directory, collection)
        remove_tree(directory, partial)
        try:
            directory.make_folder(partial)
            for array, stored in manifest.arrays.items():
                if stored.is_file:
                    file = file_of(array)
                    _copy(directory, f"{source}/{file}", f"{partial}/{file}", stored)
            finish_snapshot(directory, folder, manifest)
        except BaseException:
            withdraw(directory, folder)
            raise
    return _state(directory, folder, manifest)


def _make_room(directory: Directory, collection: str) -> None:
    """A folder for named snapshots: one without any is lost by copies that keep no empty folders."""
    if not holds_folder(directory, f"{collection}/{NAMED}"):
        directory.make_folder(f"{collection}/{NAMED}")
        directory.sync(collection)


def _copy(directory: Directory, old: str, new: str, stored: StoredArray) -> None:
    """Link a file, or where that cannot be write it again, if it has the length it should."""
    if not link_file(directory, old, new, length=stored.length):
        with reading(old):
            mapped = directory.map_file(old, length=stored.length)
        directory.write(new, [mapped.data])


def listed(directory: Directory, collection: str) -> NamedSnapshots:
    """All named snapshots of a collection, sorted by name; a bad one hides no other."""
    states: list[SnapshotState] = []
    damaged: dict[str, PassagewayError] = {}
    for folder in named_folders(directory, collection):
        try:
            states.append(_state(directory, folder, read_manifest(directory, folder)))
        except PassagewayError as error:
            damaged[folder.rpartition("/")[2]] = error
    return NamedSnapshots(tuple(states), damaged)


def _state(directory: Directory, folder: str, manifest: Manifest) -> SnapshotState:
    collection, _, name = folder.split("/")
    with reading(folder):
        size = directory.size(f"{folder}/{MANIFEST}")
    return SnapshotState(
        collection=collection,
        name=name,
        version=manifest.version.token,
        bytes=manifest.array_bytes + size,
        created_at=manifest.created_at,
    )


def opened(directory: Directory, collection: str, name: str) -> OpenSnapshot:
    """A named snapshot, every byte verified. NotFound, SnapshotDamaged, ReadFailed."""
    found = open_snapshot(directory, _existing(directory, collection, name))
    check_belongs(directory, found.snapshot.folder, found.snapshot.manifest)
    return found


def delete(directory: Directory, collection: str, name: str) -> None:
    """Remove a named snapshot, damaged or not. NotFound, StorageFailed; NotDurable when it is gone."""
    folder = _existing(directory, collection, name)
    with writing(folder):
        remove_safely(directory, folder)


def _existing(directory: Directory, collection: str, name: str) -> str:
    folder = f"{collection}/{NAMED}/{name}"
    if not is_name(name) or not holds_folder(directory, folder):
        raise NotFound("snapshot", name)
    return folder
