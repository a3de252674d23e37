"""Columns from the wire are refused, with their place, where they are not columns of one another."""

import struct

import numpy as np
import pytest

from passageway.v1 import columns_pb2
from passageway_server.errors import InvalidRequest
from passageway_server.wire import columns


def strings(*values: bytes) -> columns_pb2.Strings:
    lengths = struct.pack(f"<{len(values)}I", *map(len, values))
    return columns_pb2.Strings(heap=b"".join(values), lengths=lengths)


def numbers(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def test_fields_that_are_unset_are_empty_in_each_record() -> None:
    found = columns.edges(columns_pb2.EdgeColumns(ids=strings(b"a", b"b")), "batch.edge_columns")

    assert len(found) == 2
    assert found.types.each() == ["", ""]
    assert found.readers.each() == [(), ()]
    assert np.isnan(found.weights).all()
    assert found.sources.strings() == ["", ""]


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (columns_pb2.EdgeColumns(ids=columns_pb2.Strings(heap=b"ab", lengths=b"\1")), "ids"),
        (columns_pb2.EdgeColumns(ids=columns_pb2.Strings(heap=b"ab", lengths=numbers(1))), "ids"),
        (columns_pb2.EdgeColumns(ids=columns_pb2.Strings(heap=b"\xff", lengths=numbers(1))), "ids"),
        (
            columns_pb2.EdgeColumns(
                ids=columns_pb2.Strings(heap="ü".encode(), lengths=numbers(1, 1))
            ),
            "ids",
        ),
        (columns_pb2.EdgeColumns(ids=strings(b"a"), sources=strings(b"a", b"b")), "sources"),
        (columns_pb2.EdgeColumns(ids=strings(b"a"), weights=b"1234"), "weights"),
        (columns_pb2.EdgeColumns(ids=strings(b"a"), weights=bytes(16)), "weights"),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"), types=columns_pb2.CodedStrings(values=["t"], numbers=numbers(1))
            ),
            "types",
        ),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"), readers=columns_pb2.CodedReaders(numbers=numbers(0, 0))
            ),
            "readers",
        ),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"), properties=[columns_pb2.PropertyColumn(name="x")]
            ),
            "properties[0]",
        ),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"),
                properties=[columns_pb2.PropertyColumn(name="x", records=numbers(1), bools=b"\1")],
            ),
            "properties[0].records",
        ),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"), properties=[columns_pb2.PropertyColumn(name="x", bools=b"\2")]
            ),
            "properties[0].bools",
        ),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"),
                properties=[columns_pb2.PropertyColumn(name="x", times=struct.pack("<q", 1 << 62))],
            ),
            "properties[0].times",
        ),
        (
            columns_pb2.EdgeColumns(
                ids=strings(b"a"),
                properties=[columns_pb2.PropertyColumn(name="x", ints=bytes(8))] * 2,
            ),
            "properties",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused_by_its_place(
    message: columns_pb2.EdgeColumns, place: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        columns.edges(message, "batch.edge_columns")

    assert [fault.field for fault in refused.value.faults] == [f"batch.edge_columns.{place}"]


def test_a_few_long_values_for_many_records_are_refused() -> None:
    long = columns_pb2.CodedStrings(values=["x" * (1 << 20)], numbers=numbers(*[0] * 65))
    message = columns_pb2.NodeColumns(
        ids=strings(*(b"%d" % i for i in range(65))),
        properties=[columns_pb2.PropertyColumn(name="text", coded=long)],
    )

    with pytest.raises(InvalidRequest) as refused:
        columns.nodes(message, "batch.node_columns")

    assert [each.field for each in refused.value.faults] == [
        "batch.node_columns.properties[0].coded"
    ]


def test_more_records_than_a_batch_holds_are_refused_before_room_is_made_for_them() -> None:
    ids = columns_pb2.Strings(lengths=bytes(4 * (columns.MOST_RECORDS + 1)))

    with pytest.raises(InvalidRequest) as refused:
        columns.nodes(columns_pb2.NodeColumns(ids=ids), "batch.node_columns")

    assert [each.field for each in refused.value.faults] == ["batch.node_columns.ids"]
