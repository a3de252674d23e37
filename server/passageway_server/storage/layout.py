"""Where things stand in a data folder, and its two small files, FORMAT and CURRENT.

    DATA/FORMAT                                the format of the folder
    DATA/LOCK                                  held by the server that has it open
    DATA/PAGE_KEY                              seals page tokens (page_key.py)
    DATA/<collection>/CURRENT                  names the newest complete snapshot
    DATA/<collection>/snapshots/<number>/      one version each
    DATA/<collection>/named/<name>/            kept until they are deleted
    DATA/<collection>/log/, quarantine/        not made yet, and never swept

What ends in ``.partial`` was being made and what ends in ``.removed`` was being removed; both are
swept at the start.
"""

import re
import zlib
from typing import Final

from passageway_server.errors import FormatTooNew, SnapshotDamaged
from passageway_server.storage.directory import ROOT, Directory, reading, remove_tree, settle
from passageway_server.storage.names import NAME, checked_name, is_name
from passageway_server.storage.snapshot import PARTIAL, discard

FOLDER_FORMAT: Final = 1
FORMAT: Final = "FORMAT"
CURRENT: Final = "CURRENT"
SNAPSHOTS: Final = "snapshots"
NAMED: Final = "named"
REMOVED: Final = ".removed"

_CURRENT: Final = re.compile(rb"([0-9]{16}) ([0-9a-f]{8})\n")
_FORMAT: Final = re.compile(rb"([0-9]{1,9})\n")
_LEFT_IN_ROOT: Final = re.compile(rf"\.{NAME}\.(?:partial|removed)|(?:FORMAT|PAGE_KEY)\.partial")
_LEFT_IN_COLLECTION: Final = re.compile(r"CURRENT\.partial")
_LEFT_IN_SNAPSHOTS: Final = re.compile(r"[0-9]{16}\.(?:partial|removed)")
_LEFT_IN_NAMED: Final = re.compile(rf"{NAME}\.(?:partial|removed)")
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


def read_current(directory: Directory, collection: str) -> str:
    """The path of the snapshot that counts; SnapshotDamaged unless CURRENT is as it was written."""
    file = f"{collection}/{CURRENT}"
    with reading(file):
        line = directory.read(file, limit=_MOST_OF_A_SMALL_FILE)
    found = _CURRENT.fullmatch(line)
    if found is None or int(found[2], 16) != zlib.crc32(found[1]):
        raise SnapshotDamaged(file, f"{line!r} does not name a snapshot")
    return f"{collection}/{SNAPSHOTS}/{found[1].decode('ascii')}"


def name_current(directory: Directory, collection: str, snapshot: str) -> None:
    """Let *snapshot* count from now on, on the disk once the collection's folder is synced.

    OSError when the disk refuses, and then what counted before counts still.
    """
    aside = f"{collection}/{CURRENT}{PARTIAL}"
    number = snapshot.rpartition("/")[2].encode("ascii")
    try:
        remove_tree(directory, aside)
        directory.write(aside, [b"%s %08x\n" % (number, zlib.crc32(number))])
        directory.rename(aside, f"{collection}/{CURRENT}")
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


def check_format(directory: Directory) -> None:
    """Check the folder's FORMAT, or write it. FormatTooNew, SnapshotDamaged or OSError."""
    with reading(FORMAT):
        if all(entry.name != FORMAT for entry in directory.entries(ROOT)):
            line = None
        else:
            line = directory.read(FORMAT, limit=_MOST_OF_A_SMALL_FILE)
    if line is None:
        remove_tree(directory, FORMAT + PARTIAL)
        directory.write(FORMAT + PARTIAL, [b"%d\n" % FOLDER_FORMAT])
        directory.rename(FORMAT + PARTIAL, FORMAT)
        directory.sync(ROOT)
        return
    found = _FORMAT.fullmatch(line)
    if found is None or int(found[1]) < 1:
        raise SnapshotDamaged(FORMAT, f"{line!r} is no format")
    if int(found[1]) > FOLDER_FORMAT:
        raise FormatTooNew(FORMAT, found=int(found[1]), newest=FOLDER_FORMAT)


def sweep(directory: Directory) -> list[str]:
    """Remove what a crash left half made or half removed, and name it.

    Only what has a name that storage itself gives is touched. What will not go stays, and harms
    nobody.
    """
    collections = [name for name in _names(directory, ROOT) if is_name(name)]
    places = [(ROOT, _LEFT_IN_ROOT), *((name, _LEFT_IN_COLLECTION) for name in collections)]
    places += [(f"{name}/{SNAPSHOTS}", _LEFT_IN_SNAPSHOTS) for name in collections]
    places += [(f"{name}/{NAMED}", _LEFT_IN_NAMED) for name in collections]
    swept: list[str] = []
    for folder, leftover in places:
        for name in _names(directory, folder):
            if leftover.fullmatch(name):
                path = f"{folder}/{name}" if folder else name
                discard(directory, path)
                swept.append(path)
    return swept


def _names(directory: Directory, folder: str) -> list[str]:
    try:
        return [entry.name for entry in directory.entries(folder)]
    except OSError:
        return []
