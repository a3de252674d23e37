"""Columns of a batch as a record, and back: bytes as they came.

Strings are their bytes in UTF-8 and the length of each in bytes; coded ones the distinct values and which of them each is.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.values.collections import Kind
from passageway_server.values.columns import (
    Coded,
    EdgeColumns,
    NodeColumns,
    PackedStrings,
    PropertyColumn,
)
from passageway_server.version.commits.packing import (
    Malformed,
    content,
    fields,
    grouped,
    member,
    pack_array,
    pack_counts,
    pack_strings,
    parts,
    text,
    unpack_array,
    unpack_counts,
    unpack_strings,
    whole,
)

_NUMBERS = {Kind.INT: "<i8", Kind.FLOAT: "<f8", Kind.BOOL: "u1", Kind.TIME: "<i8"}


def pack_node_columns(nodes: NodeColumns) -> dict[str, object]:
    """The record of *nodes*."""
    return {
        "ids": _pack(nodes.ids),
        "types": _pack_coded(nodes.types),
        "names": _pack(nodes.names),
        "contents": _pack(nodes.contents),
        "projects": _pack_coded(nodes.projects),
        "statuses": _pack_coded(nodes.statuses),
        "readers": _pack_readers(nodes.readers),
        "properties": _pack_properties(nodes.properties),
    }


def unpack_node_columns(value: object) -> NodeColumns:
    """The inverse of `pack_node_columns`. Raises Malformed."""
    record = fields(value)
    ids = _unpack(member(record, "ids"))
    count = len(ids)
    return NodeColumns(
        ids=ids,
        types=_unpack_coded(member(record, "types"), count),
        names=_unpack(member(record, "names"), count),
        contents=_unpack(member(record, "contents"), count),
        projects=_unpack_coded(member(record, "projects"), count),
        statuses=_unpack_coded(member(record, "statuses"), count),
        readers=_unpack_readers(member(record, "readers"), count),
        properties=_unpack_properties(member(record, "properties"), count),
    )


def pack_edge_columns(edges: EdgeColumns) -> dict[str, object]:
    """The record of *edges*."""
    return {
        "ids": _pack(edges.ids),
        "sources": _pack(edges.sources),
        "targets": _pack(edges.targets),
        "types": _pack_coded(edges.types),
        "weights": pack_array(edges.weights, "<f8"),
        "readers": _pack_readers(edges.readers),
        "properties": _pack_properties(edges.properties),
    }


def unpack_edge_columns(value: object) -> EdgeColumns:
    """The inverse of `pack_edge_columns`. Raises Malformed."""
    record = fields(value)
    ids = _unpack(member(record, "ids"))
    count = len(ids)
    return EdgeColumns(
        ids=ids,
        sources=_unpack(member(record, "sources"), count),
        targets=_unpack(member(record, "targets"), count),
        types=_unpack_coded(member(record, "types"), count),
        weights=unpack_array(member(record, "weights"), "<f8", count),
        readers=_unpack_readers(member(record, "readers"), count),
        properties=_unpack_properties(member(record, "properties"), count),
    )


def _pack(strings: PackedStrings) -> list[object]:
    return [strings.heap.tobytes(), pack_counts(strings.lengths)]


def _unpack(value: object, count: int | None = None) -> PackedStrings:
    heap, lengths = parts(value, 2)
    packed, counts = content(heap), unpack_counts(lengths, count)
    if counts.max(initial=0) > len(packed) or int(counts.sum()) != len(packed):
        raise Malformed("a heap of another length than its strings")
    return PackedStrings(np.frombuffer(packed, np.uint8), counts)


def _pack_coded(coded: Coded[str]) -> list[object]:
    return [pack_strings(coded.values), pack_counts(coded.numbers)]


def _unpack_coded(value: object, count: int) -> Coded[str]:
    values, numbers = parts(value, 2)
    return _coded(unpack_strings(values), unpack_counts(numbers, count))


def _pack_readers(readers: Coded[tuple[str, ...]]) -> list[object]:
    members = [one for several in readers.values for one in several]
    sizes = pack_counts(map(len, readers.values))
    return [pack_strings(members), sizes, pack_counts(readers.numbers)]


def _unpack_readers(value: object, count: int) -> Coded[tuple[str, ...]]:
    members, sizes, numbers = parts(value, 3)
    values = grouped(unpack_strings(members), unpack_counts(sizes))
    return _coded(values, unpack_counts(numbers, count))


def _coded(values: Sequence[Any], numbers: NDArray[np.int64]) -> Coded[Any]:
    if numbers.max(initial=-1) >= len(values):
        raise Malformed("a number of no value")
    return Coded(tuple(values), numbers)


def _pack_properties(columns: Sequence[PropertyColumn]) -> list[object]:
    return [
        [column.name, pack_counts(column.records), int(column.kind), _pack_values(column)]
        for column in columns
    ]


def _pack_values(column: PropertyColumn) -> object:
    values = column.values
    if isinstance(values, PackedStrings):
        return _pack(values)
    if isinstance(values, Coded):
        return [*_pack_coded(values), b""]
    return pack_array(values, _NUMBERS[column.kind])


def _unpack_properties(value: object, count: int) -> tuple[PropertyColumn, ...]:
    if not isinstance(value, list):
        raise Malformed("properties that are no list")
    return tuple(_unpack_property(column, count) for column in cast("list[object]", value))


def _unpack_property(value: object, count: int) -> PropertyColumn:
    name, places, number, values = parts(value, 4)
    records = unpack_counts(places)
    if (np.diff(records) <= 0).any() or records.max(initial=-1) >= count:
        raise Malformed("a property at a place of no record")
    kind = _kind(whole(number))
    return PropertyColumn(text(name), records, kind, _unpack_values(values, kind, len(records)))


def _kind(number: int) -> Kind:
    if number != Kind.KEYWORD and number not in _NUMBERS:
        raise Malformed(f"kind {number} of a property")
    return Kind(number)


def _unpack_values(value: object, kind: Kind, count: int) -> Any:
    if kind != Kind.KEYWORD:
        return unpack_array(value, _NUMBERS[kind], count)
    listed = cast("list[object]", value) if isinstance(value, list) else []
    if len(listed) == 3:
        return _unpack_coded(listed[:2], count)
    return _unpack(listed, count)
