"""A folder, what can be wrong with it, and what a repair then keeps and loses."""

import shutil
from collections.abc import Callable
from pathlib import Path

from passageway_server.storage import layout
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.report import Lost
from tests.unit.storage.disks import NOON, commit, logged, publish

Damage = Callable[[Path], None]


def write(root: Path) -> None:
    """Snapshots of 2 and 6, another named one of 2; commits 3 to 5, 6 to 8, and 9 and 10; and a collection beside."""
    with DataFolder.open(root) as folder:
        other = folder.collection("other")
        publish(other, 1)
        logged(other, 3).close()
        collection = folder.collection("debian")
        publish(collection, 2)
        collection.create_named("kept", created_at=NOON)
        log = collection.open_log(2)
        for number in range(3, 11):
            if number in (6, 9):
                log.roll()
            log.append(number, commit(number))
            log.sync()
            if number == 8:
                publish(collection, 6)
        log.close()


def segment(root: Path, first: int) -> Path:
    return root / f"debian/log/{first:016d}.log"


def flip(file: Path, offset: int) -> None:
    content = bytearray(file.read_bytes())
    content[offset] ^= 1
    file.write_bytes(content)


def flip_commit(root: Path, first: int, place: int) -> None:
    """Change the commit at that place of a segment of equal ones."""
    count = {3: 3, 6: 3, 9: 2}[first]
    frame = (segment(root, first).stat().st_size - 64) // count
    flip(segment(root, first), 64 + place * frame + 30)


def flip_manifest(root: Path, number: int) -> None:
    flip(root / f"debian/snapshots/{number:016d}/manifest.msgpack", 80)


def lose_current(root: Path) -> None:
    (root / "debian/CURRENT").unlink()


def flip_current(root: Path) -> None:
    flip(root / "debian/CURRENT", 20)


def flip_newest_name(root: Path) -> None:
    flip(root / "debian/LOG", 3)


def damage_newest_snapshot(root: Path) -> None:
    flip_manifest(root, 6)


def damage_both_snapshots(root: Path) -> None:
    flip_manifest(root, 6)
    flip_manifest(root, 2)


def damage_all_snapshots(root: Path) -> None:
    damage_both_snapshots(root)
    flip(root / "debian/named/kept/manifest.msgpack", 80)


def lose_snapshots(root: Path) -> None:
    shutil.rmtree(root / "debian/snapshots")


def damage_needed_commit(root: Path) -> None:
    flip_commit(root, 6, 1)


def damage_first_needed_commit_of_newest(root: Path) -> None:
    flip_commit(root, 9, 0)


def damage_last_commit(root: Path) -> None:
    flip_commit(root, 9, 1)


def damage_held_commit(root: Path) -> None:
    flip_commit(root, 6, 0)


def damage_old_commit(root: Path) -> None:
    flip_commit(root, 3, 1)


def damage_old_header(root: Path) -> None:
    flip(segment(root, 3), 25)


def damage_needed_header(root: Path) -> None:
    flip(segment(root, 6), 25)


def lose_middle(root: Path) -> None:
    segment(root, 6).unlink()


def lose_newest(root: Path) -> None:
    segment(root, 9).unlink()


def lose_log(root: Path) -> None:
    shutil.rmtree(root / "debian/log")


def damage_snapshot_and_log(root: Path) -> None:
    flip_manifest(root, 6)
    flip_commit(root, 3, 1)


def damage_named(root: Path) -> None:
    flip(root / "debian/named/kept/nodes.kind.npy", 130)


def cut_marked(root: Path) -> None:
    """The log ends before a commit that DURABLE names."""
    mark(root, 10)
    file = segment(root, 9)
    file.write_bytes(file.read_bytes()[:-1])


def cut_newest(root: Path) -> None:
    segment(root, 9).write_bytes(segment(root, 9).read_bytes()[:50])


def damage_mark(root: Path) -> None:
    (root / "debian/DURABLE").write_bytes(b"?")


def damage_mark_and_needed_commit(root: Path) -> None:
    damage_mark(root)
    flip_commit(root, 9, 0)


def put_empty_folders(root: Path) -> None:
    """In the place of small files."""
    for name in ("CURRENT", "LOG", "DURABLE"):
        file = root / "debian" / name
        file.unlink(missing_ok=True)
        file.mkdir()


def put_full_folders(root: Path) -> None:
    put_empty_folders(root)
    for name in ("CURRENT", "LOG", "DURABLE"):
        (root / "debian" / name / "mine").write_bytes(b"mine")


def lose_shared_array(root: Path) -> None:
    """A file that the named snapshot of the same version has by another name."""
    keep_newest(root)
    (root / "debian/snapshots/0000000000000006/nodes.kind.npy").unlink()


def damage_manifest_of_named_version(root: Path) -> None:
    keep_newest(root)
    flip_manifest(root, 6)
    flip_commit(root, 3, 1)


def mark(root: Path, number: int) -> None:
    layout.name_durable(DiskDirectory(root), "debian", number)


def keep_newest(root: Path) -> None:
    with DataFolder.open(root) as folder:
        folder.collection("debian").create_named("newest", created_at=NOON)


def lost(first: int, last: int | None, *, more: bool = False) -> Lost:
    return Lost("debian", first, last, more)


ALL = [*range(3, 11)]
DAMAGES: list[tuple[Damage, int, list[int], Lost | None]] = [
    (lose_current, 6, [7, 8, 9, 10], None),
    (flip_current, 6, [7, 8, 9, 10], None),
    (flip_newest_name, 6, [7, 8, 9, 10], None),
    (damage_newest_snapshot, 2, ALL, None),
    (damage_both_snapshots, 2, ALL, None),
    (lose_snapshots, 2, ALL, None),
    (damage_needed_commit, 6, [], lost(7, 10)),
    (damage_first_needed_commit_of_newest, 6, [7, 8], lost(9, 10)),
    (damage_last_commit, 6, [7, 8, 9], None),
    (damage_held_commit, 6, [7, 8, 9, 10], None),
    (damage_old_commit, 6, [7, 8, 9, 10], None),
    (damage_old_header, 6, [7, 8, 9, 10], None),
    (damage_needed_header, 6, [], lost(7, 10)),
    (lose_middle, 6, [], lost(7, 10)),
    (lose_newest, 6, [7, 8], lost(9, None, more=True)),
    (lose_log, 6, [], lost(7, 8, more=True)),
    (damage_snapshot_and_log, 2, [3], lost(4, 10)),
    (damage_named, 6, [7, 8, 9, 10], None),
    (cut_marked, 6, [7, 8, 9], lost(10, 10)),
    (cut_newest, 6, [7, 8], lost(9, None, more=True)),
    (damage_mark, 6, [7, 8, 9, 10], None),
    (damage_mark_and_needed_commit, 6, [7, 8], lost(9, 10)),
    (put_empty_folders, 6, [7, 8, 9, 10], None),
    (put_full_folders, 6, [7, 8, 9, 10], None),
    (lose_shared_array, 6, [7, 8, 9, 10], None),
    (damage_manifest_of_named_version, 6, [7, 8, 9, 10], None),
]
