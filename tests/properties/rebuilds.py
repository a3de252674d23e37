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
from tests.oracle.askers import Asker, viewer, with_membership
from tests.oracle.history import History
from tests.oracle.narrowed import asker_at, visible_at
from tests.oracle.visible import visible_to
from tests.peers import Caller
from tests.properties.words import GUARDABLE, HIDDEN, NODE_KINDS, random_value

Put = types_pb2.Node | types_pb2.Edge | types_pb2.Passage
PutT = TypeVar("PutT", types_pb2.Node, types_pb2.Edge, types_pb2.Passage)


def with_its_memberships(world: World, caller: Caller) -> Caller:
    """The caller who brings along, as its own, the principals that the graph adds to it and to its audiences."""
    return _bringing(caller, with_membership(world, caller.asker))


def with_its_memberships_at(history: History, version: int, caller: Caller) -> Caller:
    """The same of those that the graph adds to it in a version, as that is read today."""
    return _bringing(caller, asker_at(history, version, caller.asker))


def _bringing(caller: Caller, asker: Asker) -> Caller:
    if caller.on_behalf_of is not None:
        return replace(caller, on_behalf_of=asker.principals, audiences=asker.audiences)
    return replace(caller, principals=asker.principals, audiences=asker.audiences)


def readable(world: World, caller: Caller) -> World:
    """What the caller may read of a collection with its principals as they are."""
    return visible_to(world, viewer(caller.asker))


def readable_at(history: History, version: int, caller: Caller) -> World:
    """What the caller may read today of a version with its principals as they are."""
    return visible_at(history, version, viewer(caller.asker))


def settings_of(left: World) -> store_pb2.Collection:
    """The settings of what is left for a caller, without membership; as many versions are kept as usually are."""
    settings = _without_membership(left.settings)
    settings.ClearField("retain_versions")
    return settings


def batch_of(left: World) -> store_pb2.Batch:
    """One batch that puts what is left for a caller, and nothing else."""
    return store_pb2.Batch(
        put_nodes=sorted(left.nodes.values(), key=lambda node: left.row_numbers[node.id]),
        put_edges=sorted(left.edges.values(), key=lambda edge: left.edge_numbers[edge.id]),
        put_passages=sorted(left.passages.values(), key=lambda span: left.row_numbers[span.id]),
    )


def among_other_hidden_rows(rng: Random, visible: store_pb2.Batch) -> list[store_pb2.Batch]:
    """Batches that put *visible* among rows, edges and spans that no caller of a test may read."""
    return Hiding(rng, visible).batches()


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


def _records(batch: store_pb2.Batch) -> list[Put]:
    return [*batch.put_nodes, *batch.put_edges, *batch.put_passages]


def _without_membership(settings: store_pb2.Collection) -> store_pb2.Collection:
    left = store_pb2.Collection()
    left.CopyFrom(settings)
    left.ClearField("membership")
    return left


class Hiding:
    """Rows, edges and spans that no caller of a test may read, in the company of *visible* ones."""

    def __init__(self, rng: Random, visible: store_pb2.Batch) -> None:
        self.rng = rng
        self.visible = visible
        self.ids = [node.id for node in visible.put_nodes] or ["alone"]
        self.hidden = [f"hidden{place}" for place in range(rng.randint(1, 6))]

    def batches(self) -> list[store_pb2.Batch]:
        rng = self.rng
        nodes = self.nodes()
        edges, spans = self.edges(), self.spans()
        before = store_pb2.Batch(put_nodes=nodes[::2], put_edges=edges[::2])
        mixed = self.mixed([*nodes[1::2], *edges[1::2], *spans])
        after = store_pb2.Batch(
            put_nodes=[self._node("hidden-late")],
            put_edges=[self._edge("hidden-e-late")],
            delete_nodes=[rng.choice(self.hidden)],
            delete_edges=[edges[0].id],
        )
        return [before, mixed, after]

    def nodes(self) -> list[types_pb2.Node]:
        return [self._node(row_id) for row_id in self.hidden]

    def edges(self) -> list[types_pb2.Edge]:
        return [self._edge(f"hidden-e{place}") for place in range(self.rng.randint(1, 12))]

    def spans(self) -> list[types_pb2.Passage]:
        return [self._span(f"hidden-s{place}") for place in range(self.rng.randint(1, 4))]

    def mixed(self, puts: Iterable[Put]) -> store_pb2.Batch:
        """A batch of the *puts* and of those that are visible."""
        puts, visible = list(puts), self.visible
        nodes = [put for put in puts if isinstance(put, types_pb2.Node)]
        edges = [put for put in puts if isinstance(put, types_pb2.Edge)]
        spans = [put for put in puts if isinstance(put, types_pb2.Passage)]
        return store_pb2.Batch(
            put_nodes=self._mixed(visible.put_nodes, nodes),
            put_edges=self._mixed(visible.put_edges, edges),
            put_passages=self._mixed(visible.put_passages, spans),
        )

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
