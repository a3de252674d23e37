"""The total order of reached nodes: score descending, then hop, then id by code point.

Places are entries of a walk's compact arrays; ``rank[rows[place]]`` stands for the id. No two
places are equal. A call that is over leaves places in any order.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, U1
from passageway_server.engine.kernels.compiling import Int, abandoned, is_turn, kernel

_SCORES = types.float64[::1]
_HOPS = types.uint8[::1]
_PLACES = types.int32[::1]


@kernel(types.boolean(_SCORES, _HOPS, _PLACES, I4, types.int64, types.int64))
def before(
    scores: NDArray[np.float64],
    hops: NDArray[np.uint8],
    rows: NDArray[np.int32],
    rank: NDArray[np.int32],
    first: int,
    second: int,
) -> bool:
    """Whether place *first* comes before place *second*."""
    if scores[first] != scores[second]:
        return bool(scores[first] > scores[second])
    if hops[first] != hops[second]:
        return bool(hops[first] < hops[second])
    return bool(rank[rows[first]] < rank[rows[second]])


@kernel(types.void(_SCORES, _HOPS, _PLACES, I4, _PLACES, types.int64, types.int64, U1))
def sort(
    scores: NDArray[np.float64],
    hops: NDArray[np.uint8],
    rows: NDArray[np.int32],
    rank: NDArray[np.int32],
    places: NDArray[np.int32],
    low: int,
    high: int,
    stop: NDArray[np.uint8],
) -> None:
    """Sort ``places[low:high]``: quicksort by the middle of three, short runs by insertion."""
    while high - low > 16:
        if abandoned(stop):
            return
        first, middle, last = places[low], places[(low + high) >> 1], places[high - 1]
        if before(scores, hops, rows, rank, middle, first):
            first, middle = middle, first
        if before(scores, hops, rows, rank, last, middle):
            middle = last
            if before(scores, hops, rows, rank, middle, first):
                middle = first
        left, right = low, high - 1
        while left <= right:
            while before(scores, hops, rows, rank, places[left], middle):
                left += 1
            while before(scores, hops, rows, rank, middle, places[right]):
                right -= 1
            if left <= right:
                places[left], places[right] = places[right], places[left]
                left += 1
                right -= 1
        # Only the shorter part is a call: their depth stays below the logarithm of the count.
        if right + 1 - low < high - left:
            sort(scores, hops, rows, rank, places, low, right + 1, stop)
            low = left
        else:
            sort(scores, hops, rows, rank, places, left, high, stop)
            high = right + 1
    for end in range(low + 1, high):
        place = places[end]
        hole = end
        while hole > low and before(scores, hops, rows, rank, place, places[hole - 1]):
            places[hole] = places[hole - 1]
            hole -= 1
        places[hole] = place


@kernel(types.void(_SCORES, _HOPS, _PLACES, I4, _PLACES, types.int64, types.int64))
def _sink(
    scores: NDArray[np.float64],
    hops: NDArray[np.uint8],
    rows: NDArray[np.int32],
    rank: NDArray[np.int32],
    heap: NDArray[np.int32],
    root: int,
    size: int,
) -> None:
    place = heap[root]
    while True:
        child = 2 * root + 1
        if child >= size:
            break
        if child + 1 < size and before(scores, hops, rows, rank, heap[child], heap[child + 1]):
            child += 1
        if not before(scores, hops, rows, rank, place, heap[child]):
            break
        heap[root] = heap[child]
        root = child
    heap[root] = place


@kernel(types.int64(_SCORES, _HOPS, _PLACES, I4, _PLACES, types.int64, types.int64, U1))
def best(
    scores: NDArray[np.float64],
    hops: NDArray[np.uint8],
    rows: NDArray[np.int32],
    rank: NDArray[np.int32],
    places: NDArray[np.int32],
    count: int,
    most: int,
    stop: NDArray[np.uint8],
) -> int:
    """Bring the first *most* of ``places[:count]`` to its front; how many they are.

    The last of them is in entry 0.

    A heap of the best so far, the worst on top: one comparison for most places.
    """
    if most <= 0:
        return 0
    size = min(most, count)
    for root in range(size // 2 - 1, -1, -1):
        _sink(scores, hops, rows, rank, places, root, size)
    for i in range(size, count):
        if is_turn(i) and abandoned(stop):
            break
        if before(scores, hops, rows, rank, places[i], places[0]):
            places[0], places[i] = places[i], places[0]
            _sink(scores, hops, rows, rank, places, 0, size)
    return size


@kernel(types.int64(_SCORES, _HOPS, _PLACES, I4, _PLACES, types.int64, _PLACES, _PLACES, U1))
def best_of_types(
    scores: NDArray[np.float64],
    hops: NDArray[np.uint8],
    rows: NDArray[np.int32],
    rank: NDArray[np.int32],
    kinds: NDArray[np.int32],
    cap: int,
    counts: NDArray[np.int32],
    kept: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> int:
    """Write the first *cap* places of each of ``kinds[place]`` to *kept*, type by type; how many they are.

    *counts* is 0 for each type, and *kept* has *cap* entries for each. A type's places are kept in their order, so the cost
    of one that comes in is at most *cap*.
    """
    for place in range(len(rows)):
        if is_turn(place) and abandoned(stop):
            break
        kind: Int = kinds[place]
        first, count = kind * cap, counts[kind]
        if count == cap:
            last: Int = kept[first + cap - 1]
            if not before(scores, hops, rows, rank, place, last):
                continue
            hole = first + cap - 1
        else:
            counts[kind] = count + 1
            hole = first + count
        while hole > first:
            other: Int = kept[hole - 1]
            if not before(scores, hops, rows, rank, place, other):
                break
            kept[hole] = other
            hole -= 1
        kept[hole] = place
    total = 0
    for kind in range(len(counts)):
        for i in range(counts[kind]):
            kept[total] = kept[kind * cap + i]
            total += 1
    return total
