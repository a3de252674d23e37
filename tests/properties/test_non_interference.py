"""The rule of authorization: rows that a caller may not read change nothing of what it is told.

The whole reply is compared (status, text, details, trailers, bytes) between a collection, the same without the
rows and fields hidden from the caller, the same with others, and after a snapshot and a restart. What membership gives
a caller is worked out first: elsewhere it has those principals from the outset.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from passageway.v1 import store_pb2
from tests.oracle.graph import Graph
from tests.peers import OPERATOR, Caller, LocalPeer, Peer, fill, filled, served
from tests.properties.agreement import story
from tests.properties.calls import FEW, Call, random_calls
from tests.properties.paging import Replies, first_difference, replies
from tests.properties.rebuilds import (
    among_other_hidden_rows,
    batch_of,
    readable,
    settings_of,
    with_its_memberships,
    with_other_hidden_fields,
)
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.test_agrees_with_oracle import visible_graph
from tests.properties.words import NAME, NOW_US
from tests.properties.worlds import RandomWorld, random_world

COUNTS = {**FEW, "Search": 2, "Context": 2}
"""How many calls of each kind a caller makes on a graph."""


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = LocalPeer(now_us=lambda: NOW_US)
    yield peer
    peer.close()


@pytest.fixture(scope="module")
def fresh_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    numbers = count()
    root = tmp_path_factory.mktemp("restarts")
    return lambda: root / str(next(numbers))


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=GRAPHS)
def test_rows_hidden_from_a_caller_change_nothing_of_its_replies(
    peer: Peer, fresh_folder: Callable[[], Path], seed: int, nodes: int, edges: int
) -> None:
    drawn = random_world(seed, nodes, edges)
    caller = Random(seed).choice(drawn.callers)
    asked_again, restarts = seed % 4 == 0, seed % 10 == 0
    several = drawn.callers if asked_again or restarts else [caller]
    asked = {one: _calls(drawn, one, seed) for one in several}

    with filled(peer, drawn.settings, drawn.batches):
        cold = {one: replies(peer, one, calls) for one, calls in asked.items()}
        if asked_again:
            for one, calls in asked.items():
                _same(drawn, one, calls, cold[one], replies(peer, one, calls), "asked again")

    there = with_its_memberships(drawn.world, caller)
    for what, rebuild in _rebuilds(drawn, there, seed).items():
        with filled(peer, *rebuild):
            again = replies(peer, there, asked[caller])
            _same(drawn, caller, asked[caller], cold[caller], again, what)

    if restarts:
        restarted = _restarted(fresh_folder(), drawn)
        for one, calls in asked.items():
            _same(drawn, one, calls, cold[one], replies(restarted, one, calls), "restart")
        restarted.close()


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 100, 5))
def test_the_rule_holds_behind_a_channel(
    fresh_folder: Callable[[], Path], seed: int, nodes: int, edges: int
) -> None:
    drawn = random_world(seed, nodes, edges)
    asked = {caller: _calls(drawn, caller, seed) for caller in drawn.callers}
    elsewhere = {caller: with_its_memberships(drawn.world, caller) for caller in asked}
    folder = fresh_folder()
    folder.mkdir()

    with served(folder, [*elsewhere, *elsewhere.values()]) as peer:
        with filled(peer, drawn.settings, drawn.batches):
            whole = {caller: replies(peer, caller, calls) for caller, calls in asked.items()}
        for caller, there in elsewhere.items():
            for what, rebuild in _rebuilds(drawn, there, seed).items():
                with filled(peer, *rebuild):
                    again = replies(peer, there, asked[caller])
                    _same(drawn, caller, asked[caller], whole[caller], again, what)


Rebuild = tuple[store_pb2.Collection, list[store_pb2.Batch]]


def _rebuilds(drawn: RandomWorld, caller: Caller, seed: int) -> dict[str, Rebuild]:
    """The collection in other forms, that must be one and the same to *caller*, whose memberships are worked out."""
    left = readable(drawn.world, caller)
    visible, left_settings = batch_of(left), settings_of(left)
    rebuilds: dict[str, Rebuild] = {"only readable rows": (left_settings, [visible])}
    if not caller.admin:
        rng = Random(seed)
        guarded, holding = with_other_hidden_fields(rng, left_settings, visible)
        rebuilds["other hidden rows"] = guarded, among_other_hidden_rows(rng, holding)
    return rebuilds


def _restarted(folder: Path, drawn: RandomWorld) -> Peer:
    """A server that opened what another one left in *folder*: a snapshot."""
    first = LocalPeer(folder, now_us=lambda: NOW_US)
    fill(first, drawn.settings, drawn.batches)
    saved = first.call(
        "StoreService/CreateSnapshot",
        store_pb2.CreateSnapshotRequest(collection=NAME),
        caller=OPERATOR,
    )
    assert saved.code == "OK", saved.message
    first.close()
    return LocalPeer(folder, now_us=lambda: NOW_US)


def _calls(drawn: RandomWorld, caller: Caller, seed: int) -> list[Call]:
    graph = visible_graph(drawn, caller)
    seen = graph if isinstance(graph, Graph) else Graph(drawn.world, admin=False)
    every_id = [*drawn.world.nodes, *drawn.world.passages]
    return list(random_calls(Random(seed), seen, every_id, counts=COUNTS))


def _same(
    drawn: RandomWorld,
    caller: Caller,
    calls: list[Call],
    before: Replies,
    after: Replies,
    what: str,
) -> None:
    for call, one, other in zip(calls, before, after, strict=True):
        different = first_difference([call], [one], [other])
        assert not different, story(drawn, caller, call, f"{what}: {different}")
