"""Files that are not what was written, each named and none papered over."""

from collections.abc import Callable
from pathlib import Path

import pytest

from passageway_server.errors import FormatTooNew, PassagewayError, SnapshotDamaged
from passageway_server.storage import records
from passageway_server.storage.checking import find_damage, open_snapshot
from passageway_server.storage.checksums import checksum
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.snapshot import write_snapshot
from tests.unit.storage.disks import NOON, SOME_META, assert_same, publish, some_arrays, version

ARRAY_FILES = [f"{name}.npy" for name, array in some_arrays().items() if array.size]
FILES = [*ARRAY_FILES, "manifest.msgpack"]


@pytest.fixture
def disk(tmp_path: Path) -> DiskDirectory:
    """A directory that holds one snapshot, ``s``."""
    directory = DiskDirectory(tmp_path)
    write_snapshot(
        directory, "s", version=version(1), arrays=some_arrays(), meta=SOME_META, created_at=NOON
    )
    return directory


@pytest.mark.parametrize("sixteenth", range(16))
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_anywhere_is_found_on_opening(
    disk: DiskDirectory, tmp_path: Path, name: str, sixteenth: int
) -> None:
    file = tmp_path / "s" / name
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * sixteenth // 16])

    with pytest.raises(SnapshotDamaged) as refused:
        open_snapshot(disk, "s")

    assert refused.value.file == f"s/{name}"
    assert len(find_damage(disk, "s")) == 1


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_grew_or_is_gone_is_found_on_opening(
    disk: DiskDirectory, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "s" / name
    whole = file.read_bytes()
    for damage in (lambda: file.write_bytes(whole + b"\0"), file.unlink):
        damage()
        with pytest.raises(SnapshotDamaged) as refused:
            open_snapshot(disk, "s")
        assert refused.value.file == f"s/{name}"


@pytest.mark.parametrize("name", ARRAY_FILES)
def test_a_flipped_bit_of_an_array_is_found_by_verification(
    disk: DiskDirectory, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "s" / name
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        found = find_damage(disk, "s")
        assert [error.reason for error in found] == ["SNAPSHOT_DAMAGED"]


def test_a_flipped_bit_of_a_head_is_found_on_opening(disk: DiskDirectory, tmp_path: Path) -> None:
    file = tmp_path / "s/out.offsets.npy"
    whole = file.read_bytes()
    for at in range(128):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with pytest.raises(SnapshotDamaged):
            open_snapshot(disk, "s")


def test_a_flipped_bit_of_a_manifest_is_found_on_opening(
    disk: DiskDirectory, tmp_path: Path
) -> None:
    file = tmp_path / "s/manifest.msgpack"
    whole = file.read_bytes()
    for at in range(len(whole)):
        for bit in range(8):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            with pytest.raises((SnapshotDamaged, FormatTooNew)) as refused:
                open_snapshot(disk, "s")
            assert "s/manifest.msgpack" in str(refused.value)


def test_a_later_format_is_refused_by_name_whatever_else_the_manifest_holds(
    disk: DiskDirectory, tmp_path: Path
) -> None:
    (tmp_path / "s/manifest.msgpack").write_bytes(records.encode({"format": 4, "new": [1]}))

    with pytest.raises(FormatTooNew) as refused:
        open_snapshot(disk, "s")

    assert (refused.value.file, refused.value.found, refused.value.newest) == (
        "s/manifest.msgpack",
        4,
        3,
    )


def array_of(**changes: object) -> dict[str, object]:
    """A body's ``arrays`` with one array of one byte, changed."""
    plain: dict[str, object] = {"dtype": "|u1", "shape": [1], "length": 129, "checksum": 0}
    return {"nodes.kind": plain | changes}


@pytest.mark.parametrize(
    "change",
    [
        {"applied": -1},
        {"applied": "1"},
        {"applied": True},
        {"token": 1},
        {"created_at": 2**63},
        {"meta": []},
        {"arrays": None},
        {"arrays": {"../../x": array_of()["nodes.kind"]}},
        {"arrays": {"nodes.kind": 1}},
        {"arrays": array_of(dtype="|O")},
        {"arrays": array_of(dtype="<M8[us]")},
        {"arrays": array_of(dtype="<i4,<i4")},
        {"arrays": array_of(shape=[-1])},
        {"arrays": array_of(shape=[True])},
        {"arrays": array_of(shape=[1] * 9)},
        {"arrays": array_of(shape=[2**62, 2**62])},
        {"arrays": array_of(shape=[0])},
        {"arrays": array_of(shape="1")},
        {"arrays": array_of(length=128)},
        {"arrays": array_of(checksum=None)},
    ],
    ids=repr,
)
def test_a_manifest_that_sums_up_and_is_wrong_is_refused(
    disk: DiskDirectory, tmp_path: Path, change: dict[str, object]
) -> None:
    right: dict[str, object] = {
        "applied": 1,
        "token": "t",
        "created_at": 0,
        "arrays": {},
        "meta": {},
    }
    body = records.encode(right | change)
    packed = records.encode(
        {"format": 2, "algorithm": "crc32", "checksum": checksum([body], "crc32"), "body": body}
    )
    (tmp_path / "s/manifest.msgpack").write_bytes(packed)

    with pytest.raises(SnapshotDamaged) as refused:
        open_snapshot(disk, "s")

    assert refused.value.file == "s/manifest.msgpack"


def no_longer_there(_: bytes) -> bytes | None:
    return None


def empty(_: bytes) -> bytes:
    return b""


def without_checksum(_: bytes) -> bytes:
    return b"0000000000000002\n"


def a_path(_: bytes) -> bytes:
    return b"../../other/snap 00000000\n"


def another_number(line: bytes) -> bytes:
    return line.replace(b"2 ", b"1 ")


def twice(line: bytes) -> bytes:
    return line * 2


@pytest.mark.parametrize(
    "damage", [no_longer_there, empty, without_checksum, a_path, another_number, twice]
)
def test_a_current_that_is_not_as_written_opens_nothing_and_is_not_written_over(
    torn: DataFolder, root: Path, damage: Callable[[bytes], bytes | None]
) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    publish(collection, 2)
    current = root / "debian/CURRENT"
    damaged = damage(current.read_bytes())
    current.unlink()
    if damaged is not None:
        current.write_bytes(damaged)
    before = sorted(root.rglob("*"))

    for act in (collection.open, lambda: publish(collection, 3), collection.drop_old):
        with pytest.raises(SnapshotDamaged) as refused:
            act()
        assert refused.value.file == "debian/CURRENT"

    assert sorted(root.rglob("*")) == before
    assert [error.reason for error in collection.find_damage()] == ["SNAPSHOT_DAMAGED"]


def test_one_bad_collection_does_not_stop_the_others(torn: DataFolder, root: Path) -> None:
    for name in ("bad", "good", "newer"):
        publish(torn.collection(name), 1)
    (root / "bad/snapshots/0000000000000001/out.offsets.npy").write_bytes(b"")
    (root / "newer/snapshots/0000000000000001/manifest.msgpack").write_bytes(
        records.encode({"format": 9})
    )
    (root / "empty").mkdir()

    reasons = dict[str, str]()
    for name in ("bad", "empty", "newer"):
        with pytest.raises(PassagewayError) as refused:
            torn.collection(name).recover()
        reasons[name] = refused.value.reason

    assert_same(torn.collection("good").recover().snapshot.arrays, some_arrays())
    assert reasons == {
        "bad": "SNAPSHOT_DAMAGED",
        "empty": "SNAPSHOT_DAMAGED",
        "newer": "FORMAT_TOO_NEW",
    }
    torn.collection("bad").delete()
    assert torn.names() == ["empty", "good", "newer"]
