"""A log of which something is torn or damaged, and what recovery says of it."""

from pathlib import Path

import pytest

from passageway_server.errors import LogDamaged, PassagewayError, SnapshotDamaged
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log import frames
from passageway_server.storage.report import Kind
from tests.unit.storage.disks import commit, logged, publish

FIRST = "debian/log/0000000000000002.log"
FRAME = frames.HEAD_LENGTH + len(b"\x82\xa6number\x02\xa7filling\xc4\x28") + 40
"""Bytes of the frame of a commit of the tests, of those with small numbers."""


def at(number: int) -> int:
    """Where the frame of that commit begins in the first segment."""
    return frames.HEADER_LENGTH + (number - 2) * FRAME


def flip(file: Path, offset: int, bit: int = 0) -> None:
    content = bytearray(file.read_bytes())
    content[offset] ^= 1 << bit
    file.write_bytes(content)


def quarantined(root: Path) -> list[str]:
    folder = root / "debian/quarantine"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def findings(collection: StoredCollection) -> list[tuple[Kind, int | None]]:
    recovered = collection.recover()
    list(recovered.commits)
    return [(found.kind, found.offset) for found in recovered.findings]


def refusal(collection: StoredCollection) -> PassagewayError:
    with pytest.raises((LogDamaged, SnapshotDamaged)) as refused:
        list(collection.recover().commits)
    return refused.value


def segmented(torn: DataFolder) -> StoredCollection:
    """A snapshot of version 1, and segments of two commits: 2 and 3, 4 and 5, 6 and 7."""
    collection = torn.collection("debian")
    publish(collection, 1)
    log = logged(collection, 3)
    for first in (4, 6):
        log.roll()
        log.append(first, commit(first))
        log.append(first + 1, commit(first + 1))
        log.sync()
    log.close()
    return collection


def everything(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
