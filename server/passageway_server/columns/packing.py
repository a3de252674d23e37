"""Edges put into the slots of their rows, heaviest first: some rows at a time, so that little is held beside what comes of it."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ranges import AT_ONCE
from passageway_server.columns.since import Slotted

_PARTS = (
    16  # in so many parts edges are put into their slots; each looks at the rows of all of them
)


def packed(
    near: NDArray[np.int32], taken: Callable[[NDArray[np.int64]], Slotted], *, rows: int
) -> tuple[NDArray[np.int64], Slotted]:
    """How many of the edges at *near* each of *rows* rows has; and what slots hold, row by row, heaviest first, then by key.

    *taken* gives what slots hold of edges, by their places in *near*.
    """
    degrees = np.zeros(rows, dtype=np.int64)
    part = _part(len(near))
    for start in range(0, len(near), part):
        degrees += np.bincount(near[start : start + part], minlength=rows)
    empty = taken(np.empty(0, dtype=np.int64))
    arrays: dict[str, Any] = {
        name: np.empty(len(near), dtype=getattr(empty, name).dtype) for name in empty.__slots__
    }
    filled = 0
    for first, last in _ranges(degrees, part):
        places = np.flatnonzero((near >= first) & (near < last))
        edges = taken(places)
        order = np.lexsort((edges.stored, -edges.weights, near[places]))
        for name, array in arrays.items():
            array[filled : filled + len(places)] = getattr(edges, name)[order]
        filled += len(places)
    return degrees, Slotted(**arrays)


def _part(edges: int) -> int:
    return max(-(-edges // _PARTS), AT_ONCE)


def _ranges(degrees: NDArray[np.int64], part: int) -> Iterator[tuple[int, int]]:
    """Rows from the first of each pair up to the second, which have some *part* edges together."""
    ends, first = np.cumsum(degrees), 0
    while first < len(degrees):
        before = int(ends[first - 1]) if first else 0
        last = max(int(ends.searchsorted(before + part, side="right")), first + 1)
        yield first, last
        first = last
