"""The strongest test there is: on random collections, every call of every caller is answered as the oracle does."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings

from passageway.v1 import read_pb2
from tests.oracle import Refused
from tests.oracle.answers import graph_for
from tests.oracle.graph import Graph
from tests.peers import Caller, LocalPeer, Peer, filled
from tests.properties.agreement import disagreement, story
from tests.properties.calls import random_calls
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NAME, NOW_US
from tests.properties.worlds import RandomWorld, random_world


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = LocalPeer(now_us=lambda: NOW_US)
    yield peer
    peer.close()


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=GRAPHS)
def test_every_call_is_answered_as_the_oracle_answers_it(
    peer: Peer, seed: int, nodes: int, edges: int
) -> None:
    drawn = random_world(seed, nodes, edges)
    with filled(peer, drawn.settings, drawn.batches):
        for caller in drawn.callers:
            _ask_all(peer, drawn, caller, Random(seed))


def _ask_all(peer: Peer, drawn: RandomWorld, caller: Caller, rng: Random) -> None:
    graph = visible_graph(drawn, caller)
    seen = graph if isinstance(graph, Graph) else Graph(drawn.world, admin=False)
    for call in random_calls(rng, seen, [*drawn.world.nodes, *drawn.world.passages]):
        difference = disagreement(graph, call, peer.call(*call, caller=caller))
        assert not difference, story(drawn, caller, call, difference)


def visible_graph(drawn: RandomWorld, caller: Caller) -> Graph | Refused:
    """What the oracle lets the caller see; the refusal where the whole collection is not for it."""
    try:
        return graph_for(drawn.world, caller.asker)
    except Refused as refused:
        return refused


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 10, 10))
def test_a_row_is_listed_when_it_is_got_when_the_oracle_allows_it(
    peer: Peer, seed: int, nodes: int, edges: int
) -> None:
    drawn = random_world(seed, nodes, edges)
    del drawn.settings.users[:]
    every_id = sorted({*drawn.world.nodes, *drawn.world.passages, "absent"})
    with filled(peer, drawn.settings, drawn.batches):
        for caller in drawn.callers:
            listed = peer.call(
                "GraphService/Lookup",
                read_pb2.LookupRequest(collection=NAME, page_size=10_000),
                caller=caller,
            ).read(read_pb2.LookupResponse)
            got = peer.call(
                "GraphService/Get",
                read_pb2.GetRequest(collection=NAME, ids=every_id),
                caller=caller,
            ).read(read_pb2.GetResponse)
            allowed = sorted(graph_for(drawn.world, caller.asker).rows)

            assert [node.id for node in listed.nodes] == allowed
            assert [node.id for node in got.nodes] == allowed
            assert list(got.unresolved) == [row for row in every_id if row not in allowed]
