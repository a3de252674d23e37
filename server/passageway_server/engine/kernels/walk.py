"""One hop of a walk without filters, in one pass.

From each node of the frontier the visible edges are followed heaviest first, then in stored order;
an edge counts as visible only where both its ends are. `listed` does the same in two passes, with
filters between them.
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
    is_walked,
)
from passageway_server.engine.kernels.compiling import (
    LOOK,
    Int,
    Real,
    halted,
    inlined,
    is_turn,
    kernel,
)
from passageway_server.engine.kernels.reach import (
    IN,
    OUT,
    REACHED,
    Reached,
    is_better,
    share_of,
)

NO_CAP = int(np.iinfo(np.int64).max)


class Step(NamedTuple):
    """What a hop may use.

    A table of types holds 1 for each edge type to walk; empty, it allows every type.
    """

    hop: int
    decay: float
    summing: bool  # else the best share counts
    outward: bool
    inward: bool
    out_types: NDArray[np.uint8]
    in_types: NDArray[np.uint8]
    max_degree: int  # NO_CAP, like the next
    max_per_node: int


class Followed(NamedTuple):
    """Edges that were followed: stored number, the place left, the row to which each led, its weight."""

    stored: NDArray[np.int32]
    nears: NDArray[np.int32]
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    ways: NDArray[np.uint8]

    @classmethod
    def room(cls, edges: int) -> "Followed":
        """Scratch for *edges* edges."""
        return cls(
            stored=np.empty(edges, dtype=np.int32),
            nears=np.empty(edges, dtype=np.int32),
            others=np.empty(edges, dtype=np.int32),
            weights=np.empty(edges, dtype=np.float64),
            ways=np.empty(edges, dtype=np.uint8),
        )

    def first(self, count: int) -> "Followed":
        """The first *count* of them."""
        return Followed(
            self.stored[:count],
            self.nears[:count],
            self.others[:count],
            self.weights[:count],
            self.ways[:count],
        )


_I8 = types.int64
STEP = types.NamedTuple(
    (_I8, types.float64, types.boolean, types.boolean, types.boolean, U1, U1, _I8, _I8), Step
)
_NEW_I4 = types.int32[::1]
FOLLOWED = types.NamedTuple(
    (_NEW_I4, _NEW_I4, _NEW_I4, types.float64[::1], types.uint8[::1]), Followed
)


@kernel(_I8(EDGES, EDGES, REACHED, types.int32[::1], _I8, STEP))
def most_edges(
    out: Edges, into: Edges, reached: Reached, frontier: NDArray[np.int32], size: int, step: Step
) -> int:
    """At most how many edges the first *size* places of *frontier* can follow for anybody."""
    out_offsets, in_offsets, rows = out.offsets, into.offsets, reached.rows
    outward, inward, most = step.outward, step.inward, step.max_per_node
    total = 0
    for entry in range(size):
        row = rows[frontier[entry]]
        degree = 0
        if outward:
            degree += out_offsets[row + 1] - out_offsets[row]
        if inward:
            degree += in_offsets[row + 1] - in_offsets[row]
        total += min(degree, most)
    return int(total)


@inlined
def usable_within(
    others: NDArray[np.int32],
    edge_types: NDArray[np.int32],
    gates: NDArray[np.int32],
    walked: NDArray[np.uint8],
    holds: NDArray[np.uint8],
    classes: NDArray[np.int32],
    expiry: NDArray[np.int64],
    verdict: NDArray[np.uint8],
    now: Int,
    stop: NDArray[np.uint8],
    first: Int,
    end: Int,
    most: Int,
) -> int:
    """How many edges in slots ``first:end`` a hop may use; no more than ``most + 1`` count.

    Halted, it has not seen them all.
    """
    usable = 0
    for slot in range(first, end):
        if is_turn(slot) and halted(stop):
            break
        if is_walked(walked, edge_types, holds, gates, slot) and is_open(
            classes, expiry, verdict, now, others[slot]
        ):
            usable += 1
            if usable > most:
                break
    return usable


@inlined
def comes_first(weight: Real, stored: Int, other_weight: Real, other_stored: Int) -> bool:
    """Whether an edge comes before another of its node: the heavier, then the earlier."""
    return bool(weight > other_weight or (weight == other_weight and stored < other_stored))


@inlined
def is_crowded(
    out: Edges, into: Edges, sight: Sight, step: Step, i: Int, i_end: Int, j: Int, j_end: Int
) -> bool:
    """Whether of a node's edges, ``i:i_end`` out and ``j:j_end`` in, too many may be used.

    Halted, it says so of nodes with fewer.
    """
    most = step.max_degree
    crowded = bool(i_end - i + j_end - j > most)
    if crowded:
        usable = usable_within(
            out.others, out.types, out.gates, step.out_types, sight.holds,
            sight.classes, sight.expiry, sight.verdict, sight.now, sight.stop, i, i_end, most,
        )  # fmt: skip
        usable += usable_within(
            into.others, into.types, into.gates, step.in_types, sight.holds,
            sight.classes, sight.expiry, sight.verdict, sight.now, sight.stop, j, j_end,
            most - usable,
        )  # fmt: skip
        crowded = usable > most or halted(sight.stop)
    return crowded


@inlined
def next_slot(
    out_weights: NDArray[np.float64],
    out_stored: NDArray[np.int32],
    in_weights: NDArray[np.float64],
    in_stored: NDArray[np.int32],
    i: Int,
    i_end: Int,
    j: Int,
    j_end: Int,
) -> tuple[int, int, int, int]:
    """Which of a node's edges ``i:i_end`` out and ``j:j_end`` in is next; there is one.

    Its slot, how it runs, and where both lists go on after it.
    """
    slot, way = j, IN
    if j >= j_end or (
        i < i_end and comes_first(out_weights[i], out_stored[i], in_weights[j], in_stored[j])
    ):
        slot, way = i, OUT
        i += 1
    else:
        j += 1
    return slot, way, i, j


@kernel(_I8(EDGES, EDGES, SIGHT, I4, REACHED, types.int32[::1], _I8, STEP, FOLLOWED))
def walk(
    out: Edges,
    into: Edges,
    sight: Sight,
    rank: NDArray[np.int32],
    reached: Reached,
    frontier: NDArray[np.int32],
    size: int,
    step: Step,
    followed: Followed,
) -> int:
    """Expand the first *size* places of *frontier*, in their order; how many edges were noted in
    *followed*.

    An empty *followed* notes none; else it has room for `most_edges`. Halted, it leaves the rest of
    the frontier as it is: what was reached is all there, by some of the edges that lead to it.
    """
    out_offsets, out_others, out_weights, out_types, out_gates, out_stored = out
    in_offsets, in_others, in_weights, in_types, in_gates, in_stored = into
    classes, expiry, verdict, holds, now, stop = sight
    place, rows, scores, hops = reached.place, reached.rows, reached.scores, reached.hops
    shares, via, edges, ways = reached.shares, reached.via, reached.edges, reached.ways
    outward, inward = step.outward, step.inward
    out_walked, in_walked = step.out_types, step.in_types
    noted_stored, noted_nears, noted_others, noted_weights, noted_ways = followed
    noting = len(noted_stored) > 0
    noted = 0
    start = reached.total[0]
    count = start
    for entry in range(size):
        if halted(stop):
            break
        near = frontier[entry]
        row = rows[near]
        i = i_end = j = j_end = 0
        if outward:
            i, i_end = out_offsets[row], out_offsets[row + 1]
        if inward:
            j, j_end = in_offsets[row], in_offsets[row + 1]
        if is_crowded(out, into, sight, step, i, i_end, j, j_end):
            continue
        passed = scores[near] * step.decay
        left, end = step.max_per_node, i_end + j_end
        while True:
            pause = min(end, i + j + LOOK)
            while left > 0 and i + j < pause:
                slot, way, i, j = next_slot(
                    out_weights, out_stored, in_weights, in_stored, i, i_end, j, j_end
                )
                if way == OUT:
                    if not is_walked(out_walked, out_types, holds, out_gates, slot):
                        continue
                    other, weight, stored = out_others[slot], out_weights[slot], out_stored[slot]
                else:
                    if not is_walked(in_walked, in_types, holds, in_gates, slot):
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
            if left <= 0 or pause == end or halted(stop):
                break
    reached.total[0] = count
    return noted
