"""Pages of Lookup: each is the oracle's page after the one before, also where the collection was written between them.

They go on in the newest version, or in the one that they are asked of, as long as that is retained.

A token goes on for the caller and the request that it was given to, and for no other.
"""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings

from passageway.v1 import query_pb2, store_pb2
from tests.oracle.graph import Graph
from tests.oracle.pages import Place
from tests.peers import Caller, LocalPeer, Peer
from tests.properties.agreement import disagreement
from tests.properties.calls import Call
from tests.properties.chronicle import Chronicle, chronicled, told
from tests.properties.drawing import Drawing
from tests.properties.histories import RandomHistory, random_history
from tests.properties.lookup_calls import lookup_request
from tests.properties.paging import LOOKUP, another, ended_at, next_page
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NOW_US

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
@settings(max_examples=max(GRAPHS // 8, 10))
def test_pages_are_those_of_the_oracle_whatever_is_written_between_them(
    peer: Peer, clock: Clock, seed: int, nodes: int, edges: int
) -> None:
    drawn, rng = random_history(seed, nodes, edges, steps=3), Random(seed)
    clock.now_us = NOW_US
    with chronicled(peer, drawn) as chronicle:
        asked: list[Asked] = [
            (caller, call, None)
            for caller in drawn.callers
            for call in _lookups(chronicle, caller, rng)
        ]
        for step in [*drawn.steps, store_pb2.Batch()]:
            asked = list(_asked_on(chronicle, drawn, asked, rng, clock.now_us))
            chronicle.take(step)
            clock.now_us += rng.choice((0, 1, 86_400_000_000))


def _asked_on(
    chronicle: Chronicle, drawn: RandomHistory, asked: list[Asked], rng: Random, now_us: int
) -> Iterator[Asked]:
    """Judge the replies; what comes are the requests for the next pages."""
    for caller, call, after in asked:
        graph = chronicle.graph(caller, chronicle.version_of(call))
        reply = chronicle.peer.call(*call, caller=caller)
        difference = disagreement(graph, call, reply, after=after, now_us=now_us)
        assert not difference, told(drawn, chronicle, caller, call, difference)
        following = next_page(call, reply, page_size=rng.choice((1, 2, 3, 10)))
        if following is None or not isinstance(graph, Graph):
            continue
        begun = now_us if after is None else after.now_us
        yield caller, (LOOKUP, following), ended_at(graph, call, reply, now_us=begun)
        if rng.random() < 0.2:  # as somebody else, to whom it is nothing
            for other in drawn.callers:
                if other != caller:
                    _is_refused(chronicle, drawn, other, (LOOKUP, following), now_us)
        if rng.random() < 0.2:
            foreign = another(following, rng)
            _is_refused(chronicle, drawn, caller, (LOOKUP, foreign), now_us)


def _is_refused(
    chronicle: Chronicle, drawn: RandomHistory, caller: Caller, call: Call, now_us: int
) -> None:
    """The oracle refuses every token that it was not told the place of."""
    graph = chronicle.graph(caller, chronicle.version_of(call))
    reply = chronicle.peer.call(*call, caller=caller)
    difference = disagreement(graph, call, reply, now_us=now_us)
    assert not difference, told(drawn, chronicle, caller, call, difference)


def _lookups(chronicle: Chronicle, caller: Caller, rng: Random) -> Iterator[Call]:
    """Lookups of the newest version, then of whichever is the newest; or of one version, page by page."""
    versions = chronicle.history.retained
    for _ in range(LOOKUPS):
        version = rng.choice(versions)
        drawing = Drawing(rng, chronicle.seen(caller, version), chronicle.every_id(version))
        request = lookup_request(drawing)
        if rng.random() < 0.7:
            request.page_size = rng.choice((1, 2, 5))
            request.filter = request.filter if rng.random() < 0.5 else ""
        if rng.random() < 0.4:
            request.read.evidence = query_pb2.EVIDENCE_CURRENT
        call = LOOKUP, request
        yield chronicle.at(version, call) if rng.random() < 0.4 else call
