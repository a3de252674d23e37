"""What is published, and what is fetched of it: the same bytes, verified, and no more of them than is needed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from passageway_server.errors import SettingInvalid, SnapshotDamaged, StorageFailed
from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.directory import DiskDirectory
from passageway_server.storage.log.writer import Log
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.npy import AnyArray
from passageway_server.storage.published.bucket import Bucket, Lost
from passageway_server.storage.published.index import (
    CURRENT,
    OBJECTS,
    Index,
    decode_index,
)
from passageway_server.storage.published.mirror import PUBLISHED, Mirror
from passageway_server.storage.published.publisher import Publisher
from passageway_server.storage.snapshot import Snapshot
from tests.unit.storage.disks import NOON, commit, frozen, logged, some_arrays

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
        StoredVersion(number, f"{incarnation}0001{number:012x}"),
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


def test_a_piece_that_a_crash_left_half_written_is_completed(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory
) -> None:
    publisher, mirror = Publisher(stored.directory, bucket), Mirror(cache, bucket)
    log = logged(stored, 4)
    marked(stored, log)
    publisher.publish()
    mirror.fetch()
    for number in (5, 6):
        log.append(number, commit(number))
    marked(stored, log)
    publisher.publish()
    ((_, path),) = layout.segments(cache, "debian")
    half = stored.directory.read(path, offset=cache.size(path), limit=10)
    grown = cache.append_to(path)
    grown.append([half])
    grown.close()

    Mirror(cache, bucket).fetch()

    assert isinstance(stored.directory, DiskDirectory)
    assert files(cache) == files(stored.directory)
    log.close()


def test_what_is_published_stays_while_its_folder_cannot_be_read(
    torn: DataFolder, root: Path, bucket: Bucket, cache: DiskDirectory
) -> None:
    stored = torn.collection("debian")
    publish(stored, 1)
    Publisher(stored.directory, bucket).publish()
    (root / "debian" / "CURRENT").write_bytes(b"nothing")
    clock = Clock()
    publisher = Publisher(stored.directory, bucket, clock=clock)

    for now in (0.0, 1000.0, 2000.0):
        clock.now = now
        publisher.publish()
        assert publisher.failed

    mirror = Mirror(cache, bucket)
    mirror.fetch()
    assert mirror.held == {"debian": 1}


@pytest.mark.parametrize("which", ["first", "last"])
def test_an_object_that_is_not_what_its_name_says_is_not_taken(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory, which: str
) -> None:
    log = logged(stored, 4)
    marked(stored, log)
    Publisher(stored.directory, bucket).publish()
    paths = bucket.list(OBJECTS)
    path = paths[0] if which == "first" else paths[-1]
    content = b"".join(bucket.read(path))
    bucket.write(path, content[:-1] + bytes([content[-1] ^ 1]))
    mirror = Mirror(cache, bucket)

    mirror.fetch()

    assert mirror.held == {}
    assert isinstance(mirror.failed["debian"], SnapshotDamaged)
    bucket.write(path, content)
    mirror.fetch()
    assert (mirror.held, mirror.failed) == ({"debian": 4}, {})
    log.close()


def test_a_damaged_array_is_not_published(torn: DataFolder, root: Path, bucket: Bucket) -> None:
    stored = torn.collection("debian")
    publish(stored, 1)
    file = root / layout.read_current(stored.directory, "debian") / "out.offsets.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.unlink()
    file.write_bytes(content)
    publisher = Publisher(stored.directory, bucket)

    publisher.publish()

    assert index_of(bucket).collections == {}
    assert isinstance(publisher.failed["debian"], SnapshotDamaged)


def test_whoever_began_last_publishes_and_the_other_has_lost(
    stored: StoredCollection, bucket: Bucket
) -> None:
    one = Publisher(stored.directory, bucket)
    one.publish()
    other = Publisher(stored.directory, bucket)
    log = logged(stored, 4)
    marked(stored, log)

    with pytest.raises(Lost):
        one.publish()
    assert other.publish()
    assert index_of(bucket).collections["debian"].last == 4
    log.close()


def test_a_move_whose_answer_was_lost_is_no_race(
    bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = bucket.move("NAME", b"one", tag="")
    store: Any = bucket._obstore
    put = store.put

    class Forgetful:
        exceptions = store.exceptions
        get = staticmethod(store.get)

        @staticmethod
        def put(*args: Any, **named: Any) -> Any:
            put(*args, **named)
            return put(*args, **named)  # as obstore does when no answer came

    monkeypatch.setattr(bucket, "_obstore", Forgetful)

    moved = bucket.move("NAME", b"two", tag=tag)

    assert bucket.named("NAME") == (b"two", moved)
    with pytest.raises(Lost):
        bucket.move("NAME", b"three", tag=tag)


def test_objects_that_nothing_names_go_after_a_while(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory
) -> None:
    clock = Clock()
    publisher = Publisher(stored.directory, bucket, clock=clock)
    publisher.publish()
    log = logged(stored, 4)
    publish(stored, 4, arrays={"other": frozen(np.arange(3))})
    log.roll()
    stored.drop_old()
    publisher.publish()
    before = len(bucket.list(OBJECTS))

    clock.now = 599.0
    publisher.publish()
    assert len(bucket.list(OBJECTS)) == before
    clock.now = 601.0
    publisher.publish()

    assert len(bucket.list(OBJECTS)) == 2  # the array, and the listing
    Mirror(cache, bucket).fetch()
    assert isinstance(stored.directory, DiskDirectory)
    assert files(cache) == files(stored.directory)
    log.close()


def test_a_store_that_is_none_is_told_with_its_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingInvalid, match="publish: nonsense://x"):
        Bucket("nonsense://x", setting="publish")
    plain = Bucket(f"file://{tmp_path}", setting="publish")
    tag = plain.move(CURRENT, b"one", tag="")
    with pytest.raises(StorageFailed):  # it knows no conditional writes
        plain.move(CURRENT, b"two", tag=tag)


def test_a_cache_whose_note_cannot_be_read_is_filled_anew(
    stored: StoredCollection, bucket: Bucket, cache: DiskDirectory, tmp_path: Path
) -> None:
    Publisher(stored.directory, bucket).publish()
    Mirror(cache, bucket).fetch()
    (tmp_path / "cache" / PUBLISHED).write_bytes(b"\xff")

    mirror = Mirror(cache, bucket)

    assert mirror.held == {}
    mirror.fetch()
    assert mirror.held == {"debian": 1}
