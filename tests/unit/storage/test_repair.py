"""What repair makes of damaged collections, and what it says that is lost."""

import shutil
from pathlib import Path

import pytest

from passageway_server.errors import FormatTooNew, PassagewayError
from passageway_server.storage import records
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.repair import repair_folder, try_repair
from passageway_server.storage.report import Kind, Lost, Report
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.damages import (
    DAMAGES,
    Damage,
    damage_all_snapshots,
    flip,
    keep_newest,
    write,
)
from tests.unit.storage.disks import Crash, FailingDirectory, logged, numbers_of, version


@pytest.fixture
def written(root: Path) -> Path:
    write(root)
    return root


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
