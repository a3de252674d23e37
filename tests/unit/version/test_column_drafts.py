"""Columns leave what the same records leave, one by one, whatever stood there before."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway_server.errors import InvalidRequest, LimitExceeded
from passageway_server.values.collections import CollectionSettings, FieldDeclaration, Kind
from passageway_server.values.columns import (
    Coded,
    EdgeColumns,
    NodeColumns,
    PackedStrings,
    PropertyColumn,
)
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.export import export
from passageway_server.version.store import Store

_IDS = st.sampled_from(["a", "b", "c", "ü", "a long id of many bytes", "d"])
_SETTINGS = CollectionSettings(
    "notes",
    fields=(
        FieldDeclaration("body", Kind.TEXT),
        FieldDeclaration("at", Kind.TIME),
        FieldDeclaration("count", Kind.INT),
    ),
    default_readers=("public",),
)


def packed(strings: list[str]) -> PackedStrings:
    encoded = [string.encode() for string in strings]
    heap = np.frombuffer(b"".join(encoded), np.uint8)
    return PackedStrings(heap, np.array([len(one) for one in encoded], dtype=np.int64))


def coded(values: list[Any]) -> Coded[Any]:
    distinct = list(dict.fromkeys(["never named", *values]))
    return Coded(tuple(distinct), np.array([distinct.index(v) for v in values], dtype=np.int64))


@st.composite
def properties(draw: st.DrawFn, count: int) -> tuple[PropertyColumn, ...]:
    kinds: dict[str, tuple[Kind, Any]] = {
        "body": (Kind.KEYWORD, st.text(max_size=3)),
        "word": (Kind.KEYWORD, st.sampled_from(["x", "y", ""])),
        "size": (Kind.INT, st.integers(-(1 << 63), (1 << 63) - 1)),
        "share": (Kind.FLOAT, st.floats(allow_nan=False, allow_infinity=False)),
        "on": (Kind.BOOL, st.booleans()),
        "at": (Kind.TIME, st.integers(0, 1 << 50)),
        "count": (Kind.INT, st.integers(0, 5)),
        "status2": (Kind.KEYWORD, st.sampled_from(["x", "y"])),
    }
    made: list[PropertyColumn] = []
    for name in draw(st.lists(st.sampled_from(sorted(kinds)), unique=True, max_size=4)):
        kind, values = kinds[name]
        records = [place for place in range(count) if draw(st.booleans())]
        drawn = [draw(values) for _ in records]
        held: Any
        if kind == Kind.KEYWORD:
            held = coded(drawn) if draw(st.booleans()) and drawn else packed(drawn)
        else:
            dtype = {Kind.FLOAT: np.float64, Kind.BOOL: np.uint8}.get(kind, np.int64)
            held = np.array(drawn, dtype=dtype)
        made.append(PropertyColumn(name, np.array(records, dtype=np.int64), kind, held))
    return tuple(made)


@st.composite
def node_columns(draw: st.DrawFn) -> NodeColumns:
    ids = draw(st.lists(_IDS, min_size=1, max_size=5))
    count = len(ids)

    def several(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=count, max_size=count))

    words, readers = st.sampled_from(["", "x", "y"]), st.sampled_from([(), ("a",), ("a", "b&c")])
    return NodeColumns(
        packed(ids),
        coded(several(words)),
        packed(several(words)),
        packed(several(words)),
        coded(several(words)),
        coded(several(words)),
        coded(several(readers)),
        draw(properties(count)),
    )


@st.composite
def edge_columns(draw: st.DrawFn) -> EdgeColumns:
    ids = draw(st.lists(st.sampled_from(["e1", "e2", "e3", "e4"]), min_size=1, max_size=5))
    count = len(ids)

    def several(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=count, max_size=count))

    return EdgeColumns(
        packed(ids),
        packed(several(_IDS)),
        packed(several(_IDS)),
        coded(several(st.sampled_from(["t", "u"]))),
        np.array(several(st.sampled_from([float("nan"), 0.0, 0.5, 2.0]))),
        coded(several(st.sampled_from([(), ("a",)]))),
        draw(properties(count)),
    )


_BEFORE = Batch(
    put_nodes=(NodeRecord("a", links={"to": ("b",)}, properties={"word": "z"}), NodeRecord("b")),
    put_edges=(EdgeRecord("e1", "a", "b", weight=3.0, properties={"size": 1}),),
    put_passages=(PassageRecord("c", "a"), PassageRecord("d", "b")),
)


def exported(*batches: Batch) -> list[Batch]:
    store = Store()
    collection = store.create(_SETTINGS)
    for batch in batches:
        collection.apply(batch)
    return list(export(collection.current))


@given(st.lists(node_columns() | edge_columns(), min_size=1, max_size=3))
@settings(max_examples=150)
def test_columns_leave_what_their_records_leave(several: list[NodeColumns | EdgeColumns]) -> None:
    in_columns = [
        Batch(node_columns=one) if isinstance(one, NodeColumns) else Batch(edge_columns=one)
        for one in several
    ]
    one_by_one = [
        Batch(put_nodes=one.records())
        if isinstance(one, NodeColumns)
        else Batch(put_edges=one.records())
        for one in several
    ]

    assert exported(_BEFORE, *in_columns) == exported(_BEFORE, *one_by_one)


def test_faults_are_named_by_their_places_in_the_columns() -> None:
    collection = Store().create(_SETTINGS)
    edges = EdgeColumns(
        packed(["e1", "e2"]),
        packed(["a", ""]),
        packed(["a", "b"]),
        coded(["t", "t"]),
        np.array([-1.0, 1.0]),
        coded([(), (" x",)]),
        (PropertyColumn("count", np.array([0]), Kind.KEYWORD, packed(["five"])),),
    )

    with pytest.raises(InvalidRequest) as refused:
        collection.apply(Batch(edge_columns=edges))

    assert [fault.field for fault in refused.value.faults] == [
        "batch.edge_columns[0].weight",
        "batch.edge_columns[0].properties.count",
        "batch.edge_columns[1].source",
        "batch.edge_columns[1].readers[0]",
    ]


def test_a_collection_takes_no_more_names_than_it_has_room_for() -> None:
    collection = Store().create(_SETTINGS)
    names = [f"name {number}" for number in range(1001)]
    collection.apply(Batch(put_nodes=(NodeRecord("a", properties=dict.fromkeys(names[:1000], 1)),)))

    for batch in (
        Batch(put_nodes=(NodeRecord("b", properties={names[1000]: 1}),)),
        Batch(
            node_columns=NodeColumns(
                packed(["b"]),
                *(coded([""]), packed([""]), packed([""]), coded([""]), coded([""]), coded([()])),
                (PropertyColumn(names[1000], np.array([0]), Kind.INT, np.array([1])),),
            )
        ),
    ):
        with pytest.raises(LimitExceeded) as refused:
            collection.apply(batch)
        assert refused.value.limit_reason == "MAX_FIELDS"
    collection.apply(Batch(put_nodes=(NodeRecord("b", properties={names[0]: 2, "body": "x"}),)))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_refused_where_the_field_is_new_too(value: float) -> None:
    edges = EdgeColumns(
        packed(["e1"]),
        packed(["a"]),
        packed(["b"]),
        coded(["t"]),
        np.array([1.0]),
        coded([()]),
        (PropertyColumn("new", np.array([0]), Kind.FLOAT, np.array([value])),),
    )

    with pytest.raises(InvalidRequest) as refused:
        Store().create(_SETTINGS).apply(Batch(edge_columns=edges))

    assert [fault.field for fault in refused.value.faults] == [
        "batch.edge_columns[0].properties.new"
    ]
