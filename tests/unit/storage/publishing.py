"""A bucket in memory, a stored collection to publish there, and a folder to fetch it into."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.log.writer import Log
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.npy import AnyArray
from passageway_server.storage.published.bucket import Bucket
from passageway_server.storage.published.index import (
    CURRENT,
    Index,
    decode_index,
)
from passageway_server.storage.snapshot import Snapshot
from tests.unit.storage.disks import NOON, some_arrays

INCARNATION = "0123abcd"


class Clock:
    """Seconds, as a test likes them."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def bucket() -> Bucket:
    return Bucket("memory:///", setting="publish")


@pytest.fixture
def stored(folder: DataFolder) -> StoredCollection:
    """A snapshot of version 1."""
    made = folder.collection("debian")
    publish(made, 1)
    return made


@pytest.fixture
def cache(tmp_path: Path) -> DiskDirectory:
    (tmp_path / "cache").mkdir()
    return DiskDirectory(tmp_path / "cache")


def publish(
    stored: StoredCollection,
    number: int,
    *,
    arrays: Mapping[str, AnyArray] | None = None,
    previous: Snapshot | None = None,
    incarnation: str = INCARNATION,
) -> Snapshot:
    return stored.publish(
        StoredVersion(number, f"{incarnation}000100000000{number:012x}"),
        arrays=some_arrays() if arrays is None else arrays,
        meta={},
        created_at=NOON,
        previous=previous,
    )


def marked(stored: StoredCollection, log: Log) -> None:
    """Say that all of *log* is on the disk."""
    log.sync()
    layout.name_durable(stored.directory, stored.name, log.durable)


def files(directory: DiskDirectory, name: str = "debian") -> dict[str, bytes]:
    """The newest snapshot and the log of a collection, by path; segments without commits are of no use to others."""
    folder = layout.read_current(directory, name)
    paths = [f"{folder}/{entry.name}" for entry in directory.entries(folder)]
    paths += [path for _, path in layout.segments(directory, name) if directory.size(path) > 64]
    return {path: directory.read(path, limit=1 << 24) for path in paths}


def index_of(bucket: Bucket) -> Index:
    named = bucket.named(CURRENT)
    assert named is not None
    return decode_index(named[0], CURRENT)
