"""Data folders opened, opened twice, opened again, and swept."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from passageway_server.errors import (
    FolderInUse,
    FormatTooNew,
    NotFound,
    SnapshotDamaged,
    StorageFailed,
)
from passageway_server.storage.data_folder import DataFolder, held
from passageway_server.storage.disk import open_file
from tests.unit.storage.disks import assert_same, opened, publish, some_arrays, version

LEFTOVERS = [
    ".debian.partial",
    ".other.removed",
    "debian/snapshots/0000000000000007.partial",
    "debian/snapshots/0000000000000000.removed",
    "debian/named/kept.partial",
    "debian/named/kept.removed",
    "debian/log/0000000000000008.log.partial",
    "debian/log/0000000000000001.log.removed",
    "debian/quarantine/CURRENT.partial",
]
FOREIGN = [
    "notes.partial",
    "lost+found",
    ".git",
    "debian/log/mine.log",
    "debian/log/8.log.partial",
    "debian/quarantine/log-0000000000000001",
    "debian/mine.partial",
    "debian/snapshots/mine.partial",
    "debian/named/Mine.partial",
]


def test_a_second_open_in_one_process_is_refused(folder: DataFolder, root: Path) -> None:
    with pytest.raises(FolderInUse):
        DataFolder.open(root)

    folder.close()
    with DataFolder.open(root):
        pass


def test_a_second_process_is_refused_and_a_killed_one_lets_go(root: Path) -> None:
    program = (
        "import pathlib, sys, time\n"
        "from passageway_server.storage.data_folder import DataFolder\n"
        "folder = DataFolder.open(pathlib.Path(sys.argv[1]))\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"open\n"
        with pytest.raises(FolderInUse) as refused:
            DataFolder.open(root)
        server.kill()

    assert refused.value.folder == str(root)
    with DataFolder.open(root) as opened:
        assert opened.names() == []


def test_a_folder_on_a_disk_that_takes_no_writes_can_be_held_and_not_opened(
    folder: DataFolder, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.close()

    def refusing(path: Path, flags: int) -> int:
        if flags & os.O_RDWR:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return open_file(path, flags)

    monkeypatch.setattr("passageway_server.storage.lock.open_file", refusing)
    with held(root), pytest.raises(FolderInUse), held(root):
        pass
    with pytest.raises(StorageFailed, match="Read-only file system"):
        DataFolder.open(root)


def test_a_restart_finds_the_current_version_of_each_collection(root: Path) -> None:
    with DataFolder.open(root) as first:
        publish(first.collection("debian"), 1)
        publish(first.collection("debian"), 2)
        publish(first.collection("memories"), 7)

    with DataFolder.open(root) as second:
        found = opened(second)

    assert {name: snapshot.version for name, snapshot in found.items()} == {
        "debian": version(2),
        "memories": version(7),
    }
    assert_same(found["debian"].arrays, some_arrays())


def test_leftovers_are_swept_and_what_is_not_ours_is_not(root: Path) -> None:
    with DataFolder.open(root) as first:
        publish(first.collection("debian"), 1)
    for name in LEFTOVERS + FOREIGN:
        (root / name).mkdir(parents=True)
        (root / name / "file").write_bytes(b"x")
    (root / "debian/CURRENT.partial").write_bytes(b"x")
    (root / "debian/LOG.partial").write_bytes(b"x")
    (root / "FORMAT.partial").write_bytes(b"x")

    with DataFolder.open(root) as second:
        found = opened(second)
        assert second.collection("debian").find_damage() == []

    # A FORMAT is there, so its leftover is swept like the others.
    small = ["debian/CURRENT.partial", "debian/LOG.partial", "FORMAT.partial"]
    assert sorted(second.swept) == sorted([*LEFTOVERS, *small])
    assert not [name for name in second.swept if (root / name).exists()]
    assert all((root / name / "file").exists() for name in FOREIGN)
    assert list(found) == ["debian"]


def test_a_later_folder_format_is_refused_by_name_and_the_lock_let_go(root: Path) -> None:
    root.mkdir()
    (root / "FORMAT").write_bytes(b"3\n")

    for _ in range(2):
        with pytest.raises(FormatTooNew) as refused:
            DataFolder.open(root)
        assert (refused.value.file, refused.value.found) == ("FORMAT", 3)


def test_a_folder_of_format_1_gets_a_log_when_it_is_opened_for_writing(root: Path) -> None:
    with DataFolder.open(root) as first:
        publish(first.collection("debian"), 4)
    for path in ("debian/LOG", "debian/log/0000000000000005.log"):
        (root / path).unlink()
    (root / "debian/log").rmdir()
    (root / "FORMAT").write_bytes(b"1\n")

    with DataFolder.open(root) as second:
        collection = second.collection("debian")
        recovered = collection.recover()
        assert [*recovered.commits] == []
        log = collection.open_log(4, recovered=recovered)
        log.append(5, {})
        log.close()

        assert [commit.number for commit in collection.recover().commits] == [5]
    assert (root / "FORMAT").read_bytes() == b"2\n"


@pytest.mark.parametrize("content", [b"", b"one\n", b"0\n", b"1"])
def test_a_damaged_folder_format_is_refused(root: Path, content: bytes) -> None:
    root.mkdir()
    (root / "FORMAT").write_bytes(content)

    with pytest.raises(SnapshotDamaged) as refused:
        DataFolder.open(root)

    assert refused.value.file == "FORMAT"
    assert (root / "FORMAT").read_bytes() == content


def test_a_folder_is_for_its_owner_alone(folder: DataFolder, root: Path) -> None:
    publish(folder.collection("debian"), 1)

    assert [path for path in (root, *root.rglob("*")) if path.stat().st_mode & 0o077] == []


def test_a_deleted_collection_is_gone_and_its_name_is_free(folder: DataFolder, root: Path) -> None:
    collection = folder.collection("debian")
    publish(collection, 5)

    collection.delete()

    assert folder.names() == []
    assert sorted(path.name for path in root.iterdir()) == ["FORMAT", "LOCK", "PAGE_KEY"]
    for act in (collection.open, collection.delete):
        with pytest.raises(NotFound):
            act()
    publish(collection, 1)
    assert collection.open().version == version(1)


def test_a_link_in_the_place_of_a_folder_is_removed_and_not_what_it_leads_to(
    tmp_path: Path,
) -> None:
    precious = tmp_path / "precious"
    (precious / "inner").mkdir(parents=True)
    (precious / "file").write_text("x")
    data = tmp_path / "data"
    DataFolder.open(data).close()
    (data / ".old.removed").symlink_to(precious)

    DataFolder.open(data).close()

    assert not (data / ".old.removed").is_symlink()
    assert sorted(entry.name for entry in precious.iterdir()) == ["file", "inner"]
