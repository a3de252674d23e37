"""Graphs to measure, and what igraph has of them."""

from random import Random

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.igraph_view import View, view
from passageway_server.values.collections import CollectionSettings, Direction
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.version.store import Store
from tests.unit.engine.measuring import PUBLIC

BOTH = (EdgeSpec(direction=Direction.BOTH),)


IN = (EdgeSpec(direction=Direction.IN),)


def store_of(batch: Batch) -> Store:
    store = Store.open()
    store.create(CollectionSettings("c", default_readers=PUBLIC)).apply(batch)
    return store


def of_edges(*edges: tuple[str, str] | EdgeRecord, alone: str = "") -> Store:
    """A store of these edges, and of the nodes at them or *alone*."""
    records = [
        edge if isinstance(edge, EdgeRecord) else EdgeRecord(f"{i}", *edge)
        for i, edge in enumerate(edges)
    ]
    ends = [end for edge in records for end in (edge.source, edge.target)]
    nodes = tuple(map(NodeRecord, dict.fromkeys([*ends, *alone])))
    return store_of(Batch(put_nodes=nodes, put_edges=tuple(records)))


def whole(store: Store) -> View:
    """What everyone sees, as igraph has it; self-loops left out."""
    version = store.collection("c").current
    found = view(version, gates(version, Caller.holding(()), ReadOptions(), 0).read)
    found.graph.delete_edges(
        [i for i, (one, other) in enumerate(found.graph.get_edgelist()) if one == other]
    )
    return found


def random_batch(rng: Random, *, nodes: int = 30, edges: int = 90) -> Batch:
    ids = [f"n{i}" for i in range(nodes)]
    return Batch(
        put_nodes=tuple(map(NodeRecord, ids)),
        put_edges=tuple(
            EdgeRecord(
                f"e{i}",
                rng.choice(ids),
                rng.choice(ids),
                weight=rng.choice((None, 0.5, 1.0, 3.0)),
                properties={"strength": rng.choice((1, 2.5))} if rng.random() < 0.5 else {},
            )
            for i in range(edges)
        ),
        put_passages=(PassageRecord("s0", "n0", 0, mentions=("n1",)),),
    )
