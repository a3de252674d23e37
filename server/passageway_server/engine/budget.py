"""Keeps the best connected part of what a walk reached: a forest from its seeds, within a budget."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels import budget as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.reach import IN, OUT
from passageway_server.engine.ranking import first_of
from passageway_server.engine.walked import Traversed, Walked
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

_NO_CAP = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """At most so many nodes, and edges between them (None: no cap), each node but a seed of a score
    above ``edge_cost``.
    """

    nodes: int | None = None
    edges: int | None = None
    edge_cost: float = 0.0


def within_budget(version: Version, plan: BudgetPlan, walked: Walked, *, halt: Halt) -> Walked:
    """The part of *walked* that *plan* keeps: nodes as they were scored, each at the edge that
    attached it, and the edges kept between them.

    The best seeds are kept first. Edges beyond those that attach a node are taken heaviest first.
    Spent time does not stop it. Raises DeadlineExceeded and Cancelled where *halt* says so.
    """
    count, edges = len(walked), walked.traversed
    places = np.arange(count, dtype=np.int32)
    order = first_of(
        walked.scores, walked.hops, walked.rows, version.rank, places, count, halt=halt
    )
    node = np.empty(count, dtype=np.int32)
    node[order] = np.arange(count, dtype=np.int32)
    grown = kernel.Grown.room(count)
    taken = kernel.grow(
        sealed(node[edges.sources]),
        sealed(node[edges.targets]),
        sealed(edges.weights),
        sealed(edges.stored),
        sealed(walked.scores[order]),
        sealed(np.flatnonzero(walked.hops[order] == 0).astype(np.int32)),
        _NO_CAP if plan.nodes is None else plan.nodes,
        _NO_CAP if plan.edges is None else plan.edges,
        plan.edge_cost,
        sealed(halt.flag),
        kernel.Growing.room(count, len(edges)),
        grown,
    )
    halt.spent()
    kept = np.flatnonzero(grown.kept[node]).astype(np.int32)
    others = _NO_CAP if plan.edges is None else plan.edges - taken
    return _part(walked, kept, grown.edge[node[kept]], others, halt=halt)


def _part(
    walked: Walked,
    kept: NDArray[np.int32],
    attached: NDArray[np.int32],
    most_others: int,
    *,
    halt: Halt,
) -> Walked:
    """The places *kept* of *walked*, each *attached* by an edge (-1: a seed), with no more than
    *most_others* edges besides.
    """
    edges = walked.traversed
    moved = np.full(len(walked), -1, dtype=np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    sources, targets = moved[edges.sources], moved[edges.targets]
    chosen = np.zeros(len(edges), dtype=np.bool_)
    chosen[attached[attached >= 0]] = True
    others = np.flatnonzero((sources >= 0) & (targets >= 0) & ~chosen).astype(np.int32)
    chosen[_heaviest(edges, others, most_others, halt)] = True
    via, by, ways = np.full(len(kept), -1, np.int32), walked.edges[kept], walked.ways[kept]
    halt.spent()  # for what it raises
    arrived = np.flatnonzero(attached >= 0)
    edge = attached[arrived]
    out = targets[edge] == arrived
    via[arrived] = np.where(out, sources[edge], targets[edge])
    by[arrived] = edges.stored[edge]
    ways[arrived] = np.where(out, OUT, IN)
    return replace(
        walked,
        rows=walked.rows[kept],
        scores=walked.scores[kept],
        hops=walked.hops[kept],
        via=via,
        edges=by,
        ways=ways,
        traversed=replace(edges.chosen(chosen), sources=sources[chosen], targets=targets[chosen]),
    )


def _heaviest(
    edges: Traversed, which: NDArray[np.int32], most: int, halt: Halt
) -> NDArray[np.int32]:
    """The heaviest *most* of the edges *which*, then the first by number."""
    if len(which) <= most:
        return which
    alike = np.zeros(len(edges), dtype=np.uint8)
    each = np.arange(len(edges), dtype=np.int32)
    return first_of(edges.weights, alike, each, edges.stored, which, most, halt=halt)
