"""Tables of Arrow as batches: a column for each field, ``properties.NAME`` for a property, ``links.NAME`` for a link field.

Their columns are those that schema.py takes. Where the columns of a batch cannot hold a table, its rows are made records,
as lines of JSONL are.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from passageway.cli import packing
from passageway.cli.packing import NotPacked
from passageway.cli.schema import PROPERTIES, Column, columns_of, is_list
from passageway.v1 import store_pb2

Table = Any
"""A record batch of Arrow, which brings no types of its own."""

_STRINGS: Final = {
    "nodes": {"id": "ids", "name": "names", "content": "contents"},
    "edges": {"id": "ids", "source": "sources", "target": "targets"},
}
_CODED: Final = {
    "nodes": {"type": "types", "project": "projects", "status": "statuses"},
    "edges": {"type": "types"},
}


class BadValue(Exception):
    """A value that no record holds: the number of its row in the table, its column, and what is wrong."""

    def __init__(self, row: int, column: str, cause: str) -> None:
        super().__init__(f"{column}: {cause}")
        self.row = row


def columns(kind: str, table: Table) -> store_pb2.Batch:
    """*table* as columns of a batch. Raises NotPacked, or an ArrowException, where columns cannot hold it."""
    if kind not in _STRINGS:
        raise NotPacked(kind)
    batch = store_pb2.Batch()
    made: Any = batch.node_columns if kind == "nodes" else batch.edge_columns
    made.SetInParent()
    for (_, field, inside, _), array in _members(table):
        if array.null_count == len(array):
            continue  # a column of nulls says nothing
        if field in _STRINGS[kind]:
            getattr(made, _STRINGS[kind][field]).CopyFrom(packing.strings(array))
        elif field in _CODED[kind]:
            getattr(made, _CODED[kind][field]).CopyFrom(packing.coded(array))
        elif field == "readers":
            made.readers.CopyFrom(packing.readers(array))
        elif field == "weight":
            made.weights = packing.weights(array)
        elif field == PROPERTIES:
            made.properties.append(packing.property_column(inside, array))
        else:
            raise NotPacked(field)
    if len(made.ids.lengths) != 4 * table.num_rows:
        raise NotPacked("records without ids")
    return batch


def rows(table: Table) -> Iterator[Mapping[str, object]]:
    """Each row of *table* as the members of a line of JSONL; a null is absent. Raises BadValue, before the first row."""
    parts = [(column, _values(column, array)) for column, array in _members(table)]
    return _rows(parts, table.num_rows)


def _rows(parts: Sequence[tuple[Column, list[Any]]], count: int) -> Iterator[Mapping[str, object]]:
    for row in range(count):
        made: dict[str, Any] = {}
        for column, values in parts:
            value = values[row]
            if value is None:
                continue
            if column.inside:
                made.setdefault(column.field, {})[column.inside] = value
            else:
                made[column.field] = value
        yield made


def _members(table: Table) -> Iterator[tuple[Column, Any]]:
    arrays = (
        part
        for array in table.columns
        for part in (array.flatten() if pa.types.is_struct(array.type) else [array])
    )
    return zip(columns_of(table.schema), arrays, strict=True)


_UNREADABLE = (pa.ArrowException, ValueError, OverflowError)


def _values(column: Column, array: Any) -> list[Any]:
    try:
        return _plain(array)
    except _UNREADABLE:
        for row in range(len(array)):
            one = array.take([row])  # a slice of a list would bring all that it lies in
            try:
                _plain(one)
            except UnicodeDecodeError as fault:
                raise BadValue(row, column.name, "text that is not UTF-8") from fault
            except _UNREADABLE as fault:
                cause = (
                    f"{_time(one)} is finer than a microsecond, or beyond the years 1 to 9999;"
                    " round it, or leave it out"
                )
                raise BadValue(row, column.name, cause) from fault
        raise


def _plain(array: Any) -> list[Any]:
    """Values of Python; times with a zone in UTC, by microseconds."""
    kind, micros = array.type, pa.timestamp("us", "UTC")
    if pa.types.is_timestamp(kind):
        array = array.cast(micros)
    elif is_list(kind) and pa.types.is_timestamp(kind.value_type):
        array = array.cast(pa.list_(micros))
    values: list[Any] = array.to_pylist()
    return values


def _time(one: Any) -> str:
    """The only value of an array, a time or a list of times, as text."""
    kind = one.type
    if not pa.types.is_timestamp(kind):
        return "one of the times"
    text = str(one.cast(pa.timestamp(kind.unit)).cast(pa.string())[0])
    return "a time" if text.startswith("<") else text  # Arrow writes no year past its own
