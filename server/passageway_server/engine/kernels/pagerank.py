"""Personalized PageRank over the edges that a walk traversed.

Here a node is its position in the total order of the walk. Mass is handed on node by node in that
order, each node's along its edges in their order. `spread` fetches instead of handing on: what
arrives at a node comes in that same order, so the sums are the same to the last bit.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import F8, I4, U1
from passageway_server.engine.kernels.compiling import halted, is_turn, kernel


class Flows(NamedTuple):
    """What arrives at node w does so by the entries ``starts[w]:starts[w + 1]``.

    An entry brings ``parts / sums[near]`` of what its node ``nears`` hands on. A part is the weight
    of an edge over the heaviest of its node; a node with a sum of 0 has no edge to walk on.
    """

    starts: NDArray[np.int64]
    nears: NDArray[np.int32]
    parts: NDArray[np.float64]
    sums: NDArray[np.float64]

    @classmethod
    def room(cls, nodes: int, entries: int) -> "Flows":
        """For *nodes* nodes, with no more than *entries* entries."""
        return cls(
            starts=np.zeros(nodes + 2, dtype=np.int64),  # the last is scratch
            nears=np.empty(entries, dtype=np.int32),
            parts=np.empty(entries, dtype=np.float64),
            sums=np.zeros(nodes, dtype=np.float64),
        )


class Ends(NamedTuple):
    """Scratch of `gather`: edges by their nodes, and the edges of each node in their order."""

    position: NDArray[np.int32]  # by place
    most: NDArray[np.float64]  # by node: its heaviest edge
    starts: NDArray[np.int64]  # by node, where its ``edges`` begin
    edges: NDArray[np.int32]  # ~edge where the node is the target

    @classmethod
    def room(cls, nodes: int, entries: int) -> "Ends":
        """For *nodes* nodes, with no more than *entries* entries."""
        return cls(
            position=np.empty(nodes, dtype=np.int32),
            most=np.zeros(nodes, dtype=np.float64),
            starts=np.zeros(nodes + 2, dtype=np.int64),  # the last is scratch
            edges=np.empty(entries, dtype=np.int32),
        )


_I4S, _I8S, _F8S = types.int32[::1], types.int64[::1], types.float64[::1]
_FLOWS = types.NamedTuple((_I8S, _I4S, _F8S, _F8S), Flows)
_ENDS = types.NamedTuple((_I4S, _F8S, _I8S, _I4S), Ends)


@kernel(types.boolean(I4, I4, I4, F8, types.boolean, U1, _ENDS, _FLOWS))
def gather(
    order: NDArray[np.int32],
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64],
    undirected: bool,
    stop: NDArray[np.uint8],
    ends: Ends,
    flows: Flows,
) -> bool:
    """Fill *flows* from edges in their order, whose ends are places; False where the call is to
    stop.

    *order* has the places in the total order. An edge of weight 0 is no edge.
    """
    position, most, leaving, edges = ends
    arriving, nears, parts, sums = flows
    for node in range(len(order)):
        position[order[node]] = node
    # Counts stand two entries on, and starts one: to fill a node's entries moves its start to its
    # end, which is where the next one's begin.
    for edge in range(len(weights)):
        if is_turn(edge) and halted(stop):
            return False
        weight = weights[edge]
        if not weight > 0.0:
            continue
        source, target = position[sources[edge]], position[targets[edge]]
        most[source] = max(most[source], weight)
        leaving[source + 2] += 1
        arriving[target + 2] += 1
        if undirected:
            most[target] = max(most[target], weight)
            leaving[target + 2] += 1
            arriving[source + 2] += 1
    for node in range(2, len(leaving)):
        leaving[node] += leaving[node - 1]
        arriving[node] += arriving[node - 1]
    for edge in range(len(weights)):
        if is_turn(edge) and halted(stop):
            return False
        if not weights[edge] > 0.0:
            continue
        source = position[sources[edge]]
        edges[leaving[source + 1]] = edge
        leaving[source + 1] += 1
        if undirected:
            target = position[targets[edge]]
            edges[leaving[target + 1]] = ~edge
            leaving[target + 1] += 1
    for node in range(len(order)):
        total = 0.0
        for entry in range(leaving[node], leaving[node + 1]):
            if is_turn(entry) and halted(stop):
                return False
            edge = edges[entry]
            if edge >= 0:
                other = position[targets[edge]]
            else:
                edge = ~edge
                other = position[sources[edge]]
            part = weights[edge] / most[node]
            total += part
            slot = arriving[other + 1]
            nears[slot] = node
            parts[slot] = part
            arriving[other + 1] = slot + 1
        sums[node] = total
    return True


@kernel(
    types.Tuple((types.int64, types.boolean))(
        _FLOWS, F8, types.float64, types.int64, types.float64, U1, _F8S, _F8S, _F8S
    )
)
def spread(
    flows: Flows,
    restart: NDArray[np.float64],
    alpha: float,
    iterations: int,
    tolerance: float,
    stop: NDArray[np.uint8],
    handed: NDArray[np.float64],
    following: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> tuple[int, bool]:
    """Walk on with chance *alpha*, else restart, until *scores*, which begin as *restart*, hold.

    How many passes that took, and whether the last one changed them by less than *tolerance* in
    all. Where the call is to stop, the pass under way does not count. The other arrays are scratch.
    """
    starts, nears, parts, sums = flows
    count = len(restart)
    for done in range(iterations):
        back = 0.0
        for node in range(count):
            if sums[node] > 0.0:
                handed[node] = (alpha * scores[node]) / sums[node]
            else:
                back += alpha * scores[node]
        restarting = (1.0 - alpha) + back
        change = 0.0
        for node in range(count):
            if halted(stop):
                return done, False
            arrived = 0.0
            for entry in range(starts[node], starts[node + 1]):
                arrived += handed[nears[entry]] * parts[entry]
            arrived += restarting * restart[node]
            change += abs(arrived - scores[node])
            following[node] = arrived
        for node in range(count):
            scores[node] = following[node]
        if change < tolerance:
            return done + 1, True
    return iterations, False
