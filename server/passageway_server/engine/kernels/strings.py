"""Ranks of strings by code point, which is the order of their UTF-8 bytes."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I8, U1
from passageway_server.engine.kernels.compiling import halted, kernel
from passageway_server.engine.kernels.texts import agreed

_PLACES = types.int64[::1]


@kernel(types.int64(U1, I8, I8, types.int64, types.int64))
def _compared(
    heap: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    first: int,
    second: int,
) -> int:
    """Below 0, 0 or above 0 where string *first* is before, equal to or after *second*."""
    one, other = starts[first], starts[second]
    length, others = ends[first] - one, ends[second] - other
    same = agreed(heap, one, heap, other, min(length, others))
    if same < min(length, others):
        return int(heap[one + same]) - int(heap[other + same])
    return int(length - others)


@kernel(types.void(U1, I8, I8, _PLACES, types.int64, types.int64, U1))
def _sort(
    heap: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    order: NDArray[np.int64],
    low: int,
    high: int,
    stop: NDArray[np.uint8],
) -> None:
    """Sort ``order[low:high]``: quicksort in three parts, since strings may well be equal."""
    while high - low > 1:
        pivot = order[(low + high) >> 1]
        below, above, at = low, high, low
        while at < above:
            if halted(stop):
                return
            sign = _compared(heap, starts, ends, order[at], pivot)
            if sign < 0:
                order[at], order[below] = order[below], order[at]
                below += 1
                at += 1
            elif sign > 0:
                above -= 1
                order[at], order[above] = order[above], order[at]
            else:
                at += 1
        # Only the shorter part is a call: their depth stays below the logarithm of the count.
        if below - low < high - above:
            _sort(heap, starts, ends, order, low, below, stop)
            low = above
        else:
            _sort(heap, starts, ends, order, above, high, stop)
            high = below


@kernel(types.void(U1, I8, I8, _PLACES, _PLACES, U1))
def rank(
    heap: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    order: NDArray[np.int64],
    ranks: NDArray[np.int64],
    stop: NDArray[np.uint8],
) -> None:
    """Fill *ranks*: string i, the bytes ``starts[i]:ends[i]``, has as many distinct ones before it.

    *order* is scratch and holds each i once. A call that is stopped leaves ranks that mean nothing.
    """
    _sort(heap, starts, ends, order, 0, len(order), stop)
    before = 0
    for i in range(len(order)):
        if halted(stop):
            return
        if i > 0 and _compared(heap, starts, ends, order[i - 1], order[i]) != 0:
            before += 1
        ranks[order[i]] = before
