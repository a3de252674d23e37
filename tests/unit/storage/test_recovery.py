"""What is found after a crash or after damage among the commits of a log: what was durable is there, or it is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from passageway_server.errors import LogDamaged
from passageway_server.storage.collection import StoredCollection
from passageway_server.storage.data_folder import DataFolder
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.log import frames
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from tests.unit.storage.disks import commit, logged, numbers_of, publish
from tests.unit.storage.torn_logs import (
    FIRST,
    FRAME,
    at,
    everything,
    findings,
    flip,
    quarantined,
    refusal,
)


def test_recovering_changes_nothing(collection: StoredCollection, root: Path) -> None:
    (root / FIRST).write_bytes((root / FIRST).read_bytes()[:-3] + b"xyz")
    before = everything(root)

    assert numbers_of(collection) == numbers_of(collection) == [2, 3, 4]

    assert everything(root) == before


@pytest.mark.parametrize("cut", range(1, FRAME + 1, 7))
def test_a_torn_commit_that_was_not_durable_is_cut_and_kept_in_quarantine(
    collection: StoredCollection, root: Path, cut: int
) -> None:
    whole = (root / FIRST).read_bytes()
    (root / FIRST).write_bytes(whole[:-cut])
    left = whole[at(5) : -cut]

    assert numbers_of(collection) == [2, 3, 4]
    assert findings(collection) == ([(Kind.TAIL, at(5))] if left else [])
    logged(collection, 7).close()

    assert numbers_of(collection) == [2, 3, 4, 5, 6, 7]
    assert (root / FIRST).read_bytes() == whole[: at(5)]
    kept = [(root / "debian/quarantine" / name).read_bytes() for name in quarantined(root)]
    assert kept == ([left] if left else [])
    assert not verify_folder(collection.directory).damaged


def test_zeros_behind_the_last_commit_are_no_damage_and_not_kept(
    collection: StoredCollection, root: Path
) -> None:
    whole = (root / FIRST).read_bytes()
    (root / FIRST).write_bytes(whole + bytes(5000))

    assert numbers_of(collection) == [2, 3, 4, 5]
    assert findings(collection) == [(Kind.TAIL, len(whole))]
    logged(collection, 6).close()

    assert (root / FIRST).read_bytes() == whole
    assert quarantined(root) == []
    assert numbers_of(collection) == [2, 3, 4, 5, 6]


def zeroed(content: bytes, start: int) -> bytes:
    return content[:start] + bytes(FRAME) + content[start + FRAME :]


def left_out(content: bytes, start: int) -> bytes:
    return content[:start] + content[start + FRAME :]


def two_left_out(content: bytes, start: int) -> bytes:
    return content[:start] + content[start + 2 * FRAME :]


def twice(content: bytes, start: int) -> bytes:
    return content[: start + FRAME] + content[start:]


def changed(content: bytes, start: int) -> bytes:
    return content[: start + 30] + b"?" + content[start + 31 :]


def moved(content: bytes, start: int) -> bytes:
    return content[: start + 3] + content[start:]


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("damage", [zeroed, left_out, two_left_out, twice, changed, moved])
def test_a_commit_that_was_durable_and_cannot_be_read_refuses_the_collection(
    collection: StoredCollection, root: Path, number: int, damage: Callable[[bytes, int], bytes]
) -> None:
    (root / FIRST).write_bytes(damage((root / FIRST).read_bytes(), at(number)))
    before = everything(root)

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert refused.file == FIRST
    assert at(number) <= refused.offset <= at(number) + FRAME
    assert refused.reason == "LOG_DAMAGED"
    assert everything(root) == before
    assert verify_folder(collection.directory).damaged


def test_a_collection_with_a_damaged_log_stops_no_other(torn: DataFolder, root: Path) -> None:
    for name in ("debian", "other"):
        publish(torn.collection(name), 1)
        logged(torn.collection(name), 5).close()
    flip(root / FIRST, at(3) + 40)

    assert isinstance(refusal(torn.collection("debian")), LogDamaged)
    assert numbers_of(torn.collection("other")) == [2, 3, 4, 5]


def test_a_good_commit_behind_a_torn_one_is_a_tail_too(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = collection.open_log(1)
    for number in range(2, 6):
        log.append(number, commit(number))  # no sync: none of them was acknowledged
    flip(root / FIRST, at(3) + 40)

    assert numbers_of(collection) == [2]
    assert findings(collection) == [(Kind.TAIL, at(3))]
    log.close()


def test_what_was_moved_to_quarantine_is_told_with_its_bytes(
    collection: StoredCollection, root: Path
) -> None:
    (root / FIRST).write_bytes((root / FIRST).read_bytes()[:-3])

    recovered = collection.recover()
    collection.open_log([*recovered.commits][-1].number, recovered=recovered).close()

    (tail,) = recovered.findings
    assert (tail.kind, tail.file, tail.offset, tail.bytes) == (Kind.TAIL, FIRST, at(5), FRAME - 3)
    assert tail.kept == f"debian/quarantine/log-0000000000000002-at-{at(5)}"
    assert (root / tail.kept).stat().st_size == tail.bytes


def test_a_commit_that_no_record_holds_is_damage(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    logged(collection, 2).close()
    header = frames.decode_header((root / "debian/log/0000000000000002.log").read_bytes())
    with (root / FIRST).open("ab") as file:
        file.write(b"".join(frames.encode_frame(3, b"\x01", durable_upto=2, salt=header.salt)))

    refused = refusal(collection)

    assert isinstance(refused, LogDamaged)
    assert refused.offset == at(3)
    assert verify_folder(DiskDirectory(root)).damaged


def test_what_a_commit_holds_is_not_taken_for_a_frame(torn: DataFolder, root: Path) -> None:
    collection = torn.collection("debian")
    publish(collection, 1)
    log = collection.open_log(1)
    guessed = b"".join(frames.encode_frame(9, b"\x80", durable_upto=8, salt=0))
    log.append(2, {"bytes": guessed * 50})
    flip(root / FIRST, frames.HEADER_LENGTH + 30)

    assert [*collection.recover().commits] == []
    assert [kind for kind, _ in findings(collection)] == [Kind.TAIL]
    log.close()
