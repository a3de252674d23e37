"""Caps on one level of a search for paths: on the edges of a node, and on the nodes of a spec.

Edges are side by side, as a side listed them: *near* is left, *far* is met, *specs* has a bit for
each spec that allows the edge; an edge without one is dropped. A level may have every edge of the
graph, so nothing here sorts them all at once.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.engine.paths_plan import NO_CAP, PathEdges
from passageway_server.values.halt import Halt

Places = NDArray[np.int32]
Bits = NDArray[np.uint16]

_AT_ONCE = 1 << 18  # edges that are sorted between two looks at the halt
_KEY = 0xFFFFFFFF  # the bits of one


def best_of(costs: NDArray[np.float64], ids: NDArray[np.int32], most: int) -> NDArray[np.integer]:
    """Which of nodes are the best *most*, at least 1, by (cost, id), in that order."""
    chosen = np.arange(len(costs))
    if most < len(costs):
        worst = np.partition(costs, most - 1)[most - 1]
        surely, ties = np.flatnonzero(costs < worst), np.flatnonzero(costs == worst)
        left = most - len(surely)
        if left < len(ties):
            ties = ties[np.argpartition(ids[ties], left - 1)[:left]]
        chosen = np.concatenate((surely, ties))
    return chosen[np.lexsort((ids[chosen], costs[chosen]))]


def drop_busy(
    near: Places,
    stored: NDArray[np.int32],
    specs: Bits,
    *,
    max_degree: int,
    several: bool,
    halt: Halt,
) -> bool:
    """Drop the edges of nodes that have more than *max_degree* of them; whether there was one.

    With *several* weights in use an edge may be listed more than once, and counts once.
    """
    if max_degree == NO_CAP:
        return False
    counted, size = near[specs != 0], int(near.max(initial=0)) + 1
    if several:
        edges = counted.astype(np.int64) << 32 | (stored[specs != 0].astype(np.int64) & _KEY)
        parts = len(edges) // _AT_ONCE + 1
        degrees = np.zeros(size, dtype=np.int64)
        for part in range(parts):
            halt.check()
            distinct = united(edges[edges % parts == part])
            degrees += np.bincount(distinct >> 32, minlength=size)
    else:
        degrees = np.bincount(counted, minlength=size)
    busy = degrees > max_degree
    specs[busy[near]] = 0
    return bool(busy.any())


def drop_late(
    far: Places,
    specs: Bits,
    *,
    edges: tuple[PathEdges, ...],
    addable: NDArray[np.bool_],
    costs: NDArray[np.float64],
    ids: NDArray[np.int32],
) -> bool:
    """Drop the edges to new nodes that no spec adds; whether there was one.

    Each spec adds its best by (cost, id).

    By edge: *addable* where it meets a new node that a cap may leave out, *costs* so far and *ids*
    of that node. An edge to a node that is added stays, whichever spec allows it: the evidence of a
    path is the cheapest of all.
    """
    left = specs.copy()
    for bit, spec in enumerate(edges):
        if spec.max_frontier == NO_CAP:
            continue
        found = np.flatnonzero(((specs & (1 << bit)) != 0) & addable)
        met = far[found]
        least = np.full(int(met.max(initial=0)) + 1, np.inf)
        np.minimum.at(least, met, costs[found])
        id_of = np.empty(len(least), dtype=np.int32)
        id_of[met] = ids[found]
        nodes = np.flatnonzero(least < np.inf)
        kept = nodes[best_of(least[nodes], id_of[nodes], spec.max_frontier)]
        left[found[~np.isin(far[found], kept)]] &= np.uint16(0xFFFF ^ (1 << bit))
    late = addable & (specs != 0) & ~np.isin(far, far[left != 0])
    specs[late] = 0
    return bool(late.any())
