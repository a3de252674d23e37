"""Columns put into a draft: what record_drafts.py does with records, without a Python object for each.

Columns in which an id stands twice are put as records: the last one counts, in the place that the rules of a batch say.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns import packed
from passageway_server.columns.growing import Growing
from passageway_server.columns.nodes import NODE, SPAN
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.values.columns import (
    Coded,
    EdgeColumns,
    NodeColumns,
    PackedStrings,
    PropertyColumn,
)
from passageway_server.version.draft import Draft, Rows
from passageway_server.version.record_drafts import last_of_each, placed_first, put_edges, put_nodes
from passageway_server.version.table import Table


def put_node_columns(draft: Draft, nodes: NodeColumns) -> None:
    """Put nodes without links: what stands at their ids goes."""
    ids = _strings(nodes.ids)
    hashes = packed.hashes_of(ids)
    if not packed.are_distinct(ids, hashes):
        put_nodes(draft, last_of_each(nodes.records()))
        return
    table = draft.nodes
    rows = table.interned_packed(ids, hashes)
    draft.clearing.delete_rows(rows[table.read("kind", rows) == SPAN])
    table.clear(rows)
    table.put("kind", rows, np.full(len(rows), NODE, dtype=np.uint8))
    table.put("number", rows, draft.numbers(len(rows)))
    draft.types = _put_coded(table, "type", rows, draft.types, nodes.types)
    draft.statuses = _put_coded(table, "status", rows, draft.statuses, nodes.statuses)
    draft.projects = _put_coded(table, "project", rows, draft.projects, nodes.projects)
    table.put("name", rows, _texts(draft, nodes.names))
    table.put("content", rows, _texts(draft, nodes.contents))
    table.put("readers", rows, _readers(draft, nodes.readers, none=-1))
    _put_properties(draft, table, rows, nodes.properties)


def put_edge_columns(draft: Draft, edges: EdgeColumns) -> None:
    """Put edge documents: one that stands keeps its place, and nothing else."""
    ids = _strings(edges.ids)
    hashes = packed.hashes_of(ids)
    if not packed.are_distinct(ids, hashes):
        put_edges(draft, placed_first(edges.records()))
        return
    ends = _strings(
        PackedStrings(
            np.concatenate((edges.sources.heap, edges.targets.heap)),
            np.concatenate((edges.sources.lengths, edges.targets.lengths)),
        )
    )
    end_hashes = packed.hashes_of(ends)
    places, named = packed.distinct(ends, end_hashes)
    rows = draft.nodes.interned_packed(ends.chosen(places), end_hashes[places])[named]
    docs = draft.docs.placed_packed(ids, hashes)
    draft.edge_types, types = _numbers(draft.edge_types, edges.types)
    draft.place_edges(docs, rows[: len(docs)], rows[len(docs) :], types)
    draft.docs.put("weight", docs, edges.weights)
    draft.docs.put("readers", docs, _readers(draft, edges.readers, none=ANYONE))
    _put_properties(draft, draft.docs, docs, edges.properties)


def _strings(strings: PackedStrings) -> Strings:
    bounds = np.zeros(len(strings) + 1, dtype=np.int64)
    np.cumsum(strings.lengths, out=bounds[1:])
    return Strings(Growing(strings.heap), Growing(bounds))


def _put_coded(table: Table, name: str, rows: Rows, terms: Terms, coded: Coded[str]) -> Terms:
    """Put the numbers of *coded* among *terms*; the terms with those that were new."""
    terms, numbers = _numbers(terms, coded)
    table.put(name, rows, numbers)
    return terms


def _numbers(terms: Terms, coded: Coded[str]) -> tuple[Terms, NDArray[np.int32]]:
    """*terms* with the values that stand in *coded*, and the number of each record's."""
    used, places = np.unique(coded.numbers, return_inverse=True)
    which: list[int] = used.tolist()
    terms, numbers = terms.interned([coded.values[number] for number in which])
    return terms, numbers[places]


def _texts(draft: Draft, strings: PackedStrings) -> NDArray[np.int32]:
    """The entries of *strings*, which become texts; the empty one is entry 0."""
    held = strings.lengths > 0
    entries = np.zeros(len(strings), dtype=np.int32)
    entries[held] = np.arange(len(draft.texts), len(draft.texts) + int(held.sum()))
    draft.texts = draft.texts.extended_by(strings.heap, strings.lengths[held])
    return entries


def _readers(draft: Draft, coded: Coded[tuple[str, ...]], *, none: int) -> NDArray[np.int32]:
    used, places = np.unique(coded.numbers, return_inverse=True)
    which: list[int] = used.tolist()
    sets = [draft.reader_set(coded.values[number], none=none) for number in which]
    return np.array(sets, dtype=np.int32)[places]


def _put_properties(
    draft: Draft, table: Table, rows: Rows, columns: Sequence[PropertyColumn]
) -> None:
    for column in columns:
        if len(column.records):
            held = rows[column.records]
            table.put_single(column.name, held, _values(draft, table, column))


def _values(draft: Draft, table: Table, column: PropertyColumn) -> NDArray[np.generic]:
    """The values of *column* as a column of the version holds them."""
    values = column.values
    if isinstance(values, np.ndarray):
        return values
    if table.fields.kind(column.name) == Kind.TEXT:
        packed_strings = values if isinstance(values, PackedStrings) else _packed(values.each())
        return _new_texts(draft, packed_strings)
    if isinstance(values, Coded):
        draft.keywords, numbers = _numbers(draft.keywords, values)
        return numbers
    strings = _strings(values)
    hashes = packed.hashes_of(strings)
    places, named = packed.distinct(strings, hashes)
    draft.keywords, numbers = packed.interned(
        draft.keywords, strings.chosen(places), hashes=hashes[places]
    )
    return numbers[named]


def _new_texts(draft: Draft, strings: PackedStrings) -> NDArray[np.int32]:
    """The entries of *strings* as values of a text field, an entry for each, as `encoded` makes them."""
    begin = len(draft.texts)
    draft.texts = draft.texts.extended_by(strings.heap, strings.lengths)
    return np.arange(begin, begin + len(strings), dtype=np.int32)


def _packed(strings: Sequence[str]) -> PackedStrings:
    encoded = [string.encode() for string in strings]
    lengths = np.fromiter(map(len, encoded), np.int64, count=len(encoded))
    return PackedStrings(np.frombuffer(b"".join(encoded), np.uint8), lengths)
