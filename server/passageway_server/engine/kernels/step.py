"""What one hop of a walk may use, in which order it looks at the edges of a node, and edges as it lists them.

Both ways to walk a hop, in one pass (`walk`) and in two (`listed`), are made of these.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import U1, Edges, Sight, is_open, is_walked
from passageway_server.engine.kernels.compiling import Int, Real, halted, inlined, is_turn
from passageway_server.engine.kernels.reach import IN, OUT

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
