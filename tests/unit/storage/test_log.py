"""Commits appended, synced, and read again."""

import threading
from pathlib import Path
from random import Random

import pytest

from passageway_server.storage.checksums import crc32c
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.log import frames
from passageway_server.storage.log.frames import BadFrame, Header, Previous
from passageway_server.storage.log.segment import Segment
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.unit.storage.disks import commit, logged, numbers_of, publish, version


def collection_in(folder: DataFolder) -> StoredCollection:
    """A collection that has a snapshot of version 1."""
    collection = folder.collection("debian")
    publish(collection, 1)
    return collection


def segments(root: Path) -> list[int]:
    return sorted(int(path.stem) for path in (root / "debian/log").iterdir())


def test_commits_come_back_in_order_as_they_were_appended(folder: DataFolder) -> None:
    collection = collection_in(folder)
    log = collection.open_log(1)

    payloads: list[dict[str, object]] = [
        {},
        {"text": "ø\0", "number": -1, "flag": True, "none": None, "half": 0.5},
        {"bytes": b"\0" * 100_000, "list": [1, {"a": [b""]}]},
    ]
    for number, payload in enumerate(payloads, 2):
        log.append(number, payload)
    log.close()

    read = [*collection.recover().commits]
    assert [(each.number, each.payload) for each in read] == [*enumerate(payloads, 2)]


def test_a_new_collection_has_a_log_from_the_beginning(folder: DataFolder, root: Path) -> None:
    collection_in(folder)

    assert segments(root) == [2]
    assert (root / "debian/log/0000000000000002.log").stat().st_size == 64


def test_a_log_that_is_opened_again_goes_on_behind_what_it_held(folder: DataFolder) -> None:
    collection = collection_in(folder)
    for through in (4, 5, 5, 9):
        logged(collection, through).close()

        assert numbers_of(collection) == [*range(2, through + 1)]


def test_sync_makes_durable_what_was_appended_before_it(folder: DataFolder) -> None:
    log = collection_in(folder).open_log(1)
    assert (log.appended, log.durable) == (1, 1)

    log.append(2, commit(2))
    log.append(3, commit(3))
    assert (log.appended, log.durable) == (3, 1)
    log.sync()

    assert (log.appended, log.durable) == (3, 3)
    log.close()


def test_a_sync_that_has_nothing_to_do_does_nothing() -> None:
    directory = ForgettingDirectory()
    log = collection_in(DataFolder(directory)).open_log(1)
    log.append(2, commit(2))
    log.sync()
    before = directory.operations

    log.sync()

    assert directory.operations == before


def test_one_sync_serves_all_that_was_appended_before_it_began() -> None:
    directory = ForgettingDirectory()
    log = collection_in(DataFolder(directory)).open_log(1)
    begun, may_end = threading.Event(), threading.Event()

    def wait(_: str) -> None:
        begun.set()
        may_end.wait()

    directory.while_syncing = wait
    log.append(2, commit(2))
    first = threading.Thread(target=log.sync)
    first.start()
    begun.wait()
    directory.while_syncing = lambda _: None
    for number in (3, 4, 5):
        log.append(number, commit(number))
    others = [threading.Thread(target=log.sync) for _ in range(3)]
    for each in others:
        each.start()
    before = directory.operations
    may_end.set()
    for each in (first, *others):
        each.join()

    assert log.durable == 5
    assert directory.operations == before + 2  # the sync that ran, and one for all the others


@pytest.mark.parametrize("number", [0, 1, 3])
def test_commits_are_numbered_without_a_gap(folder: DataFolder, number: int) -> None:
    log = collection_in(folder).open_log(1)

    with pytest.raises(ValueError, match="cannot follow 1"):
        log.append(number, commit(number))

    log.append(2, commit(2))
    log.close()


def test_what_is_no_record_is_not_appended(folder: DataFolder) -> None:
    collection = collection_in(folder)
    log = collection.open_log(1)

    with pytest.raises(ValueError, match="64 bits"):
        log.append(2, {"a": 2**64})

    log.append(2, commit(2))
    log.close()
    assert numbers_of(collection) == [2]


def test_each_frame_says_how_far_the_disk_was_when_it_was_made(
    folder: DataFolder, root: Path
) -> None:
    log = collection_in(folder).open_log(1)
    for number in range(2, 6):
        log.append(number, commit(number))
        if number == 3:
            log.sync()
    log.close()

    segment = Segment(DiskDirectory(root), "debian/log/0000000000000002.log")
    salt, at, said = segment.header().salt, frames.HEADER_LENGTH, list[int]()
    while frame := segment.frame(at, salt=salt):
        said.append(frame.durable_upto)
        at = frame.end
    assert said == [1, 1, 3, 3]


def test_rolling_begins_a_segment_that_names_the_one_before(folder: DataFolder, root: Path) -> None:
    collection = collection_in(folder)
    log = logged(collection, 3)
    before = (root / "debian/log/0000000000000002.log").read_bytes()

    log.roll()
    log.append(4, commit(4))
    log.close()

    header = frames.decode_header((root / "debian/log/0000000000000004.log").read_bytes())
    assert (header.first, header.after) == (4, 3)
    assert header.previous == Previous(len(before), crc32c(before))
    assert (root / "debian/LOG").read_bytes()[:16] == b"0000000000000004"
    assert numbers_of(collection) == [2, 3, 4]


def test_rolling_an_empty_segment_does_nothing(folder: DataFolder, root: Path) -> None:
    log = collection_in(folder).open_log(1)

    log.roll()

    assert segments(root) == [2]
    log.close()


def test_the_size_of_a_log_is_what_came_since_it_was_rolled(folder: DataFolder) -> None:
    collection = collection_in(folder)
    log = logged(collection, 3)
    grown = log.size
    assert grown > 2 * 40

    log.roll()
    assert log.size == 0
    log.append(4, commit(4))
    assert log.size == grown // 2
    log.close()
    assert logged(collection, 4).size == grown // 2 * 3


def test_segments_are_dropped_when_no_commit_of_them_is_needed(
    folder: DataFolder, root: Path
) -> None:
    collection = collection_in(folder)
    log = logged(collection, 2)
    for number in (3, 4, 5):
        log.roll()
        log.append(number, commit(number))
    assert segments(root) == [2, 3, 4, 5]

    log.drop(through=3)
    assert segments(root) == [4, 5]
    log.drop(through=9)
    assert segments(root) == [5]

    log.close()
    publish(collection, 4)


def test_dropping_snapshots_keeps_the_log_that_the_oldest_of_them_needs(
    folder: DataFolder, root: Path
) -> None:
    collection = collection_in(folder)
    log = logged(collection, 3)
    for number in (4, 7, 9):
        for each in range(log.appended + 1, number + 1):
            log.append(each, commit(each))
        log.sync()
        publish(collection, number)
        log.roll()

        dropped = collection.drop_old(keep=1)

    assert segments(root) == [8, 10]
    assert dropped == ["debian/snapshots/0000000000000004", "debian/log/0000000000000005.log"]
    log.close()
    (root / "debian/snapshots/0000000000000009/manifest.msgpack").write_bytes(b"")
    recovered = collection.recover()
    assert recovered.snapshot.version == version(7)
    assert [each.number for each in recovered.commits] == [8, 9]
    collection.open_log(9, recovered=recovered).close()


def test_a_snapshot_of_the_next_number_takes_the_place_of_a_commit(folder: DataFolder) -> None:
    collection = collection_in(folder)
    log = logged(collection, 3)

    publish(collection, 4)
    log.roll(after=4)
    log.append(5, commit(5))
    log.close()

    recovered = collection.recover()
    assert recovered.snapshot.version == version(4)
    assert [each.number for each in recovered.commits] == [5]
    logged(collection, 6).close()
    assert numbers_of(collection) == [5, 6]


def test_a_log_does_not_roll_back(folder: DataFolder) -> None:
    log = logged(collection_in(folder), 3)

    with pytest.raises(ValueError, match="holds commit 3"):
        log.roll(after=2)

    log.close()


def test_a_log_that_is_closed_takes_nothing_and_can_be_closed_again(folder: DataFolder) -> None:
    log = collection_in(folder).open_log(1)
    log.close()
    log.close()

    with pytest.raises(ValueError, match="closed"):
        log.append(2, commit(2))


def test_what_a_process_left_unsynced_is_durable_once_the_log_is_open_again() -> None:
    for seed in range(30):
        directory = ForgettingDirectory()
        log = collection_in(DataFolder(directory)).open_log(1)
        log.append(2, commit(2))
        killed = directory.whole()
        collection = DataFolder(killed).collection("debian")
        assert numbers_of(collection) == [2]

        logged(collection, 2)

        after = killed.crashed(Random(seed))
        assert numbers_of(DataFolder(after).collection("debian")) == [2]
        assert not verify_folder(after).damaged


def test_a_header_comes_back_and_no_bit_of_it_can_flip() -> None:
    header = Header(7, 5, Previous(64, 2**32 - 1), 2**64 - 1, "0d3b1a90")
    packed = frames.encode_header(header)
    assert len(packed) == frames.HEADER_LENGTH
    assert frames.decode_header(packed) == header

    for bit in range(8 * len(packed)):
        flipped = bytearray(packed)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(BadFrame):
            frames.decode_header(bytes(flipped))
