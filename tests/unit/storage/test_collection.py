"""Publishing, dropping, naming and restoring."""

from datetime import timedelta
from pathlib import Path

import pytest

from passageway_server.errors import AlreadyExists, NotFound, SnapshotDamaged
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.manifest import StoredVersion
from tests.unit.storage.disks import NOON, assert_same, publish, some_arrays, version

LATER = NOON + timedelta(days=1)


def snapshots(root: Path) -> list[str]:
    return sorted(path.name.lstrip("0") for path in (root / "debian/snapshots").iterdir())


def test_a_version_that_counts_already_is_not_written_twice(folder: DataFolder) -> None:
    collection = folder.collection("debian")
    arrays = some_arrays()
    first = publish(collection, 1, arrays=arrays)

    again = publish(collection, 1, arrays=arrays, previous=first)

    assert again is first
    assert collection.open().version == version(1)


@pytest.mark.parametrize("other", [StoredVersion(1, "x"), StoredVersion(2, "other")])
def test_an_older_or_another_version_of_the_number_is_refused(
    folder: DataFolder, other: StoredVersion
) -> None:
    collection = folder.collection("debian")
    publish(collection, 2)

    with pytest.raises(ValueError, match="cannot follow"):
        collection.publish(other, arrays={}, meta={}, created_at=NOON)

    assert collection.open().version == version(2)


def test_a_snapshot_that_never_came_to_count_is_written_anew(
    folder: DataFolder, root: Path
) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    publish(collection, 2)
    current = (root / "debian/CURRENT").read_bytes()
    publish(collection, 3)
    (root / "debian/CURRENT").write_bytes(current)

    publish(collection, 3, arrays={})

    assert collection.open().version == version(3)
    assert collection.open().arrays == {}


def test_a_copy_that_lost_its_empty_folders_takes_named_snapshots(
    folder: DataFolder, root: Path
) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    (root / "debian/named").rmdir()

    made = collection.create_named("a", created_at=NOON)

    assert collection.list_named().listed == (made,)


@pytest.mark.parametrize(
    ("keep", "left"), [(0, ["3"]), (1, ["2", "3"]), (2, ["1", "2", "3"]), (9, ["1", "2", "3"])]
)
def test_old_snapshots_are_dropped_but_for_the_newest_to_keep(
    folder: DataFolder, root: Path, keep: int, left: list[str]
) -> None:
    collection = folder.collection("debian")
    arrays = some_arrays()
    first = publish(collection, 1, arrays=arrays)
    second = publish(collection, 2, arrays=arrays, previous=first)
    publish(collection, 3, arrays=arrays, previous=second)

    dropped = collection.drop_old(keep=keep)

    assert snapshots(root) == left
    assert len(dropped) == 3 - len(left)
    assert_same(collection.open().arrays, arrays)


def test_a_named_snapshot_shares_files_and_outlives_the_version(
    folder: DataFolder, root: Path
) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    made = collection.create_named("before", created_at=LATER)
    inodes = [
        (root / f"debian/{part}/out.offsets.npy").stat().st_ino
        for part in ("snapshots/0000000000000001", "named/before")
    ]

    publish(collection, 2, arrays={})
    collection.drop_old()

    assert inodes[0] == inodes[1]
    opened = collection.open_named("before")
    assert_same(opened.arrays, some_arrays())
    assert opened.version == version(1)
    assert (made.collection, made.name, made.version) == ("debian", "before", version(1).token)
    assert made.created_at == LATER
    named = (root / "debian/named/before").iterdir()
    assert made.bytes == sum(file.stat().st_size for file in named)


def test_named_snapshots_are_listed_by_name_and_deleted(folder: DataFolder) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    made = [collection.create_named(name, created_at=NOON) for name in ("a", "b", "c")]

    assert list(collection.list_named().listed) == made
    collection.delete_named("b")

    assert list(collection.list_named().listed) == [made[0], made[2]]
    for act in (collection.open_named, collection.delete_named):
        with pytest.raises(NotFound):
            act("b")


def test_a_name_that_is_taken_is_refused_and_kept(folder: DataFolder) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    collection.create_named("a", created_at=NOON)
    publish(collection, 2)

    with pytest.raises(AlreadyExists):
        collection.create_named("a", created_at=LATER)

    assert collection.open_named("a").version == version(1)


def test_a_collection_without_versions_has_nothing_to_name(folder: DataFolder) -> None:
    collection = folder.collection("debian")

    with pytest.raises(NotFound):
        collection.create_named("a", created_at=NOON)
    assert collection.list_named().listed == ()


def test_a_bad_named_snapshot_hides_no_other_and_is_not_opened(
    torn: DataFolder, root: Path
) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    for name in ("bad", "flipped", "good"):
        collection.create_named(name, created_at=NOON)
    (root / "debian/named/bad/manifest.msgpack").unlink()
    (root / "debian/named/flipped/nodes.kind.npy").unlink()
    flipped = bytearray((root / "debian/named/good/nodes.kind.npy").read_bytes())
    flipped[-1] ^= 1
    (root / "debian/named/flipped/nodes.kind.npy").write_bytes(flipped)

    found = collection.list_named()

    assert [state.name for state in found.listed] == ["flipped", "good"]
    assert list(found.damaged) == ["bad"]
    with pytest.raises(SnapshotDamaged):
        collection.open_named("flipped")
    assert len(collection.find_damage()) == 2
    collection.delete_named("bad")
    collection.delete_named("flipped")
    assert collection.find_damage() == []


def test_a_named_snapshot_becomes_another_collection_by_links(
    folder: DataFolder, root: Path
) -> None:
    publish(folder.collection("debian"), 4)
    folder.collection("debian").create_named("a", created_at=NOON)
    opened = folder.collection("debian").open_named("a")

    folder.collection("copy").publish(
        version(1),
        arrays=opened.arrays,
        meta={},
        created_at=LATER,
        previous=opened.snapshot,
    )
    folder.collection("debian").delete()

    copied = folder.collection("copy").open()
    assert_same(copied.arrays, some_arrays())
    assert copied.version == version(1)
    assert (root / "copy/snapshots/0000000000000001/nodes.kind.npy").stat().st_nlink == 1
