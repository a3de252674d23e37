"""Snapshots written, linked and opened."""

from pathlib import Path

import numpy as np
import pytest

from passageway_server.errors import AlreadyExists, SnapshotDamaged
from passageway_server.storage.checking import find_damage, open_snapshot
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.manifest import MANIFEST, Manifest, StoredArray, encode
from passageway_server.storage.npy import head
from passageway_server.storage.snapshot import write_snapshot
from tests.unit.storage.disks import (
    NOON,
    SOME_META,
    UnlinkedDirectory,
    assert_same,
    frozen,
    publish,
    some_arrays,
    version,
)


def inode(file: Path) -> int:
    return file.stat().st_ino


def test_arrays_and_meta_come_back_as_they_were(folder: DataFolder) -> None:
    publish(folder.collection("debian"), 3)

    opened = folder.collection("debian").open()

    assert_same(opened.arrays, some_arrays())
    assert opened.meta == {**SOME_META, "number": 3}
    assert opened.version == version(3)
    assert opened.snapshot.manifest.created_at == NOON


def test_opened_arrays_cannot_be_written_to(folder: DataFolder) -> None:
    publish(folder.collection("debian"), 1)

    for array in folder.collection("debian").open().arrays.values():
        assert not array.flags.writeable
        if array.size:
            with pytest.raises(ValueError, match="cannot set WRITEABLE"):
                array.flags.writeable = True


def test_values_of_a_mapped_array_are_aligned(folder: DataFolder) -> None:
    publish(folder.collection("debian"), 1)

    for array in folder.collection("debian").open().arrays.values():
        assert array.ctypes.data % 64 == 0 or array.size == 0


def test_an_empty_array_is_no_file(folder: DataFolder, root: Path) -> None:
    publish(folder.collection("debian"), 1)

    files = {file.name for file in (root / "debian/snapshots/0000000000000001").iterdir()}

    full = {f"{name}.npy" for name, array in some_arrays().items() if array.size}
    assert files == full | {"manifest.msgpack"}


def test_an_array_of_one_value_is_no_file_and_takes_no_memory(tmp_path: Path) -> None:
    directory = DiskDirectory(tmp_path)
    values: list[np.generic] = [np.int32(-1), np.float64(0.5), np.bool_(True), np.int64(2**62)]
    arrays = {f"a{i}": np.broadcast_to(value, 1_000) for i, value in enumerate(values)}

    write_snapshot(directory, "s", version=version(1), arrays=arrays, meta={}, created_at=NOON)
    opened = open_snapshot(directory, "s").arrays

    assert_same(opened, arrays)
    assert [file.name for file in (tmp_path / "s").iterdir()] == ["manifest.msgpack"]
    assert [array.strides for array in opened.values()] == [(0,)] * 4
    assert not find_damage(directory, "s")


@pytest.mark.parametrize(
    ("shape", "value"), [([3], b"123"), ([3, 1], b"1234"), ([0], b"1234"), ([1 << 50], b"1234")]
)
def test_a_value_that_is_none_of_its_array_is_damage(
    tmp_path: Path, shape: list[int], value: bytes
) -> None:
    directory = DiskDirectory(tmp_path)
    wrong = StoredArray("<i4", tuple(shape), 0, 0, value)
    manifest = Manifest(version(1), NOON, {"a": wrong}, {})
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / MANIFEST).write_bytes(encode(manifest))

    with pytest.raises(SnapshotDamaged):
        open_snapshot(directory, "s")


def test_numpy_reads_the_files(folder: DataFolder, root: Path) -> None:
    publish(folder.collection("debian"), 1)

    for name, array in some_arrays().items():
        if array.size:
            file = root / "debian/snapshots/0000000000000001" / f"{name}.npy"
            loaded = np.load(file, allow_pickle=False)
            assert loaded.dtype == array.dtype
            assert loaded.tobytes() == array.tobytes()


@pytest.mark.parametrize("shape", [(), (1,), (10**12,), (3, 4), (1, 2, 3, 4, 5, 6, 7, 8)])
def test_the_values_begin_at_a_multiple_of_64(shape: tuple[int, ...]) -> None:
    assert len(head("<i4", shape)) % 64 == 0


def test_big_endian_and_strided_arrays_are_stored_plainly(folder: DataFolder) -> None:
    arrays = {
        "big": frozen(np.arange(5, dtype=">i4")),
        "strided": frozen(np.arange(10, dtype=np.int32)[::2]),
        "columns": frozen(np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3))),
    }
    publish(folder.collection("debian"), 1, arrays=arrays)

    opened = folder.collection("debian").open().arrays

    assert [opened[name].tolist() for name in arrays] == [a.tolist() for a in arrays.values()]
    assert opened["big"].dtype.str == "<i4"


@pytest.mark.parametrize(
    "array",
    [
        np.array(["a", None], object),
        np.array(["a"]),
        np.array([1j]),
        np.zeros(1, "M8[us]"),
        np.zeros(1, [("a", "<i4")]),
        np.zeros((1,) * 9),
    ],
    ids=["objects", "strings", "complex", "times", "records", "nine dimensions"],
)
def test_arrays_that_are_not_of_numbers_are_refused(
    folder: DataFolder, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]
) -> None:
    with pytest.raises(ValueError, match="cannot be stored"):
        publish(folder.collection("debian"), 1, arrays={"a": array})

    assert folder.names() == []


def test_unchanged_arrays_are_the_same_files(folder: DataFolder, root: Path) -> None:
    collection = folder.collection("debian")
    arrays = some_arrays()
    first = publish(collection, 1, arrays=arrays)

    changed = {**arrays, "nodes.kind": frozen(np.array([9, 9, 9, 9], np.uint8))}
    publish(collection, 2, arrays=changed, previous=first)

    old, new = (root / f"debian/snapshots/{number:016d}" for number in (1, 2))
    assert inode(old / "out.offsets.npy") == inode(new / "out.offsets.npy")
    assert inode(old / "nodes.kind.npy") != inode(new / "nodes.kind.npy")
    assert_same(collection.open().arrays, changed)


def test_arrays_that_were_opened_are_linked_under_any_name(folder: DataFolder, root: Path) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    opened = collection.open()

    arrays = {"kept": opened.arrays["out.offsets"], "none": opened.arrays["links.target"]}
    publish(collection, 2, arrays=arrays, previous=opened.snapshot)

    old, new = (root / f"debian/snapshots/{number:016d}" for number in (1, 2))
    assert inode(old / "out.offsets.npy") == inode(new / "kept.npy")
    assert_same(collection.open().arrays, arrays)


def test_an_array_that_may_have_changed_is_written_again(folder: DataFolder) -> None:
    array = np.arange(4)
    first = publish(folder.collection("debian"), 1, arrays={"a": array})

    array[0] = 9
    publish(folder.collection("debian"), 2, arrays={"a": array}, previous=first)

    assert folder.collection("debian").open().arrays["a"].tolist() == [9, 1, 2, 3]


def test_an_equal_array_that_is_another_object_is_written_again(
    folder: DataFolder, root: Path
) -> None:
    first = publish(folder.collection("debian"), 1)
    publish(folder.collection("debian"), 2, previous=first)

    old, new = (root / f"debian/snapshots/{number:016d}" for number in (1, 2))
    assert inode(old / "out.offsets.npy") != inode(new / "out.offsets.npy")


def test_a_snapshot_does_not_keep_the_arrays_it_was_written_from(folder: DataFolder) -> None:
    first = publish(folder.collection("debian"), 1)

    assert all(kept() is None for kept in first.written.values())


def test_where_there_are_no_links_all_is_written(root: Path) -> None:
    root.mkdir()
    collection = StoredCollection(UnlinkedDirectory(root), "debian")
    arrays = some_arrays()
    first = publish(collection, 1, arrays=arrays)

    publish(collection, 2, arrays=arrays, previous=first)
    collection.create_named("kept", created_at=NOON)

    assert_same(collection.open().arrays, arrays)
    assert_same(collection.open_named("kept").arrays, arrays)
    assert collection.find_damage() == []


def test_a_file_that_lost_its_length_is_not_linked(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    arrays = some_arrays()
    first = publish(collection, 1, arrays=arrays)
    file = root / "debian/snapshots/0000000000000001/out.offsets.npy"
    file.write_bytes(file.read_bytes()[:100])

    publish(collection, 2, arrays=arrays, previous=first)

    assert_same(collection.open().arrays, arrays)
    assert collection.find_damage() == []


def test_a_snapshot_is_never_written_over_another(tmp_path: Path) -> None:
    directory = DiskDirectory(tmp_path)

    def write() -> None:
        write_snapshot(
            directory, "s", version=version(1), arrays=some_arrays(), meta={}, created_at=NOON
        )

    write()
    with pytest.raises(AlreadyExists):
        write()

    assert_same(open_snapshot(directory, "s").arrays, some_arrays())


def test_mapped_arrays_outlive_what_they_were_mapped_from(folder: DataFolder) -> None:
    collection = folder.collection("debian")
    publish(collection, 1)
    opened = collection.open()

    publish(collection, 2)
    collection.drop_old()
    collection.delete()

    assert_same(opened.arrays, some_arrays())


def test_all_damaged_files_are_found_not_only_the_first(tmp_path: Path) -> None:
    directory = DiskDirectory(tmp_path)
    write_snapshot(
        directory, "s", version=version(1), arrays=some_arrays(), meta={}, created_at=NOON
    )
    for name in ("nodes.kind", "out.offsets"):
        (tmp_path / f"s/{name}.npy").unlink()

    found = find_damage(directory, "s")

    assert [damage.file for damage in found if isinstance(damage, SnapshotDamaged)] == [
        "s/nodes.kind.npy",
        "s/out.offsets.npy",
    ]
