"""Which edges a walk traversed: of those that it followed, each once, by hop, then by number."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import U1
from passageway_server.engine.kernels.compiling import abandoned, is_turn, kernel

DIGIT = 11  # bits of a number that are sorted by at a time
DIGITS = 1 << DIGIT  # and of these there are no fewer than hops

_I4S = types.int32[::1]


@kernel(types.int64(_I4S, _I4S, types.uint8[::1], _I4S, _I4S, _I4S, types.int64[::1], U1))
def first_followed(
    stored: NDArray[np.int32],
    others: NDArray[np.int32],
    hops: NDArray[np.uint8],
    place: NDArray[np.int32],
    chosen: NDArray[np.int32],
    spare: NDArray[np.int32],
    counts: NDArray[np.int64],
    stop: NDArray[np.uint8],
) -> int:
    """Bring into *chosen* the entries of edges that lead to a row with a *place*; how many they are.

    The entries given go by hop, and of those of one edge the first is taken. They come out by hop,
    then by number. *spare* is as long as they are, *counts* has `DIGITS` entries. A call that is
    over gets no such thing.
    """
    count = 0
    least, most = np.int64(0), np.int64(0)
    for entry in range(len(stored)):
        if is_turn(entry) and abandoned(stop):
            return 0
        if place[others[entry]] > 0:
            chosen[count] = entry
            number = np.int64(stored[entry])
            least = min(least, number) if count else number
            most = max(most, number) if count else number
            count += 1
    # Sorted by how far it is from the least, digit by digit, the lowest first; each time what is alike stays in order.
    shift = 0
    while (most - least) >> shift > 0:
        counts[:] = 0
        for i in range(count):
            if is_turn(i) and abandoned(stop):
                return 0
            counts[((stored[chosen[i]] - least) >> shift) & (DIGITS - 1)] += 1
        start = 0
        for digit in range(DIGITS):
            start, counts[digit] = start + counts[digit], start
        for i in range(count):
            if is_turn(i) and abandoned(stop):
                return 0
            entry = chosen[i]
            digit = ((stored[entry] - least) >> shift) & (DIGITS - 1)
            spare[counts[digit]] = entry
            counts[digit] += 1
        for i in range(count):
            chosen[i] = spare[i]
        shift += DIGIT
    counts[:] = 0
    first = 0
    for i in range(count):
        if is_turn(i) and abandoned(stop):
            return 0
        if i == 0 or stored[chosen[i]] != stored[chosen[i - 1]]:
            spare[first] = chosen[i]
            counts[hops[chosen[i]]] += 1
            first += 1
    start = 0
    for hop in range(DIGITS):
        start, counts[hop] = start + counts[hop], start
    for i in range(first):
        hop = hops[spare[i]]
        chosen[counts[hop]] = spare[i]
        counts[hop] += 1
    return first
