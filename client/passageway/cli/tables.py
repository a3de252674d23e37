"""Tables of Arrow as batches: a column for each field, ``properties.NAME`` for a property, ``links.NAME`` for a link field.

Where columns cannot hold a table, its rows are made records, as lines of JSONL are.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import pyarrow as pa

from passageway.cli import packing
from passageway.cli.packing import NotPacked
from passageway.cli.records import EDGE, NODE, PASSAGE
from passageway.v1 import store_pb2

Table = Any
"""A record batch of Arrow, which brings no types of its own."""

PROPERTIES, LINKS = "properties", "links"
_SHAPES: Final = {"nodes": NODE, "edges": EDGE, "passages": PASSAGE}
_STRINGS: Final = {
    "nodes": {"id": "ids", "name": "names", "content": "contents"},
    "edges": {"id": "ids", "source": "sources", "target": "targets"},
}
_CODED: Final = {
    "nodes": {"type": "types", "project": "projects", "status": "statuses"},
    "edges": {"type": "types"},
}


class UnknownColumn(Exception):
    """A column that no record has a place for."""


class Member(NamedTuple):
    """A column of a table: the field that it is of, and the name inside of it, or ""."""

    field: str
    name: str
    array: Any


def members(kind: str, table: Table) -> Iterator[Member]:
    """The columns of *table*, structs of properties and links taken apart; raises UnknownColumn."""
    for name, array in zip(table.schema.names, table.columns, strict=True):
        field, _, inside = name.partition(".")
        if field not in _SHAPES[kind] or (inside and field not in (PROPERTIES, LINKS)):
            raise UnknownColumn(name)
        if field in (PROPERTIES, LINKS) and not inside:
            if not pa.types.is_struct(array.type):
                raise UnknownColumn(f"{name} of type {array.type}")
            names = [array.type.field(i).name for i in range(array.type.num_fields)]
            for each, part in zip(names, array.flatten(), strict=True):
                yield Member(field, each, part)
        else:
            yield Member(field, inside, array)


def columns(kind: str, table: Table) -> store_pb2.Batch:
    """*table* as columns of a batch. Raises NotPacked where columns cannot hold it, and UnknownColumn."""
    if kind not in _STRINGS:
        raise NotPacked(kind)
    batch = store_pb2.Batch()
    made: Any = batch.node_columns if kind == "nodes" else batch.edge_columns
    made.SetInParent()
    for field, name, array in members(kind, table):
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
            made.properties.append(packing.property_column(name, array))
        else:
            raise NotPacked(field)
    if len(made.ids.lengths) != 4 * table.num_rows:
        raise NotPacked("records without ids")
    return batch


def rows(kind: str, table: Table) -> Iterator[Mapping[str, object]]:
    """Each row of *table* as the members of a line of JSONL; a null is absent. Raises UnknownColumn."""
    parts = [(field, name, array.to_pylist()) for field, name, array in members(kind, table)]
    for row in range(table.num_rows):
        made: dict[str, Any] = {}
        for field, name, values in parts:
            value = values[row]
            if value is None:
                continue
            if name:
                made.setdefault(field, {})[name] = value
            else:
                made[field] = value
        yield made
