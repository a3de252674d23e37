"""What a crash leaves half made or half removed in a data folder, and how it goes.

Only names that storage itself gives are touched; other files are left alone.
"""

import re
from typing import Final

from passageway_server.storage.directory import ROOT, Directory
from passageway_server.storage.layout import NAMED, QUARANTINE, SEGMENTS, SNAPSHOTS
from passageway_server.storage.names import NAME, is_name
from passageway_server.storage.snapshot import discard_renamed

_LEFT_IN_ROOT: Final = re.compile(rf"\.{NAME}\.(?:partial|removed)|(?:FORMAT|PAGE_KEY)\.partial")
_LEFT_IN_COLLECTION: Final = re.compile(r"(?:CURRENT|LOG|DURABLE)\.partial")
_LEFT_IN: Final = {
    SNAPSHOTS: re.compile(r"[0-9]{16}\.(?:partial|removed)"),
    NAMED: re.compile(rf"{NAME}\.(?:partial|removed)"),
    SEGMENTS: re.compile(r"[0-9]{16}\.log\.(?:partial|removed)"),
    QUARANTINE: re.compile(r"[A-Za-z0-9_-]+\.partial"),
}


def leftovers(directory: Directory) -> list[str]:
    """The paths of what a crash left half made or half removed: names that storage itself gives, and no others."""
    collections = [name for name in _names(directory, ROOT) if is_name(name)]
    places = [(ROOT, _LEFT_IN_ROOT)]
    for name in collections:
        places += [(name, _LEFT_IN_COLLECTION)]
        places += [(f"{name}/{folder}", leftover) for folder, leftover in _LEFT_IN.items()]
    return [
        f"{folder}/{name}" if folder else name
        for folder, leftover in places
        for name in _names(directory, folder)
        if leftover.fullmatch(name)
    ]


def sweep(directory: Directory) -> list[str]:
    """Remove the leftovers, and name them. What will not go stays, and harms nobody.

    Their names are on the disk first: a crash must not undo a renaming and keep what was removed behind it.
    """
    swept = leftovers(directory)
    for path in swept:
        discard_renamed(directory, path)
    return swept


def _names(directory: Directory, folder: str) -> list[str]:
    try:
        return [entry.name for entry in directory.entries(folder)]
    except OSError:
        return []
