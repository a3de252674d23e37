"""Whether a snapshot is what was written: every byte of it is read and summed, and only then is it opened.

Bytes are read and not mapped: a disk that fails gives an error then, and does not end the process.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Final

from passageway_server.errors import PassagewayError, SnapshotDamaged
from passageway_server.storage import npy
from passageway_server.storage.checksums import checksum
from passageway_server.storage.directory import Directory, parts_of, reading
from passageway_server.storage.manifest import Manifest, StoredArray, file_of
from passageway_server.storage.snapshot import OpenSnapshot, map_snapshot, read_manifest

_AT_ONCE: Final = 2
_LARGE: Final = 8 << 20
"""Bytes from which on it is worth a second thread."""


def open_snapshot(directory: Directory, folder: str) -> OpenSnapshot:
    """The snapshot in *folder*, mapped once every byte was compared; as fast as the disk or its cache gives them.

    SnapshotDamaged with the file's name, FormatTooNew, or ReadFailed.
    """
    manifest = read_manifest(directory, folder)
    for error in _damage(directory, folder, manifest):
        raise error
    return map_snapshot(directory, folder, manifest)


def find_damage(directory: Directory, folder: str) -> list[PassagewayError]:
    """What is wrong with the files of the snapshot in *folder*: one error a file, by name.

    They are SnapshotDamaged, or FormatTooNew or ReadFailed where it cannot be told.
    """
    try:
        return [*_damage(directory, folder, read_manifest(directory, folder))]
    except PassagewayError as error:
        return [error]


def _damage(directory: Directory, folder: str, manifest: Manifest) -> Iterator[PassagewayError]:
    def damage_of(each: tuple[str, StoredArray]) -> PassagewayError | None:
        file = f"{folder}/{file_of(each[0])}"
        try:
            check_file(directory, file, each[1], algorithm=manifest.algorithm)
        except PassagewayError as error:
            return error
        return None

    files = [(name, stored) for name, stored in manifest.arrays.items() if stored.is_file]
    if manifest.array_bytes < _LARGE:
        yield from filter(None, map(damage_of, files))
        return
    # While one part is summed another one is read.
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="check") as threads:
        yield from filter(None, threads.map(damage_of, files))


def check_file(directory: Directory, file: str, stored: StoredArray, *, algorithm: str) -> None:
    """See that *file* holds the array that is *stored* there, every byte read. SnapshotDamaged, ReadFailed."""
    head = npy.head(stored.dtype, stored.shape)
    with reading(file):
        size = directory.size(file)
        if size != stored.length:
            raise SnapshotDamaged(file, f"{size} bytes, the manifest says {stored.length}")
        parts = parts_of(directory, file)
        first = next(parts, b"")
        if not first.startswith(head):
            raise SnapshotDamaged(file, f"its head is not that of {stored.dtype} {stored.shape}")
        found = checksum(chain([first], parts), algorithm)
    if found != stored.checksum:
        raise SnapshotDamaged(
            file, f"checksum {found:08x}, the manifest says {stored.checksum:08x}"
        )
