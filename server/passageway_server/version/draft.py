"""The next version while a batch is applied: what changes is written aside, and the rest is shared.

Records are put by record_drafts.py, and what stands side by side by column_drafts.py.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.links import Links
from passageway_server.columns.readers import ANYONE
from passageway_server.columns.strings import Strings
from passageway_server.version.around import Around
from passageway_server.version.changes import Touched
from passageway_server.version.clearing import Clearing
from passageway_server.version.contents import Contents
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.gating import GATING
from passageway_server.version.table import Table
from passageway_server.version.version import Version

Rows = NDArray[np.int32]


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
            self.put_readers(self.nodes, several, [union] * len(several))

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
        types = np.repeat(self.edge_types_of([type]), np.count_nonzero(new))
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

    def edge_types_of(self, names: list[str]) -> NDArray[np.int32]:
        """The numbers of the edge types *names*; those not met before get new ones."""
        self.edge_types, numbers = self.edge_types.interned(names)
        return numbers

    def put_links(
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

    def put_readers(self, table: Table, rows: Rows, readers: Iterable[tuple[str, ...]]) -> None:
        """Put the own readers of *rows* of *table*, one set after the other."""
        none = ANYONE if table is self.docs else -1
        numbers = [self.reader_set(several, none=none) for several in readers]
        table.put("readers", rows, np.array(numbers, dtype=np.int32))

    def reader_set(self, readers: tuple[str, ...], *, none: int) -> int:
        """The number of a set of *readers*, and *none* where there are none."""
        return self._base.readers.intern(readers) if readers else none
