"""A measure as columns of a record, by the ids of its rows, and back over the rows of the contents at hand."""

from collections.abc import Mapping

import numpy as np

from passageway_server.columns.hashing import hashes_of
from passageway_server.columns.strings import Strings
from passageway_server.version.commits.packing import (
    Malformed,
    fields,
    member,
    pack_array,
    pack_counts,
    pack_strings,
    text,
    unpack_array,
    unpack_counts,
    unpack_ids,
    unpack_strings,
)
from passageway_server.version.communities import Communities
from passageway_server.version.contents import Contents
from passageway_server.version.measures import Measured

_DTYPES = {"ints": "<i8", "floats": "<f8"}


def pack_measured(measured: Measured, contents: Contents) -> dict[str, object]:
    """The record of what was *measured*, whose rows are those of *contents*."""
    record: dict[str, object] = {
        "name": measured.name,
        "rows": pack_strings(contents.nodes.ids.take(measured.rows)),
    }
    values = measured.values
    if isinstance(values, Communities):
        return record | {"communities": _pack_communities(values)}
    name = "floats" if values.dtype == np.float64 else "ints"
    return record | {name: pack_array(values, _DTYPES[name])}


def unpack_measured(value: object, contents: Contents) -> Measured:
    """The inverse of `pack_measured`. Raises Malformed, also where *contents* lack one of its rows."""
    record = fields(value)
    rows = contents.nodes.ids.find_all(unpack_ids(member(record, "rows")))
    if rows.min(initial=0) < 0:
        raise Malformed("a measure of a row that is not there")
    name = text(member(record, "name"))
    if "communities" in record:
        found = _unpack_communities(fields(record["communities"]), len(rows))
        return Measured(name, rows, found)
    for kind, dtype in _DTYPES.items():
        if kind in record:
            return Measured(name, rows, unpack_array(record[kind], dtype, len(rows)))
    raise Malformed("a measure without values")


def _pack_communities(found: Communities) -> dict[str, object]:
    return {
        "of": pack_counts(found.of.tolist()),
        "ids": pack_strings(found.ids),
        "edges": pack_strings(found.edge_ids.take(range(len(found.edge_ids)))),
        "readers": pack_strings(found.readers),
    }


def _unpack_communities(record: Mapping[str, object], count: int) -> Communities:
    of = unpack_counts(member(record, "of"), count).astype(np.int32)
    ids = unpack_ids(member(record, "ids"))
    if of.max(initial=-1) >= len(ids):
        raise Malformed("a number of no community")
    edges = unpack_ids(member(record, "edges"), count)
    hashes = hashes_of([id.encode() for id in edges])
    readers = tuple(unpack_strings(member(record, "readers")))
    return Communities(of, ids, Strings.of(edges), hashes, readers)
