"""From ids to the rows that a call may see.

All ids are looked for at once, level by level, so that the memory that one search waits for is
fetched while the others wait for theirs.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.columns.hashed import SHORT
from passageway_server.columns.hashing import EARLY, FIRST, GOLDEN, LATE, SECOND, WORD
from passageway_server.engine.kernels.arrays import I4, I8, SIGHT, U1, Sight, is_open
from passageway_server.engine.kernels.compiling import Int, direct, inlined, kernel


class Index(NamedTuple):
    """The terms that ids are: sorted hashes, the number behind each, and the strings by number.

    Recent ones have hashes of their own, and so have those that came before them.
    """

    hashes: NDArray[np.uint32]
    order: NDArray[np.int32]
    before_hashes: NDArray[np.uint32]
    before_order: NDArray[np.int32]
    recent_hashes: NDArray[np.uint32]
    recent_order: NDArray[np.int32]
    bounds: NDArray[np.int64]
    heap: NDArray[np.uint8]


_U4 = types.Array(types.uint32, 1, "C", readonly=True)
INDEX = types.NamedTuple((_U4, I4, _U4, I4, _U4, I4, I8, U1), Index)


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


@kernel(types.int64(_U4, types.uint32))
def first_place(hashes: NDArray[np.uint32], wanted: int) -> int:
    """Where the first of *hashes* is that is not below *wanted*."""
    low, high = 0, len(hashes)
    while low < high:
        middle = (low + high) >> 1
        if hashes[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def number_from(
    hashes: NDArray[np.uint32],
    order: NDArray[np.int32],
    bounds: NDArray[np.int64],
    heap: NDArray[np.uint8],
    place: Int,
    wanted: Int,
    texts: NDArray[np.uint8],
    begin: Int,
    end: Int,
) -> int:
    """The number of the string ``begin:end`` of *texts*, -1 where it is not here.

    The first hash that is not below *wanted* is that of *place*, or the one behind it.
    """
    found = -1
    at = np.int64(place)
    if at < len(hashes) and hashes[at] < wanted:
        at += 1
    while found < 0 and at < len(hashes) and hashes[at] == wanted:
        number = order[at]
        if is_same(heap, bounds[number], bounds[number + 1], texts, begin, end):
            found = number
        at += 1
    return found


@kernel(types.uint32(U1, types.int64, types.int64))
def short_hash(heap: NDArray[np.uint8], begin: int, end: int) -> Int:
    """The hash of the bytes ``begin:end`` of *heap*, as columns/hashing.py gives it, and its upper half."""
    found = np.uint64(end - begin + 1) * np.uint64(GOLDEN)
    for at in range(begin, end, WORD):
        word = np.uint64(0)
        for i in range(min(WORD, end - at)):
            word |= np.uint64(heap[at + i]) << np.uint64(8 * i)
        found = (found ^ word) * np.uint64(FIRST)
        found ^= found >> np.uint64(EARLY)
        found *= np.uint64(SECOND)
        found ^= found >> np.uint64(LATE)
    return np.uint32(found >> np.uint64(SHORT))


@kernel(types.void(INDEX, SIGHT, U1, types.int64[::1], types.uint32[::1], types.int32[::1]))
def _open_rows(
    index: Index,
    sight: Sight,
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    wanted: NDArray[np.uint32],
    rows: NDArray[np.int32],
) -> None:
    """Write the row of each id to *rows*, which holds 0: -1 where there is none, or none that
    *sight* opens.

    Id i is the bytes of *texts* up to ``ends[i]``, from where the one before ends; its hash is
    written to ``wanted[i]``.
    """
    for i in range(len(rows)):
        wanted[i] = short_hash(texts, ends[i - 1] if i else 0, ends[i])
    hashes, order, bounds, heap = index.hashes, index.order, index.bounds, index.heap
    before_hashes, before_order = index.before_hashes, index.before_order
    recent_hashes, recent_order = index.recent_hashes, index.recent_order
    classes, expiry, verdict, now, _ = sight
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
        begin = ends[i - 1] if i else 0
        number = number_from(hashes, order, bounds, heap, rows[i], wanted[i], texts, begin, ends[i])
        if number < 0 and len(before_hashes) > 0:
            place = first_place(before_hashes, wanted[i])
            number = number_from(
                before_hashes, before_order, bounds, heap, place, wanted[i], texts, begin, ends[i]
            )
        if number < 0 and len(recent_hashes) > 0:
            place = first_place(recent_hashes, wanted[i])
            number = number_from(
                recent_hashes, recent_order, bounds, heap, place, wanted[i], texts, begin, ends[i]
            )
        if number >= 0 and not is_open(classes, expiry, verdict, now, number):
            number = -1
        rows[i] = number


open_rows = direct(_open_rows)
