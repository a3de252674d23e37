"""Columns say what the same records say one by one, whether they come from lines or from Parquet; else they are not made."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway.cli import records
from passageway.cli.batches import BadInput, ReadBatch
from passageway.cli.blocks import Blocks
from passageway.cli.failures import Failure
from passageway.cli.lines import Source
from passageway.cli.parquet import Rows
from passageway.v1 import store_pb2
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.wire import records as wire
from passageway_server.wire.findings import Findings

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
_READERS = st.lists(st.sampled_from(["group:a", "user:ü", "public"]), max_size=2)
_PROPERTIES = st.fixed_dictionaries(
    {},
    optional={"size": st.integers(-(1 << 63), (1 << 63) - 1), "kind": _TEXT, "on": st.booleans()},
)
NODES = st.fixed_dictionaries(
    {"id": _TEXT},
    optional={
        "type": _TEXT,
        "name": _TEXT,
        "content": _TEXT,
        "project": _TEXT,
        "status": _TEXT,
        "readers": _READERS,
        "properties": _PROPERTIES,
    },
)
EDGES = st.fixed_dictionaries(
    {"id": _TEXT, "source": _TEXT, "target": _TEXT},
    optional={
        "type": _TEXT,
        "weight": st.floats(0, 1e9) | st.integers(0, 9),
        "readers": _READERS,
        "properties": _PROPERTIES,
    },
)


def block(lines: Sequence[dict[str, Any]]) -> bytes:
    return b"\n".join(json.dumps(line).encode() for line in lines)


def one_by_one(kind: str, lines: Sequence[dict[str, Any]]) -> store_pb2.Batch:
    batch = store_pb2.Batch()
    add = {"nodes": records.add_node, "edges": records.add_edge}[kind]
    for line in lines:
        add(batch, json.dumps(line).encode())
    return batch


def put(message: store_pb2.Batch) -> list[NodeRecord | EdgeRecord]:
    """What a server puts of *message*."""
    batch: Batch = wire.from_message(message, Findings())
    nodes = batch.node_columns.records() if batch.node_columns is not None else batch.put_nodes
    edges = batch.edge_columns.records() if batch.edge_columns is not None else batch.put_edges
    return [*nodes, *edges]


def parquet(folder: Path, **columns: Any) -> Rows:
    path = folder / "rows.parquet"
    pq.write_table(pa.table(columns), path)
    return Rows(Source(str(path)))


def read(rows: Rows, kind: str) -> list[ReadBatch]:
    return [cut.read() for cut in rows.cuts(kind)]


@given(st.lists(NODES, min_size=1, max_size=20))
@settings(max_examples=200)
def test_a_block_of_nodes_says_what_its_lines_say(lines: list[dict[str, Any]]) -> None:
    packed = Blocks("nodes").batch(block(lines))

    if packed is not None:
        assert put(packed) == put(one_by_one("nodes", lines))


@given(st.lists(EDGES, min_size=1, max_size=20))
@settings(max_examples=200)
def test_a_block_of_edges_says_what_its_lines_say(lines: list[dict[str, Any]]) -> None:
    packed = Blocks("edges").batch(block(lines))

    if packed is not None:
        assert put(packed) == put(one_by_one("edges", lines))


def test_a_plain_block_is_packed() -> None:
    lines = [
        {"id": f"e{i}", "source": "a", "target": "ü", "type": "t", "weight": i, "readers": ["r"]}
        for i in range(50)
    ]

    packed = Blocks("edges").batch(block(lines))

    assert packed is not None
    assert packed.HasField("edge_columns")
    assert put(packed) == put(one_by_one("edges", lines))


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "a", "links": {"to": ["b"]}}',
        b'{"id": "a", "id": "b"}',
        b'{"id": "a", "weight": 1}',
        b'{"id": "a", "properties": {"x": 1.5}}',
        b'{"id": "a", "properties": {"x": [1]}}',
        b'{"id": "a", "properties": {"x": 9223372036854775808}}',
        b'{"id": "a", "readers": ["r", null]}',
        b'{"id": "a", "readers": [""]}',
        b'{"id": "\\ud800"}',
        b'{"id": "\xff"}',
        b'{"id": "a"}{"id": "b"}',
        b'{"id": "a"} b',
        b"[1]",
        b'{"id": "a", "name": 1}',
        b'{"id": "a"}\n\n{"id": "b"}',
        b'{"name": "no id"}',
    ],
)
def test_what_columns_cannot_hold_or_arrow_reads_otherwise_is_left_to_its_lines(
    line: bytes,
) -> None:
    assert Blocks("nodes").batch(line) is None


def test_blocks_of_passages_are_left_to_their_lines() -> None:
    assert Blocks("passages").batch(b'{"id": "a#0", "parent_id": "a", "index": 0}') is None


def test_a_line_unlike_the_first_ones_leaves_the_block_to_its_lines() -> None:
    lines: list[dict[str, Any]] = [{"id": f"n{i}", "properties": {"x": 1}} for i in range(300)]
    lines[250]["properties"]["x"] = "one"

    assert Blocks("nodes").batch(block(lines)) is None


def test_after_three_refused_blocks_no_more_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = Blocks("nodes")
    for _ in range(3):
        assert blocks.batch(b"[1]") is None

    assert blocks.batch(b'{"id": "a"}') is None


def test_a_parquet_file_of_edges_becomes_columns(tmp_path: Path) -> None:
    rows = parquet(
        tmp_path,
        id=["e1", "e2"],
        source=["a", "b"],
        target=["b", "c"],
        weight=[0.5, None],
        **{"properties.n": [1, None], "properties.at": [None, datetime(2024, 1, 2, tzinfo=UTC)]},
    )

    (batch,) = read(rows, "edges")

    assert batch.puts.HasField("edge_columns")
    assert put(batch.puts) == [
        EdgeRecord("e1", "a", "b", weight=0.5, properties={"n": 1}),
        EdgeRecord("e2", "b", "c", properties={"at": datetime(2024, 1, 2, tzinfo=UTC)}),
    ]
    assert rows.read == rows.source.size


def test_rows_with_links_and_lists_become_records(tmp_path: Path) -> None:
    rows = parquet(
        tmp_path,
        id=["a", "b"],
        **{"links.to": [["b"], None], "properties.tags": [["x", "y"], []]},
    )

    (batch,) = read(rows, "nodes")

    assert put(batch.puts) == [
        NodeRecord("a", links={"to": ("b",)}, properties={"tags": ["x", "y"]}),
        NodeRecord("b"),
    ]


def test_passages_become_records(tmp_path: Path) -> None:
    rows = parquet(tmp_path, id=["a#0"], parent_id=["a"], index=[3], content=["text"])

    (batch,) = read(rows, "passages")

    assert [(p.id, p.parent_id, p.index) for p in batch.puts.put_passages] == [("a#0", "a", 3)]


def test_structs_are_taken_apart(tmp_path: Path) -> None:
    rows = parquet(tmp_path, id=["a"], properties=[{"n": 1, "s": "x"}])

    (batch,) = read(rows, "nodes")

    assert put(batch.puts) == [NodeRecord("a", properties={"n": 1, "s": "x"})]


def test_a_row_that_is_no_record_is_named_by_its_number(tmp_path: Path) -> None:
    rows = parquet(tmp_path, id=["a", "b"], **{"links.to": [["b"], [None]]})

    with pytest.raises(BadInput, match=r"rows\.parquet: row 1: links"):
        read(rows, "nodes")


def test_faults_of_the_server_are_told_by_row(tmp_path: Path) -> None:
    (batch,) = read(parquet(tmp_path, id=["a", "b"]), "nodes")

    place = batch.origin.place("batch.node_columns[1].id")

    assert place == (f"{tmp_path / 'rows.parquet'}: row 1", "id")


def test_a_file_that_is_no_parquet_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 but not for long")

    with pytest.raises(Failure, match="not to be read as Parquet"):
        read(Rows(Source(str(tmp_path / "x.parquet"))), "nodes")


def test_a_batch_is_never_larger_than_a_server_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.parquet.RECORD_BYTES", 300)

    found = read(parquet(tmp_path, id=[f"n{i:03d}" for i in range(100)]), "nodes")

    assert len(found) > 1
    assert [node.id for batch in found for node in put(batch.puts)] == [
        f"n{i:03d}" for i in range(100)
    ]


def test_long_values_of_many_rows_are_cut_into_batches_that_a_server_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("passageway.cli.packing.MOST_BYTES", 3000)
    monkeypatch.setattr("passageway.cli.parquet.RECORD_BYTES", 3000)

    found = read(
        parquet(tmp_path, id=[f"n{i}" for i in range(40)], **{"properties.text": ["x" * 100] * 40}),
        "nodes",
    )

    assert len(found) > 1
    assert [node.properties for batch in found for node in put(batch.puts)] == [
        {"text": "x" * 100}
    ] * 40
