"""What keeps versions small, quick and safe: derived values carried over, garbage left out, an end to writing."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from passageway_server.columns.gates import BY_STATUS
from passageway_server.errors import NotFound, SnapshotDamaged, Stopping, StorageFailed
from passageway_server.storage import report
from passageway_server.storage.collection import StoredCollection
from passageway_server.values.collections import (
    CollectionSettings,
    EdgeType,
    FieldDeclaration,
    Kind,
    Ontology,
)
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.collection import Collection
from passageway_server.version.export import export
from passageway_server.version.merge import merged
from passageway_server.version.persist import to_arrays
from passageway_server.version.store import Store
from passageway_server.version.version import Version
from tests.unit.version.batches import random_batch
from tests.unit.version.inside import anew, held, inside

SETTINGS = CollectionSettings("c", default_readers=("public",))


def records(version: Version) -> list[Batch]:
    return list(export(version))


@pytest.mark.parametrize("seed", range(40))
def test_versions_of_commits_are_what_would_be_derived_anew_while_many_are_held(seed: int) -> None:
    rng, kept = Random(seed), Store.open().create(SETTINGS)
    versions: list[tuple[Version, dict[str, Any]]] = []

    for _ in range(15):
        for _ in range(rng.choice((0, 0, 0, 2))):
            kept.apply(random_batch(rng), prepare=False)
            versions.append((kept.current, held(kept.current)))
        kept.apply(random_batch(rng))
        versions.append((kept.current, held(kept.current)))
        if rng.random() < 0.15:
            kept.merge()
        if rng.random() < 0.15:
            weight = EdgeType("T", default_weight=rng.choice((1.0, 3.0)))
            readers = rng.choice((("public",), ("group:d",)))
            settings = replace(
                SETTINGS, default_readers=readers, ontology=Ontology(edge_types=(weight,))
            )
            kept.update(lambda _, settings=settings: settings)  # type: ignore[misc]

    for version, before in versions:
        assert held(version) == before
        assert inside(version) == anew(version)


@pytest.mark.parametrize("seed", range(20))
def test_so_are_they_where_what_stands_aside_joins_the_rest_again_and_again(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for module in ("patches", "row_sets", "terms"):
        monkeypatch.setattr(f"passageway_server.columns.{module}._FEW", 5)
    monkeypatch.setattr("passageway_server.version.changes._FEW", 12)
    monkeypatch.setattr("passageway_server.version.writer._MERGE_FROM", 40)
    rng, kept = Random(seed), Store.open().create(SETTINGS)
    versions: list[tuple[Version, dict[str, Any]]] = []

    for _ in range(30):
        kept.apply(random_batch(rng), prepare=rng.random() < 0.7)
        versions.append((kept.current, held(kept.current)))

    for version, before in versions:
        assert held(version) == before
        assert inside(version) == anew(version)


@pytest.mark.parametrize("seed", range(20))
def test_versions_of_a_stream_hold_their_documents_where_the_last_one_does(seed: int) -> None:
    rng, kept = Random(seed), Store.open().create(SETTINGS)
    ids = [f"n{i}" for i in range(9)]
    kept.apply(Batch(put_nodes=tuple(map(NodeRecord, ids))), prepare=False)
    versions: list[tuple[Version, dict[str, Any]]] = []
    for number in range(6):
        edges = [
            EdgeRecord(
                f"e{number}-{i}", rng.choice(ids), rng.choice(ids), weight=rng.choice((None, 0.5))
            )
            for i in range(rng.randrange(40))
        ]
        again = rng.choice(((), (EdgeRecord("e0-0", "n1", "n2"),)))
        kept.apply(Batch(put_edges=(*edges, *again)), prepare=False)
        versions.append((kept.current, held(kept.current)))

    kept.prepare()

    assert kept.current.docs.source.place is not None
    for version, before in versions:
        assert held(version) == before
        assert inside(version) == anew(version)


def test_a_stream_of_edges_is_held_once_by_all_its_versions() -> None:
    kept = Store.open().create(SETTINGS)
    for number in range(3):
        edge = EdgeRecord(f"e{number}", "a", "b")
        kept.apply(
            Batch(put_nodes=(NodeRecord("a"), NodeRecord("b")), put_edges=(edge,)), prepare=False
        )
    streamed = [kept.at(token) for token in kept.retained.kept][1:]

    kept.prepare()

    assert len({id(version.docs.source.place) for version in streamed}) == 3
    assert all(version.docs.source.place is not None for version in streamed)
    assert [version.docs.ids.take(range(len(version.docs))) for version in streamed] == [
        ["e0"],
        ["e0", "e1"],
        ["e0", "e1", "e2"],
    ]


def test_a_commit_that_is_given_up_leaves_no_trace_in_the_next() -> None:
    kept = Store.open().create(SETTINGS)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a", links={"rel": ("b",)}), NodeRecord("b")),
            put_edges=(EdgeRecord("e", "a", "b"),),
        )
    )
    base = kept.current
    given_up = kept.apply(Batch(delete_nodes=("b",), put_nodes=(NodeRecord("z"),)))
    kept._committing.current = kept._committing.newest = base

    kept.apply(Batch(put_nodes=(NodeRecord("c", links={"rel": ("a",)}, readers=("group:c",)),)))

    assert kept.current.token == given_up.version
    assert inside(kept.current) == anew(kept.current)
    assert inside(base) == anew(base)


def test_a_change_of_texts_alone_carries_the_adjacency_over() -> None:
    kept = Store.open().create(SETTINGS)
    kept.apply(Batch(put_nodes=(NodeRecord("a", links={"rel": ("b",)}), NodeRecord("b"))))
    before = kept.current

    kept.apply(Batch(put_nodes=(NodeRecord("b", content="other"),)))

    assert kept.current.out is before.out
    assert kept.current.gates is before.gates


@pytest.mark.parametrize("seed", range(20))
def test_a_merged_version_is_equal_in_all_but_its_garbage(seed: int) -> None:
    rng, kept = Random(seed), Store.open().create(SETTINGS)
    for _ in range(15):
        kept.apply(random_batch(rng))

    whole = merged(kept.current)

    assert records(whole) == records(kept.current)
    assert inside(whole) == anew(whole)
    assert merged(whole) is whole
    assert whole.delta_size == 0


def test_what_was_deleted_is_in_no_file_of_the_next_snapshot(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    kept = store.create(SETTINGS)
    kept.apply(
        Batch(put_nodes=(NodeRecord("a", content="the secret", properties={"k": "a secret too"}),))
    )
    kept.apply(Batch(delete_nodes=("a",)))

    store.close()

    assert not any(b"secret" in file.read_bytes() for file in tmp_path.rglob("*.npy"))


def test_replacing_a_row_again_and_again_does_not_grow_the_collection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("passageway_server.version.writer._COMPACT_FROM", 10_000)
    kept = Store.open().create(SETTINGS)

    for i in range(300):
        kept.apply(Batch(put_nodes=(NodeRecord("a", content=str(i) * 500),)))
        _end("merge")

    assert len(kept.current.contents.texts.heap) < 20_000


def test_a_commit_to_a_collection_that_was_deleted_is_refused() -> None:
    store = Store.open()
    kept = store.create(SETTINGS)
    store.delete("c")
    again = store.create(SETTINGS)

    with pytest.raises(NotFound):
        kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    assert again.state.nodes == 0


def test_a_commit_to_a_store_that_was_closed_is_refused(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    kept = store.create(SETTINGS)
    store.close()

    with pytest.raises(Stopping):
        kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    with pytest.raises(Stopping):
        store.create(CollectionSettings("late"))
    with pytest.raises(Stopping):
        store.create_snapshot("c", "late")


def test_a_delete_that_the_disk_refuses_leaves_the_collection_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.open(tmp_path)
    kept = store.create(SETTINGS)

    def refused(stored: StoredCollection) -> None:
        raise StorageFailed(stored.name, "refused")

    monkeypatch.setattr(StoredCollection, "delete", refused)
    with pytest.raises(StorageFailed):
        store.delete("c")

    kept.apply(Batch(put_nodes=(NodeRecord("a"),)))
    assert store.collection("c").state.nodes == 1
    store.close()


def test_closing_saves_all_but_the_one_that_cannot_be_saved_whose_log_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(tmp_path)
    for name in ("a", "b", "z"):
        store.create(CollectionSettings(name)).apply(Batch(put_nodes=(NodeRecord("n"),)))
    merge = Collection.merge

    def failing(collection: Collection) -> Version:
        if collection.current.settings.name == "b":
            raise MemoryError
        return merge(collection)

    monkeypatch.setattr(Collection, "merge", failing)
    store.close()
    monkeypatch.undo()

    assert "no snapshot of b can be written: MemoryError" in caplog.text
    again = Store.open(tmp_path)
    assert [collection.state.nodes for collection in again.collections()] == [1, 1, 1]
    assert [collection.logged_bytes > 0 for collection in again.collections()] == [0, 1, 0]
    again.close()


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


def _end(name: str) -> None:
    """Wait for the threads of this *name*."""
    for thread in threading.enumerate():
        if thread.name == name:
            thread.join()


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


def test_a_row_that_expires_does_not_stop_a_change_of_fields() -> None:
    kept = Store.open().create(SETTINGS)
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"expires_at": "2030-01-01"}),)))

    kept.update(lambda _: CollectionSettings("c", fields=(FieldDeclaration("n", Kind.INT),)))
    kept.apply(Batch(put_nodes=(NodeRecord("b", properties={"expires_at": "2031-01-01", "n": 1}),)))

    assert kept.current.fields.kind("expires_at") == Kind.TIME
    assert kept.current.gates.expires.tolist().count(1) == 1


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
    kept = store.create(SETTINGS)
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


def test_another_default_weight_orders_the_edges_anew() -> None:
    kept = Store.open().create(SETTINGS)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a", links={"rel": ("b",)}), NodeRecord("b")),
            put_edges=(EdgeRecord("e", "a", "b", weight=2.0),),
        )
    )

    heavier = Ontology(edge_types=(EdgeType("rel", default_weight=5.0),))
    kept.update(lambda _: CollectionSettings("c", ontology=heavier))

    assert kept.current.out.weights.tolist() == [5.0, 2.0]


@pytest.mark.parametrize("status", ["expired", "  Expired \n", " " * 60 + "RETRACTED"])
def test_a_status_retires_however_it_is_spaced_and_cased(status: str) -> None:
    kept = Store.open().create(SETTINGS)

    kept.apply(Batch(put_nodes=(NodeRecord("a", status=status), NodeRecord("b", status="open"))))

    gates = kept.current.gates
    assert gates.retired_by[gates.of].tolist() == [BY_STATUS, 0]


def test_reader_sets_can_be_stored_while_a_writer_adds_more() -> None:
    kept = Store.open().create(SETTINGS)
    stop = threading.Event()

    def write() -> None:
        for number in range(20_000):
            if stop.is_set():
                return
            kept.current.readers.intern((f"user:{number}", f"a & {number}"))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(20):
            arrays, _ = to_arrays(kept.current)
            assert arrays["readers.bounds"][-1] == len(arrays["readers.members"])
    finally:
        stop.set()
        writer.join()


def test_documents_at_a_span_of_a_span_go_with_a_recut_even_if_its_id_comes_again() -> None:
    kept = Store.open().create(SETTINGS)
    kept.apply(
        Batch(
            put_nodes=(NodeRecord("a"), NodeRecord("b")),
            put_passages=(PassageRecord("s", "a"), PassageRecord("t", "s")),
            put_edges=(EdgeRecord("e", "b", "t"),),
        )
    )

    kept.apply(Batch(recut_parents=("a",), put_passages=(PassageRecord("t", "b"),)))

    assert kept.state.edges == 0
