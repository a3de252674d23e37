"""Readers beside a writer that swaps 200 edges for 200 others as fast as it can: each answer is of one version."""

import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from passageway.v1 import graph_pb2, read_pb2, store_pb2, types_pb2
from tests.crash.sizes import SECONDS
from tests.peers import Caller, LocalPeer, Peer, apply, fill

NAME = "swapped"
EDGES = 200
KINDS = ("EVEN", "ODD")
READERS = 8
ADA = Caller(sub="ada")

Seen = tuple[set[str], int]
"""The types of the edges of an answer, and how many they are."""


def generation(number: int) -> store_pb2.Batch:
    """The edges of *number* in the place of those before: of one type, to leaves of their own.

    Half of them bear ids of their own, the others replace edges of the same ids.
    """
    kind, before = KINDS[number % 2], KINDS[(number + 1) % 2]
    batch = store_pb2.Batch()
    for place in range(EDGES):
        own = place % 2 == 0
        if own:
            batch.delete_edges.append(f"{before}-{place}")
        batch.put_edges.add(
            id=f"{kind}-{place}" if own else f"kept-{place}",
            source="hub",
            target=f"leaf-{kind}-{place}",
            type=kind,
        )
    return batch


def hub_and_leaves() -> store_pb2.Batch:
    batch = store_pb2.Batch(put_nodes=[types_pb2.Node(id="hub")])
    for kind in KINDS:
        for place in range(EDGES):
            batch.put_nodes.add(id=f"leaf-{kind}-{place}", type=kind)
    return batch


def walked(peer: Peer) -> Seen:
    request = graph_pb2.ExpandRequest(
        collection=NAME,
        seeds=[graph_pb2.SeedGroup(ids=["hub"])],
        hops=[graph_pb2.Hop()],
        limit=-1,
        include_seeds=False,
        with_subgraph=True,
    )
    answer = peer.call("GraphService/Expand", request, caller=ADA).read(graph_pb2.ExpandResponse)
    kinds = {hit.node.type for hit in answer.hits} | {edge.edge.type for edge in answer.subgraph}
    assert len(answer.subgraph) == len(answer.hits) == answer.total
    return kinds, answer.total


def looked_up(peer: Peer) -> Seen:
    request = read_pb2.LookupRequest(
        collection=NAME, kind=read_pb2.LookupRequest.KIND_EDGES, page_size=2 * EDGES
    )
    request.facets["types"].field = "type"
    answer = peer.call("GraphService/Lookup", request, caller=ADA).read(read_pb2.LookupResponse)
    kinds = {edge.type for edge in answer.edges}
    kinds |= {bucket.value for bucket in answer.facets["types"].buckets}
    assert len(answer.edges) == answer.total
    return kinds, answer.total


def described(peer: Peer) -> Seen:
    request = read_pb2.DescribeRequest(collection=NAME)
    answer = peer.call("GraphService/Describe", request, caller=ADA).read(read_pb2.DescribeResponse)
    routes = [route for route in answer.routes if route.edge_type in KINDS]
    return {route.edge_type for route in routes}, sum(route.count for route in routes)


@pytest.fixture
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Peer]:
    peer = LocalPeer(tmp_path if request.param == "on the disk" else None)
    yield peer
    peer.close()


@pytest.mark.parametrize(
    ("peer", "seconds"),
    [("in memory", SECONDS / 6), ("on the disk", SECONDS)],
    ids=["in memory", "on the disk"],
    indirect=["peer"],
)
def test_each_answer_is_wholly_of_one_version(peer: Peer, seconds: float) -> None:
    settings = store_pb2.Collection(name=NAME, default_readers=["public"])
    fill(peer, settings, [hub_and_leaves(), generation(0)])
    done = threading.Event()

    def swap() -> set[str]:
        number = 0
        while not done.is_set():
            number += 1
            apply(peer, NAME, generation(number))
        return set(KINDS[-min(number, 2) :])

    def read(reader: int) -> set[str]:
        ask = (walked, looked_up, walked, described)[reader % 4]
        met: set[str] = set()
        while not done.is_set():
            kinds, edges = ask(peer)
            assert (len(kinds), edges) == (1, EDGES)
            met |= kinds
        return met

    with ThreadPoolExecutor(READERS + 1) as threads:
        try:
            swaps = threads.submit(swap)
            reads = [threads.submit(read, reader) for reader in range(READERS)]
            wait([swaps, *reads], timeout=seconds, return_when=FIRST_COMPLETED)
        finally:
            done.set()

    assert swaps.result() == set(KINDS)
    assert set[str]().union(*(one.result() for one in reads)) == set(KINDS)
