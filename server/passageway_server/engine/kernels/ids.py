"""From ids to the rows that a call may see.

All ids are looked for at once, level by level, so that the memory that one search waits for is
fetched while the others wait for theirs.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, I8, SIGHT, U1, Sight, is_open
from passageway_server.engine.kernels.compiling import Int, direct, inlined, kernel


class Index(NamedTuple):
    """The terms that ids are: sorted hashes, the number behind each, and the strings by number."""

    hashes: NDArray[np.uint64]
    order: NDArray[np.int32]
    bounds: NDArray[np.int64]
    heap: NDArray[np.uint8]


_U8 = types.Array(types.uint64, 1, "C", readonly=True)
INDEX = types.NamedTuple((_U8, I4, I8, U1), Index)


@inlined
def is_same(
    heap: NDArray[np.uint8], start: Int, end: Int, other: NDArray[np.uint8], at: Int, stop: Int
) -> bool:
    """Whether the bytes ``start:end`` of *heap* are the bytes ``at:stop`` of *other*."""
    if end - start != stop - at:
        return False
    for i in range(end - start):  # noqa: SIM110  (a kernel has no generators)
        if heap[start + i] != other[at + i]:
            return False
    return True


@kernel(types.void(INDEX, SIGHT, _U8, U1, types.int64[::1], types.int32[::1]))
def _open_rows(
    index: Index,
    sight: Sight,
    wanted: NDArray[np.uint64],
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    rows: NDArray[np.int32],
) -> None:
    """Write the row of each id to *rows*, which holds 0: -1 where there is none, or none that
    *sight* opens.

    Id i is the bytes of *texts* up to ``ends[i]``, from where the one before ends, and
    ``wanted[i]`` is its hash.
    """
    hashes, order, bounds, heap = index
    classes, expiry, verdict, _, now, _ = sight
    # The first hash that is not below the wanted one is one of *left* from place rows[i] on, or the
    # one behind them.
    left = len(hashes)
    while left > 1:
        half = left >> 1
        for i in range(len(rows)):
            if hashes[rows[i] + half - 1] < wanted[i]:
                rows[i] += half
        left -= half
    for i in range(len(rows)):
        place, begin = np.int64(rows[i]), ends[i - 1] if i else 0
        if left and hashes[place] < wanted[i]:
            place += 1
        rows[i] = -1
        while place < len(hashes) and hashes[place] == wanted[i]:
            number = order[place]
            if is_same(heap, bounds[number], bounds[number + 1], texts, begin, ends[i]):
                if is_open(classes, expiry, verdict, now, number):
                    rows[i] = number
                break
            place += 1


open_rows = direct(_open_rows)
