"""Restores in place, and restarts: the oracle's answers, of the newest version and of those from before.

What is read is on a disk, so that snapshots can be taken and the server can come back.
"""

from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from passageway.v1 import store_pb2
from tests.peers import LocalPeer
from tests.properties.calls import FEW, random_calls
from tests.properties.chronicle import Chronicle, told
from tests.properties.histories import RandomHistory, random_history
from tests.properties.strategies import GRAPHS, edge_counts, node_counts, seeds
from tests.properties.words import NOW_US

_FOLDERS = count()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@given(seed=seeds, nodes=node_counts, edges=edge_counts)
@settings(max_examples=max(GRAPHS // 80, 5))
def test_a_collection_that_is_restored_and_opened_again_is_that_of_the_oracle(
    root: Path, seed: int, nodes: int, edges: int
) -> None:
    drawn, rng = random_history(seed, nodes, edges, steps=7, restores=True), Random(seed)
    folder = root / str(next(_FOLDERS))
    peer = LocalPeer(folder, now_us=lambda: NOW_US)
    chronicle = Chronicle(peer, drawn.settings)
    for step in drawn.first:
        chronicle.take(step)
    for step in drawn.steps:
        chronicle.take(step)
        _ask(chronicle, drawn, rng, rng.choice(chronicle.history.retained))
    peer.close()

    chronicle.peer = LocalPeer(folder, now_us=lambda: NOW_US)
    _ask(chronicle, drawn, rng, chronicle.history.newest)
    chronicle.take(store_pb2.Batch(delete_nodes=chronicle.every_id(0)[:2]))
    _ask(chronicle, drawn, rng, chronicle.history.newest - rng.randint(0, 1))
    chronicle.peer.close()


def _ask(chronicle: Chronicle, drawn: RandomHistory, rng: Random, version: int) -> None:
    """A few calls of each caller, of one version."""
    for caller in drawn.callers:
        seen = chronicle.seen(caller, version)
        for call in random_calls(rng, seen, chronicle.every_id(version), counts=FEW):
            dated = chronicle.at(version, call)
            difference = chronicle.difference(caller, dated)
            assert not difference, told(drawn, chronicle, caller, dated, difference)
