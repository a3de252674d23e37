"""A second opinion: what igraph finds in its view of a version is what walks and paths find in the version."""

from random import Random

import numpy as np
import pytest

from passageway_server.authz.callers import Caller
from passageway_server.authz.gates import gates
from passageway_server.engine.igraph_view import View, leiden, view
from passageway_server.engine.measures.arcs import Arcs
from passageway_server.service.expand import expand
from passageway_server.service.paths import paths
from passageway_server.values.collections import CollectionSettings, Direction
from passageway_server.values.queries import EdgeSpec, ReadOptions
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord, PassageRecord
from passageway_server.values.requests import ExpandRequest, Hop, PathsRequest, SeedGroup
from passageway_server.version.store import Store

ADA = Caller.known("ada", principals=["group:a"], roles=())
MODES = {Direction.OUT: "out", Direction.IN: "in", Direction.BOTH: "all"}


def random_store(rng: Random) -> Store:
    store = Store.open()
    ids = [f"n{i}" for i in range(40)]
    readers = ((), ("group:a",), ("group:a",), ("group:b",))
    store.create(CollectionSettings("c", default_readers=("public",))).apply(
        Batch(
            put_nodes=tuple(
                NodeRecord(one, readers=rng.choice(readers), links={"rel": (rng.choice(ids),)})
                for one in ids
            ),
            put_edges=tuple(
                EdgeRecord(
                    f"e{i}",
                    rng.choice(ids),
                    rng.choice(ids),
                    readers=rng.choice(((), ("group:b",))),
                )
                for i in range(50)
            ),
            put_passages=tuple(
                PassageRecord(f"s{i}", rng.choice(ids), i, mentions=(rng.choice(ids),))
                for i in range(8)
            ),
        )
    )
    return store


@pytest.fixture(params=range(12))
def drawn(request: pytest.FixtureRequest) -> tuple[Store, View, Random]:
    rng = Random(request.param)
    store = random_store(rng)
    version = store.collection("c").current
    return store, view(version, gates(version, ADA, ReadOptions(), store.now()).read), rng


@pytest.mark.parametrize("direction", list(MODES))
def test_a_node_is_reached_at_the_hop_that_is_its_distance(
    drawn: tuple[Store, View, Random], direction: Direction
) -> None:
    store, seen, rng = drawn
    seed = rng.choice(seen.graph.vs["name"])

    answer = expand(
        store,
        ADA,
        ExpandRequest(
            "c",
            seeds=(SeedGroup((seed,)),),
            hops=(Hop(EdgeSpec(direction=direction)),) * 3,
            limit=-1,
            with_subgraph=True,
        ),
    )

    (far,) = seen.graph.distances(seed, mode=MODES[direction])
    near = {name: hop for name, hop in zip(seen.graph.vs["name"], far, strict=True) if hop <= 3}
    reached = {entry.edge.source for entry in answer.subgraph}
    reached |= {entry.edge.target for entry in answer.subgraph} | {seed}
    assert answer.total == len(near)
    assert reached == set(near)


@pytest.mark.parametrize("direction", list(MODES))
def test_the_shortest_path_is_as_long_as_igraph_says(
    drawn: tuple[Store, View, Random], direction: Direction
) -> None:
    store, seen, rng = drawn
    source, target = rng.sample(seen.graph.vs["name"], 2)

    answer = paths(
        store,
        ADA,
        PathsRequest(
            "c",
            sources=(source,),
            targets=(target,),
            edges=(EdgeSpec(direction=direction),),
            max_depth=6,
        ),
    )

    ((distance,),) = seen.graph.distances(source, target, mode=MODES[direction])
    assert [path.length for path in answer.paths] == ([int(distance)] if distance <= 6 else [])


def test_communities_are_sought_in_thirty_passes_at_most() -> None:
    """Random edges have none, so that each pass finds a little more."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 20_000, (2, 100_000), dtype=np.int32)
    arcs = Arcs(ends[0], ends[1], np.ones(100_000)).undirected()

    passes = sum(1 for _ in leiden(arcs, 20_000, resolution=1.0, seed=1))

    assert passes == 30


def test_passes_end_with_the_first_that_changes_nothing() -> None:
    ends = np.array([[0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3]], dtype=np.int32)
    arcs = Arcs(ends[0], ends[1], np.ones(7)).undirected()

    *_, before, last = leiden(arcs, 6, resolution=1.0, seed=1)

    assert last.tolist() == before.tolist() == [0, 0, 0, 1, 1, 1]
