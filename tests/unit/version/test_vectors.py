"""Vectors of nodes, spans and edge documents: through commits, merges, snapshots and records of commits."""

import shutil
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from passageway_server.errors import InvalidRequest
from passageway_server.storage import records as stored
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.records import (
    Batch,
    EdgeRecord,
    NodeRecord,
    PassageRecord,
    Properties,
    Vector,
)
from passageway_server.version.collection import Collection
from passageway_server.version.commits.batches import pack_batch, unpack_batch
from passageway_server.version.commits.packing import Malformed
from passageway_server.version.memory import memory_bytes
from passageway_server.version.merge import merged
from passageway_server.version.persist import from_arrays, to_arrays
from passageway_server.version.revisions import revision_of
from passageway_server.version.settings import check_settings, from_record, to_record
from passageway_server.version.store import Store
from tests.unit.version.making import collection, faults, records

V = FieldDeclaration("v", Kind.VECTOR, dimensions=3)
W = FieldDeclaration("w", Kind.VECTOR, dimensions=1, readers=("group:hr",))
SETTINGS = CollectionSettings("c", fields=(V, W), default_readers=("public",))
ONE, TWO = Vector.of([1.5, 2.25, -0.0]), Vector.of([0.1, 1e-45, 3.4e38])
HELD = Batch(
    put_nodes=(
        NodeRecord("a", properties={"v": ONE, "w": Vector.of([7.0]), "x": [1, 2]}),
        NodeRecord("b", properties={"x": 3}),
    ),
    put_passages=(PassageRecord("a#0", "a", 0, properties={"v": TWO}),),
    put_edges=(EdgeRecord("e", "a", "b", "R", properties={"w": Vector.of([9.0])}),),
)


def filled() -> Collection:
    kept = collection(SETTINGS)
    kept.apply(HELD)
    return kept


def declare(kept: Collection, *fields: FieldDeclaration) -> None:
    kept.update(lambda now: replace(now, fields=fields))


def properties(kept: Collection, identifier: str) -> Properties:
    return next(
        node.properties for node in records(kept.current).put_nodes if node.id == identifier
    )


def test_what_was_put_is_exported() -> None:
    assert records(filled().current) == HELD


def test_a_list_of_numbers_becomes_the_nearest_vector() -> None:
    kept = filled()
    kept.apply(Batch(put_nodes=(NodeRecord("b", properties={"v": [0.1, 2.0, -3.0]}),)))
    kept.apply(Batch(put_nodes=(NodeRecord("c", properties={"v": [1, 2, 3]}),)))

    assert properties(kept, "b") == {"v": Vector.of([0.1, 2, -3])}
    assert properties(kept, "c") == {"v": Vector.of([1, 2, 3])}


def test_an_older_version_keeps_its_vectors() -> None:
    kept = filled()
    before = kept.current
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"v": TWO}),), delete_edges=("e",)))

    assert properties(kept, "a") == {"v": TWO}
    assert records(before) == HELD


@pytest.mark.parametrize("times", [1, 40])
def test_a_merged_version_has_the_vectors_of_its_rows_and_no_others(times: int) -> None:
    kept, rng = filled(), Random(times)
    for number in range(times):
        some = [rng.uniform(-1, 1) for _ in range(3)]
        put = NodeRecord(f"n{number % 7}", properties={"v": Vector.of(some)})
        kept.apply(Batch(put_nodes=(put,), delete_nodes=(f"n{number % 3}",)))

    whole = merged(kept.current)

    assert records(whole) == records(kept.current)
    column = whole.nodes.properties["v"]
    assert len(column.values) == 3 * column.held
    assert merged(whole) is whole


def test_a_version_comes_back_from_its_arrays() -> None:
    arrays, meta = to_arrays(filled().current)

    assert records(from_arrays(arrays, meta)) == HELD
    assert arrays["nodes.properties.0.values"].nbytes == 2 * 3 * 4


def test_arrays_that_hold_other_vectors_than_declared_are_no_version() -> None:
    arrays, meta = to_arrays(filled().current)
    settings: Any = meta["settings"]
    settings["fields"][0]["dimensions"] = 2

    with pytest.raises(ValueError, match="not 2 vectors of 2 numbers"):
        from_arrays(arrays, meta)


def test_a_folder_gives_back_vectors_from_snapshot_and_log(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "first")
    store.create(SETTINGS).apply(HELD)
    store.close()
    store = Store.open(tmp_path / "first")
    store.collection("c").apply(Batch(put_nodes=(NodeRecord("b", properties={"v": TWO}),)))
    expected = records(store.collection("c").current)
    shutil.copytree(tmp_path / "first", tmp_path / "killed")  # the last commit is in the log alone
    store.close()

    again = Store.open(tmp_path / "killed")

    assert records(again.collection("c").current) == expected
    again.close()


def test_the_record_of_a_batch_gives_it_back_and_holds_four_bytes_a_number() -> None:
    packed = pack_batch(HELD)

    assert unpack_batch(stored.decode(stored.encode(packed), "x")) == HELD
    assert packed["nodes"]["properties"]["vectors"] == ONE.packed + Vector.of([7.0]).packed  # type: ignore[index]
    assert "vectors" not in pack_batch(Batch(put_nodes=HELD.put_nodes[1:]))["nodes"]["properties"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("vectors", b"\0" * 12),
        ("vectors", Vector.of([float("nan")] * 4).packed),
        ("vectors", None),
        ("dimensions", b"\1\0\4"),
        ("dimensions", b"\1\3"),
    ],
)
def test_a_record_with_other_vectors_is_none(key: str, value: object) -> None:
    packed = pack_batch(Batch(put_nodes=HELD.put_nodes[:1]))
    packed["nodes"]["properties"][key] = value  # type: ignore[index]

    with pytest.raises(Malformed):
        unpack_batch(packed)


def test_memory_counts_vectors() -> None:
    without = CollectionSettings("c", default_readers=("public",))
    nodes = tuple(NodeRecord(f"n{i}", properties={"v": Vector.of([i, 0, 0])}) for i in range(1000))
    kept = collection(SETTINGS)
    kept.apply(Batch(put_nodes=nodes))
    bare = collection(without)
    bare.apply(Batch(put_nodes=tuple(replace(node, properties={}) for node in nodes)))

    assert memory_bytes(kept.current) - memory_bytes(bare.current) >= 1000 * 3 * 4


@pytest.mark.parametrize(
    "batch",
    [
        Batch(put_nodes=(NodeRecord("a"), NodeRecord("b", properties={"v": Vector.of([1, 2])}))),
        Batch(put_nodes=(NodeRecord("a"), NodeRecord("b", properties={"v": [1.0, 2.0]}))),
    ],
)
def test_a_vector_of_another_length_is_named(batch: Batch) -> None:
    kept = filled()

    with pytest.raises(InvalidRequest) as refused:
        kept.apply(batch)

    (fault,) = refused.value.faults
    assert fault.field == "batch.put_nodes[1].properties.v"
    assert fault.message == "is a vector of 3 numbers, found 2"


def test_each_record_that_holds_no_vector_is_named() -> None:
    bad: Properties = {"v": Vector.of([float("nan")] * 3), "w": "text", "x": ONE, "y": ONE}
    batch = Batch(
        put_nodes=(NodeRecord("a", properties={"v": ONE}), NodeRecord("b", properties=bad)),
        put_passages=(PassageRecord("s", "a", properties={"v": Vector.of([])}),),
        put_edges=(EdgeRecord("f", "a", "b", properties={"w": ONE}),),
    )

    assert faults(filled(), batch) == [
        *(f"batch.put_nodes[1].properties.{name}" for name in "vwxy"),
        "batch.put_edges[0].properties.w",
        "batch.put_passages[0].properties.v",
    ]


def test_a_revision_is_without_vectors() -> None:
    kept = filled()
    first = revision_of(kept.current, [0], frozenset())
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"v": TWO, "x": [1, 2]}),)))
    second = revision_of(kept.current, [0], frozenset())
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"x": [2, 1]}),)))

    assert first == second
    assert revision_of(kept.current, [0], frozenset()) != first


@pytest.mark.parametrize("dimensions", [1, 4096])
def test_a_vector_is_declared_with_its_dimensions(dimensions: int) -> None:
    settings = CollectionSettings("c", fields=(replace(V, dimensions=dimensions),))

    check_settings(settings)

    assert from_record(stored.decode(stored.encode(to_record(settings)), "x")) == settings


@pytest.mark.parametrize(
    ("declaration", "place"),
    [
        (replace(V, dimensions=0), "dimensions"),
        (replace(V, dimensions=4097), "dimensions"),
        (replace(V, repeated=True), "repeated"),
        (FieldDeclaration("f", Kind.FLOAT, dimensions=1), "dimensions"),
        (replace(V, name="expires_at"), "kind"),
    ],
)
def test_a_vector_that_no_row_could_hold_is_not_declared(
    declaration: FieldDeclaration, place: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_settings(CollectionSettings("c", fields=(declaration,)))

    assert [fault.field for fault in refused.value.faults] == [f"collection.fields[0].{place}"]


@pytest.mark.parametrize(
    "fields", [(W,), (replace(V, dimensions=2), W), (FieldDeclaration("v", Kind.FLOAT, True), W)]
)
def test_vectors_that_are_held_keep_their_declaration(fields: tuple[FieldDeclaration, ...]) -> None:
    kept = filled()

    with pytest.raises(InvalidRequest, match="2 nodes hold it as vectors of 3 numbers"):
        declare(kept, *fields)

    assert records(kept.current) == HELD


def test_a_field_that_holds_numbers_becomes_no_vector() -> None:
    kept = filled()

    with pytest.raises(InvalidRequest, match="'x' cannot become a vector of 2 numbers"):
        declare(kept, V, W, FieldDeclaration("x", Kind.VECTOR, dimensions=2))


def test_vectors_that_no_row_holds_are_declared_anew() -> None:
    kept = filled()
    kept.apply(Batch(delete_nodes=("a",)))

    declare(kept, replace(V, dimensions=2))
    kept.apply(Batch(put_nodes=(NodeRecord("a", properties={"v": Vector.of([1, 2])}),)))

    assert properties(kept, "a") == {"v": Vector.of([1, 2])}
