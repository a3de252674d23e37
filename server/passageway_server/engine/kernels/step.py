"""What one hop of a walk may use, in which order it looks at the edges of a node, and edges as it lists them.

Both ways to walk a hop, in one pass (`walk`) and in two (`listed`), are made of these.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import (
    EDGES,
    SIGHT,
    U1,
    Edges,
    Sight,
    comes_first,
    is_open,
)
from passageway_server.engine.kernels.changes import (
    Merged,
    added_to,
    has_more,
    is_marked,
    is_over,
    merge_first,
    most_edges_of,
)
from passageway_server.engine.kernels.compiling import Int, halted, inlined, is_turn, kernel
from passageway_server.engine.kernels.reach import IN, OUT

NO_CAP = int(np.iinfo(np.int64).max)


class Step(NamedTuple):
    """What a hop may use.

    What is *walked* is 1 for each edge class to walk: of a type that is asked for, and for this caller.
    """

    hop: int
    decay: float
    summing: bool  # else the best share counts
    outward: bool
    inward: bool
    out_walked: NDArray[np.uint8]
    in_walked: NDArray[np.uint8]
    max_degree: int  # NO_CAP, like the next
    max_per_node: int


class Listed(NamedTuple):
    """Edges of a frontier, node by node in its order, side by side."""

    nears: NDArray[np.int32]  # the place being left
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    stored: NDArray[np.int32]
    ways: NDArray[np.uint8]

    @classmethod
    def room(cls, edges: int) -> "Listed":
        """Scratch for *edges* edges."""
        return cls(
            nears=np.empty(edges, dtype=np.int32),
            others=np.empty(edges, dtype=np.int32),
            weights=np.empty(edges, dtype=np.float64),
            stored=np.empty(edges, dtype=np.int32),
            ways=np.empty(edges, dtype=np.uint8),
        )

    def chosen(self, which: slice | NDArray[np.bool_] | NDArray[np.int64]) -> "Listed":
        """Some of the edges, in the order that *which* has them."""
        return Listed(
            self.nears[which],
            self.others[which],
            self.weights[which],
            self.stored[which],
            self.ways[which],
        )

    @classmethod
    def joined(cls, parts: "Sequence[Listed]") -> "Listed":
        """The edges of all *parts*, which are some, behind one another."""
        return cls(*map(np.concatenate, zip(*parts, strict=True))) if len(parts) > 1 else parts[0]


_I8 = types.int64
STEP = types.NamedTuple(
    (_I8, types.float64, types.boolean, types.boolean, types.boolean, U1, U1, _I8, _I8), Step
)
LISTED = types.NamedTuple(
    (types.int32[::1], types.int32[::1], types.float64[::1], types.int32[::1], types.uint8[::1]),
    Listed,
)


@inlined
def usable_within(
    others: NDArray[np.int32],
    edge_classes: NDArray[np.int32],
    walked: NDArray[np.uint8],
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
        if walked[edge_classes[slot]] == 1 and is_open(classes, expiry, verdict, now, others[slot]):
            usable += 1
            if usable > most:
                break
    return usable


@kernel(_I8(EDGES, SIGHT, U1, _I8, _I8))
def usable_of(edges: Edges, sight: Sight, walked: NDArray[np.uint8], row: int, most: int) -> int:
    """How many edges of *row* a hop may use; no more than ``most + 1`` count.

    Halted, it has not seen them all.
    """
    changes = edges.changes
    first, end = edges.offsets[row], edges.offsets[row + 1]
    if not is_marked(changes.marks, row):
        return usable_within(
            edges.others, edges.classes, walked,
            sight.classes, sight.expiry, sight.verdict, sight.now, sight.stop, first, end, most,
        )  # fmt: skip
    usable = 0
    for slot in range(first, end):
        if is_turn(slot) and halted(sight.stop):
            return usable
        usable += (
            not is_over(changes.ended, changes.sequence, slot)
            and walked[edges.classes[slot]] == 1
            and is_open(sight.classes, sight.expiry, sight.verdict, sight.now, edges.others[slot])
        )
        if usable > most:
            return usable
    first, end = added_to(edges, row)
    return usable + usable_within(
        changes.others, changes.classes, walked,
        sight.classes, sight.expiry, sight.verdict, sight.now, sight.stop, first, end,
        most - usable,
    )  # fmt: skip


@inlined
def is_crowded(out: Edges, into: Edges, sight: Sight, step: Step, row: Int) -> bool:
    """Whether too many edges of *row* may be used.

    Halted, it says so of nodes with fewer.
    """
    most = step.max_degree
    crowded = False
    if most != NO_CAP:
        degree = 0
        if step.outward:
            degree += most_edges_of(out, row)
        if step.inward:
            degree += most_edges_of(into, row)
        if degree > most:
            usable = 0
            if step.outward:
                usable += usable_of(out, sight, step.out_walked, row, most)
            if step.inward:
                usable += usable_of(into, sight, step.in_walked, row, most - usable)
            crowded = usable > most or halted(sight.stop)
    return crowded


@inlined
def piece_of(
    edges: Edges, merged: Merged, row: Int, passed: Int, stop: NDArray[np.uint8], asked: bool
) -> tuple[
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int32],
    Int,
    Int,
    bool,
]:
    """Where the edges of *row* behind *passed* of them stand: arrays, the first slot, the end; whether there may be more.

    They go by weight, then by key. Where they are not *asked* for there are none.
    """
    others, weights = edges.others, edges.weights
    classes, stored = edges.classes, edges.stored
    first = end = 0
    more = False
    if asked and not is_marked(edges.changes.marks, row):
        first, end = edges.offsets[row] + passed, edges.offsets[row + 1]
    elif asked:
        first, end = 0, merge_first(edges, merged, row, passed, stop)
        others, weights = merged.others, merged.weights
        classes, stored, more = merged.classes, merged.stored, has_more(merged)
    return others, weights, classes, stored, first, end, more


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
