"""Records put into a draft, one list after the other.

They were checked before.
"""

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np

from passageway_server.columns.nodes import NODE, SPAN
from passageway_server.columns.terms import Terms
from passageway_server.values.records import (
    EdgeRecord,
    NodeRecord,
    PassageRecord,
)
from passageway_server.version.draft import Draft, Rows
from passageway_server.version.table import Table, Valued

_Record = TypeVar("_Record", NodeRecord, EdgeRecord, PassageRecord)


def last_of_each(records: Sequence[_Record]) -> Sequence[_Record]:
    """The records, of each id only the last, in the order of those."""
    if len({record.id for record in records}) == len(records):
        return records
    last: dict[str, _Record] = {}
    for record in reversed(records):
        last.setdefault(record.id, record)
    return list(last.values())[::-1]


def placed_first(records: Sequence[EdgeRecord]) -> Sequence[EdgeRecord]:
    """The edges, of each id only the last, in the place of the first: an edge stands where it was put first."""
    return list({record.id: record for record in records}.values())


def put_nodes(draft: Draft, records: Sequence[NodeRecord]) -> None:
    """Put nodes: what stands at their ids goes."""
    fields = [sorted(record.links.items()) for record in records]
    targets = [list(dict.fromkeys(ids)) for links in fields for _, ids in links]
    names = [name for links in fields for name, _ in links]
    rows, target_rows = _rows(draft, records, list(chain.from_iterable(targets)))
    draft.clearing.delete_rows(rows[draft.nodes.read("kind", rows) == SPAN])
    draft.nodes.clear(rows)
    lengths = np.fromiter(map(len, targets), dtype=np.int64, count=len(targets))
    owners = np.repeat(np.arange(len(rows)), [len(links) for links in fields])
    types = np.repeat(draft.edge_types_of(names), lengths)
    draft.put_links(rows, np.repeat(owners, lengths), target_rows, types)
    put = draft.nodes.put
    put("kind", rows, np.full(len(rows), NODE, dtype=np.uint8))
    put("number", rows, draft.numbers(len(rows)))
    draft.types = _put_terms(draft, "type", rows, draft.types, [r.type for r in records])
    draft.statuses = _put_terms(draft, "status", rows, draft.statuses, [r.status for r in records])
    draft.projects = _put_terms(
        draft, "project", rows, draft.projects, [r.project for r in records]
    )
    _put_texts(draft, "name", rows, [r.name for r in records])
    _put_texts(draft, "content", rows, [r.content for r in records])
    put("covered", rows, np.array([r.covered for r in records], dtype=np.bool_))
    draft.put_readers(draft.nodes, rows, [r.readers for r in records])
    _put_properties(draft, draft.nodes, rows, records)


def put_passages(draft: Draft, records: Sequence[PassageRecord]) -> None:
    """Put spans in their order: one over a node takes along the spans that the node has by then."""
    starts = [0, *_over_parents(draft, records), len(records)]
    for start, end in pairwise(starts):
        _put_passages(draft, records[start:end])


def _over_parents(draft: Draft, records: Sequence[PassageRecord]) -> list[int]:
    """The places, but the first, of those *records* that are put over a node of which another is a span."""
    rows = draft.nodes.found([record.id for record in records])
    over = rows >= 0
    held = rows[over]
    kind = draft.nodes.read("kind", held)
    over[over] = kind == NODE
    if not over[1:].any():
        return []
    parents = draft.nodes.found([record.parent_id for record in records])
    of_spans = draft.nodes.read("parent", held[kind == SPAN])
    over &= np.isin(rows, np.concatenate((parents, of_spans)))
    return [place for place in np.flatnonzero(over).tolist() if place]


def _put_passages(draft: Draft, records: Sequence[PassageRecord]) -> None:
    mentions = [list(dict.fromkeys(record.mentions)) for record in records]
    named = [
        identifier
        for record, ids in zip(records, mentions, strict=True)
        for identifier in (record.parent_id, *ids)
    ]
    rows, named_rows = _rows(draft, records, named)
    draft.clearing.delete_rows(rows[draft.nodes.read("kind", rows) == NODE])
    draft.nodes.clear(rows)
    lengths = np.fromiter((1 + len(ids) for ids in mentions), np.int64, count=len(mentions))
    first = np.cumsum(lengths) - lengths
    part_of, mention = draft.edge_types_of(["PART_OF", "MENTIONS"]).tolist()
    fields = np.full(len(named_rows), mention, dtype=np.int32)
    fields[first] = part_of
    owners = np.repeat(np.arange(len(rows)), lengths)
    draft.put_links(rows, owners, named_rows, fields)
    put = draft.nodes.put
    put("kind", rows, np.full(len(rows), SPAN, dtype=np.uint8))
    put("number", rows, draft.numbers(len(rows)))
    put("parent", rows, named_rows[first])
    put("index", rows, np.array([r.index for r in records], dtype=np.int64))
    totals = [-1 if r.total is None else r.total for r in records]
    put("total", rows, np.array(totals, dtype=np.int64))
    types = [r.type or "passage" for r in records]
    draft.types = _put_terms(draft, "type", rows, draft.types, types)
    _put_texts(draft, "name", rows, [r.name for r in records])
    _put_texts(draft, "content", rows, [r.content for r in records])
    _put_texts(draft, "breadcrumb", rows, [r.breadcrumb for r in records])
    draft.put_readers(draft.nodes, rows, [r.readers for r in records])
    _put_properties(draft, draft.nodes, rows, records)


def put_edges(draft: Draft, records: Sequence[EdgeRecord]) -> None:
    """Put edge documents: one that stands keeps its place, and nothing else."""
    ends = [record.source for record in records]
    ends += [record.target for record in records]
    end_rows = draft.nodes.interned(ends)
    docs = draft.docs.placed([record.id for record in records])
    types = draft.edge_types_of([record.type for record in records])
    draft.place_edges(docs, end_rows[: len(records)], end_rows[len(records) :], types)
    weights = [np.nan if r.weight is None else r.weight for r in records]
    draft.docs.put("weight", docs, np.array(weights, dtype=np.float64))
    draft.put_readers(draft.docs, docs, [r.readers for r in records])
    _put_properties(draft, draft.docs, docs, records)


def _rows(
    draft: Draft, records: Sequence[NodeRecord | PassageRecord], named: list[str]
) -> tuple[Rows, Rows]:
    """The rows of the records and of the ids that they name; ids not met before get new ones."""
    ids = [record.id for record in records]
    rows = draft.nodes.interned(ids + named)
    return rows[: len(ids)], rows[len(ids) :]


def _put_terms(draft: Draft, name: str, rows: Rows, terms: Terms, strings: list[str]) -> Terms:
    """Put the numbers of *strings* among *terms*; the terms with those that were new."""
    terms, numbers = terms.interned(strings)
    draft.nodes.put(name, rows, numbers)
    return terms


def _put_texts(draft: Draft, name: str, rows: Rows, strings: list[str]) -> None:
    """Put texts; the empty one is entry 0."""
    held = np.array([bool(string) for string in strings], dtype=np.bool_)
    entries = np.zeros(len(strings), dtype=np.int32)
    entries[held] = np.arange(len(draft.texts), len(draft.texts) + int(held.sum()))
    draft.texts = draft.texts.extended(filter(None, strings))
    draft.nodes.put(name, rows, entries)


def _put_properties(
    draft: Draft,
    table: Table,
    rows: Rows,
    records: Sequence[NodeRecord | EdgeRecord | PassageRecord],
) -> None:
    fields: dict[str, Valued] = {}
    for row, record in zip(rows.tolist(), records, strict=True):
        for name, value in record.properties.items():
            valued = fields.get(name)
            if valued is None:
                valued = fields[name] = Valued([], [])
            valued.rows.append(row)
            valued.values.append(value)
    draft.keywords, draft.texts = table.put_properties(
        fields, keywords=draft.keywords, texts=draft.texts
    )
