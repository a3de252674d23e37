"""DURABLE, which names a commit that is on the disk: a log that ends before it is damaged."""

from pathlib import Path

import pytest

from passageway_server.errors import LogDamaged
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import commit, logged, numbers_of, publish
from tests.unit.storage.torn_logs import FIRST, FRAME, at, findings, quarantined, refusal


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
