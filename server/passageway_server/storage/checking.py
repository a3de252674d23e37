"""Whether a snapshot is what was written: every byte of it, read and summed.

Bytes are read and not mapped: a disk that fails gives an error then, and does not end the process.
"""

from typing import Final

from passageway_server.errors import PassagewayError, SnapshotDamaged
from passageway_server.storage import npy
from passageway_server.storage.directory import Directory, reading
from passageway_server.storage.manifest import StoredArray, checksum, file_of
from passageway_server.storage.snapshot import read_manifest

_READ_AT_ONCE: Final = 1 << 20


def find_damage(
    directory: Directory, folder: str, *, under: tuple[str, ...] = ("",)
) -> list[PassagewayError]:
    """What is wrong with the files of the snapshot in *folder*: one error a file, by name.

    *under* takes the arrays whose names begin with one of these, all of them unless told otherwise.

    They are SnapshotDamaged, or FormatTooNew or ReadFailed where it cannot be told.
    """
    try:
        manifest = read_manifest(directory, folder)
    except PassagewayError as error:
        return [error]
    found: list[PassagewayError] = []
    for name, stored in manifest.arrays.items():
        try:
            if stored.is_file and name.startswith(under):
                _verify_file(directory, f"{folder}/{file_of(name)}", stored)
        except PassagewayError as error:
            found.append(error)
    return found


def verify_snapshot(directory: Directory, folder: str) -> None:
    """Raise the first of ``find_damage``, if there is any."""
    for error in find_damage(directory, folder):
        raise error


def _verify_file(directory: Directory, file: str, stored: StoredArray) -> None:
    head = npy.head(stored.dtype, stored.shape)
    at = found = 0
    with reading(file):
        size = directory.size(file)
        if size != stored.length:
            raise SnapshotDamaged(file, f"{size} bytes, the manifest says {stored.length}")
        if directory.read(file, limit=len(head)) != head:
            raise SnapshotDamaged(file, f"its head is not that of {stored.dtype} {stored.shape}")
        while part := directory.read(file, offset=at, limit=_READ_AT_ONCE):
            found = checksum(part, found)
            at += len(part)
    if found != stored.checksum:
        raise SnapshotDamaged(
            file, f"checksum {found:08x}, the manifest says {stored.checksum:08x}"
        )
