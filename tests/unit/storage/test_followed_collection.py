"""A collection that somebody else writes: a follower reads what no crash can take back, and nothing more."""

import pytest

from passageway_server.errors import NotFound
from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.following import FollowedCollection, LogMoved
from tests.unit.storage.disks import commit, logged, publish


@pytest.fixture
def stored(folder: DataFolder) -> StoredCollection:
    """A snapshot of version 1."""
    made = folder.collection("debian")
    publish(made, 1)
    return made


@pytest.fixture
def followed(stored: StoredCollection) -> FollowedCollection:
    followed = FollowedCollection(stored)
    followed.open()
    return followed


def read(followed: FollowedCollection, upto: int | None = None) -> list[int]:
    return [each.commit.number for each in followed.commits(upto)]


def test_what_is_not_known_to_be_on_the_disk_is_not_read(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 3)  # 3 is on the disk, which only a later frame will say

    assert read(followed) == [2]
    log.append(4, commit(4))
    assert read(followed) == [3]
    assert (followed.last, read(followed)) == (3, [])
    log.close()


def test_a_mark_tells_of_the_last_commit_before_a_pause(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 3)

    layout.name_durable(stored.directory, stored.name, 3)

    assert read(followed) == [2, 3]
    log.close()


def test_the_next_segment_tells_of_the_one_before(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 3)
    assert read(followed) == [2]

    log.roll()

    assert read(followed) == [3]
    log.close()


def test_who_is_told_reads_so_far_and_no_further(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 4)

    assert read(followed, 3) == [2, 3]
    assert read(followed, 4) == [4]
    log.close()


def test_places_and_sizes_add_up_to_the_segments(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 3)
    log.roll()
    log.append(4, commit(4))
    log.sync()

    reads = list(followed.commits(4))

    ends = {each.first: each.end for each in reads}
    assert ends == {
        first: stored.directory.size(path)
        for first, path in layout.segments(stored.directory, "debian")
    }
    assert sum(each.size for each in reads) == sum(ends.values()) - 64 * len(ends)
    log.close()


def test_a_log_that_was_dropped_leads_to_the_later_snapshot(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 5)
    publish(stored, 5)
    log.roll()
    stored.drop_old()

    with pytest.raises(LogMoved):
        read(followed, 5)
    assert followed.open().version.number == 5
    log.append(6, commit(6))
    log.sync()
    assert read(followed, 6) == [6]
    log.close()


def test_reading_goes_on_behind_any_commit(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    log = logged(stored, 5)

    followed.go_on(3)

    assert read(followed, 5) == [4, 5]
    log.close()


def test_a_collection_that_is_made_anew_is_told_from_the_one_before(
    stored: StoredCollection, followed: FollowedCollection
) -> None:
    assert not followed.is_another()

    stored.delete()
    with pytest.raises(NotFound):
        followed.open()
    publish(stored, 1, arrays={})

    assert followed.newest_snapshot == followed.snapshot
    assert followed.is_another()


def test_following_changes_nothing(stored: StoredCollection, followed: FollowedCollection) -> None:
    logged(stored, 3).close()
    before = {
        path: stored.directory.size(path) for _, path in layout.segments(stored.directory, "debian")
    }

    read(followed)
    FollowedCollection(stored).open()

    after = {
        path: stored.directory.size(path) for _, path in layout.segments(stored.directory, "debian")
    }
    assert after == before
