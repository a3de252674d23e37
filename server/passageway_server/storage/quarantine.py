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

    What was copied before, by someone who then came no further, is not copied again.
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
    if there.is_folder:
        return _listing(directory, path) == _listing(directory, copy)
    size = _size(directory, path)
    if size < 0 or size - start != _size(directory, copy):
        return False
    both = zip(parts_of(directory, path, start=start), parts_of(directory, copy), strict=False)
    return all(one == other for one, other in both)


def _listing(directory: Directory, folder: str) -> list[tuple[Entry, int]] | None:
    try:
        return [
            (entry, 0 if entry.is_folder else _size(directory, f"{folder}/{entry.name}"))
            for entry in directory.entries(folder)
        ]
    except NotADirectoryError:
        return None


def _size(directory: Directory, path: str) -> int:
    """The length of a file; -1 of what is none."""
    try:
        return directory.size(path)
    except NotAFile:
        return -1
