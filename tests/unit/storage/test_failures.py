"""A disk that refuses any one change, and a process that ends before any one of them."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from passageway_server.errors import NotDurable, NotFound, StorageFailed
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from tests.unit.storage.disks import (
    NOON,
    Crash,
    FailingDirectory,
    assert_same,
    opened,
    publish,
    some_arrays,
    version,
)

Act = Callable[[StoredCollection], object]


def publish_first(collection: StoredCollection) -> None:
    publish(collection, 1)


def publish_next(collection: StoredCollection) -> None:
    """Publish a version that shares half of its arrays with the one before."""
    opened = collection.open()
    kept = dict(list(opened.arrays.items())[:4])
    publish(collection, 3, arrays=some_arrays() | kept, previous=opened.snapshot)


def create_named(collection: StoredCollection) -> None:
    collection.create_named("new", created_at=NOON)


def drop_old(collection: StoredCollection) -> None:
    collection.drop_old()


def delete_named(collection: StoredCollection) -> None:
    collection.delete_named("old")


def delete(collection: StoredCollection) -> None:
    collection.delete()


CHANGES: list[Act] = [publish_next, create_named, drop_old, delete_named, delete]


def prepare(root: Path) -> None:
    """Two versions and a named snapshot."""
    with DataFolder.open(root) as folder:
        collection = folder.collection("debian")
        publish(collection, 1)
        publish(collection, 2)
        collection.create_named("old", created_at=NOON)


def changes_of(root: Path, act: Act) -> int:
    """How many changes of the disk *act* takes where none fails."""
    disk = FailingDirectory(root, fails_at=-1)
    act(StoredCollection(disk, "debian"))
    return disk.changes


def leftovers(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.suffix in (".partial", ".removed")]


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        (errno.ENOSPC, "RESOURCE_EXHAUSTED", "DISK_FULL"),
        (errno.EDQUOT, "RESOURCE_EXHAUSTED", "DISK_FULL"),
        (errno.EIO, "UNAVAILABLE", "WRITE_FAILED"),
    ],
)
@pytest.mark.parametrize("act", [publish_next, create_named])
def test_a_change_that_is_refused_leaves_what_was_and_can_be_tried_again(
    tmp_path: Path, act: Act, code: int, status: str, reason: str
) -> None:
    prepare(tmp_path / "counted")
    for fails_at in range(changes_of(tmp_path / "counted", act)):
        root = tmp_path / str(fails_at)
        prepare(root)
        before = sorted(root.rglob("*"))
        disk = FailingDirectory(root, fails_at=fails_at, code=code)
        collection = StoredCollection(disk, "debian")

        failed: StorageFailed | None = None  # a link that is refused is written instead
        try:
            act(collection)
        except StorageFailed as error:
            failed = error

        if failed and not isinstance(failed, NotDurable):
            assert (failed.code, failed.reason) == (status, reason)
            assert collection.open().version == version(2)
        assert leftovers(root) == []
        assert collection.find_damage() == []
        if failed and collection.open().version == version(2):
            assert sorted(root.rglob("*")) == before
        assert_same(collection.open().arrays, some_arrays())
        if failed:
            act(collection)
        assert collection.find_damage() == []


def test_only_the_last_sync_can_fail_after_the_new_version_counts_and_says_so(
    tmp_path: Path,
) -> None:
    prepare(tmp_path / "counted")
    count = changes_of(tmp_path / "counted", publish_next)
    counted: list[tuple[int, str]] = []
    for fails_at in range(count):
        root = tmp_path / str(fails_at)
        prepare(root)
        collection = StoredCollection(FailingDirectory(root, fails_at=fails_at), "debian")
        try:
            publish_next(collection)
        except StorageFailed as error:
            counted.append((collection.open().version.number, error.reason))

    assert counted == [(2, "WRITE_FAILED")] * (len(counted) - 1) + [(3, "NOT_DURABLE")]


@pytest.mark.parametrize("act", [delete, delete_named], ids=lambda act: act.__name__)
def test_what_was_taken_away_before_its_sync_failed_is_gone_and_the_error_says_so(
    tmp_path: Path, act: Act
) -> None:
    prepare(tmp_path / "counted")
    outcomes: list[tuple[str, bool]] = []
    for fails_at in range(changes_of(tmp_path / "counted", act)):
        root = tmp_path / str(fails_at)
        prepare(root)
        collection = StoredCollection(FailingDirectory(root, fails_at=fails_at), "debian")
        try:
            act(collection)
        except StorageFailed as error:
            outcomes.append((error.reason, "nothing was changed" in str(error)))
            if isinstance(error, NotDurable):
                with pytest.raises(NotFound):
                    act(collection)
            else:
                assert collection.open_named("old").version == version(2)
                act(collection)

    assert outcomes == [("WRITE_FAILED", True), ("NOT_DURABLE", False)]


def test_a_collection_whose_first_version_is_refused_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "counted").mkdir()
    for fails_at in range(changes_of(tmp_path / "counted", publish_first)):
        root = tmp_path / str(fails_at)
        root.mkdir()
        collection = StoredCollection(FailingDirectory(root, fails_at=fails_at), "debian")

        with pytest.raises(StorageFailed):
            publish_first(collection)

        assert list(root.iterdir()) == []
        publish_first(collection)
        assert collection.find_damage() == []


@pytest.mark.parametrize("act", [publish_first, *CHANGES], ids=lambda act: act.__name__)
def test_a_process_that_ends_anywhere_leaves_a_folder_that_opens(tmp_path: Path, act: Act) -> None:
    def start(root: Path) -> None:
        DataFolder.open(root).close()
        if act is not publish_first:
            prepare(root)

    start(tmp_path / "counted")
    for fails_at in range(changes_of(tmp_path / "counted", act)):
        root = tmp_path / str(fails_at)
        start(root)
        disk = FailingDirectory(root, fails_at=fails_at, stays_dead=True)
        with pytest.raises(Crash):
            act(StoredCollection(disk, "debian"))

        with DataFolder.open(root) as folder:
            found = opened(folder)
            assert leftovers(root) == []
            for snapshot in found.values():
                assert_same(snapshot.arrays, some_arrays())
            for name in folder.names():
                assert folder.collection(name).find_damage() == []
        if act not in (publish_first, delete):
            assert list(found) == ["debian"]


def test_a_file_that_may_not_be_read_is_no_damage(tmp_path: Path) -> None:
    class Unreadable(DiskDirectory):
        def read(self, path: str, *, offset: int = 0, limit: int) -> bytes:
            raise PermissionError(errno.EACCES, f"{path} {offset} {limit}")

    prepare(tmp_path / "data")
    collection = StoredCollection(Unreadable(tmp_path / "data"), "debian")

    with pytest.raises(StorageFailed) as refused:
        collection.open()

    assert (refused.value.code, refused.value.reason) == ("UNAVAILABLE", "READ_FAILED")
