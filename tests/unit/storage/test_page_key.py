"""The key of page tokens: made once, kept for its owner alone, whole after any crash."""

import errno
from pathlib import Path
from random import Random

import pytest

from passageway_server.errors import ReadFailed, StorageFailed
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.page_key import kept_page_key
from passageway_server.version.store import Store
from tests.crash.forgetting import ForgettingDirectory
from tests.unit.storage.disks import FailingDirectory


def test_a_folder_has_one_key_whoever_opens_it(root: Path) -> None:
    with DataFolder.open(root) as first:
        key = first.page_key
    with DataFolder.open(root) as second:
        assert second.page_key == key == (root / "PAGE_KEY").read_bytes()

    assert len(key) == 32
    assert (root / "PAGE_KEY").stat().st_mode & 0o777 == 0o600


def test_two_folders_and_two_stores_in_memory_have_different_keys(tmp_path: Path) -> None:
    with DataFolder.open(tmp_path / "a") as a, DataFolder.open(tmp_path / "b") as b:
        keys = {a.page_key, b.page_key, Store.open().page_key, Store.open().page_key}

    assert len(keys) == 4
    assert {len(key) for key in keys} == {32}


def test_a_folder_of_an_earlier_release_gets_a_key(root: Path) -> None:
    DataFolder.open(root).close()
    (root / "PAGE_KEY").unlink()

    with DataFolder.open(root) as opened:
        assert opened.page_key == (root / "PAGE_KEY").read_bytes()


def test_a_key_that_was_half_written_is_swept(root: Path) -> None:
    DataFolder.open(root).close()
    (root / "PAGE_KEY.partial").write_bytes(b"x")

    with DataFolder.open(root) as opened:
        assert opened.swept == ("PAGE_KEY.partial",)
    assert not (root / "PAGE_KEY.partial").exists()


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 33])
def test_a_key_of_another_length_is_replaced(root: Path, content: bytes) -> None:
    DataFolder.open(root).close()
    (root / "PAGE_KEY").write_bytes(content)

    with DataFolder.open(root) as opened:
        assert len(opened.page_key) == 32
        assert opened.page_key == (root / "PAGE_KEY").read_bytes()


@pytest.mark.parametrize("seed", range(12))
def test_a_key_that_was_given_out_survives_a_crash_and_one_half_made_is_made_anew(
    seed: int,
) -> None:
    draw = Random(seed)
    directory = ForgettingDirectory()
    key = kept_page_key(directory)
    assert kept_page_key(directory.crashed(draw)) == key
    for operations in range(directory.operations):
        survivor = directory.crashed(draw, after=operations)

        again = kept_page_key(survivor)
        assert kept_page_key(survivor.crashed(draw)) == again


def test_a_folder_whose_key_cannot_be_written_is_not_opened(tmp_path: Path) -> None:
    DataFolder(DiskDirectory(tmp_path))
    (tmp_path / "PAGE_KEY").unlink()

    with pytest.raises(StorageFailed) as refused:
        DataFolder(FailingDirectory(tmp_path, fails_at=0))

    assert refused.value.file == "PAGE_KEY"
    assert len(DataFolder(DiskDirectory(tmp_path)).page_key) == 32


def test_a_key_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    class Unreadable(DiskDirectory):
        def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
            if path == "PAGE_KEY":
                raise PermissionError(errno.EACCES, "may not be read")
            return super().read(path, offset=offset, limit=limit)

    key = DataFolder(DiskDirectory(tmp_path)).page_key

    with pytest.raises(ReadFailed):
        DataFolder(Unreadable(tmp_path))

    assert DataFolder(DiskDirectory(tmp_path)).page_key == key
