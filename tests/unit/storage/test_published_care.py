"""What goes wrong between who publishes and who fetches, and what is cleared away."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from passageway_server.errors import SettingInvalid, SnapshotDamaged, StorageFailed
from passageway_server.storage import layout
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.published.bucket import Bucket, Lost
from passageway_server.storage.published.index import (
    CURRENT,
    OBJECTS,
)
from passageway_server.storage.published.mirror import PUBLISHED, Mirror
from passageway_server.storage.published.publisher import Publisher
from tests.unit.storage.disks import commit, frozen, logged
from tests.unit.storage.publishing import (
    Clock,
    bucket,
    cache,
    files,
    index_of,
    marked,
    publish,
    stored,
)

__all__ = ["bucket", "cache", "stored"]


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
