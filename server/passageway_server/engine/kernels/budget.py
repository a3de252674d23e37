"""The connected part to keep of what a walk reached: grown from its seeds, the best node first.

Here a node is its position in the total order of the walk, so the best of several is the least.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import F8, I4, U1, comes_first
from passageway_server.engine.kernels.compiling import Int, abandoned, inlined, is_turn, kernel


class Grown(NamedTuple):
    """What was kept: ``kept`` by node, and the edge that attached it, -1 on a seed."""

    kept: NDArray[np.uint8]
    edge: NDArray[np.int32]

    @classmethod
    def room(cls, nodes: int) -> "Grown":
        """Of *nodes* nodes, none kept."""
        return cls(np.zeros(nodes, dtype=np.uint8), np.full(nodes, -1, dtype=np.int32))


class Growing(NamedTuple):
    """Scratch: the edges of each node, and those nodes that may be next, as a heap."""

    starts: NDArray[np.int64]  # two more than nodes
    edges: NDArray[np.int32]
    waits: NDArray[np.uint8]  # by node: it is in the heap, or was
    heap: NDArray[np.int32]

    @classmethod
    def room(cls, nodes: int, edges: int) -> "Growing":
        """For *nodes* nodes and *edges* edges."""
        return cls(
            starts=np.zeros(nodes + 2, dtype=np.int64),
            edges=np.empty(2 * edges, dtype=np.int32),
            waits=np.zeros(nodes, dtype=np.uint8),
            heap=np.empty(nodes, dtype=np.int32),
        )


_I4S, _I8S, _U1S = types.int32[::1], types.int64[::1], types.uint8[::1]
_GROWN = types.NamedTuple((_U1S, _I4S), Grown)
_GROWING = types.NamedTuple((_I8S, _I4S, _U1S, _I4S), Growing)


@inlined
def _push(heap: NDArray[np.int32], size: Int, node: Int) -> None:
    hole = size
    while hole > 0 and heap[(hole - 1) >> 1] > node:
        heap[hole] = heap[(hole - 1) >> 1]
        hole = (hole - 1) >> 1
    heap[hole] = node


@inlined
def _drop_first(heap: NDArray[np.int32], size: Int) -> None:
    """Leave ``size - 1`` in the heap."""
    last = heap[size - 1]
    hole = 0
    child = 1
    while child < size - 1:
        if child + 1 < size - 1 and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[hole] = heap[child]
        hole = child
        child = 2 * hole + 1
    heap[hole] = last


@inlined
def _wait(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    starts: NDArray[np.int64],
    edges: NDArray[np.int32],
    kept: NDArray[np.uint8],
    waits: NDArray[np.uint8],
    heap: NDArray[np.int32],
    size: Int,
    node: Int,
) -> int:
    """Let the neighbors of *node* wait in the heap; how many are in it then."""
    for entry in range(starts[node], starts[node + 1]):
        other = sources[edges[entry]] + targets[edges[entry]] - node
        if kept[other] == 0 and waits[other] == 0:
            waits[other] = 1
            _push(heap, size, other)
            size += 1
    return int(size)


@kernel(
    types.int64(
        I4, I4, F8, I4, F8, I4, types.int64, types.int64, types.float64, U1, _GROWING, _GROWN
    )
)
def grow(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64],
    stored: NDArray[np.int32],
    scores: NDArray[np.float64],
    seeds: NDArray[np.int32],
    most_nodes: int,
    most_edges: int,
    least: float,
    stop: NDArray[np.uint8],
    growing: Growing,
    grown: Grown,
) -> int:
    """Keep *seeds* and then, one by one, the best node with an edge to a kept one; how many edges
    that took.

    It is attached by the heaviest such edge, then the first by *stored*. No more than the caps are
    taken, and none but a seed whose score is not above *least*. *scores* go by node. A call that is
    over is left with a part of it.
    """
    starts, edges, waits, heap = growing
    kept, attached = grown
    # Counts stand two entries on, and starts one: to fill a node's entries moves its start to its
    # end, which is where the next one's begin.
    for edge in range(len(sources)):
        if is_turn(edge) and abandoned(stop):
            return 0
        starts[sources[edge] + 2] += 1
        starts[targets[edge] + 2] += 1
    for node in range(2, len(starts)):
        starts[node] += starts[node - 1]
    for edge in range(len(sources)):
        if is_turn(edge) and abandoned(stop):
            return 0
        source, target = sources[edge], targets[edge]
        edges[starts[source + 1]] = edge
        edges[starts[target + 1]] = edge
        starts[source + 1] += 1
        starts[target + 1] += 1
    nodes = min(len(seeds), most_nodes)
    for i in range(nodes):
        kept[seeds[i]] = 1
    size = 0
    for i in range(nodes):
        if abandoned(stop):
            return 0
        size = _wait(sources, targets, starts, edges, kept, waits, heap, size, seeds[i])
    taken = 0
    while size > 0 and nodes < most_nodes and taken < most_edges and scores[heap[0]] > least:
        if abandoned(stop):
            break
        node = heap[0]
        _drop_first(heap, size)
        best = -1
        for entry in range(starts[node], starts[node + 1]):
            edge = edges[entry]
            if kept[sources[edge] + targets[edge] - node] == 1 and (
                best < 0 or comes_first(weights[edge], stored[edge], weights[best], stored[best])
            ):
                best = edge
        kept[node] = 1
        attached[node] = best
        nodes += 1
        taken += 1
        size = _wait(sources, targets, starts, edges, kept, waits, heap, size - 1, node)
    return taken
