"""The collection as its writers left it, and what a batch does to it.

Records are kept as they were put. What dangles is kept too: whether an edge or a span shows is decided when the
collection is read (graph.py), never here.
"""

from collections.abc import Iterable
from typing import TypeVar

from passageway.v1 import store_pb2, types_pb2

LINK, DOCUMENT, SPAN_EDGE, MADE = 0, 1, 2, 3
"""Classes of edges, in stored order; those that a call makes of two come after all that are stored."""

Stored = tuple[int, int, int]
"""The place of an edge in the stored order: its class, its number, its place within one row's edges."""


RecordT = TypeVar("RecordT", types_pb2.Node, types_pb2.Edge, types_pb2.Passage)


def numbers_listed(value: types_pb2.Value) -> list[float]:
    """The numbers of a list; none where there is no list of numbers."""
    return [*value.ints.values, *value.doubles.values]


class World:
    """One collection: its settings, nodes, spans and edge documents by id, and their sequence numbers."""

    def __init__(self, settings: store_pb2.Collection | None = None) -> None:
        self.settings = settings if settings is not None else store_pb2.Collection()
        self.nodes: dict[str, types_pb2.Node] = {}
        self.passages: dict[str, types_pb2.Passage] = {}
        self.edges: dict[str, types_pb2.Edge] = {}
        self.row_numbers: dict[str, int] = {}
        self.edge_numbers: dict[str, int] = {}
        self._next_number = 0

    @classmethod
    def of(cls, settings: store_pb2.Collection, batches: Iterable[store_pb2.Batch]) -> "World":
        """The world that the *batches* make, one after the other."""
        world = cls(settings)
        for batch in batches:
            world.apply(batch)
        return world

    def copy(self) -> "World":
        """Another world of the same records, to delete from."""
        twin = World(self.settings)
        twin.nodes = dict(self.nodes)
        twin.passages = dict(self.passages)
        twin.edges = dict(self.edges)
        twin.row_numbers = dict(self.row_numbers)
        twin.edge_numbers = dict(self.edge_numbers)
        twin._next_number = self._next_number
        return twin

    def apply(self, batch: store_pb2.Batch) -> None:
        """Act on the lists of a batch in their one order, record by record."""
        for edge_id in batch.delete_edges:
            self._delete_edge(edge_id)
        for row_id in batch.delete_nodes:
            self._delete_row(row_id)
        coming = {passage.id for passage in batch.put_passages}
        for parent_id in batch.recut_parents:
            for span_id in self._spans_of(parent_id):
                self._delete_row(span_id, keep_documents=span_id in coming)
        for node in map(self._as_declared, batch.put_nodes):
            if node.id in self.passages:
                self._delete_row(node.id)
            self.nodes[node.id] = node
            self.row_numbers[node.id] = self._number()
        for edge in map(self._as_declared, batch.put_edges):
            if edge.id not in self.edges:
                self.edge_numbers[edge.id] = self._number()
            self.edges[edge.id] = edge
        for passage in map(self._as_declared, batch.put_passages):
            if passage.id in self.nodes:
                self._delete_row(passage.id)
            self.passages[passage.id] = passage
            self.row_numbers[passage.id] = self._number()

    def _as_declared(self, record: RecordT) -> RecordT:
        """The record, with vectors where fields of them were given lists of numbers."""
        kind = types_pb2.FIELD_KIND_VECTOR
        vectors = {field.name for field in self.settings.fields if field.kind == kind}
        listed = {
            name: numbers_listed(record.properties[name]) for name in vectors & {*record.properties}
        }
        kept = type(record)()
        kept.CopyFrom(record)
        for name, numbers in listed.items():
            if numbers:
                kept.properties[name].vector.values.extend(numbers)
        return kept if any(listed.values()) else record

    def _number(self) -> int:
        self._next_number += 1
        return self._next_number

    def _spans_of(self, parent_id: str) -> list[str]:
        return [span.id for span in self.passages.values() if span.parent_id == parent_id]

    def _delete_edge(self, edge_id: str) -> None:
        if edge_id in self.edges:
            del self.edges[edge_id]
            del self.edge_numbers[edge_id]

    def _delete_row(self, row_id: str, *, keep_documents: bool = False) -> None:
        """Delete a node or span with its links, its spans and the edge documents at it."""
        if row_id not in self.nodes and row_id not in self.passages:
            return
        self.nodes.pop(row_id, None)
        self.passages.pop(row_id, None)
        del self.row_numbers[row_id]
        if not keep_documents:
            for edge in list(self.edges.values()):
                if row_id in (edge.source, edge.target):
                    self._delete_edge(edge.id)
        for span_id in self._spans_of(row_id):
            self._delete_row(span_id)
