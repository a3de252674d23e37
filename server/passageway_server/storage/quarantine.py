"""Where what was damaged goes: a copy stands here, on the disk, before anything is taken out of its place.

Nothing in the folder is overwritten, deleted or read. A copy is made of second names where the disk has links. Its
name tells where it stood, and has a number added where that is taken.
"""

from typing import Final

from passageway_server.storage.directory import (
    Directory,
    Entry,
    NotAFile,
    copy_tree,
    holds_folder,
    parts_of,
    reading,
    remove_tree,
)
from passageway_server.storage.layout import NAMED, QUARANTINE, SEGMENTS, SNAPSHOTS
from passageway_server.storage.snapshot import PARTIAL

_KINDS: Final = {SEGMENTS: "log-", SNAPSHOTS: "snapshot-", NAMED: "named-"}


def keep(directory: Directory, path: str, *, start: int = 0) -> str:
    """Copy a file or folder of a collection, a file from offset *start* on; return where to. OSError.

    What was copied before is not copied again, unless a byte of it is another one by now, or cannot be read.
    """
    collection, _, within = path.partition("/")
    folder = f"{collection}/{QUARANTINE}"
    if not holds_folder(directory, folder):
        directory.make_folder(folder)
        directory.sync(collection)
    name = _name_of(within) + (f"-at-{start}" if start else "")
    taken = {entry.name: entry for entry in directory.entries(folder)}
    place = next(
        each
        for each in (name, *(f"{name}-{number}" for number in range(2, len(taken) + 2)))
        if each not in taken or _same(directory, path, f"{folder}/{each}", start, taken[each])
    )
    if place not in taken:
        aside = f"{folder}/{place}{PARTIAL}"
        remove_tree(directory, aside)
        copy_tree(directory, path, aside, start=start)
        directory.rename(aside, f"{folder}/{place}")
    directory.sync(folder)
    return f"{folder}/{place}"


def kept(directory: Directory, collection: str) -> list[str]:
    """The paths of what is in quarantine; none without that folder. ReadFailed."""
    folder = f"{collection}/{QUARANTINE}"
    if not holds_folder(directory, folder):
        return []
    with reading(folder):
        entries = directory.entries(folder)
    return [f"{folder}/{entry.name}" for entry in entries]


def _name_of(within: str) -> str:
    folder, _, name = within.rpartition("/")
    return _KINDS.get(folder, "") + name.removesuffix(".log")


def _same(directory: Directory, path: str, copy: str, start: int, there: Entry) -> bool:
    """Whether *copy* holds what stands at *path*; False where that cannot be read."""
    try:
        if there.is_folder:
            return _same_folders(directory, path, copy)
        size = _size(directory, path)
        return size >= 0 and _same_bytes(directory, path, copy, size, start)
    except OSError:
        return False


def _same_folders(directory: Directory, folder: str, copy: str) -> bool:
    inside = directory.entries(folder)
    return inside == directory.entries(copy) and all(
        _same_folders(directory, one, other)
        if is_folder
        else _same_bytes(directory, one, other, _size(directory, one), 0)
        for one, other, is_folder in (
            (f"{folder}/{name}", f"{copy}/{name}", is_folder) for name, is_folder in inside
        )
    )


def _same_bytes(directory: Directory, file: str, copy: str, size: int, start: int) -> bool:
    """Whether *copy* is *file*, of *size* bytes, from *start* on; what is no file has no bytes, and its name tells it."""
    if size - start != _size(directory, copy):
        return False
    both = zip(parts_of(directory, file, start=start), parts_of(directory, copy), strict=False)
    return size < 0 or all(one == other for one, other in both)


def _size(directory: Directory, path: str) -> int:
    """The length of a file; -1 of what is none."""
    try:
        return directory.size(path)
    except NotAFile:
        return -1
