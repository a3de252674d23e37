"""What repair makes of damaged collections, and what it says that is lost."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from passageway_server.errors import FormatTooNew, PassagewayError
from passageway_server.storage import layout, records
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.repair import repair_folder, try_repair
from passageway_server.storage.report import Kind, Lost, Report
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import (
    NOON,
    Crash,
    FailingDirectory,
    commit,
    logged,
    numbers_of,
    publish,
    version,
)

Damage = Callable[[Path], None]


@pytest.fixture
def written(root: Path) -> Path:
    write(root)
    return root


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


def repaired(root: Path) -> Report:
    """The report of a repair, after which all is whole, and another one has nothing to do."""
    report = repair_folder(DiskDirectory(root))
    left = verify_folder(DiskDirectory(root))
    assert {found.kind for found in left.findings} <= {Kind.QUARANTINED}
    assert repair_folder(DiskDirectory(root)).steps == ()
    return report


def held(root: Path) -> tuple[int, list[int]]:
    """The number of the snapshot that is recovered, and those of the commits after it; it takes more of them."""
    with DataFolder.open(root) as folder:
        collection = folder.collection("debian")
        recovered = collection.recover()
        numbers = [each.number for each in recovered.commits]
        assert numbers_of(collection) == numbers
        first = recovered.snapshot.version.number
        assert recovered.snapshot.version == version(first)
        last = first + len(numbers)
        logged(collection, last + 2).close()
        assert numbers_of(collection) == [*numbers, last + 1, last + 2]
        assert numbers_of(folder.collection("other")) == [2, 3]
    assert not verify_folder(DiskDirectory(root)).damaged
    return first, numbers


def test_a_whole_folder_is_left_as_it_is(written: Path) -> None:
    before = {path: path.read_bytes() for path in written.rglob("*") if path.is_file()}

    report = repaired(written)

    assert (report.steps, report.lost, report.findings) == ((), (), ())
    assert before == {path: path.read_bytes() for path in written.rglob("*") if path.is_file()}


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


def everything(root: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in root.rglob("*")}


def named_for(each: object) -> str:
    return str(getattr(each, "__name__", ""))


@pytest.mark.parametrize(("damage", "first", "numbers", "lost"), DAMAGES, ids=named_for)
def test_what_can_be_read_is_kept_and_what_is_lost_is_said_before_and_then(
    written: Path,
    tmp_path: Path,
    damage: Damage,
    first: int,
    numbers: list[int],
    lost: Lost | None,
) -> None:
    damage(written)
    before = everything(written)
    (tmp_path / "beside").mkdir()

    told = try_repair(DiskDirectory(written), DiskDirectory(tmp_path / "beside"))
    assert everything(written) == before
    report = repaired(written)

    assert report == told
    assert report.findings
    assert report.steps
    assert report.lost == ((lost,) if lost else ())
    assert report.left == ()
    assert held(written) == (first, numbers)


@pytest.mark.parametrize(("damage", "first", "numbers", "lost"), DAMAGES, ids=named_for)
def test_a_repair_that_ends_anywhere_can_be_run_again_and_says_the_same(
    tmp_path: Path, damage: Damage, first: int, numbers: list[int], lost: Lost | None
) -> None:
    write(tmp_path / "whole")
    damage(tmp_path / "whole")
    at, ended = len(damage.__name__) % 3, True  # every third change, others for other damage
    while ended:
        root = tmp_path / str(at)
        shutil.copytree(tmp_path / "whole", root)
        disk = FailingDirectory(root, fails_at=at, stays_dead=True)
        try:
            repair_folder(disk)
            ended = False
        except Crash:
            was_done = not verify_folder(DiskDirectory(root)).damaged
            said = repaired(root).lost
            if lost and not lost.more:
                assert said == (() if was_done else (lost,))
        assert held(root) == (first, numbers)
        shutil.rmtree(root)
        at += 3
    assert at > 3


@pytest.mark.parametrize(("damage", "first", "numbers", "lost"), DAMAGES, ids=named_for)
def test_nothing_that_was_damaged_is_gone(
    written: Path, damage: Damage, first: int, numbers: list[int], lost: Lost | None
) -> None:
    damage(written)
    damaged = {
        path.relative_to(written): path.read_bytes()
        for path in (written / "debian").rglob("*")
        if path.is_file() and path.name not in ("LOG", "CURRENT", "DURABLE")
    }

    repaired(written)

    left = [path.read_bytes() for path in (written / "debian").rglob("*") if path.is_file()]
    for path, content in damaged.items():
        # A tail is kept by itself, and the header of a segment behind a damaged one is written anew.
        rest = content[64:] if path.suffix == ".log" else content
        assert any(each.endswith(rest) or content.endswith(each) for each in left), path


def test_a_collection_without_a_good_snapshot_is_left_and_said_to_be_lost(written: Path) -> None:
    damage_all_snapshots(written)
    before = sorted(written.rglob("*"))

    report = repair_folder(DiskDirectory(written))

    assert report.lost == (Lost("debian", 1, 9),)
    assert report.left == ("debian",)
    assert sorted(written.rglob("*")) == before
    with DataFolder.open(written) as folder, pytest.raises(PassagewayError):
        folder.collection("debian").recover()


def test_a_snapshot_of_a_later_release_is_left_as_it_is(written: Path) -> None:
    manifest = written / "debian/snapshots/0000000000000006/manifest.msgpack"
    manifest.write_bytes(records.encode({"format": 99}))
    before = sorted(written.rglob("*"))

    report = repair_folder(DiskDirectory(written))

    assert "format 99" in report.steps[0]
    assert report.left == ("debian",)
    assert sorted(written.rglob("*")) == before


def test_later_damage_of_a_snapshot_that_was_made_whole_is_kept_too(written: Path) -> None:
    keep_newest(written)
    array = written / "debian/snapshots/0000000000000006/nodes.kind.npy"
    whole, kept = array.read_bytes(), list[bytes]()
    for offset in (-1, -2, -1):
        array.unlink()  # the named snapshot has the same file
        array.write_bytes(whole)
        flip(array, offset)
        kept.append(array.read_bytes())

        repaired(written)

        assert array.read_bytes() == whole

    folders = sorted((written / "debian/quarantine").iterdir())
    assert [each.name for each in folders] == [
        "snapshot-0000000000000006",
        "snapshot-0000000000000006-2",
    ]
    assert [(each / array.name).read_bytes() for each in folders] == kept[:2]


def test_a_damaged_format_is_written_anew_and_a_later_one_refused(written: Path) -> None:
    (written / "FORMAT").write_bytes(b"?")

    repaired(written)

    assert (written / "FORMAT").read_bytes() == b"2\n"
    assert (written / "FORMAT.damaged").read_bytes() == b"?"
    (written / "FORMAT").write_bytes(b"9\n")
    with pytest.raises(FormatTooNew):
        repair_folder(DiskDirectory(written))
