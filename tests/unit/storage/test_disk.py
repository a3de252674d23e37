"""What the disk is told to keep: files whole before `write` returns, folders at each `sync`, the data folder's own name."""

import os
from pathlib import Path

import pytest

from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory

Synced = list[tuple[int, int]]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Synced:
    """Inode and size of each file or folder that is synced, as it was at that moment."""
    synced: Synced = []

    def fsync(file: int) -> None:
        found = os.fstat(file)
        synced.append((found.st_ino, found.st_size))

    monkeypatch.setattr(os, "fsync", fsync)
    return synced


def test_a_file_is_synced_once_all_of_it_is_written(tmp_path: Path, synced: Synced) -> None:
    DiskDirectory(tmp_path).write("file", [b"one", b"", memoryview(b"two")])

    assert synced == [((tmp_path / "file").stat().st_ino, 6)]


def test_a_folder_is_synced_itself(tmp_path: Path, synced: Synced) -> None:
    directory = DiskDirectory(tmp_path)
    directory.make_folder("inside")

    directory.sync("inside")
    directory.sync("")

    assert [inode for inode, _ in synced] == [
        (tmp_path / "inside").stat().st_ino,
        tmp_path.stat().st_ino,
    ]


def test_each_folder_that_is_made_for_a_data_folder_is_synced_in_its_parent(
    tmp_path: Path, synced: Synced
) -> None:
    DataFolder.open(tmp_path / "one" / "two" / "data").close()

    made_in = [tmp_path, tmp_path / "one", tmp_path / "one" / "two"]
    assert [inode for inode, _ in synced][:3] == [folder.stat().st_ino for folder in made_in]
    assert (tmp_path / "one" / "two" / "data").stat().st_mode & 0o077 == 0
