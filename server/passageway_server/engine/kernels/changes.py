"""Rows whose edges changed since the base was packed: which they are, and their edges in order, a piece at a time.

A row that is not marked is read where it stands. Of a marked one the living slots of the base and the edges added are merged
into scratch, so that the same loops run over them; a piece is short, and of a hub no more is merged than is looked at.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import EDGES, I4, U1, Edges, comes_first
from passageway_server.engine.kernels.compiling import LOOK, Int, halted, inlined, is_turn, kernel

PIECE = LOOK
"""Edges of a marked row that are merged at a time."""


class Merged(NamedTuple):
    """Scratch: the next edges of one marked row, and where the rest of them is."""

    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    classes: NDArray[np.int32]
    stored: NDArray[np.int32]
    rest: NDArray[np.int64]  # the next slot of the base and the end; the next slot added, the end

    @classmethod
    def room(cls) -> "Merged":
        """For a piece."""
        return cls(
            others=np.empty(PIECE, dtype=np.int32),
            weights=np.empty(PIECE, dtype=np.float64),
            classes=np.empty(PIECE, dtype=np.int32),
            stored=np.empty(PIECE, dtype=np.int32),
            rest=np.zeros(4, dtype=np.int64),
        )


class BothMerged(NamedTuple):
    """Scratch for both directions."""

    out: Merged
    into: Merged

    @classmethod
    def room(cls) -> "BothMerged":
        """For a piece of each."""
        return cls(Merged.room(), Merged.room())


_I4S, _I8 = types.int32[::1], types.int64
_MERGED = types.NamedTuple((_I4S, types.float64[::1], _I4S, _I4S, types.int64[::1]), Merged)
BOTH_MERGED = types.NamedUniTuple(_MERGED, 2, BothMerged)


@inlined
def is_marked(marks: NDArray[np.uint8], row: Int) -> bool:
    """Whether the edges of *row* changed."""
    return bool(len(marks) > 0 and (marks[row >> 3] >> (row & 7)) & 1 == 1)


@inlined
def is_over(ended: NDArray[np.int32], sequence: Int, slot: Int) -> bool:
    """Whether the edge in *slot* of the base is no more in the version of *sequence*."""
    return bool(0 < ended[slot] <= sequence)


@kernel(_I8(I4, _I8))
def place_of(touched: NDArray[np.int32], row: Int) -> int:
    """Where *row*, which is among them, stands in *touched*."""
    low, high = 0, len(touched)
    while low < high:
        middle = (low + high) >> 1
        if touched[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low


BASE, ADDED = 0, 1
"""The two parts in which the edges of a marked row stand, for loops that any order suits."""


@kernel(types.UniTuple(_I8, 2)(EDGES, _I8))
def added_to(edges: Edges, row: Int) -> tuple[Int, Int]:
    """The slots of the edges added to the marked *row*: the first, and the end."""
    changes = edges.changes
    place = place_of(changes.touched, row)
    return changes.firsts[place], changes.firsts[place] + changes.counts[place]


@inlined
def most_edges_of(edges: Edges, row: Int) -> int:
    """No fewer than *row* has edges."""
    most = edges.offsets[row + 1] - edges.offsets[row]
    if is_marked(edges.changes.marks, row):
        most += edges.changes.counts[place_of(edges.changes.touched, row)]
    return int(most)


@kernel(_I8(EDGES, _MERGED, _I8, U1))
def merge_on(edges: Edges, merged: Merged, passed: int, stop: NDArray[np.uint8]) -> int:
    """Merge the next edges of the row that was begun, behind *passed* of them; how many, 0 where there are none.

    Halted, it merges no more.
    """
    _offsets, others, weights, classes, stored, changes = edges
    to_others, to_weights, to_classes, to_stored, rest = merged
    slot, end, more, more_end = rest[0], rest[1], rest[2], rest[3]
    count = looked = 0
    while count < len(to_stored) and (slot < end or more < more_end):
        if is_turn(looked) and halted(stop):
            break
        looked += 1
        if slot < end and is_over(changes.ended, changes.sequence, slot):
            slot += 1
            continue
        of_base = more >= more_end or (
            slot < end
            and comes_first(
                weights[slot], stored[slot], changes.weights[more], changes.stored[more]
            )
        )
        if passed > 0:
            passed -= 1
        elif of_base:
            to_others[count], to_weights[count] = others[slot], weights[slot]
            to_classes[count], to_stored[count] = classes[slot], stored[slot]
            count += 1
        else:
            to_others[count], to_weights[count] = changes.others[more], changes.weights[more]
            to_classes[count], to_stored[count] = changes.classes[more], changes.stored[more]
            count += 1
        if of_base:
            slot += 1
        else:
            more += 1
    rest[0], rest[2] = slot, more
    return count


@kernel(_I8(EDGES, _MERGED, _I8, _I8, U1))
def merge_first(
    edges: Edges, merged: Merged, row: int, passed: int, stop: NDArray[np.uint8]
) -> int:
    """Merge the first edges of the marked *row*, behind *passed* of them; how many they are."""
    merged.rest[0], merged.rest[1] = edges.offsets[row], edges.offsets[row + 1]
    merged.rest[2], merged.rest[3] = added_to(edges, row)
    return merge_on(edges, merged, passed, stop)


@inlined
def has_more(merged: Merged) -> bool:
    """Whether there may be edges behind the piece."""
    rest = merged.rest
    return bool(rest[0] < rest[1] or rest[2] < rest[3])
