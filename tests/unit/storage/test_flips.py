"""Single bits that flip anywhere in the small files and in the log: each is found, and nothing wrong is ever served."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from passageway_server.errors import FormatTooNew, PassagewayError
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import assert_same, commit, logged, publish, some_arrays

OLD, NEW = (f"debian/snapshots/{number:016d}/manifest.msgpack" for number in (1, 4))
SEGMENTS = [f"debian/log/{first:016d}.log" for first in (2, 5, 7, 8)]
SMALL = ["FORMAT", "debian/CURRENT", "debian/LOG", OLD, NEW]


@pytest.fixture
def written(root: Path) -> Path:
    """Snapshots of 1 and 4; commits 2 to 4, 5 and 6, and 7; a segment that is new."""
    with DataFolder.open(root) as folder:
        collection = folder.collection("debian")
        publish(collection, 1)
        log = logged(collection, 4)
        publish(collection, 4, arrays={"a": some_arrays()["scalar"]})
        for through in (6, 7):
            log.roll()
            for number in range(log.appended + 1, through + 1):
                log.append(number, commit(number, 9))
                log.sync()
        log.roll()
        log.close()
    return root


def flips(file: Path) -> Iterator[None]:
    """The file with one bit flipped after the other, and whole at the end; of a manifest some, for time's sake."""
    whole = file.read_bytes()
    for bit in range(0, 8 * len(whole), 13 if file.name == "manifest.msgpack" else 1):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        file.write_bytes(flipped)
        yield
    file.write_bytes(whole)


def found_in(root: Path) -> bool:
    """Whether verification finds something."""
    try:
        return bool(verify_folder(DiskDirectory(root)).findings)
    except FormatTooNew:
        return True


def served(root: Path) -> int | None:
    """The last commit that recovery serves, every one of them as it was written; None where it refuses."""
    collection = StoredCollection(DiskDirectory(root), "debian")
    try:
        recovered = collection.recover()
        commits = [*recovered.commits]
    except PassagewayError:
        return None
    first = recovered.snapshot.version.number
    assert [each.number for each in commits] == [*range(first + 1, first + 1 + len(commits))]
    for each in commits:
        assert each.payload == commit(each.number, 40 if each.number < 5 else 9)
    if first == 1:
        assert_same(recovered.snapshot.arrays, some_arrays())
    return first + len(commits)


@pytest.mark.parametrize("file", [*SMALL, *SEGMENTS])
def test_every_bit_that_flips_is_found_and_what_is_served_is_all_that_was_written(
    written: Path, file: str
) -> None:
    assert not found_in(written)
    for _ in flips(written / file):
        assert found_in(written)
        assert served(written) in (7, None)
    assert not found_in(written)


def test_a_bit_that_flips_in_the_newest_commits_is_found_and_no_other_commit_is_served(
    written: Path,
) -> None:
    with DataFolder.open(written) as folder:
        logged(folder.collection("debian"), 9, size=9).close()

    for _ in flips(written / SEGMENTS[-1]):
        assert found_in(written)
        # The last one may be taken for a tail: no later frame says that it was durable.
        assert served(written) in (8, None)
