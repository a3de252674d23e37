"""Snapshots that are damaged: an older one and the log stand in, or the collection is refused."""

import shutil
from pathlib import Path
from random import Random

import pytest

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from tests.crash.forgetting import ForgettingDirectory
from tests.unit.storage.disks import assert_same, logged, numbers_of, publish, some_arrays, version
from tests.unit.storage.torn_logs import FIRST, at, everything, findings, flip, refusal


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
