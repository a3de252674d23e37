"""The total order of what a walk reached: score descending, then hop, then id."""

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels import order
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.values.halt import UNHALTED, Halt

_best, _sort = direct(order.best), direct(order.sort)


def first_of(
    scores: NDArray[np.float64],
    hops: NDArray[np.uint8],
    rows: NDArray[np.int32],
    rank: NDArray[np.int32],
    places: NDArray[np.int32],
    limit: int,
    *,
    halt: Halt = UNHALTED,
) -> NDArray[np.int32]:
    """The first *limit* of *places* in the total order, in that order.

    *places* index the first three arrays; *rank* is the version's. *places* is shuffled on the way.
    The cost is of one look at each place, and of sorting those that come out. Raises
    DeadlineExceeded and Cancelled where *halt* says so.
    """
    ranks, stop = sealed(rank), sealed(halt.flag)
    found = _best(scores, hops, rows, ranks, places, len(places), limit, stop)
    _sort(scores, hops, rows, ranks, places, 0, found, stop)
    halt.spent()
    return places[:found].copy()
