"""The first hits of a search are the first of a longer list, whatever the order in which rows came, and after a restart."""

from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from passageway.v1 import search_pb2, store_pb2
from tests.oracle.graph import Graph
from tests.peers import Caller, LocalPeer, Peer, fill, filled
from tests.properties.calls import random_calls
from tests.properties.rebuilds import batch_of, readable, settings_of, with_its_memberships
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NOW_US
from tests.properties.worlds import random_world

_FOLDERS = count()
_SEARCHES = 6


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 20, 10))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(
    root: Path, seed: int, nodes: int, edges: int
) -> None:
    drawn, rng = random_world(seed, nodes, edges), Random(seed)
    caller = rng.choice(drawn.callers)
    there = with_its_memberships(drawn.world, caller)
    left = readable(drawn.world, there)
    searches = _searches(rng, Graph(left, admin=caller.admin))
    folder = root / str(next(_FOLDERS))
    peer = LocalPeer(folder, now_us=lambda: NOW_US)
    fill(peer, drawn.settings, drawn.batches)

    found = [_both(peer, caller, search) for search in searches]
    peer.close()

    again = LocalPeer(folder, now_us=lambda: NOW_US)
    assert [_both(again, caller, search) for search in searches] == found
    again.close()
    other = LocalPeer(now_us=lambda: NOW_US)
    with filled(other, settings_of(left), [_shuffled(rng, batch_of(left))]):
        assert [_both(other, there, search) for search in searches] == found
    other.close()


def _searches(rng: Random, graph: Graph) -> list[search_pb2.SearchRequest]:
    """Searches whose limits say how many hits the shorter list has."""
    found: list[search_pb2.SearchRequest] = []
    for _, request in random_calls(rng, graph, [*graph.rows], counts={"Search": _SEARCHES}):
        assert isinstance(request, search_pb2.SearchRequest)
        request.query.limit = rng.choice((1, 1, 2, 3, 5, 8))
        found.append(request)
    return found


def _both(peer: Peer, caller: Caller, search: search_pb2.SearchRequest) -> bytes:
    """The longer list, of which the shorter one is the beginning; nothing where the search is refused."""
    shorter, longer = search_pb2.SearchRequest(), search_pb2.SearchRequest()
    shorter.CopyFrom(search)
    longer.CopyFrom(search)
    longer.query.limit *= 2
    replies = [peer.call("GraphService/Search", one, caller=caller) for one in (shorter, longer)]
    if replies[0].code != "OK":
        assert replies[0].code == replies[1].code
        return b""
    first, second = (search_pb2.SearchResponse.FromString(reply.response) for reply in replies)
    assert list(first.hits) == list(second.hits)[: search.query.limit]
    assert (first.total, first.truncated) == (second.total, first.total > len(first.hits))
    second.ClearField("version")
    return second.SerializeToString(deterministic=True)


def _shuffled(rng: Random, batch: store_pb2.Batch) -> store_pb2.Batch:
    """The same records in another order."""
    return store_pb2.Batch(
        put_nodes=rng.sample(list(batch.put_nodes), len(batch.put_nodes)),
        put_passages=rng.sample(list(batch.put_passages), len(batch.put_passages)),
        put_edges=rng.sample(list(batch.put_edges), len(batch.put_edges)),
    )
