"""A data folder for each test, verified when the test is over."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import logged, publish


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the data folder stands."""
    return tmp_path / "data"


@pytest.fixture
def folder(root: Path) -> Iterator[DataFolder]:
    """An open, empty data folder. What a test leaves in it must pass verification."""
    with DataFolder.open(root) as opened:
        yield opened
    assert not verify_folder(DiskDirectory(root)).damaged


@pytest.fixture
def torn(root: Path) -> Iterator[DataFolder]:
    """An open data folder for a test that does damage to it."""
    with DataFolder.open(root) as opened:
        yield opened


@pytest.fixture
def collection(torn: DataFolder) -> StoredCollection:
    """A snapshot of version 1, and commits 2 to 5 in one segment, each durable before the next."""
    made = torn.collection("debian")
    publish(made, 1)
    logged(made, 5).close()
    return made
