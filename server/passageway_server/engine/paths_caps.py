"""Caps on one level of a search for paths: on the edges of a node, and on the nodes of a spec.

Edges are side by side, as a side listed them: *near* is left, *far* is met, *specs* has a bit for
each spec that allows the edge; an edge without one is dropped.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.paths_plan import NO_CAP, PathEdges

Places = NDArray[np.int32]
Bits = NDArray[np.uint16]


def drop_busy(
    near: Places, stored: NDArray[np.int32], specs: Bits, *, max_degree: int, several: bool
) -> bool:
    """Drop the edges of nodes that have more than *max_degree* of them; whether there was one.

    With *several* weights in use an edge may be listed more than once, and counts once.
    """
    if max_degree == NO_CAP:
        return False
    counted = near[specs != 0]
    if several:
        counted = np.unique(np.stack((counted, stored[specs != 0])), axis=1)[0]
    busy = np.bincount(counted, minlength=int(near.max(initial=0)) + 1) > max_degree
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
        nodes = far[found][np.lexsort((ids[found], costs[found]))]
        _, best = np.unique(nodes, return_index=True)
        kept = nodes[np.sort(best)[: spec.max_frontier]]
        left[found[~np.isin(far[found], kept)]] &= np.uint16(0xFFFF ^ (1 << bit))
    late = addable & (specs != 0) & ~np.isin(far, far[left != 0])
    specs[late] = 0
    return bool(late.any())
