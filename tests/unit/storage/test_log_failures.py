"""A disk that refuses a commit, and a disk that no longer tells what it holds."""

import errno
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest

from passageway_server.errors import ReadOnly, StorageFailed
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.log.writer import Log
from passageway_server.storage.verification import verify_folder
from tests.crash.faults import NEEDS_ROOM, NEVER, Fault, FaultyDirectory
from tests.unit.storage.disks import commit, logged, numbers_of, publish


def opened(root: Path) -> tuple[FaultyDirectory, StoredCollection, Log]:
    """A collection with commits 2 and 3, and its log, on a disk that does not fail yet."""
    with DataFolder.open(root) as folder:
        publish(folder.collection("debian"), 1)
    disk = FaultyDirectory(DiskDirectory(root))
    collection = StoredCollection(disk, "debian")
    return disk, collection, logged(collection, 3)


def fail(
    disk: FaultyDirectory,
    acts: AbstractSet[str],
    *,
    code: int = errno.EIO,
    for_good: bool = False,
    short: bool = False,
) -> None:
    """Let the next of these acts fail, or all from now on."""
    disk.calls = 0
    disk.fault = Fault(0, code, for_good=for_good, short=short, among=lambda act, _: act in acts)


def after_restart(root: Path) -> list[int]:
    """The commits that are found by the next process; what it finds must be in order."""
    with DataFolder.open(root) as folder:
        collection = folder.collection("debian")
        numbers = numbers_of(collection)
        log = logged(collection, numbers[-1] + 1)
        log.close()
        assert numbers_of(collection) == [*numbers, numbers[-1] + 1]
    assert not verify_folder(DiskDirectory(root)).damaged
    return numbers


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    ("code", "reason"),
    [(errno.ENOSPC, "DISK_FULL"), (errno.EDQUOT, "DISK_FULL"), (errno.EIO, "WRITE_FAILED")],
)
def test_a_commit_that_is_refused_leaves_nothing_and_the_next_one_is_taken(
    root: Path, code: int, reason: str, short: bool
) -> None:
    disk, collection, log = opened(root)
    before = (root / "debian/log/0000000000000002.log").read_bytes()
    fail(disk, {"append"}, code=code, short=short)

    with pytest.raises(StorageFailed) as refused:
        log.append(4, commit(4))

    assert refused.value.reason == reason
    assert (root / "debian/log/0000000000000002.log").read_bytes() == before
    assert (log.appended, log.durable, log.failed) == (3, 3, None)
    log.append(4, commit(4))
    log.close()
    assert numbers_of(collection) == [2, 3, 4]
    assert after_restart(root) == [2, 3, 4]


def test_a_disk_that_stays_full_refuses_commits_until_there_is_room(root: Path) -> None:
    disk, _, log = opened(root)
    fail(disk, NEEDS_ROOM, code=errno.ENOSPC, for_good=True, short=True)
    for _ in range(3):
        with pytest.raises(StorageFailed) as refused:
            log.append(4, commit(4))
        assert refused.value.code == "RESOURCE_EXHAUSTED"
        with pytest.raises(StorageFailed):
            log.roll()

    disk.fault = NEVER
    log.append(4, commit(4))
    log.close()

    assert after_restart(root) == [2, 3, 4]


def test_a_commit_that_cannot_be_taken_back_ends_all_commits(root: Path) -> None:
    disk, collection, log = opened(root)
    fail(disk, {"append", "cut"}, for_good=True, short=True)

    for _ in range(2):
        with pytest.raises(ReadOnly):
            log.append(4, commit(4))
    with pytest.raises(ReadOnly):
        log.roll()

    log.sync()  # what was durable is durable
    log.close()
    assert disk.misuses == []
    assert numbers_of(collection) == [2, 3]
    assert after_restart(root) == [2, 3]


def test_a_sync_that_fails_is_never_tried_again(root: Path) -> None:
    disk, _, log = opened(root)
    fail(disk, {"sync_log"})
    log.append(4, commit(4))

    for _ in range(3):
        with pytest.raises(ReadOnly) as refused:
            log.sync()
        assert refused.value.reason == "READ_ONLY"
    with pytest.raises(ReadOnly):
        log.append(5, commit(5))

    assert log.failed is not None
    assert (log.appended, log.durable) == (4, 3)
    log.close()
    assert disk.misuses == []
    assert after_restart(root) in ([2, 3], [2, 3, 4])
