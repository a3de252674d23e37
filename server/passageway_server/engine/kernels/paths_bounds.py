"""What is left of the known edges once only paths of at most so many edges count.

Known edges are a flat list ``sources[e] -> targets[e]`` in the direction of a path, in chunks: one
for each level that a side expanded. Distances are in edges, over the known edges, 255 where there
is no way. Halted, a kernel leaves something of no use.
"""

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import U1
from passageway_server.engine.kernels.compiling import halted, is_turn, kernel

_I4 = types.int32[::1]
_I8 = types.int64[::1]
_U1 = types.uint8[::1]
_F8 = types.float64[::1]
_F82 = types.float64[:, ::1]
_INT = types.int64

SLACK = 1.0 - 1e-12
"""Bounds that were summed in another order are lowered by this: far more than rounding adds."""


@kernel(types.void(_I4, _I4, _I8, _U1, _INT, _INT, _INT, U1))
def spread(
    near: NDArray[np.int32],
    far: NDArray[np.int32],
    chunks: NDArray[np.int64],
    distances: NDArray[np.uint8],
    first: int,
    last: int,
    longest: int,
    stop: NDArray[np.uint8],
) -> None:
    """Complete *distances*, right below *first*, for rounds *first* to *last*, near to far ends.

    *chunks* are triples: from, to, and the least number of edges that a path still has after an
    edge of the chunk; a chunk from which *longest* cannot be kept is passed over.
    """
    for reach in range(first, last + 1):
        for chunk in range(0, len(chunks), 3):
            if reach + chunks[chunk + 2] > longest:
                continue
            for edge in range(chunks[chunk], chunks[chunk + 1]):
                if is_turn(edge) and halted(stop):
                    return
                if distances[near[edge]] == reach - 1 and distances[far[edge]] > reach:
                    distances[far[edge]] = reach


@kernel(types.UniTuple(_INT, 2)(_I4, _I4, _INT, _U1, _U1, _INT, _INT, _INT, _I4, _I4, _I4, U1))
def useful(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    known: int,
    before: NDArray[np.uint8],
    after: NDArray[np.uint8],
    longest: int,
    only_source: int,
    only_target: int,
    seen: NDArray[np.int32],
    edges: NDArray[np.int32],
    places: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> tuple[int, int]:
    """The known edges that a path of at most *longest* edges can hold, and their ends.

    *seen* is zero by place, and left with 1 at the places found. An only source is entered by no
    simple path, an only target left by none (-1: there are several). Returns how many edges and
    places were written.
    """
    chosen, met = 0, 0
    for edge in range(known):
        if is_turn(edge) and halted(stop):
            break
        source, target = sources[edge], targets[edge]
        if int(before[source]) + 1 + int(after[target]) > longest:
            continue
        if target == only_source or source == only_target:
            continue
        edges[chosen] = edge
        chosen += 1
        if seen[source] == 0:
            seen[source] = 1
            places[met] = source
            met += 1
        if seen[target] == 0:
            seen[target] = 1
            places[met] = target
            met += 1
    return chosen, met


@njit(types.void(_I4, _I4, _F8, _I4, _I4, _I4, _I8, _I8, _I4, _F8, _I4, U1), nogil=True, cache=True)
def group(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    costs: NDArray[np.float64],
    stored: NDArray[np.int32],
    edges: NDArray[np.int32],
    number: NDArray[np.int32],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    ends: NDArray[np.int32],
    best: NDArray[np.float64],
    evidence: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> None:
    """Lists by source: the entries ``starts[n]:stops[n]`` lead from number n to ``ends``,
    ascending, each once.

    Of parallel edges the cheapest stays, ties in stored order. ``number[place]`` is dense. Two
    passes of a radix sort: by target, then by source.
    """
    size = len(starts)
    by_target = np.zeros(size + 1, dtype=np.int64)
    count = np.zeros(size + 1, dtype=np.int64)
    for i in range(len(edges)):
        if is_turn(i) and halted(stop):
            return
        edge = edges[i]
        by_target[number[targets[edge]] + 1] += 1
        count[number[sources[edge]] + 1] += 1
    for n in range(size):
        by_target[n + 1] += by_target[n]
        count[n + 1] += count[n]
        starts[n] = count[n]
        stops[n] = count[n]
    ordered = np.empty(len(edges), dtype=np.int32)
    for i in range(len(edges)):
        if is_turn(i) and halted(stop):
            return
        edge = edges[i]
        target = number[targets[edge]]
        ordered[by_target[target]] = edge
        by_target[target] += 1
    for i in range(len(ordered)):
        if is_turn(i) and halted(stop):
            return
        edge = ordered[i]
        source, target = number[sources[edge]], number[targets[edge]]
        entry = stops[source]
        if entry > starts[source] and ends[entry - 1] == target:
            entry -= 1
            if costs[edge] > best[entry] or (
                costs[edge] == best[entry] and stored[edge] >= evidence[entry]
            ):
                continue
        else:
            stops[source] += 1
        ends[entry] = target
        best[entry] = costs[edge]
        evidence[entry] = stored[edge]


@kernel(types.void(_I8, _I8, _I4, _F8, _F82, types.float64, _F82, _I8, _I4, U1))
def to_go(
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    ends: NDArray[np.int32],
    costs: NDArray[np.float64],
    begun: NDArray[np.float64],
    high: float,
    least: NDArray[np.float64],
    begins: NDArray[np.int64],
    choices: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> None:
    """The steps that a walk of exactly d edges from n to a target may take.

    They are the entries ``choices[begins[d * nodes + n]:begins[d * nodes + n + 1]]``, ascending by
    end: those with which a walk of all ``len(least) - 1`` edges can cost at most *high*, when
    *begun* is the least that its start costs (by edges and number; 0 says nothing). ``least[d, n]``
    is the least cost of such a walk, inf where there is none; ``least[0]`` is given: 0 at the
    targets. It is summed in another order than a path, so its last bits may differ.
    """
    nodes, longest = len(starts), len(least) - 1
    begins[: nodes + 1] = 0
    filled = 0
    for edges in range(1, longest + 1):
        for n in range(nodes):
            if halted(stop):
                return
            lowest = np.inf
            for entry in range(starts[n], stops[n]):
                cost = costs[entry] + least[edges - 1, ends[entry]]
                whole = begun[longest - edges, n] + cost
                if whole == np.inf or whole * SLACK > high:
                    continue
                choices[filled] = entry
                filled += 1
                lowest = min(lowest, cost)
            least[edges, n] = lowest
            begins[edges * nodes + n + 1] = filled


@kernel(types.void(_I8, _I8, _I4, _F8, _F82, U1))
def so_far(
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    ends: NDArray[np.int32],
    costs: NDArray[np.float64],
    least: NDArray[np.float64],
    stop: NDArray[np.uint8],
) -> None:
    """``least[d, n]``: the least cost of a walk of exactly d edges from a source to n, or inf.

    ``least[0]`` is given: 0 at the sources. Exact to the last bit: costs are added from the source
    on, as a path's are, and rounding keeps their order.
    """
    for edges in range(1, len(least)):
        least[edges, :] = np.inf
        for n in range(len(starts)):
            if halted(stop):
                return
            cost = least[edges - 1, n]
            if cost == np.inf:
                continue
            for entry in range(starts[n], stops[n]):
                end = ends[entry]
                least[edges, end] = min(least[edges, end], cost + costs[entry])


@njit(types.void(_I8, _I8, _I4, _I8, _I4, _I4, U1), nogil=True, cache=True)
def turned(
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    ends: NDArray[np.int32],
    begins: NDArray[np.int64],
    backs: NDArray[np.int32],
    entry_of: NDArray[np.int32],
    stop: NDArray[np.uint8],
) -> None:
    """The same lists by target: ``backs[begins[n]:begins[n + 1]]`` lead to n, each as ``entry_of``.

    *begins* is zero.
    """
    for n in range(len(starts)):
        if halted(stop):
            return
        for entry in range(starts[n], stops[n]):
            begins[ends[entry] + 1] += 1
    for n in range(len(starts)):
        begins[n + 1] += begins[n]
    filled = begins.copy()
    for n in range(len(starts)):
        if halted(stop):
            return
        for entry in range(starts[n], stops[n]):
            slot = filled[ends[entry]]
            filled[ends[entry]] += 1
            backs[slot], entry_of[slot] = n, entry
