"""Columns from the wire: bytes taken as arrays, once they are found to be what they say.

What a column says of a record is checked by the version; here is what makes columns of one another: lengths, counts, UTF-8.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway.v1 import columns_pb2
from passageway_server.errors import Fault, InvalidRequest
from passageway_server.values.collections import Kind
from passageway_server.values.columns import (
    Coded,
    EdgeColumns,
    NodeColumns,
    PackedStrings,
    Places,
    PropertyColumn,
)

_Value = TypeVar("_Value")
_NUMBERS: dict[str, tuple[Kind, str]] = {
    "ints": (Kind.INT, "<i8"),
    "doubles": (Kind.FLOAT, "<f8"),
    "bools": (Kind.BOOL, "u1"),
    "times": (Kind.TIME, "<i8"),
}
MOST_BYTES = 64 << 20
"""Of the values of one coded property, written out: so many a message could hold one by one."""

MOST_RECORDS = 1 << 20
"""Of one kind in a batch: each takes room here, however few bytes it has."""

MOST_VALUES = 1 << 24
"""Of all properties of one kind in a batch: a column of few bytes may hold a value for every record."""

_TAIL = 0x80, 0xBF  # bytes that go on with a character
_EARLIEST, _LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999  # years 1 to 9999


def nodes(message: columns_pb2.NodeColumns, path: str) -> NodeColumns:
    """The nodes of *message*; InvalidRequest, with places below *path*, where columns do not fit together."""
    ids = _ids(message.ids, f"{path}.ids")
    count = len(ids)
    return NodeColumns(
        ids=ids,
        types=_coded(message.types, count, f"{path}.types"),
        names=_all_strings(message.names, count, f"{path}.names"),
        contents=_all_strings(message.contents, count, f"{path}.contents"),
        projects=_coded(message.projects, count, f"{path}.projects"),
        statuses=_coded(message.statuses, count, f"{path}.statuses"),
        readers=_readers(message.readers, count, f"{path}.readers"),
        properties=_properties(message.properties, count, path),
    )


def edges(message: columns_pb2.EdgeColumns, path: str) -> EdgeColumns:
    """The edge documents of *message*; as `nodes`."""
    ids = _ids(message.ids, f"{path}.ids")
    count = len(ids)
    weights = _array(message.weights, "<f8", f"{path}.weights")
    if not len(weights):
        weights = np.full(count, np.nan)
    _check_count(len(weights), count, f"{path}.weights")
    return EdgeColumns(
        ids=ids,
        sources=_all_strings(message.sources, count, f"{path}.sources"),
        targets=_all_strings(message.targets, count, f"{path}.targets"),
        types=_coded(message.types, count, f"{path}.types"),
        weights=weights,
        readers=_readers(message.readers, count, f"{path}.readers"),
        properties=_properties(message.properties, count, path),
    )


def _ids(message: columns_pb2.Strings, path: str) -> PackedStrings:
    count = len(message.lengths) // 4
    if count > MOST_RECORDS:
        raise _bad(path, f"{count:,} records; a batch holds at most {MOST_RECORDS:,} side by side")
    return _strings(message, path)


def _strings(message: columns_pb2.Strings, path: str) -> PackedStrings:
    heap = np.frombuffer(message.heap, np.uint8)
    lengths = _array(message.lengths, "<u4", path).astype(np.int64)
    if int(lengths.sum()) != len(heap):
        raise _bad(path, f"{len(heap)} bytes, their lengths say {int(lengths.sum())}")
    try:
        message.heap.decode()
    except UnicodeDecodeError as fault:
        raise _bad(path, f"byte {fault.start} is not UTF-8 here") from fault
    begins = (np.cumsum(lengths) - lengths)[lengths > 0]
    if ((heap[begins] >= _TAIL[0]) & (heap[begins] <= _TAIL[1])).any():
        raise _bad(path, "a length ends inside a character")
    return PackedStrings(heap, lengths)


def _all_strings(message: columns_pb2.Strings, count: int, path: str) -> PackedStrings:
    """A string for each record, empty ones where nothing is set."""
    if not message.lengths and not message.heap:
        return PackedStrings(np.empty(0, np.uint8), np.zeros(count, np.int64))
    strings = _strings(message, path)
    _check_count(len(strings), count, path)
    return strings


def _coded(message: columns_pb2.CodedStrings, count: int, path: str) -> Coded[str]:
    return _numbered(tuple(message.values) or ("",), message.numbers, count, path)


def _readers(message: columns_pb2.CodedReaders, count: int, path: str) -> Coded[tuple[str, ...]]:
    values = tuple(tuple(each.readers) for each in message.values) or ((),)
    return _numbered(values, message.numbers, count, path)


def _numbered(values: tuple[_Value, ...], packed: bytes, count: int, path: str) -> Coded[_Value]:
    numbers: Places = _array(packed, "<u4", path).astype(np.int64)
    if not len(numbers):
        numbers = np.zeros(count, np.int64)
    _check_count(len(numbers), count, path)
    if numbers.max(initial=0) >= len(values):
        raise _bad(path, f"number {int(numbers.max())} of {len(values)} values")
    return Coded(values, numbers)


def _properties(
    messages: Sequence[columns_pb2.PropertyColumn], count: int, path: str
) -> tuple[PropertyColumn, ...]:
    columns: list[PropertyColumn] = []
    left = MOST_VALUES
    for i, message in enumerate(messages):
        left -= len(message.records) // 4 or count
        if left < 0:
            raise _bad(f"{path}.properties", f"more than {MOST_VALUES} values; send fewer records")
        columns.append(_property(message, count, f"{path}.properties[{i}]"))
    names = [column.name for column in columns]
    if len(set(names)) != len(names):
        raise _bad(f"{path}.properties", "a name stands here twice")
    return tuple(columns)


def _property(message: columns_pb2.PropertyColumn, count: int, path: str) -> PropertyColumn:
    records: Places = _array(message.records, "<u4", f"{path}.records").astype(np.int64)
    if not len(records):
        records = np.arange(count)
    elif (np.diff(records) <= 0).any() or records[-1] >= count:
        raise _bad(f"{path}.records", f"places ascend, and are below {count}")
    which = message.WhichOneof("values")
    if which is None:
        raise _bad(path, "no values")
    kind, values = _values(message, which, len(records), f"{path}.{which}")
    return PropertyColumn(message.name, records, kind, values)


def _values(message: Any, which: str, count: int, path: str) -> tuple[Kind, Any]:
    if which == "strings":
        return Kind.KEYWORD, _all_strings(message.strings, count, path)
    if which == "coded":
        coded = _coded(message.coded, count, path)
        _check_written_out(coded, path)
        return Kind.KEYWORD, coded
    kind, dtype = _NUMBERS[which]
    values = _array(getattr(message, which), dtype, path)
    _check_count(len(values), count, path)
    if kind == Kind.BOOL and values.max(initial=0) > 1:
        raise _bad(path, "a byte other than 0 and 1")
    if (
        kind == Kind.TIME
        and len(values)
        and not _EARLIEST <= values.min() <= values.max() <= _LATEST
    ):
        raise _bad(path, "a time outside of the years 1 to 9999")
    return kind, values


def _check_written_out(coded: Coded[str], path: str) -> None:
    """Refuse a few long values for many records: a text field holds each of them."""
    lengths = np.fromiter((len(value.encode()) for value in coded.values), np.int64)
    size = int(lengths[coded.numbers].sum())
    if size > MOST_BYTES:
        raise _bad(
            path, f"{size:,} bytes, each value as often as it stands; at most {MOST_BYTES:,}"
        )


def _array(packed: bytes, dtype: str, path: str) -> NDArray[Any]:
    width = np.dtype(dtype).itemsize
    if len(packed) % width:
        raise _bad(path, f"{len(packed)} bytes; expected {width} each")
    return np.frombuffer(packed, dtype)


def _check_count(found: int, count: int, path: str) -> None:
    if found != count:
        raise _bad(path, f"{found} entries for {count} records")


def _bad(path: str, message: str) -> InvalidRequest:
    return InvalidRequest([Fault(path, message)])
