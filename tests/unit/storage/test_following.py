"""A log read while its owner appends to it."""

from pathlib import Path

import pytest

from passageway_server.errors import LogDamaged
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log.following import LogCursor, LogMoved
from tests.unit.storage.disks import commit, logged, publish


@pytest.fixture
def collection(folder: DataFolder) -> StoredCollection:
    """A snapshot of version 1."""
    made = folder.collection("debian")
    publish(made, 1)
    return made


def read(cursor: LogCursor, upto: int | None = None) -> list[int]:
    commits = [*cursor.commits(upto)]
    assert all(each.payload == commit(each.number) for each in commits)
    return [each.number for each in commits]


def test_a_follower_reads_each_commit_once_as_far_as_it_is_told(
    collection: StoredCollection,
) -> None:
    cursor = collection.follow(1)
    log = logged(collection, 4)

    assert read(cursor, 3) == [2, 3]
    assert read(cursor, 3) == []
    assert read(cursor) == [4]
    log.append(5, commit(5))
    assert read(cursor, 5) == [5]
    assert cursor.last == 5
    log.close()


def test_a_follower_goes_on_in_the_next_segment(collection: StoredCollection) -> None:
    cursor = collection.follow(1)
    log = logged(collection, 3)
    assert read(cursor) == [2, 3]
    for number in (4, 5):
        log.roll()
        log.append(number, commit(number))

    assert read(cursor, 5) == [4, 5]
    log.close()
    logged(collection, 6).close()
    assert read(cursor, 6) == [6]


def test_a_follower_begins_in_the_middle_of_a_segment(collection: StoredCollection) -> None:
    logged(collection, 5).close()

    assert read(collection.follow(3)) == [4, 5]


def test_a_follower_waits_for_what_is_half_written(
    collection: StoredCollection, root: Path
) -> None:
    cursor = collection.follow(1)
    log = logged(collection, 3)
    file = root / "debian/log/0000000000000002.log"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])

    assert read(cursor) == [2]
    file.write_bytes(whole)
    assert read(cursor) == [3]
    log.close()


def test_what_a_follower_was_told_of_and_cannot_be_read_is_damage(
    collection: StoredCollection, root: Path
) -> None:
    cursor = collection.follow(1)
    log = logged(collection, 3)

    assert read(cursor) == [2, 3]
    with pytest.raises(LogDamaged):
        read(cursor, 4)
    log.close()


def test_a_follower_that_is_too_far_behind_begins_again(collection: StoredCollection) -> None:
    cursor = collection.follow(1)
    log = logged(collection, 3)
    publish(collection, 3)
    log.roll()
    collection.drop_old()

    with pytest.raises(LogMoved):
        read(cursor)
    log.close()


def test_a_follower_begins_again_where_a_snapshot_took_the_place_of_a_commit(
    collection: StoredCollection,
) -> None:
    cursor = collection.follow(1)
    log = logged(collection, 3)
    publish(collection, 4)
    log.roll(after=4)
    log.append(5, commit(5))
    log.sync()

    assert read(cursor, 3) == [2, 3]
    with pytest.raises(LogMoved):
        read(cursor, 5)
    assert read(collection.follow(4), 5) == [5]
    log.close()


def test_a_follower_that_saw_commits_which_a_crash_undid_begins_again(
    collection: StoredCollection, root: Path
) -> None:
    cursor = collection.follow(1)
    file = root / "debian/log/0000000000000002.log"
    log = logged(collection, 3)
    known = file.read_bytes()
    log.append(4, commit(4))
    assert read(cursor) == [2, 3, 4]
    file.write_bytes(known)  # power was lost, and commit 4 with it

    logged(collection, 4).close()

    with pytest.raises(LogMoved):
        read(cursor)
