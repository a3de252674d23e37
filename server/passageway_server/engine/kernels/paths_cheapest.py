"""The cheapest simple paths over grouped lists, best first from the targets back.

A suffix is the end of a path. What it costs to get to its first node is known to the last bit, so
the bound of a suffix is the very cost of the best walk that ends with it.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import U1
from passageway_server.engine.kernels.compiling import halted, kernel

_I4 = types.int32[::1]
_I42 = types.int32[:, ::1]
_I8 = types.int64[::1]
_F8 = types.float64[::1]
_F82 = types.float64[:, ::1]
_INT = types.int64


class Suffixes(NamedTuple):
    """Ends of paths, and a heap of them, best first."""

    nodes: NDArray[np.int32]  # its first node
    afters: NDArray[np.int32]  # the suffix without that node, -1
    steps: NDArray[np.int32]  # the entry from the first node to the second
    edges: NDArray[np.int32]  # how many it has
    whole: NDArray[np.uint8]  # 1: it is a path from a source; 0: it is to be extended
    bounds: NDArray[np.float64]  # the least cost of a path that ends with it
    ties: NDArray[np.int64]
    heap: NDArray[np.int32]

    @classmethod
    def within(cls, budget: int) -> "Suffixes":
        """Room for *budget* suffixes, each of which may be whole and to be extended.

        Memory that is never written is never taken.
        """
        room = 2 * budget + 2
        return cls(
            np.empty(room, dtype=np.int32),
            np.empty(room, dtype=np.int32),
            np.empty(room, dtype=np.int32),
            np.empty(room, dtype=np.int32),
            np.empty(room, dtype=np.uint8),
            np.empty(room, dtype=np.float64),
            np.empty(room, dtype=np.int64),
            np.empty(room, dtype=np.int32),
        )


SUFFIXES = types.NamedTuple((_I4, _I4, _I4, _I4, types.uint8[::1], _F8, _I8, _I4), Suffixes)


@kernel(types.boolean(SUFFIXES, _INT, _INT))
def _first(suffixes: Suffixes, a: int, b: int) -> bool:
    """Whether item *a* comes before item *b*."""
    if suffixes.bounds[a] != suffixes.bounds[b]:
        return bool(suffixes.bounds[a] < suffixes.bounds[b])
    return bool(suffixes.ties[a] < suffixes.ties[b])


@kernel(types.void(SUFFIXES, _INT))
def _rise(suffixes: Suffixes, waiting: int) -> None:
    """Restore the heap after an addition at its end."""
    heap = suffixes.heap
    child = waiting - 1
    item = heap[child]
    while child > 0:
        parent = (child - 1) // 2
        if not _first(suffixes, item, heap[parent]):
            break
        heap[child] = heap[parent]
        child = parent
    heap[child] = item


@kernel(_INT(SUFFIXES, _INT))
def _taken(suffixes: Suffixes, waiting: int) -> int:
    """Take the first item out of the heap."""
    heap = suffixes.heap
    first, item = heap[0], heap[waiting - 1]
    waiting -= 1
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= waiting:
            break
        if child + 1 < waiting and _first(suffixes, heap[child + 1], heap[child]):
            child += 1
        if not _first(suffixes, heap[child], item):
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = item
    return int(first)


@kernel(types.UniTuple(_INT, 2)(SUFFIXES, _F8, _F82, _INT, _INT, _INT, _INT, _INT))
def _look(
    suffixes: Suffixes,
    costs: NDArray[np.float64],
    least: NDArray[np.float64],
    head: int,
    after: int,
    step: int,
    count: int,
    waiting: int,
) -> tuple[int, int]:
    """Queue the suffix of *head*, by entry *step*, before the suffix *after* (-1: none).

    It is queued as it is where its head is a source, and by its best extension where it has one.
    """
    edges = suffixes.edges[after] + 1 if after >= 0 else 0
    depth = len(least) - 1
    for whole in (1, 0):
        low, shortest = np.inf, 0
        for more in range(1 - whole, 1 if whole else depth - edges + 1):
            total = least[more, head]
            if after >= 0:
                total += costs[step]
            item = after
            while item >= 0 and suffixes.afters[item] >= 0:
                total += costs[suffixes.steps[item]]
                item = suffixes.afters[item]
            if total < low:
                low, shortest = total, more + edges
        if low == np.inf:
            continue
        suffixes.nodes[count], suffixes.afters[count] = head, after
        suffixes.steps[count], suffixes.edges[count] = step, edges
        suffixes.whole[count], suffixes.bounds[count] = whole, low
        # Of equal costs the shorter path, then whole ones, then longer suffixes: they end the
        # search soonest.
        suffixes.ties[count] = ((shortest * 2 + 1 - whole) * 8 + 7 - edges) << 32 | count
        suffixes.heap[waiting] = count
        count += 1
        waiting += 1
        _rise(suffixes, waiting)
    return count, waiting


@kernel(
    types.UniTuple(_INT, 2)(
        _I8, _I4, _I4, _F8, _F82, _I4, SUFFIXES, _INT, _INT, _I42, _I42, _I4, _F8, U1
    )
)
def cheapest(
    starts: NDArray[np.int64],
    backs: NDArray[np.int32],
    entry_of: NDArray[np.int32],
    costs: NDArray[np.float64],
    least: NDArray[np.float64],
    targets: NDArray[np.int32],
    suffixes: Suffixes,
    most: int,
    budget: int,
    nodes: NDArray[np.int32],
    entries: NDArray[np.int32],
    lengths: NDArray[np.int32],
    totals: NDArray[np.float64],
    stop: NDArray[np.uint8],
) -> tuple[int, int]:
    """The best *most* simple paths by (cost, length), in that order; which of equals is left open.

    Best first over suffixes. Lists are by target here: ``backs[starts[n]:starts[n + 1]]`` lead to
    n, each as entry ``entry_of`` of the lists by source, where *costs* are. *least* is the exact
    cost so far (`paths_bounds.so_far`); a suffix's costs added to it give the exact cost of the
    best walk that ends with it, so ties are met exactly. Returns how many paths there are, and the
    suffixes looked at, more than *budget* where it ended the search. Halted, it looks at no more.
    """
    count, waiting, found, looked = 0, 0, 0, 0
    for target in targets:
        looked += 1
        if looked > budget:
            return found, looked
        count, waiting = _look(suffixes, costs, least, target, -1, -1, count, waiting)
    while waiting > 0 and found < most:
        top = _taken(suffixes, waiting)
        waiting -= 1
        if suffixes.whole[top]:
            item = top
            for i in range(suffixes.edges[top] + 1):
                nodes[found, i] = suffixes.nodes[item]
                if suffixes.afters[item] >= 0:
                    entries[found, i] = suffixes.steps[item]
                item = suffixes.afters[item]
            lengths[found], totals[found] = suffixes.edges[top], suffixes.bounds[top]
            found += 1
            continue
        for slot in range(starts[suffixes.nodes[top]], starts[suffixes.nodes[top] + 1]):
            head = backs[slot]
            again, item = False, top
            while item >= 0:
                if suffixes.nodes[item] == head:
                    again = True
                item = suffixes.afters[item]
            if again:
                continue
            looked += 1
            if looked > budget or halted(stop):
                return found, looked
            count, waiting = _look(
                suffixes, costs, least, head, top, entry_of[slot], count, waiting
            )
    return found, looked
