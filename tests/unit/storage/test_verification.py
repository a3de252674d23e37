"""What verification says of a whole data folder, and that it changes nothing."""

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from passageway_server.errors import FormatTooNew
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.report import Checked, Kind, Report
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import NOON, commit, logged, publish

DEMO = Path(__file__).parents[3] / "snapshots/demo"


@pytest.fixture
def written(root: Path) -> Path:
    """Two collections with snapshots and logs; one has a named snapshot."""
    with DataFolder.open(root) as folder:
        for name in ("debian", "other"):
            collection = folder.collection(name)
            publish(collection, 1)
            log = logged(collection, 3)
            publish(collection, 3)
            log.roll()
            log.append(4, commit(4))
            log.close()
        folder.collection("debian").create_named("kept", created_at=NOON)
    return root


def verified(root: Path) -> Report:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    report = verify_folder(DiskDirectory(root))
    assert before == {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return report


def test_a_whole_folder_has_no_findings_and_all_of_it_was_read(written: Path) -> None:
    report = verified(written)

    assert report == Report((Checked("debian", 3, 3), Checked("other", 2, 3)))
    assert not report.damaged


def test_the_demo_has_no_findings_and_stays_as_it_is(tmp_path: Path) -> None:
    shutil.copytree(DEMO, tmp_path / "demo")

    assert verified(tmp_path / "demo").findings == ()


def cut_manifest(root: Path) -> None:
    file = root / "debian/snapshots/0000000000000001/manifest.msgpack"
    file.write_bytes(file.read_bytes()[:-1])


def lose_named_array(root: Path) -> None:
    (root / "debian/named/kept/nodes.kind.npy").unlink()


def lose_current(root: Path) -> None:
    (root / "debian/CURRENT").unlink()


def lose_snapshot(root: Path) -> None:
    shutil.rmtree(root / "debian/snapshots/0000000000000003")


def lose_all_snapshots(root: Path) -> None:
    shutil.rmtree(root / "debian/snapshots")


def change_old_commit(root: Path) -> None:
    file = root / "debian/log/0000000000000002.log"
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)


def lose_segment(root: Path) -> None:
    (root / "debian/log/0000000000000004.log").unlink()


@pytest.mark.parametrize(
    ("damage", "file"),
    [
        (cut_manifest, "debian/snapshots/0000000000000001/manifest.msgpack"),
        (lose_named_array, "debian/named/kept/nodes.kind.npy"),
        (lose_current, "debian/CURRENT"),
        (lose_snapshot, "debian/snapshots/0000000000000003/manifest.msgpack"),
        (lose_all_snapshots, "debian/snapshots"),
        (change_old_commit, "debian/log/0000000000000002.log"),
        (lose_segment, "debian/log/0000000000000004.log"),
    ],
)
def test_damage_is_found_by_collection_and_file(
    written: Path, damage: Callable[[Path], None], file: str
) -> None:
    damage(written)

    report = verified(written)

    assert report.damaged
    assert {found.collection for found in report.findings} == {"debian"}
    assert file in [found.file for found in report.findings]


def test_leftovers_tails_and_quarantine_are_listed_and_are_no_damage(written: Path) -> None:
    (written / ".old.removed").mkdir()
    (written / "debian/snapshots/0000000000000009").mkdir()
    (written / "debian/log/0000000000000007.log.partial").write_bytes(b"x")
    (written / "debian/quarantine").mkdir()
    (written / "debian/quarantine/snapshot-0000000000000002").mkdir()
    with (written / "other/log/0000000000000004.log").open("ab") as file:
        file.write(b"torn")

    report = verified(written)

    assert not report.damaged
    assert {(found.collection, found.file): found.kind for found in report.findings} == {
        ("", ".old.removed"): Kind.LEFTOVER,
        ("debian", "debian/snapshots/0000000000000009"): Kind.LEFTOVER,
        ("debian", "debian/log/0000000000000007.log.partial"): Kind.LEFTOVER,
        ("debian", "debian/quarantine/snapshot-0000000000000002"): Kind.QUARANTINED,
        ("other", "other/log/0000000000000004.log"): Kind.TAIL,
    }


def test_each_stretch_of_damaged_commits_is_found_not_only_the_first(written: Path) -> None:
    with DataFolder.open(written) as folder:
        logged(folder.collection("debian"), 12).close()
    file = written / "debian/log/0000000000000005.log"
    content = bytearray(file.read_bytes())
    frame = (len(content) - 64) // 8
    for place in (1, 2, 5):
        content[64 + place * frame + 30] ^= 1
    file.write_bytes(content)

    report = verified(written)

    assert [(found.offset, found.kind) for found in report.findings] == [
        (64 + place * frame, Kind.DAMAGE) for place in (1, 5)
    ]
    assert report.collections[0].commits == 3 + 8 - 3


def test_a_damaged_format_is_a_finding_and_a_later_one_is_refused_by_name(written: Path) -> None:
    for content in (b"", b"x\n"):
        (written / "FORMAT").write_bytes(content)
        assert [found.file for found in verified(written).findings] == ["FORMAT"]
    (written / "FORMAT").unlink()
    assert [found.found for found in verified(written).findings] == ["missing"]
    (written / "FORMAT").write_bytes(b"9\n")
    with pytest.raises(FormatTooNew):
        verify_folder(DiskDirectory(written))


def test_a_report_is_plain_enough_for_json(written: Path) -> None:
    cut_manifest(written)
    change_old_commit(written)

    text = json.dumps(asdict(verified(written)))

    assert json.loads(text)["findings"][0]["kind"] == "damage"
