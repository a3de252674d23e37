"""Where scores stand among others, side by side: one pass over both in order."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import U1
from passageway_server.engine.kernels.compiling import abandoned, is_turn, kernel

_DOUBLES = types.float64[::1]
_PLACES = types.int64[::1]


@kernel(types.void(_DOUBLES, _DOUBLES, _PLACES, _PLACES, U1))
def above(
    in_order: NDArray[np.float64],
    scores: NDArray[np.float64],
    places: NDArray[np.int64],
    counts: NDArray[np.int64],
    stop: NDArray[np.uint8],
) -> None:
    """By place: how many of those *in_order*, ascending, are greater than its score; *places* are in the order of *scores*."""
    passed, count = 0, len(in_order)
    for i in range(len(places)):
        if is_turn(i) and abandoned(stop):
            break
        score = scores[places[i]]
        while passed < count and in_order[passed] <= score:
            passed += 1
        counts[places[i]] = count - passed
