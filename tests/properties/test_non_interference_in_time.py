"""The rule of authorization at older versions: rows that a caller may not read, then or today, change nothing.

Whole replies are compared, version tokens apart: of the version, of a collection that never had anything else than what
the caller may read of it, and of that among rows which were open in it and are hidden by now.
"""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings

from tests.oracle.history import History
from tests.peers import Caller, LocalPeer, Peer, filled
from tests.properties.calls import FEW, Call, random_calls
from tests.properties.chronicle import chronicled, told
from tests.properties.histories import RandomHistory, random_history
from tests.properties.narrowings import hidden_since
from tests.properties.paging import Replies, first_difference, replies
from tests.properties.rebuilds import (
    batch_of,
    readable_at,
    settings_of,
    with_its_memberships_at,
)
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NOW_US


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = LocalPeer(now_us=lambda: NOW_US)
    yield peer
    peer.close()


Asked = tuple[Caller, int, list[Call], Replies]
"""A caller, a version, the calls that it made there, and what it was told."""


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 20, 10))
def test_an_old_version_tells_what_it_would_tell_if_all_else_had_never_been(
    peer: Peer, seed: int, nodes: int, edges: int
) -> None:
    drawn, rng = random_history(seed, nodes, edges, steps=4), Random(seed)
    asked: list[Asked] = []
    with chronicled(peer, drawn) as chronicle:
        for step in drawn.steps:
            chronicle.take(step)
        for caller in drawn.callers:
            version = rng.choice(chronicle.history.retained)
            seen = chronicle.seen(caller, version)
            every_id = chronicle.every_id(version)
            calls = list(random_calls(rng, seen, every_id, counts=FEW))
            dated = [chronicle.at(version, call) for call in calls]
            cold = replies(peer, caller, dated)
            warm = first_difference(dated, cold, replies(peer, caller, dated))
            assert not warm, told(drawn, chronicle, caller, dated[0], warm)
            asked.append((caller, version, calls, cold))
        history = chronicle.history

    for caller, version, calls, before in asked:
        for after in _elsewhere(peer, history, caller, version, calls, rng):
            different = first_difference(calls, before, after)
            assert not different, told(drawn, chronicle, caller, calls[0], different)


def _elsewhere(
    peer: Peer, history: History, caller: Caller, version: int, calls: list[Call], rng: Random
) -> Iterator[Replies]:
    """What the caller is told where its rows of the version are alone, and where others are hidden since."""
    there = with_its_memberships_at(history, version, caller)
    left = readable_at(history, version, there)
    left_settings, visible = settings_of(left), batch_of(left)
    with filled(peer, left_settings, [visible]):
        yield replies(peer, there, calls)
    narrowed = hidden_since(rng, left_settings, visible, admin=there.admin)
    company = RandomHistory(narrowed.settings, narrowed.before, narrowed.since, [there])
    with chronicled(peer, company) as chronicle:
        for step in narrowed.since:
            chronicle.take(step)
        yield replies(peer, there, [chronicle.at(len(narrowed.before), call) for call in calls])
