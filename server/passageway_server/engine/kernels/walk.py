"""One hop of a walk without filters, in one pass.

From each node of the frontier the visible edges are followed heaviest first, then in stored order;
an edge counts as visible only where both its ends are. `listed` does the same in two passes, with
filters between them.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import (
    EDGES,
    I4,
    SIGHT,
    Edges,
    Sight,
    is_open,
)
from passageway_server.engine.kernels.changes import (
    BOTH_MERGED,
    BothMerged,
    has_more,
    merge_on,
    most_edges_of,
)
from passageway_server.engine.kernels.compiling import LOOK, halted, kernel
from passageway_server.engine.kernels.reach import (
    OUT,
    REACHED,
    Reached,
    is_better,
    share_of,
)
from passageway_server.engine.kernels.step import (
    LISTED,
    STEP,
    Listed,
    Step,
    is_crowded,
    next_slot,
    piece_of,
)

_I8 = types.int64


@kernel(_I8(EDGES, EDGES, REACHED, types.int32[::1], _I8, STEP))
def most_edges(
    out: Edges, into: Edges, reached: Reached, frontier: NDArray[np.int32], size: int, step: Step
) -> int:
    """At most how many edges the first *size* places of *frontier* can follow for anybody."""
    rows = reached.rows
    outward, inward, most = step.outward, step.inward, step.max_per_node
    total = 0
    for entry in range(size):
        row = rows[frontier[entry]]
        degree = 0
        if outward:
            degree += most_edges_of(out, row)
        if inward:
            degree += most_edges_of(into, row)
        total += min(degree, most)
    return int(total)


@kernel(_I8(EDGES, EDGES, SIGHT, I4, REACHED, BOTH_MERGED, types.int32[::1], _I8, STEP, LISTED))
def walk(
    out: Edges,
    into: Edges,
    sight: Sight,
    rank: NDArray[np.int32],
    reached: Reached,
    merged: BothMerged,
    frontier: NDArray[np.int32],
    size: int,
    step: Step,
    followed: Listed,
) -> int:
    """Expand the first *size* places of *frontier*, in their order; how many edges were noted in
    *followed*.

    An empty *followed* notes none; else it has room for `most_edges`. Halted, it leaves the rest of
    the frontier as it is: what was reached is all there, by some of the edges that lead to it.
    """
    out_merged, in_merged = merged
    classes, expiry, verdict, now, stop = sight
    place, rows, scores, hops = reached.place, reached.rows, reached.scores, reached.hops
    shares, via, edges, ways = reached.shares, reached.via, reached.edges, reached.ways
    outward, inward = step.outward, step.inward
    out_walked, in_walked = step.out_walked, step.in_walked
    noted_nears, noted_others, noted_weights, noted_stored, noted_ways = followed
    noting = len(noted_stored) > 0
    noted = 0
    start = reached.total[0]
    count = start
    for entry in range(size):
        if halted(stop):
            break
        near = frontier[entry]
        row = rows[near]
        if is_crowded(out, into, sight, step, row):
            continue
        (out_others, out_weights, out_classes, out_stored, i, i_end, out_more) = piece_of(
            out, out_merged, row, 0, stop, outward
        )
        (in_others, in_weights, in_classes, in_stored, j, j_end, in_more) = piece_of(
            into, in_merged, row, 0, stop, inward
        )
        passed = scores[near] * step.decay
        left, end = step.max_per_node, i_end + j_end
        while True:
            pause = min(end, i + j + LOOK)
            if out_more:  # no further than the piece goes: what is behind it may come first
                pause = min(pause, i_end + j)
            if in_more:
                pause = min(pause, i + j_end)
            while left > 0 and i + j < pause:
                slot, way, i, j = next_slot(
                    out_weights, out_stored, in_weights, in_stored, i, i_end, j, j_end
                )
                if way == OUT:
                    if out_walked[out_classes[slot]] == 0:
                        continue
                    other, weight, stored = out_others[slot], out_weights[slot], out_stored[slot]
                else:
                    if in_walked[in_classes[slot]] == 0:
                        continue
                    other, weight, stored = in_others[slot], in_weights[slot], in_stored[slot]
                there = place[other] - 1
                # Where the walk has been is open.
                if there < 0 and not is_open(classes, expiry, verdict, now, other):
                    continue
                left -= 1
                if noting:
                    noted_stored[noted] = stored
                    noted_nears[noted] = near
                    noted_others[noted] = other
                    noted_weights[noted] = weight
                    noted_ways[noted] = way
                    noted += 1
                if there < 0:
                    there = count
                    count += 1
                    share = share_of(passed, weight)
                    place[other] = count
                    rows[there] = other
                    scores[there] = share
                    hops[there] = step.hop
                elif there < start:
                    continue
                else:
                    share = share_of(passed, weight)
                    if step.summing:
                        scores[there] += share
                    elif share > scores[there]:
                        scores[there] = share
                    if not is_better(
                        share, shares[there], rank, row, rows[via[there]], stored, edges[there]
                    ):
                        continue
                shares[there] = share
                via[there] = near
                edges[there] = stored
                ways[there] = way
            if left <= 0 or halted(stop):
                break
            if out_more and i == i_end:
                i, i_end = 0, merge_on(out, out_merged, 0, stop)
                out_more = has_more(out_merged)
            elif in_more and j == j_end:
                j, j_end = 0, merge_on(into, in_merged, 0, stop)
                in_more = has_more(in_merged)
            elif pause == end:
                break
            end = i_end + j_end
    reached.total[0] = count
    return noted
