"""How many owners hold each of the distinct values? One look at each value, by a number for it."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I8, U1
from passageway_server.engine.kernels.compiling import halted, kernel

_PLACES = types.int64[::1]
_SLOTS = types.int32[::1]


@kernel(types.int64(I8, I8, _SLOTS, _PLACES, _PLACES, _PLACES, U1))
def tally(
    owners: NDArray[np.int64],
    numbers: NDArray[np.int64],
    slots: NDArray[np.int32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    counts: NDArray[np.int64],
    stop: NDArray[np.uint8],
) -> int:
    """How many distinct *numbers* there are; in the order in which they came, ``first`` has the
    place of each, and ``counts`` how many owners hold it.

    *owners*, one for each number, ascend. *slots*, by number, is 0 everywhere; *last* is scratch.
    """
    found = 0
    for i in range(len(numbers)):
        if i & 0xFFFF == 0 and halted(stop):
            break
        number, owner = numbers[i], owners[i]
        slot = slots[number]
        if slot == 0:
            first[found], last[found], counts[found] = i, owner, 1
            found += 1
            slots[number] = found
        elif last[slot - 1] != owner:
            last[slot - 1] = owner
            counts[slot - 1] += 1
    return found
