"""The nodes that a walk reached, and what an edge into one of them does.

A place is an entry of the compact arrays of `Reached`, in the order of arrival: the places of one
hop are side by side, and a walk touches memory for what it visits. ``place[row]`` is the place of
the row plus one, 0 where the walk has not been.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, U1
from passageway_server.engine.kernels.compiling import (
    Int,
    Real,
    abandoned,
    inlined,
    is_turn,
    kernel,
)

OUT, IN = 1, 2
"""How an edge runs, seen from the node being left."""


class Reached(NamedTuple):
    """Scratch of one walk: ``place`` by row, the rest by place."""

    place: NDArray[np.int32]
    rows: NDArray[np.int32]
    scores: NDArray[np.float64]
    hops: NDArray[np.uint8]
    shares: NDArray[np.float64]  # what the best edge gave; unset on a seed, like the next three
    via: NDArray[np.int32]  # the place from which that edge ran
    edges: NDArray[np.int32]  # its key
    ways: NDArray[np.uint8]  # OUT or IN, seen from via
    order: NDArray[np.int32]  # places, as the last selection left them
    total: NDArray[np.int64]  # [0]: how many nodes were reached


REACHED = types.NamedTuple(
    (
        types.int32[::1],
        types.int32[::1],
        types.float64[::1],
        types.uint8[::1],
        types.float64[::1],
        types.int32[::1],
        types.int32[::1],
        types.uint8[::1],
        types.int32[::1],
        types.int64[::1],
    ),
    Reached,
)


@inlined
def share_of(passed: Real, weight: Real) -> float:
    """What an edge of *weight* gives from a node that passes on *passed*."""
    share = passed * weight
    # An infinite score over a weight of 0 has no product; 0 keeps scores in a total order.
    return 0.0 if share != share else share


@inlined
def is_better(
    share: Real,
    most: Real,
    rank: NDArray[np.int32],
    row: Int,
    best_row: Int,
    stored: Int,
    best_stored: Int,
) -> bool:
    """Whether an edge that gives *share* from *row* displaces the best so far.

    Ties go by id, then by stored order.
    """
    if share != most:
        return bool(share > most)
    if row != best_row:
        return bool(rank[row] < rank[best_row])
    return bool(stored < best_stored)


@kernel(types.void(REACHED, I4, types.int64, types.int32, U1))
def keep(
    reached: Reached, rank: NDArray[np.int32], start: int, worst: int, stop: NDArray[np.uint8]
) -> None:
    """Of the places from *start* on, drop those after *worst* in the total order, as never reached.

    All of them are of one hop, and no later place refers to them yet. Abandoned, it leaves them in
    a state of no use.
    """
    place, rows, scores, hops = reached.place, reached.rows, reached.scores, reached.hops
    shares, via, edges, ways = reached.shares, reached.via, reached.edges, reached.ways
    score, last = scores[worst], rank[rows[worst]]
    kept = start
    for i in range(start, reached.total[0]):
        if is_turn(i) and abandoned(stop):
            break
        row = rows[i]
        if scores[i] < score or (scores[i] == score and rank[row] > last):
            place[row] = 0
            continue
        rows[kept], scores[kept], hops[kept] = row, scores[i], hops[i]
        shares[kept], via[kept], edges[kept], ways[kept] = shares[i], via[i], edges[i], ways[i]
        place[row] = kept + 1
        kept += 1
    reached.total[0] = kept


@kernel(types.void(REACHED))
def forget(reached: Reached) -> None:
    """Make the scratch ready for the next walk, at the cost of what this one reached."""
    place, rows = reached.place, reached.rows
    for i in range(reached.total[0]):
        place[rows[i]] = 0
    reached.total[0] = 0
