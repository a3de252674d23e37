"""One hop of a walk with filters, in two passes: list the visible edges, and follow those let
through.

Between the passes the caller judges the listed edges and the rows at their other ends; it may ask
for the edges of a node piece by piece. Together the passes do what `walk` does.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import (
    EDGES,
    I4,
    SIGHT,
    U1,
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
from passageway_server.engine.kernels.compiling import abandoned, halted, is_turn, kernel
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


class Cursors(NamedTuple):
    """How many edges of each node were looked at, of those out of it and of those into it."""

    out: NDArray[np.int64]
    into: NDArray[np.int64]

    @classmethod
    def begun(cls, out: Edges, into: Edges, rows: NDArray[np.int32], step: Step) -> "Cursors":
        """None of the edges of *rows*; of a direction that *step* lacks, all."""
        none = np.zeros(len(rows), dtype=np.int64)
        return cls(
            none if step.outward else out.most_edges(rows),
            none.copy() if step.inward else into.most_edges(rows),
        )

    def left(self, out: Edges, into: Edges, rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """No fewer than the edges of each of *rows* that were not looked at yet; 0 where there are none."""
        return out.most_edges(rows) - self.out + into.most_edges(rows) - self.into

    def chosen(self, which: NDArray[np.bool_]) -> "Cursors":
        """Those of some of the nodes."""
        return Cursors(self.out[which], self.into[which])


_I8 = types.int64
CURSORS = types.NamedUniTuple(types.int64[::1], 2, Cursors)


@kernel(_I8(EDGES, EDGES, SIGHT, REACHED, BOTH_MERGED, types.int32[::1], STEP, CURSORS, LISTED))
def gather(
    out: Edges,
    into: Edges,
    sight: Sight,
    reached: Reached,
    merged: BothMerged,
    frontier: NDArray[np.int32],
    step: Step,
    cursors: Cursors,
    listed: Listed,
) -> int:
    """List the next edges that each place of *frontier* may use; how many they are in all.

    Of each at most ``max_per_node``; *cursors* go on. A place with more edges than ``max_degree``
    has none. *listed* has room for all. Halted, it lists no more.
    """
    out_merged, in_merged = merged
    classes, expiry, verdict, now, stop = sight
    out_walked, in_walked = step.out_walked, step.in_walked
    nears, others, weights, numbers, ways = listed
    next_out, next_in = cursors
    rows = reached.rows
    count = 0
    for entry in range(len(frontier)):
        if halted(stop):
            break
        near = frontier[entry]
        row = rows[near]
        most_out, most_in = most_edges_of(out, row), most_edges_of(into, row)
        if is_crowded(out, into, sight, step, row):
            next_out[entry], next_in[entry] = most_out, most_in
            continue
        (out_others, out_weights, out_classes, out_stored, i, i_end, out_more) = piece_of(
            out, out_merged, row, next_out[entry], stop, next_out[entry] < most_out
        )
        (in_others, in_weights, in_classes, in_stored, j, j_end, in_more) = piece_of(
            into, in_merged, row, next_in[entry], stop, next_in[entry] < most_in
        )
        before_i, before_j = next_out[entry] - i, next_in[entry] - j
        left = step.max_per_node
        while left > 0:
            if out_more and i == i_end:
                before_i += i
                i, i_end = 0, merge_on(out, out_merged, 0, stop)
                out_more = has_more(out_merged)
            if in_more and j == j_end:
                before_j += j
                j, j_end = 0, merge_on(into, in_merged, 0, stop)
                in_more = has_more(in_merged)
            if (i >= i_end and j >= j_end) or (is_turn(i + j) and halted(stop)):
                break
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
            if not is_open(classes, expiry, verdict, now, other):
                continue
            nears[count], others[count], weights[count] = near, other, weight
            numbers[count], ways[count] = stored, way
            count += 1
            left -= 1
        next_out[entry] = before_i + i if i < i_end or out_more else most_out
        next_in[entry] = before_j + j if j < j_end or in_more else most_in
    return count


@kernel(types.void(I4, REACHED, STEP, LISTED, _I8, U1))
def follow(
    rank: NDArray[np.int32],
    reached: Reached,
    step: Step,
    listed: Listed,
    start: int,
    stop: NDArray[np.uint8],
) -> None:
    """Follow all of *listed*, in its order; ``max_per_node`` is not looked at.

    Places before *start* were reached by an earlier hop. Abandoned, it follows no more.
    """
    place, rows, scores, hops = reached.place, reached.rows, reached.scores, reached.hops
    shares, via, edges, ways = reached.shares, reached.via, reached.edges, reached.ways
    nears, others, weights, numbers, directions = listed
    count = reached.total[0]
    for i in range(len(nears)):
        if is_turn(i) and abandoned(stop):
            break
        other, near, stored = others[i], nears[i], numbers[i]
        there = place[other] - 1
        if 0 <= there < start:
            continue
        share = share_of(scores[near] * step.decay, weights[i])
        if there < 0:
            there = count
            count += 1
            place[other] = count
            rows[there] = other
            scores[there] = share
            hops[there] = step.hop
        else:
            if step.summing:
                scores[there] += share
            elif share > scores[there]:
                scores[there] = share
            if not is_better(
                share, shares[there], rank, rows[near], rows[via[there]], stored, edges[there]
            ):
                continue
        shares[there] = share
        via[there] = near
        edges[there] = stored
        ways[there] = directions[i]
    reached.total[0] = count


@kernel(_I8(types.int32[::1], types.uint8[::1], types.int32[::1], U1))
def distinct(
    values: NDArray[np.int32],
    marks: NDArray[np.uint8],
    found: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> int:
    """Bring each value of *values* once into *found*, in order of first appearance; how many they
    are.

    *marks* is 0 at every value before, and 1 at each of them after. Abandoned, some are missing.
    """
    count = 0
    for i in range(len(values)):
        if is_turn(i) and abandoned(stop):
            break
        value = values[i]
        if marks[value] == 0:
            marks[value] = 1
            found[count] = value
            count += 1
    return count
