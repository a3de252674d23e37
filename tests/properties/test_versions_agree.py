"""Versions in time: each that is retained is answered as the oracle answers it, by the readers of today.

The same calls are asked again after every commit, so that no answer and no verdict of before outlives one.
"""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passageway.v1 import read_pb2
from tests.oracle.graph import Graph
from tests.peers import Caller, LocalPeer, Peer
from tests.properties.calls import FEW, Call, random_calls
from tests.properties.chronicle import Chronicle, chronicled, told
from tests.properties.histories import RandomHistory, random_history
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NAME, NOW_US

KEPT = 6
"""How many of the calls asked so far are asked again after a commit."""


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = LocalPeer(now_us=lambda: NOW_US)
    yield peer
    peer.close()


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 16, 10))
def test_every_call_of_a_retained_version_is_answered_as_the_oracle_answers_it(
    peer: Peer, seed: int, nodes: int, edges: int
) -> None:
    drawn, rng = random_history(seed, nodes, edges, steps=4), Random(seed)
    with chronicled(peer, drawn) as chronicle:
        asked: list[tuple[Caller, Call]] = []
        for step in drawn.steps:
            chronicle.take(step)
            asked = rng.sample(asked, min(len(asked), KEPT))
            asked += _new_calls(chronicle, drawn, rng)
            for caller, call in asked:
                difference = chronicle.difference(caller, call)
                assert not difference, told(drawn, chronicle, caller, call, difference)


def _new_calls(
    chronicle: Chronicle, drawn: RandomHistory, rng: Random
) -> Iterator[tuple[Caller, Call]]:
    """A few calls of each caller, of a version; seldom of one that is no longer retained."""
    history = chronicle.history
    for caller in drawn.callers:
        versions = range(history.newest + 1) if rng.random() < 0.1 else history.retained
        version = rng.choice(versions)
        seen = chronicle.seen(caller, version)
        for call in random_calls(rng, seen, chronicle.every_id(version), counts=FEW):
            if version == history.newest and rng.random() < 0.5:
                yield caller, chronicle.since(rng.randint(0, version), call)
            else:
                yield caller, chronicle.at(version, call)


@given(seed=seeds, nodes=st.integers(3, 10), edges=st.integers(0, 12))
@settings(max_examples=max(GRAPHS // 16, 10))
def test_no_version_lists_a_row_that_the_newest_readers_do_not_allow(
    peer: Peer, seed: int, nodes: int, edges: int
) -> None:
    drawn = random_history(seed, nodes, edges, steps=5)
    listing = "GraphService/Lookup", read_pb2.LookupRequest(collection=NAME, page_size=1_000)
    with chronicled(peer, drawn) as chronicle:
        for step in drawn.steps:
            chronicle.take(step)
            for version in chronicle.history.retained:
                for caller in drawn.callers:
                    call = chronicle.at(version, listing)
                    reply = peer.call(*call, caller=caller)
                    allowed = chronicle.graph(caller, version)
                    if not isinstance(allowed, Graph):
                        assert reply.code == allowed.code
                        continue
                    ids = [row.id for row in reply.read(read_pb2.LookupResponse).nodes]
                    assert ids == sorted(allowed.rows), told(drawn, chronicle, caller, call, "")


@given(seed=seeds)
@settings(max_examples=max(GRAPHS // 50, 5))
def test_a_token_that_names_no_version_is_refused_where_the_collection_is_known(
    peer: Peer, seed: int
) -> None:
    drawn = random_history(seed, 4, 4, steps=2)
    stranger = Caller("stranger")
    request = read_pb2.GetRequest(collection=NAME, ids=["n0"])
    with chronicled(peer, drawn) as before:
        old = before.tokens[-1]
    drawn.settings.users[:] = ["user:ada", "user:bob"]
    with chronicled(peer, drawn) as chronicle:
        for asked in ("at_version", "at_least_version"):
            for token, code, faults in (
                (old, "FAILED_PRECONDITION", []),
                ("nonsense", "INVALID_ARGUMENT", [f"read.{asked}"]),
                (chronicle.tokens[-1] + "0", "INVALID_ARGUMENT", [f"read.{asked}"]),
            ):
                setattr(request.read, asked, token)
                reply = peer.call("GraphService/Get", request, caller=Caller("ada"))
                assert (reply.code, sorted(reply.faults())) == (code, faults), (asked, token)
                reply = peer.call("GraphService/Get", request, caller=stranger)
                assert reply.code == "NOT_FOUND"
