"""Strings against one string, and sets of strings, by their bytes.

The order of UTF-8 bytes is that of code points. A set is a table of places: a string stands at the
one that its hash names, or in the next that was free. Hashes only tell where to look; bytes decide.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, I8, U1
from passageway_server.engine.kernels.compiling import Int, halted, inlined, kernel

BLOCK = 16
"""Bytes that are hashed at once."""

PRIME = (1 << 31) - 1

FREE = -1
"""What a place holds where no string stands."""

_COMPARED = 64  # bytes that are compared at once
_U8 = types.Array(types.uint64, 1, "C", readonly=True)
_FOLD, _REST, _HALF = np.uint64(31), np.uint64(PRIME), 32
_BIT = (1 << _HALF) - 1


@kernel(types.int64(U1, types.int64, U1, types.int64, types.int64))
def agreed(
    heap: NDArray[np.uint8], at: Int, other: NDArray[np.uint8], there: Int, length: Int
) -> int:
    """How many of the first *length* bytes from *at* are those of *other* from *there*."""
    ours, theirs = heap[at : at + length], other[there : there + length]
    same = 0
    while same + _COMPARED <= length:
        one, two = ours[same : same + _COMPARED], theirs[same : same + _COMPARED]
        difference = np.uint8(0)
        for i in range(_COMPARED):
            difference |= one[i] ^ two[i]
        if difference:
            break
        same += _COMPARED
    one, two = ours[same:], theirs[same:]
    for i in range(len(one)):
        if one[i] != two[i]:
            return int(same + i)
    return int(length)


@kernel(types.void(U1, I8, I4, U1, types.int8[::1], U1))
def compare(
    heap: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    entries: NDArray[np.int32],
    text: NDArray[np.uint8],
    signs: NDArray[np.int8],
    stop: NDArray[np.uint8],
) -> None:
    """Fill *signs*: -1, 0 or 1 where each of *entries* is before, equal to or after *text*."""
    for i in range(len(entries)):
        if halted(stop):
            return
        start = bounds[entries[i]]
        length = bounds[entries[i] + 1] - start
        shorter = min(length, len(text))
        same = agreed(heap, start, text, 0, shorter)
        if same == shorter:
            signs[i] = (length > len(text)) - (length < len(text))
        else:
            signs[i] = 1 if heap[start + same] > text[same] else -1


@kernel(
    types.void(U1, I8, I4, U1, types.boolean, types.boolean, types.boolean[::1], U1),
)
def affixed(
    heap: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    entries: NDArray[np.int32],
    text: NDArray[np.uint8],
    at_start: bool,
    at_end: bool,
    met: NDArray[np.bool_],
    stop: NDArray[np.uint8],
) -> None:
    """Fill *met*: which of *entries* begin with *text*, end with it, or, with both, are it."""
    for i in range(len(entries)):
        if halted(stop):
            return
        start, end = bounds[entries[i]], bounds[entries[i] + 1]
        met[i] = False
        if end - start < len(text) or (at_start and at_end and end - start > len(text)):
            continue
        at = start if at_start else end - len(text)
        met[i] = agreed(heap, at, text, 0, len(text)) == len(text)


@inlined
def hash_of(heap: NDArray[np.uint8], start: Int, end: Int, weights: NDArray[np.uint64]) -> int:
    """The value at a point of the polynomial whose coefficients are 1 and the bytes ``start:end``,
    modulo `PRIME`. ``weights`` are the powers of that point, from `BLOCK` down to 0.

    Nobody who does not know the point can choose strings of one value.
    """
    value = np.uint64(1)
    while start < end:
        size = min(end - start, BLOCK)
        part, powers = heap[start : start + size], weights[BLOCK - size :]
        value *= powers[0]
        for i in range(size):
            value += np.uint64(part[i]) * powers[i + 1]
        value = (value & _REST) + (value >> _FOLD)
        value = (value & _REST) + (value >> _FOLD)
        start += size
    return int(np.int64(value & _REST))


@kernel(types.int64(U1, I8, I4, _U8, types.int64[::1], types.int32[::1], U1))
def fill(
    heap: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    entries: NDArray[np.int32],
    weights: NDArray[np.uint64],
    places: NDArray[np.int64],
    distinct: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> int:
    """Put the strings of *entries* into *places*, all `FREE`, of which there are a power of two.

    Gives how many distinct ones there are, and the first entry of each in *distinct*; where those
    are more than it holds, one more than that.
    """
    found = 0
    for i in range(len(entries)):
        if halted(stop):
            break
        start, end = bounds[entries[i]], bounds[entries[i] + 1]
        hashed = hash_of(heap, start, end, weights)
        at = hashed & (len(places) - 1)
        while places[at] != FREE:
            if places[at] >> _HALF == hashed:
                there = distinct[places[at] & _BIT]
                first, last = bounds[there], bounds[there + 1]
                if last - first == end - start and (
                    agreed(heap, first, heap, start, end - start) == end - start
                ):
                    break
            at = (at + 1) & (len(places) - 1)
        if places[at] == FREE:
            if found == len(distinct):
                return int(found + 1)
            places[at] = hashed << _HALF | found
            distinct[found] = entries[i]
            found += 1
    return int(found)


@kernel(types.void(U1, I8, I4, U1, I8, I4, _U8, I8, types.boolean[::1], U1))
def find(
    heap: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    entries: NDArray[np.int32],
    set_heap: NDArray[np.uint8],
    set_bounds: NDArray[np.int64],
    distinct: NDArray[np.int32],
    weights: NDArray[np.uint64],
    places: NDArray[np.int64],
    met: NDArray[np.bool_],
    stop: NDArray[np.uint8],
) -> None:
    """Fill *met*: which of *entries* are strings of the set that `fill` made of the heap *set_heap*."""
    for i in range(len(entries)):
        if halted(stop):
            return
        start, end = bounds[entries[i]], bounds[entries[i] + 1]
        hashed = hash_of(heap, start, end, weights)
        at = hashed & (len(places) - 1)
        met[i] = False
        while places[at] != FREE:
            if places[at] >> _HALF == hashed:
                there = distinct[places[at] & _BIT]
                first, last = set_bounds[there], set_bounds[there + 1]
                if last - first == end - start and (
                    agreed(set_heap, first, heap, start, end - start) == end - start
                ):
                    met[i] = True
                    break
            at = (at + 1) & (len(places) - 1)
