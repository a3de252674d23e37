"""Sets of integers as tables: is this number among them? One or two looks, however many they are.

A number stands at the place that its bits are mixed to, or in the next that was free. A free place
holds the first number of all, which is in the set anyway: so no mark is needed that none may equal.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I8, sealed
from passageway_server.engine.kernels.compiling import Int, inlined, kernel

_TABLE = types.int64[::1]
_MET = types.boolean[::1]

_ROOM = 2  # places for each number, at least: few stand far from their own


def table_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """A table of *numbers*, of which there is at least one."""
    bits = max(int(_ROOM * len(numbers)).bit_length(), 1)
    table = np.full(1 << bits, numbers[0], dtype=np.int64)
    _fill(sealed(np.ascontiguousarray(numbers)), table, 64 - bits)
    return table


def among(values: NDArray[np.int64], table: NDArray[np.int64], first: int) -> NDArray[np.bool_]:
    """Which of *values* are in *table*, that was made of numbers of which one is *first*."""
    met = np.empty(len(values), dtype=np.bool_)
    _find(
        sealed(np.ascontiguousarray(values)),
        sealed(table),
        first,
        65 - len(table).bit_length(),
        met,
    )
    return met


@inlined
def _place(number: Int, shift: Int) -> Int:
    """The place of a number's own: the upper bits of a product that every bit of it changes."""
    return np.int64((np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))


@kernel(types.void(I8, _TABLE, types.int64))
def _fill(numbers: NDArray[np.int64], table: NDArray[np.int64], shift: int) -> None:
    free = numbers[0]
    for i in range(len(numbers)):
        at = _place(numbers[i], shift)
        while table[at] != free and table[at] != numbers[i]:
            at = (at + 1) & (len(table) - 1)
        table[at] = numbers[i]


@kernel(types.void(I8, I8, types.int64, types.int64, _MET))
def _find(
    values: NDArray[np.int64],
    table: NDArray[np.int64],
    free: int,
    shift: int,
    met: NDArray[np.bool_],
) -> None:
    for i in range(len(values)):
        value = values[i]
        at = _place(value, shift)
        while table[at] != value and table[at] != free:
            at = (at + 1) & (len(table) - 1)
        met[i] = table[at] == value
