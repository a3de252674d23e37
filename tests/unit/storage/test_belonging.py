"""Snapshots and logs that are whole and stand in the folder of another collection: each is found, and nothing of it is served."""

import shutil
from pathlib import Path

import pytest

from passageway_server.errors import LogDamaged, PassagewayError, SnapshotDamaged
from passageway_server.storage.disk import DiskDirectory
from passageway_server.storage.report import Kind
from passageway_server.storage.verification import verify_folder
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord
from passageway_server.version.durability import Durability
from passageway_server.version.store import Store

NEVER = Durability(checkpoint_bytes=1 << 40, checkpoint_seconds=1e9)


def write(data: Path) -> None:
    """Two collections alike: a named snapshot, and commits behind the newest snapshot."""
    store = Store.open(data, durability=NEVER)
    for name in ("a", "b"):
        made = store.create(CollectionSettings(name))
        made.apply(Batch(put_nodes=(NodeRecord(f"{name}1"),)))
        store.create_snapshot(name, "kept")
        made.apply(Batch(put_nodes=(NodeRecord(f"{name}2"),)))
    shutil.copytree(data, data.with_name("killed"))
    store.close()
    shutil.rmtree(data)
    data.with_name("killed").rename(data)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "data")
    return tmp_path / "data"


def earlier(data: Path) -> Path:
    """A folder with collections of the same names and the same commits, and other lives."""
    write(data.with_name("earlier"))
    return data.with_name("earlier")


def swap(one: Path, other: Path) -> None:
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def damage(data: Path) -> dict[str, PassagewayError]:
    store = Store.open(data, durability=NEVER)
    try:
        assert {*store.names(), *store.damaged} == {"a", "b"}
        return dict(store.damaged)
    finally:
        store.close()


def found(data: Path) -> set[str]:
    """The collections in which verification finds damage by somebody else's files."""
    findings = verify_folder(DiskDirectory(data)).findings
    damaged = [each for each in findings if each.kind is Kind.DAMAGE]
    assert all("collection" in each.found for each in damaged)
    return {each.collection for each in damaged}


def test_nothing_is_wrong_with_what_stands_where_it_was_written(data: Path) -> None:
    assert found(data) == set()
    assert damage(data) == {}


@pytest.mark.parametrize("part", ["", "snapshots", "log"])
def test_two_collections_that_were_swapped_are_both_refused(data: Path, part: str) -> None:
    swap(data / "a" / part, data / "b" / part)

    assert found(data) == {"a", "b"}
    refused = damage(data)

    assert set(refused) == {"a", "b"}
    for each in refused.values():
        assert isinstance(each, LogDamaged if part == "log" else SnapshotDamaged)
        assert f"a {'segment' if part == 'log' else 'snapshot'} of" in str(each)
        assert "collection" in str(each)


@pytest.mark.parametrize("part", ["snapshots", "log"])
def test_a_part_of_an_earlier_collection_of_the_same_name_is_refused(data: Path, part: str) -> None:
    swap(data / "a" / part, earlier(data) / "a" / part)

    assert found(data) == {"a"}
    assert "or of an earlier one of this name" in str(damage(data)["a"])


def test_one_segment_of_an_earlier_collection_is_refused_by_its_name(data: Path) -> None:
    name = min(each.name for each in (data / "a/log").iterdir())
    newest = max(each.name for each in (data / "a/log").iterdir())
    assert name < newest
    swap(data / "a/log" / name, earlier(data) / "a/log" / name)

    assert found(data) == {"a"}
    # What the snapshot holds is not read from the log.
    assert damage(data) == {}


def test_a_segment_of_an_earlier_collection_that_is_needed_is_refused_by_its_name(
    data: Path,
) -> None:
    name = max(each.name for each in (data / "a/log").iterdir())
    store = Store.open(data, durability=NEVER)
    killed = Path(shutil.copytree(data, data.with_name("copy")))
    store.close()
    assert max(each.name for each in (killed / "a/log").iterdir()) > name
    swap(killed / "a/log" / name, earlier(data) / "a/log" / name)

    assert found(killed) == {"a"}
    refused = damage(killed)["a"]
    assert isinstance(refused, LogDamaged)
    assert f"a/log/{name}: a segment of another collection" in str(refused)


@pytest.mark.parametrize("whose", ["b", "an earlier a"])
def test_a_named_snapshot_of_another_collection_is_not_restored(data: Path, whose: str) -> None:
    swap(
        data / "a/named/kept", (data / "b" if whose == "b" else earlier(data) / "a") / "named/kept"
    )

    assert "a" in found(data)
    store = Store.open(data, durability=NEVER)
    for into in ("", "new"):
        with pytest.raises(SnapshotDamaged, match="a snapshot of"):
            store.restore("a", "kept", into=into)
    store.close()


def test_a_restore_keeps_the_identity_in_place_and_draws_one_under_a_new_name(data: Path) -> None:
    store = Store.open(data, durability=NEVER)
    before = store.collection("a").current.token[:8]

    store.restore("a", "kept")
    made = store.restore("a", "kept", into="new")

    assert store.collection("a").current.token[:8] == before
    assert made.current.token[:8] != before
    store.close()
    assert found(data) == set()
