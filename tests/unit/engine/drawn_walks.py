"""Walks that were never walked: nodes and edges as a test wants them, and as chance has them."""

import random
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from passageway_server.columns.properties import Column
from passageway_server.engine.walked import Traversed, Walked
from passageway_server.version.version import Version

Edge = tuple[int, int, float]


def version_of(nodes: int, properties: Mapping[str, Column] | None = None) -> Version:
    """What stands in for a version of *nodes* rows, whose ids are in the order of the rows."""
    stand_in: Any = SimpleNamespace(
        rank=np.arange(nodes, dtype=np.int32),
        nodes=SimpleNamespace(properties=properties or {}),
    )
    return cast(Version, stand_in)


def walked(scores: Sequence[float], hops: Sequence[int], edges: Sequence[Edge]) -> Walked:
    """A walk that reached row i with ``scores[i]`` at ``hops[i]``; *edges* are source, target, weight."""
    count = len(scores)
    return Walked(
        rows=np.arange(count, dtype=np.int32),
        scores=np.array(scores, dtype=np.float64),
        hops=np.array(hops, dtype=np.uint8),
        via=np.full(count, -1, dtype=np.int32),
        edges=np.full(count, -1, dtype=np.int32),
        ways=np.zeros(count, dtype=np.uint8),
        traversed=Traversed(
            stored=np.arange(len(edges), dtype=np.int32),
            hops=np.ones(len(edges), dtype=np.uint8),
            sources=np.array([source for source, _, _ in edges], dtype=np.int32),
            targets=np.array([target for _, target, _ in edges], dtype=np.int32),
            weights=np.array([weight for _, _, weight in edges], dtype=np.float64),
        ),
    )


def drawn(rng: random.Random) -> Walked:
    """1 to 30 nodes with equal scores, parallel edges, zero weights, and parts that hang together with none."""
    count = rng.randint(1, 30)
    seeds = rng.randint(1, count)
    hops = [0] * seeds + sorted(rng.randint(1, 3) for _ in range(count - seeds))
    scores = [rng.choice((0.0, 0.25, 1.0, rng.random(), 2.5)) for _ in hops]
    edges: list[Edge] = []
    for _ in range(rng.randint(0, 3 * count)) if count > 1 else ():
        source, target = rng.sample(range(count), 2)
        edges.append((source, target, rng.choice((0.0, 0.5, 1.0, 1.0, rng.random(), 1e300))))
    return walked(scores, hops, edges)
