"""One version as a folder: a manifest, and a file for each array that is not empty.

A snapshot is complete or not there: it is written aside and renamed when all of it is on the disk.
Its files are never changed, so an array that did not change since the snapshot before is a second
name of the same file.
"""

import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from passageway_server.errors import AlreadyExists, SnapshotDamaged
from passageway_server.storage import manifest as manifests
from passageway_server.storage import npy
from passageway_server.storage.checksums import ALGORITHM, checksum, checksums, pieces
from passageway_server.storage.directory import (
    Directory,
    holds_folder,
    parent,
    parts_of,
    reading,
    remove_tree,
    writing,
)
from passageway_server.storage.manifest import (
    MANIFEST,
    Manifest,
    StoredArray,
    StoredVersion,
    file_of,
)
from passageway_server.storage.npy import AnyArray
from passageway_server.storage.records import DEFAULT_LIMITS

PARTIAL: Final = ".partial"
"""Ends the name of what is being written. No name of a collection or snapshot has a dot."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A complete snapshot on the disk.

    ``written`` leads from an array's name to the array in memory whose values the file holds, for
    as long as somebody else keeps that array: what is met again in the next version is linked and
    not written.
    """

    folder: str
    manifest: Manifest
    written: Mapping[str, weakref.ref[AnyArray]]

    def name_of(self, array: AnyArray) -> str | None:
        """The name of this very array in the snapshot; None for one that may have changed."""
        if array.flags.writeable:
            return None
        return next((name for name, kept in self.written.items() if kept() is array), None)


@dataclass(frozen=True, slots=True)
class OpenSnapshot:
    """A snapshot and its arrays, read-only and mapped from its files."""

    snapshot: Snapshot
    arrays: Mapping[str, AnyArray]

    @property
    def meta(self) -> Mapping[str, object]:
        return self.snapshot.manifest.meta

    @property
    def version(self) -> StoredVersion:
        return self.snapshot.manifest.version


def write_snapshot(
    directory: Directory,
    folder: str,
    *,
    version: StoredVersion,
    arrays: Mapping[str, AnyArray],
    meta: Mapping[str, object],
    created_at: datetime,
    previous: Snapshot | None = None,
) -> Snapshot:
    """Write a snapshot into the new folder *folder*; when it returns, all of it is on the disk.

    Read-only arrays that are the very objects *previous* was written from (or opened as) become
    links to its files. DiskFull or StorageFailed when the disk refuses, with nothing left behind;
    AlreadyExists when the folder is there; ValueError for arrays that are not of numbers, names
    that are none, and meta that is not plain.
    """
    partial = folder + PARTIAL
    with writing(folder):
        if holds_folder(directory, folder):
            raise AlreadyExists("snapshot folder", folder)
        remove_tree(directory, partial)
        try:
            directory.make_folder(partial)
            stored = {
                name: _store(directory, f"{partial}/{file_of(name)}", array, previous)
                for name, array in arrays.items()
            }
            manifest = Manifest(version, created_at, stored, meta)
            finish_snapshot(directory, folder, manifest)
        except BaseException:
            withdraw(directory, folder)
            raise
    written = {name: weakref.ref(array) for name, array in arrays.items()}
    return Snapshot(folder, manifest, written)


def finish_snapshot(directory: Directory, folder: str, manifest: Manifest) -> None:
    """Make of the files written aside for *folder* a complete snapshot. OSError."""
    partial = folder + PARTIAL
    directory.write(f"{partial}/{MANIFEST}", [manifests.encode(manifest)])
    directory.sync(partial)
    directory.rename(partial, folder)
    directory.sync(parent(folder))


def withdraw(directory: Directory, folder: str) -> None:
    """Undo a snapshot that did not become durable, as far as the disk lets us; never in part."""
    with suppress(OSError):
        directory.rename(folder, folder + PARTIAL)
    discard_renamed(directory, folder + PARTIAL)


def discard_renamed(directory: Directory, path: str) -> None:
    """Remove what has got the name *path* by a renaming, if the disk lets us; if not, the next start sweeps it.

    First the renaming is on the disk: a crash must not undo it, and keep what was removed behind it.
    """
    with suppress(OSError):
        directory.sync(parent(path))
        remove_tree(directory, path)


def discard(directory: Directory, path: str) -> None:
    """Remove what should not stay, if the disk lets us; if not, the next start sweeps it."""
    with suppress(OSError):
        remove_tree(directory, path)


def _store(
    directory: Directory, file: str, array: AnyArray, previous: Snapshot | None
) -> StoredArray:
    value = npy.one_value(array)
    if value is not None:
        return StoredArray(value.dtype.str, array.shape, 0, 0, value.tobytes())
    name = previous.name_of(array) if previous else None
    if previous and name is not None:
        stored = previous.manifest.arrays[name]
        if not stored.is_file or link_file(
            directory, f"{previous.folder}/{file_of(name)}", file, length=stored.length
        ):
            return _summed(directory, file, stored, algorithm=previous.manifest.algorithm)
    ordered = npy.storable(array)
    dtype, shape = ordered.dtype.str, ordered.shape
    if ordered.size == 0:
        return StoredArray(dtype, shape, 0, 0)
    head = npy.head(dtype, shape)
    values = ordered.reshape(-1).view(np.uint8)
    directory.write(file, [head, values.data])
    return StoredArray(dtype, shape, len(head) + len(values), checksum([head, *pieces(values)]))


def _summed(directory: Directory, file: str, stored: StoredArray, *, algorithm: str) -> StoredArray:
    """What a manifest of today says of a file of which an earlier one said *stored*.

    One whose checksum is of another *algorithm* is read, once, and summed by both: SnapshotDamaged where the
    earlier one is not that, OSError.
    """
    if algorithm == ALGORITHM or not stored.is_file:
        return stored
    before, now = checksums(parts_of(directory, file), algorithm, ALGORITHM)
    if before != stored.checksum:
        found = f"checksum {before:08x}, the manifest says {stored.checksum:08x}"
        raise SnapshotDamaged(file, found)
    return replace(stored, checksum=now)


def link_file(directory: Directory, old: str, new: str, *, length: int) -> bool:
    """Give the file *old* a second name *new*; False, with nothing made, where that cannot be.

    A file that has lost its length is not passed on, and a disk without links is no error.
    """
    try:
        if directory.size(old) != length:
            return False
        directory.link(old, new)
    except OSError:
        return False
    return True


def read_manifest(directory: Directory, folder: str) -> Manifest:
    """The manifest of the snapshot in *folder*; SnapshotDamaged, FormatTooNew or ReadFailed."""
    file = f"{folder}/{MANIFEST}"
    with reading(file):
        packed = directory.read(file, limit=DEFAULT_LIMITS.bytes + 1)
    return manifests.decode(packed, file)


def map_snapshot(directory: Directory, folder: str, manifest: Manifest) -> OpenSnapshot:
    """Map the arrays of the snapshot in *folder*, of which *manifest* was read, at a cost that does not grow with their sizes.

    Lengths and heads are compared, values are not read: that is for who knows that they are whole, because this server
    wrote or opened them (``checking.open_snapshot``). SnapshotDamaged with the file's name, or ReadFailed.
    """
    arrays = {
        name: _map_array(directory, f"{folder}/{file_of(name)}", stored)
        for name, stored in manifest.arrays.items()
    }
    opened_as = {name: weakref.ref(array) for name, array in arrays.items()}
    return OpenSnapshot(Snapshot(folder, manifest, opened_as), arrays)


def _map_array(directory: Directory, file: str, stored: StoredArray) -> AnyArray:
    if stored.constant is not None:
        return npy.constant(stored.dtype, stored.shape, stored.constant)
    if not stored.is_file:
        empty: AnyArray = np.empty(stored.shape, stored.dtype)
        empty.flags.writeable = False
        return empty
    with reading(file):
        mapped = directory.map_file(file, length=stored.length)
    head = npy.head(stored.dtype, stored.shape)
    if mapped[: len(head)].tobytes() != head:
        raise SnapshotDamaged(file, f"its head is not that of {stored.dtype} {stored.shape}")
    values: AnyArray = mapped[len(head) :].view(stored.dtype).reshape(stored.shape)
    return values
