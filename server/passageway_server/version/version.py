"""A version: one immutable state of a collection, and what is worked out from it.

What was put is held in the arrays that the constructor takes. Everything else (gates, adjacency, ranks, spans) follows from
them, is worked out when first asked for, and kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency, EdgeList
from passageway_server.columns.gates import Gates
from passageway_server.columns.links import Links
from passageway_server.columns.nodes import NODE, SPAN, Docs, Nodes
from passageway_server.columns.readers import ReaderSets
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import CollectionSettings
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version import derive, gating
from passageway_server.version.derived import Deriving, derived
from passageway_server.version.fieldset import FieldSet
from passageway_server.version.weighted import Ways, Weighted


@dataclass(frozen=True, slots=True)
class Contents:
    """What was put: the stored state of a version."""

    settings: CollectionSettings
    fields: FieldSet  # of nodes and spans
    edge_fields: FieldSet
    nodes: Nodes
    docs: Docs
    links: Links
    types: Terms
    statuses: Terms
    projects: Terms
    edge_types: Terms
    keywords: Terms
    texts: Strings
    readers: ReaderSets
    next_number: int  # of the next put

    @classmethod
    def empty(cls, settings: CollectionSettings) -> "Contents":
        """A collection without rows."""
        declared = {declaration.name: declaration for declaration in settings.fields}
        blank = Terms.of([""])
        return cls(
            settings=settings,
            fields=FieldSet(declared, {}),
            edge_fields=FieldSet(declared, {}),
            nodes=Nodes.none(),
            docs=Docs.none(),
            links=Links.none(),
            types=blank,
            statuses=blank,
            projects=blank,
            edge_types=blank,
            keywords=Terms.of(),
            texts=Strings.of([""]),
            readers=ReaderSets(),
            next_number=0,
        )


@dataclass(frozen=True, slots=True)
class Identity:
    """Which version this is: the collection's incarnation, and the number of the commit."""

    line: str  # 12 hex digits, drawn when a collection is made, and when it is opened and written again
    number: int
    created_at: datetime  # of the collection

    @property
    def token(self) -> str:
        """What callers name the version by: opaque, of one width."""
        return f"{self.line}{self.number:012x}"


class Version(Deriving):
    """One immutable state. Its arrays are described in docs/architecture.md."""

    def __init__(self, identity: Identity, contents: Contents) -> None:
        super().__init__()
        self.identity = identity
        self.contents = contents
        self.token = identity.token
        self.settings = contents.settings
        self.fields = contents.fields
        self.edge_fields = contents.edge_fields
        self.nodes = contents.nodes
        self.docs = contents.docs
        self.links = contents.links
        self.types = contents.types
        self.statuses = contents.statuses
        self.projects = contents.projects
        self.edge_types = contents.edge_types
        self.keywords = contents.keywords
        self.texts = contents.texts
        self.readers = contents.readers

    @derived
    def gates(self) -> Gates:
        """The gate class of every row."""
        return gating.gates(self.contents)

    @derived
    def codes(self) -> NDArray[np.int32]:
        """By stored number: a doc row (>= 0), or ``~position`` of a link. Dangling edges have none."""
        return derive.stored_order(self.contents)

    @derived
    def edges(self) -> EdgeList:
        """All edges that do not dangle, self-loops included, in stored order."""
        return self.edges_at(np.arange(len(self.codes)))

    def edges_at(self, stored: NDArray[np.integer]) -> EdgeList:
        """The edges of the numbers *stored*, in their order: the cost is theirs alone."""
        return derive.edge_list(self.contents, stored, codes=self.codes)

    @derived
    def out(self) -> Adjacency:
        """The edges of each row, by source."""
        return Adjacency.build(self.edges, rows=len(self.nodes), reverse=False)

    @derived
    def into(self) -> Adjacency:
        """The edges of each row, by target."""
        return Adjacency.build(self.edges, rows=len(self.nodes), reverse=True)

    @derived
    def rank(self) -> NDArray[np.int32]:
        """By row: the place of its id among all ids, by code point."""
        return derive.ranks(self.nodes.ids)

    @derived
    def _spans(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        return derive.spans_by_parent(self.nodes, self.rank)

    def spans_of(self, row: int) -> NDArray[np.int32]:
        """The rows of the spans that were cut from *row*, by index, then id, whoever may read them."""
        offsets, rows = self._spans
        return rows[offsets[row] : offsets[row + 1]]

    def weighted(self, name: str, halt: Halt = UNHALTED) -> Ways:
        """The adjacencies with the numeric edge property *name* as weight, kept for the latest properties.

        Edges without it, links and span edges, lists and negative values are left out. Raises
        DeadlineExceeded, Cancelled.
        """
        kept = self.remember(Weighted, lambda: Weighted(own=self.out.nbytes + self.into.nbytes))
        return kept.of(name, lambda: self._weighted(name, halt), halt)

    def _weighted(self, name: str, halt: Halt) -> Ways:
        edges = derive.reweighted(self.edges, self.codes, self.docs.properties.get(name))
        halt.spent()  # for what it raises: half of the ways are none
        out = Adjacency.build(edges, rows=len(self.nodes), reverse=False)
        halt.spent()
        return Ways(out, Adjacency.build(edges, rows=len(self.nodes), reverse=True))

    @derived
    def counts(self) -> "Counts":
        """How much it holds, whoever may read it."""
        kind, docs = self.nodes.kind, self.docs
        return Counts(
            nodes=int(np.count_nonzero(kind == NODE)),
            edges=int(np.count_nonzero(docs.alive)),
            passages=int(np.count_nonzero(kind == SPAN)),
        )

    def prepare(self) -> "Version":
        """Work out what every walk needs, so that no reader waits for it."""
        self.derived_arrays()
        return self

    def derived_arrays(self) -> dict[str, NDArray[np.generic]]:
        """What is derived and stored beside the contents, by name."""
        gates, spans = self.gates, self._spans
        arrays: dict[str, NDArray[np.generic]] = {
            f"gates.{name}": getattr(gates, name) for name in gates.__slots__
        }
        arrays |= {f"out.{name}": array for name, array in self.out.arrays().items()}
        arrays |= {f"into.{name}": array for name, array in self.into.arrays().items()}
        arrays |= {"codes": self.codes, "rank": self.rank}
        return arrays | {"spans.offsets": spans[0], "spans.rows": spans[1]}

    def adopt(self, derived: Mapping[str, NDArray[Any]]) -> None:
        """Take what a snapshot stored under `derived_arrays` instead of working it out.

        Format 1 did not tell what retires a class: its gates are worked out anew. Raises ValueError where the arrays are not of one graph: kernels do not look at bounds.
        """
        gates = self._gates_of(within(derived, "gates"))
        out, into = (Adjacency.from_arrays(within(derived, way)) for way in ("out", "into"))
        rows, edges = len(self.nodes), len(derived["codes"])
        for adjacency in (out, into):
            adjacency.check(rows=rows, edges=edges, sets=len(self.readers))
        if gates.of.max(initial=-1) >= len(gates.readers) or gates.of.min(initial=0) < 0:
            raise ValueError("a row of a gate class that is not there")
        by_row = (gates.of, gates.expiry, derived["rank"])
        if any(len(array) != rows for array in by_row) or len(derived["spans.offsets"]) != rows + 1:
            raise ValueError("derived arrays are of another number of rows")
        self.known |= {
            "gates": gates,
            "codes": derived["codes"],
            "out": out,
            "into": into,
            "rank": derived["rank"],
            "_spans": (derived["spans.offsets"], derived["spans.rows"]),
        }

    def _gates_of(self, stored: Mapping[str, NDArray[Any]]) -> Gates:
        return self.gates if "retired" in stored else Gates(**stored)


@dataclass(frozen=True, slots=True)
class Counts:
    """Records of a version."""

    nodes: int
    edges: int  # documents
    passages: int


def within(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin with *prefix* and a dot, by the rest of their names."""
    start = len(prefix) + 1
    return {name[start:]: array for name, array in arrays.items() if name.startswith(f"{prefix}.")}
