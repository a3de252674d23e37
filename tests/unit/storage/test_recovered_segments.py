"""Segments of a log that are missing, cut, foreign or damaged: the collection is refused unless nothing is lost by it."""

import shutil
import struct
from pathlib import Path

import pytest

from passageway_server.errors import FormatTooNew, LogDamaged
from passageway_server.storage.checksums import crc32c
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.log import frames
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.repair import repair_folder
from passageway_server.storage.report import Kind, Lost
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import NOON, commit, logged, numbers_of, publish, some_arrays
from tests.unit.storage.torn_logs import (
    FIRST,
    FRAME,
    findings,
    flip,
    quarantined,
    refusal,
    segmented,
)


@pytest.mark.parametrize("first", [2, 4, 6])
def test_a_missing_segment_refuses_the_collection(torn: DataFolder, root: Path, first: int) -> None:
    collection = segmented(torn)
    (root / f"debian/log/{first:016d}.log").unlink()

    assert isinstance(refusal(collection), LogDamaged)
    assert verify_folder(collection.directory).damaged


def test_a_log_that_is_gone_refuses_the_collection(torn: DataFolder, root: Path) -> None:
    collection = segmented(torn)
    shutil.rmtree(root / "debian/log")

    assert isinstance(refusal(collection), LogDamaged)
    assert verify_folder(collection.directory).damaged


@pytest.mark.parametrize("first", [2, 4])
def test_a_segment_that_lost_its_end_refuses_the_collection(
    torn: DataFolder, root: Path, first: int
) -> None:
    collection = segmented(torn)
    file = root / f"debian/log/{first:016d}.log"
    for length in range(frames.HEADER_LENGTH, file.stat().st_size):
        file.write_bytes(file.read_bytes()[: -1 if length else 0])
        refused = refusal(collection)
        assert isinstance(refused, LogDamaged)
        assert refused.file == f"debian/log/{first:016d}.log"


@pytest.mark.parametrize("first", [2, 4, 6])
def test_a_segment_of_another_log_is_not_taken_for_its_own(
    torn: DataFolder, root: Path, first: int
) -> None:
    collection = segmented(torn)
    other = torn.collection("other")
    publish(other, 1)
    log = logged(other, 3)
    for number in (4, 6):
        log.roll()
        for each in (number, number + 1):
            log.append(each, commit(each, 39))
    log.close()
    name = f"{first:016d}.log"
    shutil.copy(root / "other/log" / name, root / "debian/log" / name)

    assert isinstance(refusal(collection), LogDamaged)
    assert verify_folder(collection.directory).damaged


@pytest.mark.parametrize("content", [b"", b"\x93", b"\x93PSGLOG\n" + bytes(55), bytes(64)])
def test_a_segment_without_its_header_is_no_crashs_doing_and_refuses_the_collection(
    torn: DataFolder, root: Path, content: bytes
) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = logged(collection, 3)
    log.roll()
    log.close()
    newest = root / "debian/log/0000000000000004.log"
    newest.write_bytes(content)

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert (refused.file, refused.offset) == ("debian/log/0000000000000004.log", 0)
    assert verify_folder(collection.directory).damaged


def test_a_header_that_is_damaged_before_commits_refuses_the_collection(
    collection: StoredCollection, root: Path
) -> None:
    flip(root / FIRST, 40)

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert (refused.file, refused.offset) == (FIRST, 0)


def test_a_log_of_a_later_format_is_refused_by_name(
    collection: StoredCollection, root: Path
) -> None:
    content = bytearray((root / FIRST).read_bytes())
    content[8:12] = struct.pack("<I", 2)
    content[60:64] = struct.pack("<I", crc32c(bytes(content[:60])))
    (root / FIRST).write_bytes(content)

    with pytest.raises(FormatTooNew) as refused:
        list(collection.recover().commits)

    assert (refused.value.file, refused.value.found, refused.value.newest) == (FIRST, 2, 1)


def test_a_log_that_names_no_newest_segment_is_read_all_the_same(
    collection: StoredCollection, root: Path
) -> None:
    (root / "debian/LOG").unlink()

    assert numbers_of(collection) == [2, 3, 4, 5]
    logged(collection, 6).close()
    assert (root / "debian/LOG").exists()


def test_a_newest_segment_of_another_collection_is_named_and_costs_no_other_commit(
    torn: DataFolder, root: Path
) -> None:
    collection = segmented(torn)
    other = torn.collection("other")
    other.publish(StoredVersion(1, "ffffffff1"), arrays=some_arrays(), meta={}, created_at=NOON)
    log = logged(other, 5)
    log.roll()
    log.append(6, commit(6))
    log.close()
    foreign = "debian/log/0000000000000006.log"
    shutil.copy(root / "other/log/0000000000000006.log", root / foreign)

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert (refused.file, refused.offset) == (foreign, 0)
    assert "of another collection" in refused.found
    findings = verify_folder(collection.directory).findings
    assert [(found.kind, found.file) for found in findings] == [(Kind.DAMAGE, foreign)]
    report = repair_folder(collection.directory)
    assert report.lost == (Lost("debian", 6, None, more=True),)
    assert numbers_of(collection) == [2, 3, 4, 5]


def test_bytes_behind_the_end_of_an_earlier_segment_are_damage_that_costs_nothing(
    torn: DataFolder, root: Path
) -> None:
    collection = segmented(torn)
    with (root / "debian/log/0000000000000004.log").open("ab") as file:
        file.write(b"more")

    assert numbers_of(collection) == [2, 3, 4, 5, 6, 7]
    assert [kind for kind, _ in findings(collection)] == [Kind.DAMAGE]
    assert verify_folder(collection.directory).damaged

    assert repair_folder(collection.directory).lost == ()

    assert quarantined(root) == [f"log-0000000000000004-at-{frames.HEADER_LENGTH + 2 * FRAME}"]
    assert not verify_folder(collection.directory).damaged
    assert numbers_of(collection) == [2, 3, 4, 5, 6, 7]
