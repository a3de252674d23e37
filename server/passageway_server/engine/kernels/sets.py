"""Sets of integers as tables: is this number among them? One or two looks, however many they are.

A number stands at the place that its bits are mixed to, or in the next that was free. A free place
holds the first number of all, which is in the set anyway: so no mark is needed that none may equal.
"""

import secrets
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I8, sealed
from passageway_server.engine.kernels.compiling import Int, inlined, kernel

_PLACES = types.int64[::1]
_MET = types.boolean[::1]

_ROOM = 2  # places for each number, at least: few stand far from their own


class Table(NamedTuple):
    """A set. ``odd`` mixes its numbers: nobody knows it who could choose numbers of one place."""

    places: NDArray[np.int64]  # a power of two
    free: int  # what a free place holds
    odd: np.uint64

    @property
    def shift(self) -> int:
        """How far down the upper bits of a product are shifted to be a place."""
        return 65 - len(self.places).bit_length()


def table_of(numbers: NDArray[np.int64]) -> Table:
    """A table of *numbers*, of which there is at least one."""
    bits = max(int(_ROOM * len(numbers)).bit_length(), 1)
    places = np.full(1 << bits, numbers[0], dtype=np.int64)
    table = Table(places, int(numbers[0]), np.uint64(secrets.randbits(64) | 1))
    _fill(sealed(np.ascontiguousarray(numbers)), places, table.free, table.odd, table.shift)
    return table


def among(values: NDArray[np.int64], table: Table) -> NDArray[np.bool_]:
    """Which of *values* are in *table*."""
    met = np.empty(len(values), dtype=np.bool_)
    places = sealed(table.places)
    _find(sealed(np.ascontiguousarray(values)), places, table.free, table.odd, table.shift, met)
    return met


@inlined
def _place(number: Int, odd: Int, shift: Int) -> Int:
    """The place of a number's own: the upper bits of a product that every bit of it changes."""
    return np.int64((np.uint64(number) * odd) >> np.uint64(shift))


@kernel(types.void(I8, _PLACES, types.int64, types.uint64, types.int64))
def _fill(
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
    free: int,
    odd: np.uint64,
    shift: int,
) -> None:
    for i in range(len(numbers)):
        at = _place(numbers[i], odd, shift)
        while places[at] != free and places[at] != numbers[i]:
            at = (at + 1) & (len(places) - 1)
        places[at] = numbers[i]


@kernel(types.void(I8, I8, types.int64, types.uint64, types.int64, _MET))
def _find(
    values: NDArray[np.int64],
    places: NDArray[np.int64],
    free: int,
    odd: np.uint64,
    shift: int,
    met: NDArray[np.bool_],
) -> None:
    for i in range(len(values)):
        value = values[i]
        at = _place(value, odd, shift)
        while places[at] != value and places[at] != free:
            at = (at + 1) & (len(places) - 1)
        met[i] = places[at] == value
