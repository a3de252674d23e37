"""What is found after a crash, after damage, and after both."""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from passageway_server.errors import FormatTooNew, LogDamaged, PassagewayError, SnapshotDamaged
from passageway_server.storage.checksums import crc32c
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.log import frames
from passageway_server.storage.manifest import StoredVersion
from passageway_server.storage.repair import repair_folder
from passageway_server.storage.report import Kind, Lost
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.unit.storage.disks import (
    NOON,
    assert_same,
    commit,
    logged,
    numbers_of,
    publish,
    some_arrays,
    version,
)

FIRST = "debian/log/0000000000000002.log"
FRAME = frames.HEAD_LENGTH + len(b"\x82\xa6number\x02\xa7filling\xc4\x28") + 40
"""Bytes of the frame of a commit of the tests, of those with small numbers."""


@pytest.fixture
def collection(torn: DataFolder) -> StoredCollection:
    """A snapshot of version 1, and commits 2 to 5 in one segment, each durable before the next."""
    made = torn.collection("debian")
    publish(made, 1)
    logged(made, 5).close()
    return made


def at(number: int) -> int:
    """Where the frame of that commit begins in the first segment."""
    return frames.HEADER_LENGTH + (number - 2) * FRAME


def flip(file: Path, offset: int, bit: int = 0) -> None:
    content = bytearray(file.read_bytes())
    content[offset] ^= 1 << bit
    file.write_bytes(content)


def quarantined(root: Path) -> list[str]:
    folder = root / "debian/quarantine"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def findings(collection: StoredCollection) -> list[tuple[Kind, int | None]]:
    recovered = collection.recover()
    list(recovered.commits)
    return [(found.kind, found.offset) for found in recovered.findings]


def refusal(collection: StoredCollection) -> PassagewayError:
    with pytest.raises((LogDamaged, SnapshotDamaged)) as refused:
        list(collection.recover().commits)
    return refused.value


def everything(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_recovering_changes_nothing(collection: StoredCollection, root: Path) -> None:
    (root / FIRST).write_bytes((root / FIRST).read_bytes()[:-3] + b"xyz")
    before = everything(root)

    assert numbers_of(collection) == numbers_of(collection) == [2, 3, 4]

    assert everything(root) == before


@pytest.mark.parametrize("cut", range(1, FRAME + 1, 7))
def test_a_torn_commit_that_was_not_durable_is_cut_and_kept_in_quarantine(
    collection: StoredCollection, root: Path, cut: int
) -> None:
    whole = (root / FIRST).read_bytes()
    (root / FIRST).write_bytes(whole[:-cut])
    left = whole[at(5) : -cut]

    assert numbers_of(collection) == [2, 3, 4]
    assert findings(collection) == ([(Kind.TAIL, at(5))] if left else [])
    logged(collection, 7).close()

    assert numbers_of(collection) == [2, 3, 4, 5, 6, 7]
    assert (root / FIRST).read_bytes() == whole[: at(5)]
    kept = [(root / "debian/quarantine" / name).read_bytes() for name in quarantined(root)]
    assert kept == ([left] if left else [])
    assert not verify_folder(collection.directory).damaged


def test_zeros_behind_the_last_commit_are_no_damage_and_not_kept(
    collection: StoredCollection, root: Path
) -> None:
    whole = (root / FIRST).read_bytes()
    (root / FIRST).write_bytes(whole + bytes(5000))

    assert numbers_of(collection) == [2, 3, 4, 5]
    assert findings(collection) == [(Kind.TAIL, len(whole))]
    logged(collection, 6).close()

    assert (root / FIRST).read_bytes() == whole
    assert quarantined(root) == []
    assert numbers_of(collection) == [2, 3, 4, 5, 6]


def zeroed(content: bytes, start: int) -> bytes:
    return content[:start] + bytes(FRAME) + content[start + FRAME :]


def left_out(content: bytes, start: int) -> bytes:
    return content[:start] + content[start + FRAME :]


def two_left_out(content: bytes, start: int) -> bytes:
    return content[:start] + content[start + 2 * FRAME :]


def twice(content: bytes, start: int) -> bytes:
    return content[: start + FRAME] + content[start:]


def changed(content: bytes, start: int) -> bytes:
    return content[: start + 30] + b"?" + content[start + 31 :]


def moved(content: bytes, start: int) -> bytes:
    return content[: start + 3] + content[start:]


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("damage", [zeroed, left_out, two_left_out, twice, changed, moved])
def test_a_commit_that_was_durable_and_cannot_be_read_refuses_the_collection(
    collection: StoredCollection, root: Path, number: int, damage: Callable[[bytes, int], bytes]
) -> None:
    (root / FIRST).write_bytes(damage((root / FIRST).read_bytes(), at(number)))
    before = everything(root)

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert refused.file == FIRST
    assert at(number) <= refused.offset <= at(number) + FRAME
    assert refused.reason == "LOG_DAMAGED"
    assert everything(root) == before
    assert verify_folder(collection.directory).damaged


def test_a_collection_with_a_damaged_log_stops_no_other(torn: DataFolder, root: Path) -> None:
    for name in ("debian", "other"):
        publish(torn.collection(name), 1)
        logged(torn.collection(name), 5).close()
    flip(root / FIRST, at(3) + 40)

    assert isinstance(refusal(torn.collection("debian")), LogDamaged)
    assert numbers_of(torn.collection("other")) == [2, 3, 4, 5]


def test_a_good_commit_behind_a_torn_one_is_a_tail_too(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = collection.open_log(1)
    for number in range(2, 6):
        log.append(number, commit(number))  # no sync: none of them was acknowledged
    flip(root / FIRST, at(3) + 40)

    assert numbers_of(collection) == [2]
    assert findings(collection) == [(Kind.TAIL, at(3))]
    log.close()


def segmented(torn: DataFolder) -> StoredCollection:
    """A snapshot of version 1, and segments of two commits: 2 and 3, 4 and 5, 6 and 7."""
    collection = torn.collection("debian")
    publish(collection, 1)
    log = logged(collection, 3)
    for first in (4, 6):
        log.roll()
        log.append(first, commit(first))
        log.append(first + 1, commit(first + 1))
        log.sync()
    log.close()
    return collection


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


@pytest.mark.parametrize("cut", range(1, FRAME + 1, 7))
def test_a_log_that_is_cut_before_the_commit_that_durable_names_refuses_the_collection(
    torn: DataFolder, root: Path, cut: int
) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = logged(collection, 5)
    log.mark()
    log.close()
    (root / FIRST).write_bytes((root / FIRST).read_bytes()[:-cut])

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert (refused.file, refused.offset) == (FIRST, at(5))
    (report,) = verify_folder(collection.directory).findings
    assert (report.kind, report.file, report.offset) == (Kind.DAMAGE, FIRST, at(5))


def test_a_commit_that_was_appended_and_not_synced_is_never_marked_as_durable(
    torn: DataFolder, root: Path
) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = logged(collection, 3)
    log.append(4, commit(4))

    log.mark()

    assert (root / "debian/DURABLE").read_bytes()[:16] == b"0000000000000003"
    (root / FIRST).write_bytes((root / FIRST).read_bytes()[:-1])
    assert numbers_of(collection) == [2, 3]
    log.close()


def test_a_log_that_was_closed_marks_nothing(collection: StoredCollection, root: Path) -> None:
    log = logged(collection, 6)
    log.close()

    assert not log.mark()

    assert not (root / "debian/DURABLE").exists()


@pytest.mark.parametrize("content", [b"", b"0000000000000099 00000000\n"])
def test_a_durable_that_is_damaged_says_nothing_and_is_written_anew(
    collection: StoredCollection, root: Path, content: bytes
) -> None:
    (root / "debian/DURABLE").write_bytes(content)

    assert numbers_of(collection) == [2, 3, 4, 5]
    assert findings(collection) == [(Kind.DAMAGE, 0)]
    assert verify_folder(collection.directory).damaged
    logged(collection, 6).close()

    assert quarantined(root) == ["DURABLE"]
    assert (root / "debian/quarantine/DURABLE").read_bytes() == content
    assert (root / "debian/DURABLE").read_bytes()[:16] == b"0000000000000005"
    assert not verify_folder(collection.directory).damaged


def test_what_was_moved_to_quarantine_is_told_with_its_bytes(
    collection: StoredCollection, root: Path
) -> None:
    (root / FIRST).write_bytes((root / FIRST).read_bytes()[:-3])

    recovered = collection.recover()
    collection.open_log([*recovered.commits][-1].number, recovered=recovered).close()

    (tail,) = recovered.findings
    assert (tail.kind, tail.file, tail.offset, tail.bytes) == (Kind.TAIL, FIRST, at(5), FRAME - 3)
    assert tail.kept == f"debian/quarantine/log-0000000000000002-at-{at(5)}"
    assert (root / tail.kept).stat().st_size == tail.bytes


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


def damage_manifest(root: Path, number: int) -> None:
    flip(root / f"debian/snapshots/{number:016d}/manifest.msgpack", 100)


def test_where_the_newest_snapshot_is_damaged_an_older_one_and_the_log_stand_in(
    collection: StoredCollection, root: Path
) -> None:
    publish(collection, 4)
    damage_manifest(root, 4)
    damaged = everything(root / "debian/snapshots/0000000000000004")

    recovered = collection.recover()
    assert recovered.snapshot.version == version(1)
    assert [each.number for each in recovered.commits] == [2, 3, 4, 5]
    assert [found.kind for found in recovered.findings] == [Kind.DAMAGE]
    assert recovered.damaged == ["debian/snapshots/0000000000000004"]
    collection.open_log(5, recovered=recovered).close()

    assert collection.recover().damaged == []
    assert numbers_of(collection) == [2, 3, 4, 5]
    assert not (root / "debian/snapshots/0000000000000004").exists()
    kept = everything(root / "debian/quarantine/snapshot-0000000000000004")
    assert [*kept.values()] == [*damaged.values()]
    report = verify_folder(collection.directory)
    assert {found.kind for found in report.findings} == {Kind.QUARANTINED}
    publish(collection, 5)
    assert collection.open().version == version(5)


def test_a_crash_while_an_older_snapshot_comes_to_count_changes_nothing() -> None:
    draw = Random(5)
    directory = ForgettingDirectory()
    collection = DataFolder(directory).collection("debian")
    publish(collection, 1)
    logged(collection, 5).close()
    publish(collection, 4)
    directory.remove("debian/snapshots/0000000000000004/nodes.kind.npy")
    directory.sync("debian/snapshots/0000000000000004")
    begun = directory.operations
    logged(collection, 5).close()

    for operations in range(begun, directory.operations + 1):
        for survivor in (
            directory.crashed(draw, after=operations),
            directory.whole(after=operations),
        ):
            found = DataFolder(survivor).collection("debian")
            assert found.recover().snapshot.version == version(1)
            assert numbers_of(found) == [2, 3, 4, 5]
            logged(found, 6).close()
            assert numbers_of(found) == [2, 3, 4, 5, 6]
            kept = "debian/quarantine/snapshot-0000000000000004"
            assert survivor.size(f"{kept}/manifest.msgpack")
            publish(found, 6)
            assert not verify_folder(survivor).damaged
    assert directory.misuses == []


@pytest.mark.parametrize("array", [name for name, each in some_arrays().items() if each.size])
def test_a_flipped_bit_of_any_array_leads_to_an_older_snapshot(
    collection: StoredCollection, root: Path, array: str
) -> None:
    publish(collection, 4)
    flip(root / f"debian/snapshots/0000000000000004/{array}.npy", -1)

    recovered = collection.recover()

    assert recovered.snapshot.version == version(1)
    assert_same(recovered.snapshot.arrays, some_arrays())
    assert [each.number for each in recovered.commits] == [2, 3, 4, 5]
    assert [each.file for each in recovered.findings] == [
        f"debian/snapshots/0000000000000004/{array}.npy"
    ]


def test_a_snapshot_that_stands_under_another_number_is_damaged(
    collection: StoredCollection, root: Path
) -> None:
    publish(collection, 4)
    snapshots = root / "debian/snapshots"
    shutil.rmtree(snapshots / "0000000000000004")
    shutil.copytree(snapshots / "0000000000000001", snapshots / "0000000000000004")

    assert collection.recover().snapshot.version == version(1)
    assert verify_folder(collection.directory).damaged


def test_where_the_log_does_not_bridge_the_gap_the_damaged_snapshot_is_named(
    collection: StoredCollection, root: Path
) -> None:
    log = logged(collection, 5)
    publish(collection, 6)
    log.roll(after=6)
    log.close()
    damage_manifest(root, 6)

    refused = refusal(collection)

    assert isinstance(refused, SnapshotDamaged)
    assert refused.file == "debian/snapshots/0000000000000006/manifest.msgpack"


def test_a_collection_whose_only_snapshot_is_damaged_is_refused(
    collection: StoredCollection, root: Path
) -> None:
    damage_manifest(root, 1)

    assert isinstance(refusal(collection), SnapshotDamaged)


def test_a_snapshot_that_never_came_to_count_is_not_recovered_nor_left_for_later(
    collection: StoredCollection, root: Path
) -> None:
    current = (root / "debian/CURRENT").read_bytes()
    publish(collection, 3)
    (root / "debian/CURRENT").write_bytes(current)

    assert collection.recover().snapshot.version == version(1)
    publish(collection, 5)
    damage_manifest(root, 5)

    assert collection.recover().snapshot.version == version(1)


def test_damage_among_commits_that_the_snapshot_holds_is_told_and_costs_nothing(
    collection: StoredCollection, root: Path
) -> None:
    publish(collection, 4)
    flip(root / FIRST, at(3) + 40)

    assert numbers_of(collection) == [5]
    assert findings(collection) == [(Kind.DAMAGE, at(3))]
    assert verify_folder(collection.directory).damaged
    logged(collection, 7).close()
    assert numbers_of(collection) == [5, 6, 7]


def test_a_commit_that_no_record_holds_is_damage(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    logged(collection, 2).close()
    header = frames.decode_header((root / "debian/log/0000000000000002.log").read_bytes())
    with (root / FIRST).open("ab") as file:
        file.write(b"".join(frames.encode_frame(3, b"\x01", durable_upto=2, salt=header.salt)))

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert refused.offset == at(3)
    assert verify_folder(DiskDirectory(root)).damaged


def test_what_a_commit_holds_is_not_taken_for_a_frame(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = collection.open_log(1)
    guessed = b"".join(frames.encode_frame(9, b"\x80", durable_upto=8, salt=0))
    log.append(2, {"bytes": guessed * 50})
    flip(root / FIRST, frames.HEADER_LENGTH + 30)

    assert [*collection.recover().commits] == []
    assert [kind for kind, _ in findings(collection)] == [Kind.TAIL]
    log.close()


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
