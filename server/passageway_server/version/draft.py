"""The next version while a batch is applied: what changes is written aside, and the rest is shared.

The records were checked before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.links import Links
from passageway_server.columns.nodes import NODE, SPAN
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.records import (
    EdgeRecord,
    NodeRecord,
    PassageRecord,
)
from passageway_server.version.around import Around
from passageway_server.version.changes import Touched
from passageway_server.version.clearing import Clearing
from passageway_server.version.contents import Contents
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.gating import GATING
from passageway_server.version.table import Table, Valued
from passageway_server.version.version import Version

_Record = TypeVar("_Record", NodeRecord, EdgeRecord, PassageRecord)
Rows = NDArray[np.int32]


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


class Draft:
    """The contents of a version that are being changed: put and clear, then take them."""

    def __init__(self, version: Version, fields: FieldSet, edge_fields: FieldSet) -> None:
        base = self._base = version.contents
        self.types, self.statuses, self.projects = base.types, base.statuses, base.projects
        self.edge_types, self.keywords, self.texts = base.edge_types, base.keywords, base.texts
        self.links: Links = base.links
        self.nodes = Table.of_nodes(base.nodes, fields)
        self.docs = Table.of_docs(base.docs, edge_fields)
        self.clearing = Clearing(self.nodes, self.docs, Around(version))
        self.next_number = base.next_number

    def touched(self) -> Touched:
        """What was written so far, but for values of which nothing follows."""
        rows = self.nodes.touched
        gated = self.nodes.valued(GATING)
        return Touched(united(rows, *gated) if gated else rows, self.docs.touched)

    def contents(self) -> Contents:
        """The contents by now."""
        return replace(
            self._base,
            fields=self.nodes.fields,
            edge_fields=self.docs.fields,
            nodes=self.nodes.as_nodes(),
            docs=self.docs.as_docs(),
            links=self.links,
            types=self.types,
            statuses=self.statuses,
            projects=self.projects,
            edge_types=self.edge_types,
            edge_classes=self._edge_classes(),
            keywords=self.keywords,
            texts=self.texts,
            next_number=self.next_number,
        )

    def put_nodes(self, records: Sequence[NodeRecord]) -> None:
        """Put nodes: what stands at their ids goes."""
        fields = [sorted(record.links.items()) for record in records]
        targets = [list(dict.fromkeys(ids)) for links in fields for _, ids in links]
        names = [name for links in fields for name, _ in links]
        rows, target_rows = self._rows(records, list(chain.from_iterable(targets)))
        self.clearing.delete_rows(rows[self.nodes.read("kind", rows) == SPAN])
        self.nodes.clear(rows)
        lengths = np.fromiter(map(len, targets), dtype=np.int64, count=len(targets))
        owners = np.repeat(np.arange(len(rows)), [len(links) for links in fields])
        types = np.repeat(self._edge_types(names), lengths)
        self._put_links(rows, np.repeat(owners, lengths), target_rows, types)
        put = self.nodes.put
        put("kind", rows, np.full(len(rows), NODE, dtype=np.uint8))
        put("number", rows, self.numbers(len(rows)))
        self.types = self._put_terms("type", rows, self.types, [r.type for r in records])
        self.statuses = self._put_terms("status", rows, self.statuses, [r.status for r in records])
        self.projects = self._put_terms(
            "project", rows, self.projects, [r.project for r in records]
        )
        self._put_texts("name", rows, [r.name for r in records])
        self._put_texts("content", rows, [r.content for r in records])
        put("covered", rows, np.array([r.covered for r in records], dtype=np.bool_))
        self._put_readers(self.nodes, rows, [r.readers for r in records])
        self._put_properties(self.nodes, rows, records)

    def put_passages(self, records: Sequence[PassageRecord]) -> None:
        """Put spans in their order: one over a node takes along the spans that the node has by then."""
        starts = [0, *self._over_parents(records), len(records)]
        for start, end in pairwise(starts):
            self._put_passages(records[start:end])

    def _over_parents(self, records: Sequence[PassageRecord]) -> list[int]:
        """The places, but the first, of those *records* that are put over a node of which another is a span."""
        rows = self.nodes.found([record.id for record in records])
        over = rows >= 0
        held = rows[over]
        kind = self.nodes.read("kind", held)
        over[over] = kind == NODE
        if not over[1:].any():
            return []
        parents = self.nodes.found([record.parent_id for record in records])
        of_spans = self.nodes.read("parent", held[kind == SPAN])
        over &= np.isin(rows, np.concatenate((parents, of_spans)))
        return [place for place in np.flatnonzero(over).tolist() if place]

    def _put_passages(self, records: Sequence[PassageRecord]) -> None:
        mentions = [list(dict.fromkeys(record.mentions)) for record in records]
        named = [
            identifier
            for record, ids in zip(records, mentions, strict=True)
            for identifier in (record.parent_id, *ids)
        ]
        rows, named_rows = self._rows(records, named)
        self.clearing.delete_rows(rows[self.nodes.read("kind", rows) == NODE])
        self.nodes.clear(rows)
        lengths = np.fromiter((1 + len(ids) for ids in mentions), np.int64, count=len(mentions))
        first = np.cumsum(lengths) - lengths
        part_of, mention = self._edge_types(["PART_OF", "MENTIONS"]).tolist()
        fields = np.full(len(named_rows), mention, dtype=np.int32)
        fields[first] = part_of
        owners = np.repeat(np.arange(len(rows)), lengths)
        self._put_links(rows, owners, named_rows, fields)
        put = self.nodes.put
        put("kind", rows, np.full(len(rows), SPAN, dtype=np.uint8))
        put("number", rows, self.numbers(len(rows)))
        put("parent", rows, named_rows[first])
        put("index", rows, np.array([r.index for r in records], dtype=np.int64))
        totals = [-1 if r.total is None else r.total for r in records]
        put("total", rows, np.array(totals, dtype=np.int64))
        types = [r.type or "passage" for r in records]
        self.types = self._put_terms("type", rows, self.types, types)
        self._put_texts("name", rows, [r.name for r in records])
        self._put_texts("content", rows, [r.content for r in records])
        self._put_texts("breadcrumb", rows, [r.breadcrumb for r in records])
        self._put_readers(self.nodes, rows, [r.readers for r in records])
        self._put_properties(self.nodes, rows, records)

    def put_edges(self, records: Sequence[EdgeRecord]) -> None:
        ends = [record.source for record in records]
        ends += [record.target for record in records]
        end_rows = self.nodes.interned(ends)
        docs = self.docs.placed([record.id for record in records])
        types = self._edge_types([record.type for record in records])
        self.place_edges(docs, end_rows[: len(records)], end_rows[len(records) :], types)
        weights = [np.nan if r.weight is None else r.weight for r in records]
        self.docs.put("weight", docs, np.array(weights, dtype=np.float64))
        self._put_readers(self.docs, docs, [r.readers for r in records])
        self._put_properties(self.docs, docs, records)

    def lack_readers(self, rows: Rows, readers: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which of *rows*, at which nodes with readers of their own stand, have not all of *readers*."""
        numbers, held = self.nodes.read("readers", rows), self._base.readers.readers
        distinct = np.unique(numbers).tolist()
        lacking = [number for number in distinct if not set(held(number)).issuperset(readers)]
        return np.isin(numbers, lacking)

    def add_readers(self, rows: Rows, readers: tuple[str, ...]) -> None:
        """Open *rows*, at which nodes with readers of their own stand, to each of *readers* too."""
        numbers, held = self.nodes.read("readers", rows), self._base.readers.readers
        for number in np.unique(numbers).tolist():
            several = rows[numbers == number]
            union = tuple(sorted({*held(number), *readers}))
            self._put_readers(self.nodes, several, [union] * len(several))

    def linked(self) -> Rows:
        """The rows that links of nodes and spans lead to: by a look at every link."""
        first, count = (self.nodes.whole(name) for name in ("first_link", "link_count"))
        source = self.links.source.array
        place = np.arange(len(source)) - first[source]
        targets: Rows = self.links.target.array[(place >= 0) & (place < count[source])]
        return targets

    def put_bare_edges(
        self, ids: Strings, hashes: NDArray[np.uint64], *, sources: Rows, targets: Rows, type: str
    ) -> None:
        """Put edges without weight, readers and properties; whatever stands at one of these ids stays as it is."""
        before = len(self.docs)
        docs = self.docs.placed_packed(ids, hashes)
        new = docs >= before
        types = np.repeat(self._edge_types([type]), np.count_nonzero(new))
        self.place_edges(docs[new], sources[new], targets[new], types)

    def place_edges(
        self, docs: Rows, sources: Rows, targets: Rows, types: NDArray[np.int32]
    ) -> None:
        """Put what each edge has: one that stands keeps its place, and nothing else."""
        self.docs.clear(docs)
        put = self.docs.put
        put("alive", docs, np.ones(len(docs), dtype=np.bool_))
        put("source", docs, sources)
        put("target", docs, targets)
        put("type", docs, types)

    def _rows(
        self, records: Sequence[NodeRecord | PassageRecord], named: list[str]
    ) -> tuple[Rows, Rows]:
        """The rows of the records and of the ids that they name; ids not met before get new ones."""
        ids = [record.id for record in records]
        rows = self.nodes.interned(ids + named)
        return rows[: len(ids)], rows[len(ids) :]

    def numbers(self, count: int) -> NDArray[np.int64]:
        """The next *count* numbers of puts."""
        first, self.next_number = self.next_number, self.next_number + count
        return np.arange(first, self.next_number)

    def _edge_classes(self) -> EdgeClasses:
        """Those of the base, and of the edges that were put."""
        base, docs = self._base, self.docs.touched
        if not len(docs) and len(self.links) == len(base.links):
            return base.edge_classes
        docs = docs[self.docs.stand(docs)]
        fields = np.unique(self.links.field.array[len(base.links) :])
        types = np.concatenate((self.docs.read("type", docs), fields))
        anyone = np.full(len(fields), ANYONE, dtype=np.int32)
        return base.edge_classes.interned(
            types, np.concatenate((self.docs.read("readers", docs), anyone))
        )

    def _edge_types(self, names: list[str]) -> NDArray[np.int32]:
        self.edge_types, numbers = self.edge_types.interned(names)
        return numbers

    def _put_links(
        self,
        rows: Rows,
        owners: NDArray[np.int64],
        targets: Rows,
        fields: NDArray[np.int32],
    ) -> None:
        """Put links at *rows*, one row after the other; *owners* are the places of theirs among *rows*."""
        counts = np.bincount(owners, minlength=len(rows))
        first = np.where(counts > 0, np.cumsum(counts) - counts + len(self.links), 0)
        self.nodes.put("first_link", rows, first)
        self.nodes.put("link_count", rows, counts)
        self.links = self.links.extended(rows[owners], targets, fields)

    def _put_terms(self, name: str, rows: Rows, terms: Terms, strings: list[str]) -> Terms:
        """Put the numbers of *strings* among *terms*; the terms with those that were new."""
        terms, numbers = terms.interned(strings)
        self.nodes.put(name, rows, numbers)
        return terms

    def _put_texts(self, name: str, rows: Rows, strings: list[str]) -> None:
        """Put texts; the empty one is entry 0."""
        held = np.array([bool(string) for string in strings], dtype=np.bool_)
        entries = np.zeros(len(strings), dtype=np.int32)
        entries[held] = np.arange(len(self.texts), len(self.texts) + int(held.sum()))
        self.texts = self.texts.extended(filter(None, strings))
        self.nodes.put(name, rows, entries)

    def _put_readers(self, table: Table, rows: Rows, readers: Iterable[tuple[str, ...]]) -> None:
        none = ANYONE if table is self.docs else -1
        numbers = [self.reader_set(several, none=none) for several in readers]
        table.put("readers", rows, np.array(numbers, dtype=np.int32))

    def reader_set(self, readers: tuple[str, ...], *, none: int) -> int:
        """The number of a set of *readers*, and *none* where there are none."""
        return self._base.readers.intern(readers) if readers else none

    def _put_properties(
        self,
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
        self.keywords, self.texts = table.put_properties(
            fields, keywords=self.keywords, texts=self.texts
        )
