"""How many owners hold each of the distinct values? One look at each value, by a number for it."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, U1
from passageway_server.engine.kernels.compiling import halted, is_turn, kernel

_NUMBERS = types.int32[::1]


@kernel(types.int64(I4, I4, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, U1))
def tally(
    owners: NDArray[np.int32],
    numbers: NDArray[np.int32],
    slots: NDArray[np.int32],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    counts: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> int:
    """How many distinct *numbers* there are, n: in the order in which they came, ``first[1:n + 1]``
    are their places, and ``counts[1:n + 1]`` how many owners hold each.

    *owners*, one for each number, ascend. *slots*, by number, *first* and *counts* are 0 everywhere,
    *last* is -1: there is room for each number, and one more.
    """
    found = 0
    for i in range(len(numbers)):
        if is_turn(i) and halted(stop):
            break
        # Without a branch: whether a number is new cannot be guessed, and a wrong guess costs more.
        number, owner = numbers[i], owners[i]
        slot = slots[number]
        new = int(slot == 0)
        found += new
        slot += new * found
        slots[number] = slot
        first[slot] += new * i
        counts[slot] += int(last[slot] != owner)
        last[slot] = owner
    return found


@kernel(types.int64(_NUMBERS, _NUMBERS, types.int64))
def at_least(counts: NDArray[np.int32], many: NDArray[np.int32], wanted: int) -> int:
    """The largest n so that at least *wanted* of *counts* are n or more; 0 where there is none.

    *many*, by count, is 0 everywhere.
    """
    for i in range(len(counts)):
        many[counts[i]] += 1
    found = 0
    for count in range(len(many) - 1, 0, -1):
        found += int(many[count])
        if found >= wanted:
            return count
    return 0
