"""The same readable rows in other company: alone, or among other rows that the caller may not read.

Readable rows keep their order among themselves, since that is what stored order is made of. What membership gives a
caller is worked out first (`with_its_memberships`): in another company the graph adds nothing.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import TypeVar

from passageway.v1 import store_pb2, types_pb2
from tests.oracle import World
from tests.oracle.askers import viewer, with_membership
from tests.oracle.visible import visible_to
from tests.peers import Caller
from tests.properties.words import GUARDABLE, HIDDEN, NODE_KINDS, random_value

PutT = TypeVar("PutT", types_pb2.Node, types_pb2.Edge, types_pb2.Passage)


def with_its_memberships(world: World, caller: Caller) -> Caller:
    """The caller who brings along, as its own, the principals that the graph adds to it and to its audiences."""
    asker = with_membership(world, caller.asker)
    if caller.on_behalf_of is not None:
        return replace(caller, on_behalf_of=asker.principals, audiences=asker.audiences)
    return replace(caller, principals=asker.principals, audiences=asker.audiences)


def visible_settings(world: World, caller: Caller) -> store_pb2.Collection:
    """The settings without the fields that the caller may not read, and without membership."""
    return _without_membership(visible_to(world, viewer(caller.asker)).settings)


def visible_batch(world: World, caller: Caller) -> store_pb2.Batch:
    """One batch that puts what the caller may read, with its principals as they are, and nothing else."""
    left = visible_to(world, viewer(caller.asker))
    return store_pb2.Batch(
        put_nodes=sorted(left.nodes.values(), key=lambda node: left.row_numbers[node.id]),
        put_edges=sorted(left.edges.values(), key=lambda edge: left.edge_numbers[edge.id]),
        put_passages=sorted(left.passages.values(), key=lambda span: left.row_numbers[span.id]),
    )


def among_other_hidden_rows(rng: Random, visible: store_pb2.Batch) -> list[store_pb2.Batch]:
    """Batches that put *visible* among rows, edges and spans that no caller of a test may read."""
    return _Hiding(rng, visible).batches()


def with_other_hidden_fields(
    rng: Random, settings: store_pb2.Collection, visible: store_pb2.Batch
) -> tuple[store_pb2.Collection, store_pb2.Batch]:
    """The same with fields that no caller of a test may read, and with rows and edges that hold them.

    Some of the fields retire rows, stand in for a content, or go into a page of it, where they exist.
    """
    guarded = _without_membership(settings)
    declared = {field.name for field in settings.fields}
    held = {name for record in _records(visible) for name in record.properties}
    for name in sorted(GUARDABLE.keys() - declared - held):
        kind, repeated = GUARDABLE[name]
        guarded.fields.add(name=name, kind=kind, repeated=repeated, readers=[HIDDEN])
    batch = store_pb2.Batch()
    batch.CopyFrom(visible)
    fresh = [field.name for field in guarded.fields[len(settings.fields) :]]
    for record in _records(batch):
        for name in rng.sample(fresh, rng.randint(0, len(fresh))):
            record.properties[name].CopyFrom(random_value(rng, NODE_KINDS[name]))
    return guarded, batch


def _records(batch: store_pb2.Batch) -> list[types_pb2.Node | types_pb2.Edge | types_pb2.Passage]:
    return [*batch.put_nodes, *batch.put_edges, *batch.put_passages]


def _without_membership(settings: store_pb2.Collection) -> store_pb2.Collection:
    left = store_pb2.Collection()
    left.CopyFrom(settings)
    left.ClearField("membership")
    return left


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
