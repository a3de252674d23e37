"""What is published, and what is fetched of it: the same bytes, verified, and no more of them than is needed."""

from pathlib import Path

import numpy as np
import pytest

from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.published.bucket import Bucket
from passageway_server.storage.published.index import (
    OBJECTS,
)
from passageway_server.storage.published.mirror import Mirror
from passageway_server.storage.published.publisher import Publisher
from tests.unit.storage.disks import commit, frozen, logged
from tests.unit.storage.publishing import bucket, cache, files, index_of, marked, publish, stored

__all__ = ["bucket", "cache", "stored"]


def test_a_mirror_holds_the_bytes_of_the_folder(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory
) -> None:
    publisher, mirror = Publisher(stored.directory, bucket), Mirror(cache, bucket)
    log = logged(stored, 4)
    marked(stored, log)

    assert publisher.publish()
    assert mirror.fetch()

    assert mirror.held == {"debian": 4}
    assert isinstance(stored.directory, DiskDirectory)
    assert files(cache) == files(stored.directory)
    assert mirror.page_key() == stored.directory.read("PAGE_KEY", limit=64)
    log.close()


def test_later_commits_and_segments_are_added(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory
) -> None:
    publisher, mirror = Publisher(stored.directory, bucket), Mirror(cache, bucket)
    assert isinstance(stored.directory, DiskDirectory)
    log = logged(stored, 1)
    for number in range(2, 12):
        log.append(number, commit(number))
        if number % 3 == 0:
            log.roll()
        marked(stored, log)
        assert publisher.publish()
        assert mirror.fetch()

        assert mirror.held == {"debian": number}
        held = files(cache)
        assert held == {path: files(stored.directory)[path] for path in held}
    assert not publisher.publish()
    assert not mirror.fetch()
    log.close()


def test_what_is_not_known_to_be_on_the_disk_is_not_published(
    stored: StoredCollection, bucket: Bucket
) -> None:
    publisher = Publisher(stored.directory, bucket)
    log = logged(stored, 3)

    publisher.publish()

    assert index_of(bucket).collections["debian"].last == 2
    log.close()


def test_small_pieces_become_one(stored: StoredCollection, bucket: Bucket) -> None:
    publisher = Publisher(stored.directory, bucket)
    log = logged(stored, 1)
    for number in range(2, 30):
        log.append(number, commit(number, 1000))
        marked(stored, log)
        publisher.publish()
    for number in range(30, 34):
        log.append(number, commit(number, 300_000))
        marked(stored, log)
        publisher.publish()

    pieces = index_of(bucket).collections["debian"].log
    assert len(pieces) == 4
    assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
    assert pieces[-1].last == 33
    log.close()


def test_a_later_snapshot_brings_only_what_changed(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory, tmp_path: Path
) -> None:
    publisher, mirror = Publisher(stored.directory, bucket), Mirror(cache, bucket)
    first = stored.open()
    publisher.publish()
    mirror.fetch()
    before = set(bucket.list(OBJECTS))
    old = layout.read_current(cache, "debian")
    inode = (tmp_path / "cache" / old / "out.offsets.npy").stat().st_ino

    log = logged(stored, 3)
    changed = {**first.arrays, "out.weights": frozen(np.array([2.5]))}
    publish(stored, 3, arrays=changed, previous=first.snapshot)
    log.roll()
    publisher.publish()
    mirror.fetch()

    new = layout.read_current(cache, "debian")
    assert new != old
    assert len(set(bucket.list(OBJECTS)) - before) == 2  # the array, and the listing
    assert (tmp_path / "cache" / new / "out.offsets.npy").stat().st_ino == inode
    assert not (tmp_path / "cache" / old).exists()
    assert mirror.held == {"debian": 3}
    log.close()


def test_a_collection_that_was_made_anew_takes_the_place_of_the_one_before(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory
) -> None:
    publisher, mirror = Publisher(stored.directory, bucket), Mirror(cache, bucket)
    log = logged(stored, 4)
    marked(stored, log)
    publisher.publish()
    mirror.fetch()
    log.close()

    stored.delete()
    publish(stored, 1, arrays={"other": frozen(np.arange(3))}, incarnation="fedcba98")
    publisher.publish()
    mirror.fetch()

    assert mirror.held == {"debian": 1}
    assert isinstance(stored.directory, DiskDirectory)
    assert files(cache) == files(stored.directory)
    stored.delete()
    publisher.publish()
    mirror.fetch()
    assert mirror.held == {}
    assert not any(entry.name == "debian" for entry in cache.entries(""))


def test_what_was_fetched_is_not_fetched_again(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logged(stored, 4)
    marked(stored, log)
    Publisher(stored.directory, bucket).publish()
    Mirror(cache, bucket).fetch()
    asked: list[str] = []
    monkeypatch.setattr(Bucket, "read", lambda _, path: asked.append(path) or iter([b""]))  # type: ignore[func-returns-value]

    again = Mirror(cache, bucket)

    assert again.held == {"debian": 4}
    again.fetch()
    assert asked == []
    log.close()
