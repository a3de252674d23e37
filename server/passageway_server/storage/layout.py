"""Where things stand in a data folder, and its small files, FORMAT, CURRENT and LOG.

    DATA/FORMAT                                the format of the folder
    DATA/LOCK                                  held by the server that has it open
    DATA/PAGE_KEY                              seals page tokens (page_key.py)
    DATA/<collection>/CURRENT                  names the newest complete snapshot
    DATA/<collection>/snapshots/<number>/      one version each
    DATA/<collection>/named/<name>/            kept until they are deleted
    DATA/<collection>/LOG                      names the newest segment of the log
    DATA/<collection>/log/<first number>.log   commits since a snapshot (log/)
    DATA/<collection>/DURABLE                  a commit that is known to be on the disk
    DATA/<collection>/quarantine/              what was damaged, never swept (quarantine.py)

What ends in ``.partial`` was being made and what ends in ``.removed`` was being removed; both are
swept at the start.
"""

import re
import zlib
from typing import Final

from passageway_server.errors import FormatTooNew, SnapshotDamaged
from passageway_server.storage.directory import (
    ROOT,
    Directory,
    holds_folder,
    reading,
    remove_tree,
    settle,
)
from passageway_server.storage.names import checked_name, is_name
from passageway_server.storage.snapshot import PARTIAL, discard

FOLDER_FORMAT: Final = 2
"""The format that is written. One of format 1 has no logs, and a release that knows none must not open this one."""

FORMAT: Final = "FORMAT"
CURRENT: Final = "CURRENT"
SNAPSHOTS: Final = "snapshots"
NAMED: Final = "named"
LOG: Final = "LOG"
DURABLE: Final = "DURABLE"
SEGMENTS: Final = "log"
QUARANTINE: Final = "quarantine"
REMOVED: Final = ".removed"
DAMAGED: Final = ".damaged"
"""Ends the name of what stood in the place of a small file and was none. Nothing reads it."""

_NUMBER: Final = re.compile(rb"([0-9]{16}) ([0-9a-f]{8})\n")
_FORMAT: Final = re.compile(rb"([0-9]{1,9})\n")
_MOST_OF_A_SMALL_FILE: Final = 64


def collection_folder(name: str) -> str:
    """The folder of the collection *name*; InvalidRequest unless it can be a name."""
    return checked_name(name, field="collection")


def version_folder(number: int) -> str:
    """The name of a version's folder among ``snapshots``: they sort as the numbers do."""
    return f"{number:016d}"


def is_version_folder(name: str) -> bool:
    """Whether *name* is what ``version_folder`` makes."""
    return re.fullmatch(r"[0-9]{16}", name) is not None


def segment_file(collection: str, first: int) -> str:
    """The path of the segment of a log whose first commit is number *first*."""
    return f"{collection}/{SEGMENTS}/{first:016d}.log"


def segments(directory: Directory, collection: str) -> list[tuple[int, str]]:
    """The first commit and the path of each segment of a log, oldest first; none without a log. ReadFailed."""
    folder = f"{collection}/{SEGMENTS}"
    if not holds_folder(directory, folder):
        return []
    with reading(folder):
        names = [entry.name for entry in directory.entries(folder)]
    return [
        (int(name[:16]), f"{folder}/{name}")
        for name in names
        if re.fullmatch(r"[0-9]{16}\.log", name)
    ]


def needed_segments(directory: Directory, collection: str, *, after: int) -> list[tuple[int, str]]:
    """The `segments` from the one with the commit past *after* on; the newest in any case."""
    found = segments(directory, collection)
    ends = [*(first - 1 for first, _ in found[1:]), after + 1]
    return [each for each, end in zip(found, ends, strict=False) if end > after]


def versions(directory: Directory, collection: str) -> list[str]:
    """The paths of the snapshots in a collection, oldest first, complete or not. ReadFailed, SnapshotDamaged."""
    folder = f"{collection}/{SNAPSHOTS}"
    with reading(folder):
        entries = directory.entries(folder)
    return [f"{folder}/{entry.name}" for entry in entries if is_version_folder(entry.name)]


def named_folders(directory: Directory, collection: str) -> list[str]:
    """The folders of a collection's named snapshots, damaged ones too. ReadFailed."""
    folder = f"{collection}/{NAMED}"
    if not holds_folder(directory, folder):
        return []
    with reading(folder):
        entries = directory.entries(folder)
    return [
        f"{folder}/{entry.name}" for entry in entries if entry.is_folder and is_name(entry.name)
    ]


def number_of(snapshot: str) -> int:
    """The number that the folder of a snapshot is named by."""
    return int(snapshot.rpartition("/")[2])


def read_current(directory: Directory, collection: str) -> str:
    """The path of the snapshot that counts; SnapshotDamaged unless CURRENT is as it was written."""
    number = _named_by(directory, f"{collection}/{CURRENT}")
    return f"{collection}/{SNAPSHOTS}/{version_folder(number)}"


def read_newest_segment(directory: Directory, collection: str) -> int | None:
    """The first commit of the segment that LOG names, None without a LOG; SnapshotDamaged, ReadFailed."""
    with reading(collection):
        if all(entry.name != LOG for entry in directory.entries(collection)):
            return None
    return _named_by(directory, f"{collection}/{LOG}")


def read_durable(directory: Directory, collection: str) -> int:
    """The number in DURABLE, 0 without one; SnapshotDamaged, ReadFailed."""
    with reading(collection):
        if all(entry.name != DURABLE for entry in directory.entries(collection)):
            return 0
    return _named_by(directory, f"{collection}/{DURABLE}")


def _named_by(directory: Directory, file: str) -> int:
    with reading(file):
        line = directory.read(file, limit=_MOST_OF_A_SMALL_FILE)
    found = _NUMBER.fullmatch(line)
    if found is None or int(found[2], 16) != zlib.crc32(found[1]):
        raise SnapshotDamaged(file, f"{line!r} names nothing")
    return int(found[1])


def name_current(directory: Directory, collection: str, snapshot: str) -> None:
    """Let *snapshot* count from now on, on the disk once the collection's folder is synced.

    OSError when the disk refuses, and then what counted before counts still.
    """
    _name(directory, f"{collection}/{CURRENT}", number_of(snapshot))


def name_newest_segment(directory: Directory, collection: str, first: int) -> None:
    """Say that there is a segment with the commit *first*, on the disk as with `name_current`. OSError."""
    _name(directory, f"{collection}/{LOG}", first)


def name_durable(directory: Directory, collection: str, number: int) -> None:
    """Say that commit *number* is on the disk, which it must be by now. That this is lost in a crash does no harm. OSError."""
    _name(directory, f"{collection}/{DURABLE}", number)


def _name(directory: Directory, file: str, number: int) -> None:
    aside, digits = file + PARTIAL, version_folder(number).encode("ascii")
    try:
        remove_tree(directory, aside)
        directory.write(aside, [b"%s %08x\n" % (digits, zlib.crc32(digits))])
        try:
            directory.rename(aside, file)
        except IsADirectoryError:
            directory.rename(file, file + DAMAGED)  # whoever put a folder there has it still
            directory.rename(aside, file)
    except BaseException:
        discard(directory, aside)
        raise


def remove_safely(directory: Directory, path: str) -> None:
    """Remove a folder; a crash leaves it whole or gone, never in part under its name.

    OSError with nothing changed, or NotDurable with the folder gone for now.
    """
    folder, _, name = path.rpartition("/")
    aside = f"{folder}/{name}{REMOVED}" if folder else f".{name}{REMOVED}"
    remove_tree(directory, aside)
    directory.rename(path, aside)
    settle(directory, path)  # where it fails, what is aside must stay whole until the next start
    discard(directory, aside)


def read_format(directory: Directory) -> int:
    """The folder's format, 0 where it says none. FormatTooNew, SnapshotDamaged, ReadFailed."""
    with reading(FORMAT):
        if all(entry.name != FORMAT for entry in directory.entries(ROOT)):
            return 0
        line = directory.read(FORMAT, limit=_MOST_OF_A_SMALL_FILE)
    found = _FORMAT.fullmatch(line)
    if found is None or int(found[1]) < 1:
        raise SnapshotDamaged(FORMAT, f"{line!r} is no format")
    if int(found[1]) > FOLDER_FORMAT:
        raise FormatTooNew(FORMAT, found=int(found[1]), newest=FOLDER_FORMAT)
    return int(found[1])


def settle_format(directory: Directory) -> None:
    """Let the folder have the format that is written: one that has none yet, or an earlier one, gets it.

    Raises as `read_format`, or OSError.
    """
    if read_format(directory) == FOLDER_FORMAT:
        return
    remove_tree(directory, FORMAT + PARTIAL)
    directory.write(FORMAT + PARTIAL, [b"%d\n" % FOLDER_FORMAT])
    directory.rename(FORMAT + PARTIAL, FORMAT)
    directory.sync(ROOT)
