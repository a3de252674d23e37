"""Vectors against one: exact scores of some, and bounds of the scores of many, from a byte for each number.

A product of two float32 is exact as a double, so that only additions round. Their order is fixed: the products are folded in
halves, ``p[j] += p[j + h]`` with h half of what is left, rounded up, until one is left. What a vector scores depends on its
numbers and those of the query alone.
"""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import F8, I4, SIGHT, U1, Sight
from passageway_server.engine.kernels.compiling import (
    Int,
    Real,
    abandoned,
    inlined,
    is_turn,
    kernel,
)

_F4 = types.Array(types.float32, 1, "C", readonly=True)
_I1 = types.Array(types.int8, 1, "C", readonly=True)
_I2 = types.Array(types.int16, 1, "C", readonly=True)
_DOUBLES = types.float64[::1]
_ROWS = types.int32[::1]

LEVELS = 127
"""The largest byte of a sketch."""

_ROOM = 1 + 1e-9  # what a length that is rounded a few times is short of, at most
_SLACK = 1e-12  # what all that is rounded on the way adds to a score, as a share of both lengths

# Numba tests every index of another type for being below 0, which keeps a loop from being done in wide registers.
_WIDE = np.uint64
_ONE, _TWO = np.uint64(1), np.uint64(2)


@inlined
def _folded(products: NDArray[np.float64], count: Int) -> Real:
    """The sum of the first *count* of *products*, which are written over."""
    left = count
    while left > _ONE:
        more = left
        left = (more + _ONE) // _TWO
        for j in range(more - left):
            products[j] += products[left + j]
    return products[_WIDE(0)]


@kernel(types.void(_F4, F8, I4, _DOUBLES, _DOUBLES, _DOUBLES, U1))
def products(
    values: NDArray[np.float32],
    query: NDArray[np.float64],
    entries: NDArray[np.int32],
    scratch: NDArray[np.float64],
    dots: NDArray[np.float64],
    squares: NDArray[np.float64],
    stop: NDArray[np.uint8],
) -> None:
    """The products of each of *entries* with *query*, and with itself; *scratch* is as long as the query."""
    count = _WIDE(len(query))
    for i in range(len(entries)):
        if is_turn(i) and abandoned(stop):
            break
        base = _WIDE(entries[i]) * count
        for j in range(count):
            scratch[j] = np.float64(values[base + j]) * query[j]
        dots[i] = _folded(scratch, count)
        for j in range(count):
            scratch[j] = np.float64(values[base + j]) * np.float64(values[base + j])
        squares[i] = _folded(scratch, count)


@kernel(
    types.void(
        _F4, types.int64, types.int64, types.int8[::1], _DOUBLES, _DOUBLES, _DOUBLES, _DOUBLES, U1
    )
)
def sketched(
    values: NDArray[np.float32],
    dimensions: int,
    first: int,
    codes: NDArray[np.int8],
    steps: NDArray[np.float64],
    errors: NDArray[np.float64],
    lengths: NDArray[np.float64],
    scratch: NDArray[np.float64],
    stop: NDArray[np.uint8],
) -> None:
    """The vectors from entry *first* on, each number as a multiple of its vector's step.

    ``errors`` is no less than the distance of a vector from its sketch, ``lengths`` 0 for a vector of zeros alone.
    """
    count = _WIDE(dimensions)
    for i in range(len(steps)):
        if is_turn(i) and abandoned(stop):
            break
        base, at = _WIDE(first + i) * count, _WIDE(i) * count
        largest = 0.0
        for j in range(count):
            largest = max(largest, abs(np.float64(values[base + j])))
        step = largest / LEVELS
        for j in range(count):
            number = np.float64(values[base + j])
            scratch[j] = number * number
        lengths[i] = math.sqrt(_folded(scratch, count))
        for j in range(count):
            number = np.float64(values[base + j])
            code = 0.0 if step == 0.0 else math.floor(number / step + 0.5)
            codes[at + j] = np.int8(code)
            scratch[j] = (number - step * code) * (number - step * code)
        errors[i] = math.sqrt(_folded(scratch, count)) * _ROOM
        steps[i] = step


@kernel(
    types.void(
        _I1, F8, F8, F8, _I2, F8, types.boolean, I4, _DOUBLES, _DOUBLES, U1,
    )
)  # fmt: skip
def bounded(
    codes: NDArray[np.int8],
    steps: NDArray[np.float64],
    errors: NDArray[np.float64],
    lengths: NDArray[np.float64],
    query: NDArray[np.int16],
    measures: NDArray[np.float64],
    by_angle: bool,
    entries: NDArray[np.int32],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    stop: NDArray[np.uint8],
) -> None:
    """Bounds of the score of each of *entries*: its product with the query or, *by_angle*, that over both lengths, none of which is 0.

    *measures* are of the query: the step of its own sketch *query*, the length of that, how far it is from the query, and the
    length of the query. With q and x for query and vector, and q' and x' for their sketches, q x - q' x' is q' (x - x') + (q - q') x, so
    at most ``|q'| |x - x'| + |q - q'| |x|``. The product of the sketches is one of integers, and exact.
    """
    count = _WIDE(len(query))
    step, about, off, length = measures[0], measures[1], measures[2], measures[3]
    for i in range(len(entries)):
        if is_turn(i) and abandoned(stop):
            break
        entry = entries[i]
        base = _WIDE(entry) * count
        total = np.int32(0)
        for j in range(count):
            total += np.int32(np.int32(query[j]) * np.int32(codes[base + j]))
        # Numba adds in 64 bits; what is cut to 32 is added in 32, twice as fast.
        middle = np.int32(total) * (step * steps[entry])
        margin = about * errors[entry] + off * lengths[entry] + _SLACK * length * lengths[entry]
        if by_angle:
            both = length * lengths[entry]
            middle /= both
            margin /= both
        low[i] = middle - margin
        high[i] = middle + margin


@kernel(types.int64(I4, SIGHT, _ROWS, _ROWS))
def holding(
    at: NDArray[np.int32], sight: Sight, rows: NDArray[np.int32], entries: NDArray[np.int32]
) -> int:
    """Write the open rows that hold a field to *rows*, ascending, and their *entries*; how many they are."""
    classes, expiry, verdict, now, stop = sight
    found = 0
    for row in range(len(at)):
        if is_turn(row) and abandoned(stop):
            break
        # As `is_open`, but without a branch that nobody can foretell.
        rows[found] = row
        entries[found] = at[row]
        answer = verdict[classes[row]]
        opened = answer == 1
        if answer == 2:
            opened = expiry[row] > now
        found += opened & (at[row] >= 0)
    return found
