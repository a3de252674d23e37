"""The key that seals page tokens: 32 random bytes in the data folder, for its owner alone.

It is made when a folder is first opened and then stays, so that a page that was begun goes on after a
restart. It guards no rows: who holds it can make tokens, and a token only says where a page begins.
"""

import secrets
from typing import Final

from passageway_server.storage.directory import ROOT, Directory, reading, remove_tree
from passageway_server.storage.snapshot import PARTIAL

PAGE_KEY: Final = "PAGE_KEY"
_LENGTH: Final = 32


def new_page_key() -> bytes:
    """A key that nobody else has."""
    return secrets.token_bytes(_LENGTH)


def read_page_key(directory: Directory) -> bytes:
    """What PAGE_KEY holds, nothing without one. SnapshotDamaged where it is no file, ReadFailed."""
    with reading(PAGE_KEY):
        if all(entry.name != PAGE_KEY for entry in directory.entries(ROOT)):
            return b""
        return directory.read(PAGE_KEY, limit=_LENGTH + 1)


def kept_page_key(directory: Directory) -> bytes:
    """The key of the folder, made where there is none yet; one of another length is replaced.

    SnapshotDamaged, ReadFailed, or OSError where a new one cannot be written.
    """
    kept = read_page_key(directory)
    if len(kept) == _LENGTH:
        return kept
    made = new_page_key()
    aside = PAGE_KEY + PARTIAL
    remove_tree(directory, aside)
    directory.write(aside, [made])
    directory.rename(aside, PAGE_KEY)
    directory.sync(ROOT)
    return made
