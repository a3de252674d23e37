"""Simple paths of one length over grouped lists, in the order of their ids.

Nodes are dense numbers in the order of their ids, so lists of numbers compare as lists of ids.
"""

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import U1
from passageway_server.engine.kernels.compiling import halted, is_turn
from passageway_server.engine.kernels.paths_bounds import SLACK

_I4 = types.int32[::1]
_I42 = types.int32[:, ::1]
_I8 = types.int64[::1]
_F8 = types.float64[::1]
_F82 = types.float64[:, ::1]
_INT = types.int64


@njit(
    types.UniTuple(_INT, 2)(
        _I8,
        _I4,
        _I4,
        _F8,
        _F82,
        _I4,
        _INT,
        types.float64,
        types.float64,
        _INT,
        _INT,
        _I42,
        _I42,
        _F8,
        U1,
    ),
    nogil=True,
    cache=True,
)
def of_length(
    begins: NDArray[np.int64],
    choices: NDArray[np.int32],
    ends: NDArray[np.int32],
    costs: NDArray[np.float64],
    least: NDArray[np.float64],
    sources: NDArray[np.int32],
    length: int,
    low: float,
    high: float,
    most: int,
    budget: int,
    nodes: NDArray[np.int32],
    entries: NDArray[np.int32],
    totals: NDArray[np.float64],
    stop: NDArray[np.uint8],
) -> tuple[int, int]:
    """The first *most* simple paths of *length* edges that cost *low* to *high*, by their ids.

    *begins*, *choices* and *least* are those of `paths_bounds.to_go`; *sources* ascend. Writes a
    path into each row of *nodes* and *entries*, and of *totals*. Returns how many there are, and
    the prefixes looked at, more than *budget* where it ended the search. Halted, it looks at no
    more.
    """
    found, looked = 0, 0
    numbers = least.shape[1]
    path = np.empty(length + 1, dtype=np.int32)
    taken = np.empty(length + 1, dtype=np.int64)  # by depth: the choice that is next
    last = np.empty(length + 1, dtype=np.int64)
    cost = np.empty(length + 1, dtype=np.float64)
    for source in sources:
        if least[length, source] == np.inf:
            continue
        looked += 1
        if looked > budget:
            break
        path[0], cost[0] = source, 0.0
        taken[0] = begins[length * numbers + source]
        last[0] = begins[length * numbers + source + 1]
        depth = 0
        while depth >= 0:
            if depth == length:
                if low <= cost[depth] <= high:
                    nodes[found, : length + 1] = path
                    for i in range(length):
                        entries[found, i] = choices[taken[i] - 1]
                    totals[found] = cost[depth]
                    found += 1
                    if found == most:
                        return found, looked
                depth -= 1
                continue
            if taken[depth] == last[depth]:
                depth -= 1
                continue
            entry = choices[taken[depth]]
            taken[depth] += 1
            end = ends[entry]
            again = False
            for i in range(depth):
                if path[i] == end:
                    again = True
            if again:
                continue
            looked += 1
            if looked > budget or (is_turn(looked) and halted(stop)):
                return found, looked
            total = cost[depth] + costs[entry]
            left = length - depth - 1
            if (total + least[left, end]) * SLACK > high:
                continue
            depth += 1
            path[depth], cost[depth] = end, total
            taken[depth] = begins[left * numbers + end]
            last[depth] = begins[left * numbers + end + 1]
    return found, looked
