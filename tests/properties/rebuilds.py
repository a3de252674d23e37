"""The same readable rows in other company: alone, or among other rows that the caller may not read.

Readable rows keep their order among themselves, since that is what stored order is made of.
"""

from collections.abc import Iterable
from random import Random
from typing import TypeVar

from passageway.v1 import store_pb2, types_pb2
from tests.oracle import World
from tests.oracle.visible import visible_to
from tests.peers import Caller
from tests.properties.words import HIDDEN, random_value

PutT = TypeVar("PutT", types_pb2.Node, types_pb2.Edge, types_pb2.Passage)


def visible_batch(world: World, caller: Caller) -> store_pb2.Batch:
    """One batch that puts the rows and edges that the caller may read, and nothing else."""
    left = visible_to(world, caller.held, admin=caller.admin)
    return store_pb2.Batch(
        put_nodes=sorted(left.nodes.values(), key=lambda node: left.row_numbers[node.id]),
        put_edges=sorted(left.edges.values(), key=lambda edge: left.edge_numbers[edge.id]),
        put_passages=sorted(left.passages.values(), key=lambda span: left.row_numbers[span.id]),
    )


def among_other_hidden_rows(rng: Random, visible: store_pb2.Batch) -> list[store_pb2.Batch]:
    """Batches that put *visible* among rows, edges and spans that no caller of a test may read."""
    return _Hiding(rng, visible).batches()


class _Hiding:
    def __init__(self, rng: Random, visible: store_pb2.Batch) -> None:
        self.rng = rng
        self.visible = visible
        self.ids = [node.id for node in visible.put_nodes] or ["alone"]
        self.hidden = [f"hidden{place}" for place in range(rng.randint(1, 6))]

    def batches(self) -> list[store_pb2.Batch]:
        rng = self.rng
        nodes = [self._node(row_id) for row_id in self.hidden]
        edges = [self._edge(f"hidden-e{place}") for place in range(rng.randint(1, 12))]
        spans = [self._span(f"hidden-s{place}") for place in range(rng.randint(1, 4))]
        before = store_pb2.Batch(put_nodes=nodes[::2], put_edges=edges[::2])
        mixed = store_pb2.Batch(
            put_nodes=self._mixed(self.visible.put_nodes, nodes[1::2]),
            put_edges=self._mixed(self.visible.put_edges, edges[1::2]),
            put_passages=self._mixed(self.visible.put_passages, spans),
        )
        after = store_pb2.Batch(
            put_nodes=[self._node("hidden-late")],
            put_edges=[self._edge("hidden-e-late")],
            delete_nodes=[rng.choice(self.hidden)],
            delete_edges=[edges[0].id],
        )
        return [before, mixed, after]

    def _mixed(self, visible: Iterable[PutT], hidden: Iterable[PutT]) -> list[PutT]:
        """Both, the visible ones in their order."""
        mixed = list(visible)
        for put in hidden:
            mixed.insert(self.rng.randint(0, len(mixed)), put)
        return mixed

    def _end(self) -> str:
        return self.rng.choice([*self.hidden, *self.ids, *self.ids])

    def _node(self, row_id: str) -> types_pb2.Node:
        rng = self.rng
        node = types_pb2.Node(
            id=row_id,
            type=rng.choice(("service", "team", "only-hidden")),
            name="hidden",
            content="hidden " * 5,
            project=rng.choice(("", "p1", "hidden-project")),
            readers=[rng.choice((HIDDEN, f"public & {HIDDEN}"))],
        )
        node.properties["secret"].CopyFrom(random_value(rng, "word"))
        node.properties["rank"].CopyFrom(random_value(rng, "number"))
        node.properties["labels"].CopyFrom(random_value(rng, "words"))
        node.links["related"].values.extend([self._end(), self._end()])
        node.links["only-hidden"].values.append(rng.choice(self.ids))
        return node

    def _edge(self, edge_id: str) -> types_pb2.Edge:
        rng = self.rng
        edge = types_pb2.Edge(
            id=edge_id,
            source=self._end(),
            target=self._end(),
            type=rng.choice(("CALLS", "related", "ONLY_HIDDEN")),
            weight=rng.choice((None, 0.0, 1.0, 50.0)),
            readers=[HIDDEN],
        )
        edge.properties["strength"].CopyFrom(random_value(rng, "number"))
        edge.properties["secret"].CopyFrom(random_value(rng, "number"))
        return edge

    def _span(self, span_id: str) -> types_pb2.Passage:
        rng = self.rng
        span = types_pb2.Passage(
            id=span_id,
            parent_id=self._end(),
            index=rng.randint(0, 3),
            content="hidden span",
            mentions=[self._end()],
            total=rng.choice((None, 1, 9)),
            readers=[HIDDEN],
        )
        span.properties["secret"].CopyFrom(random_value(rng, "word"))
        return span
