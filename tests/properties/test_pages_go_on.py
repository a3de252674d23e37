"""Pages of Lookup: each is the oracle's page after the one before, also where the collection was written between them.

A token goes on for the caller and the request that it was given to, and for no other.
"""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings

from passageway.v1 import query_pb2, store_pb2
from tests.oracle import Refused, World
from tests.oracle.answers import graph_for
from tests.oracle.graph import Graph
from tests.oracle.pages import Place
from tests.peers import Caller, LocalPeer, Peer, apply, filled
from tests.properties.agreement import disagreement, story
from tests.properties.calls import Call
from tests.properties.drawing import Drawing
from tests.properties.lookup_calls import lookup_request
from tests.properties.paging import LOOKUP, another, ended_at, next_page
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NAME, NOW_US
from tests.properties.worlds import RandomWorld, random_world

LOOKUPS = 6
"""How many Lookups a caller begins on a graph."""


Asked = tuple[Caller, Call, Place | None]
"""Who asks for which page, and after which place."""


class Clock:
    """A clock that stands still until it is set."""

    now_us = NOW_US

    def __call__(self) -> int:
        return self.now_us


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def peer(clock: Clock) -> Iterator[Peer]:
    peer = LocalPeer(now_us=clock)
    yield peer
    peer.close()


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 4, 10))
def test_pages_are_those_of_the_oracle_whatever_is_written_between_them(
    peer: Peer, clock: Clock, seed: int, nodes: int, edges: int
) -> None:
    drawn, rng = random_world(seed, nodes, edges), Random(seed)
    clock.now_us = NOW_US
    world = World.of(drawn.settings, drawn.batches)
    with filled(peer, drawn.settings, drawn.batches):
        asked: list[Asked] = [
            (caller, call, None)
            for caller in drawn.callers
            for call in _lookups(world, caller, rng)
        ]
        for write in [*drawn.writes, store_pb2.Batch()]:
            asked = list(_asked_on(peer, drawn, world, asked, rng, clock.now_us))
            apply(peer, NAME, write)
            world.apply(write)
            clock.now_us += rng.choice((0, 1, 86_400_000_000))


def _asked_on(
    peer: Peer,
    drawn: RandomWorld,
    world: World,
    asked: list[Asked],
    rng: Random,
    now_us: int,
) -> Iterator[Asked]:
    """Judge the replies; what comes are the requests for the next pages."""
    for caller, call, after in asked:
        graph = _graph(world, caller)
        reply = peer.call(*call, caller=caller)
        difference = disagreement(graph, call, reply, after=after, now_us=now_us)
        assert not difference, story(drawn, caller, call, difference)
        following = next_page(call, reply, page_size=rng.choice((1, 2, 3, 10)))
        if following is None or not isinstance(graph, Graph):
            continue
        begun = now_us if after is None else after.now_us
        yield caller, (LOOKUP, following), ended_at(graph, call, reply, now_us=begun)
        if rng.random() < 0.2:  # as somebody else, to whom it is nothing
            for other in drawn.callers:
                if other != caller:
                    _is_refused(peer, drawn, world, other, (LOOKUP, following), now_us)
        if rng.random() < 0.2:
            foreign = another(following, rng)
            _is_refused(peer, drawn, world, caller, (LOOKUP, foreign), now_us)


def _is_refused(
    peer: Peer, drawn: RandomWorld, world: World, caller: Caller, call: Call, now_us: int
) -> None:
    """The oracle refuses every token that it was not told the place of."""
    reply = peer.call(*call, caller=caller)
    difference = disagreement(_graph(world, caller), call, reply, now_us=now_us)
    assert not difference, story(drawn, caller, call, difference)


def _lookups(world: World, caller: Caller, rng: Random) -> Iterator[Call]:
    graph = _graph(world, caller)
    seen = graph if isinstance(graph, Graph) else Graph(world, admin=False)
    drawing = Drawing(rng, seen, [*world.nodes, *world.passages])
    for _ in range(LOOKUPS):
        request = lookup_request(drawing)
        if rng.random() < 0.7:
            request.page_size = rng.choice((1, 2, 5))
            request.filter = request.filter if rng.random() < 0.5 else ""
        if rng.random() < 0.4:
            request.read.evidence = query_pb2.EVIDENCE_CURRENT
        yield LOOKUP, request


def _graph(world: World, caller: Caller) -> Graph | Refused:
    try:
        return graph_for(world, caller.asker)
    except Refused as refused:
        return refused
