"""Snapshots on the disk: what is in them, and what stands in for one that is damaged."""

import shutil
from pathlib import Path

import pytest

from passageway_server.errors import SnapshotDamaged
from passageway_server.storage import report
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.records import Batch, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from tests.unit.version.making import PUBLIC, records


def _saved(folder: Path) -> None:
    store = Store.open(folder)
    for name in ("bad", "good"):
        store.create(CollectionSettings(name)).apply(
            Batch(
                put_nodes=(NodeRecord("a", links={"rel": ("b",)}, readers=("x",)), NodeRecord("b"))
            )
        )
    store.close()


def _flip(folder: Path, array: str) -> None:
    *_, file = sorted((folder / "bad" / "snapshots").glob(f"*/{array}.npy"))
    file.chmod(0o600)
    content = bytearray(file.read_bytes())
    content[-1] ^= 0x55
    file.write_bytes(content)


def _keep_only_the_last(folder: Path, name: str) -> None:
    *older, _ = sorted((folder / name / "snapshots").iterdir())
    for snapshot in older:
        shutil.rmtree(snapshot)


@pytest.mark.parametrize(
    "array",
    [
        "derived.gates.of",
        "derived.out.classes",
        "derived.out.others",
        "edge_classes.gates",
        "readers.members",
        "texts.bounds",
    ],
)
def test_a_flipped_bit_stops_its_collection_and_no_other(tmp_path: Path, array: str) -> None:
    _saved(tmp_path)
    _keep_only_the_last(tmp_path, "bad")
    _flip(tmp_path, array)

    store = Store.open(tmp_path)

    assert (store.names(), list(store.damaged)) == (["good"], ["bad"])
    with pytest.raises(SnapshotDamaged):
        store.collection("bad")
    with pytest.raises(SnapshotDamaged):
        store.create(CollectionSettings("bad"))
    store.close()


@pytest.mark.parametrize("array", ["derived.gates.of", "readers.members"])
def test_an_older_snapshot_and_the_log_stand_in_for_one_that_is_damaged(
    tmp_path: Path, array: str
) -> None:
    _saved(tmp_path)
    _flip(tmp_path, array)

    store = Store.open(tmp_path)

    assert (store.names(), store.damaged) == (["bad", "good"], {})
    assert records(store.collection("bad").current) == records(store.collection("good").current)
    assert {(finding.collection, finding.kind) for finding in store.findings} == {
        ("bad", report.Kind.DAMAGE)
    }
    store.close()


def test_a_snapshot_of_a_version_that_nobody_has_read_yet_stores_every_set_that_it_names(
    tmp_path: Path,
) -> None:
    store = Store.open(tmp_path)
    kept = store.create(CollectionSettings("c", default_readers=("group:default",)))
    batch = Batch(
        put_nodes=(NodeRecord("a", readers=("group:a",)), NodeRecord("b")),
        put_passages=(PassageRecord("p", "a", readers=("group:secret",)),),
    )
    kept.apply(batch, prepare=False)
    store.close()

    store = Store.open(tmp_path)
    version = store.collection("c").current
    version.readers.intern(("group:stranger",))
    held = version.readers.held(frozenset({"group:stranger"}), admin=False)

    assert not held[version.gates.readers].any()
    store.close()


def test_versions_written_after_a_restart_bear_tokens_of_their_own(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    kept = store.create(PUBLIC)
    store.create_snapshot("c", "first")
    lost = kept.apply(Batch(put_nodes=(NodeRecord("lost"),))).version
    store._collections.clear()  # as a kill: nothing more is written
    store.close()

    again = Store.open(tmp_path)
    kept = again.collection("c")
    assert kept.apply(Batch(put_nodes=(NodeRecord("other"),))).version != lost
    again.close()


def test_a_damaged_collection_is_restored_from_a_snapshot_that_is_whole(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    kept = store.create(CollectionSettings("bad"))
    kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    store.create_snapshot("bad", "good")
    kept.apply(Batch(put_nodes=(NodeRecord("b"),)))
    store.close()
    _flip(tmp_path, "nodes.number")

    store = Store.open(tmp_path)
    assert [state.name for state in store.snapshots("bad")] == ["good"]
    restored = store.restore("bad", "good", into="again")

    assert restored.state.nodes == 1
    store.close()
