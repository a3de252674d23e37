"""Personalized PageRank: a random walk with restart, over the edges that a walk traversed.

Every sum is sequential, in the order that stands beside it, so that two careful implementations agree to the
last bit.
"""

import math
from dataclasses import dataclass

from passageway.v1 import graph_pb2
from tests.oracle.fields import NUMBERS, property_named
from tests.oracle.filters import Binding
from tests.oracle.graph import Graph
from tests.oracle.refusals import Checks, Refused
from tests.oracle.walk import Reached, Traversed, in_total_order

MOST_ITERATIONS = 1_000


@dataclass(frozen=True, slots=True)
class PageRank:
    """How the random walk goes."""

    alpha: float
    iterations: int
    tolerance: float
    undirected: bool
    reset_field: str

    @classmethod
    def of(
        cls, ppr: graph_pb2.ExpandRequest.PageRank, binding: Binding, checks: Checks
    ) -> "PageRank":
        """What a request says of it; its faults go to *checks*, whether or not it ranks by it."""
        alpha = ppr.alpha if ppr.HasField("alpha") else 0.5
        tolerance = ppr.tolerance if ppr.HasField("tolerance") else 1e-6
        checks.need(0 <= alpha <= 1, "ppr.alpha")
        checks.need(0 <= tolerance < math.inf, "ppr.tolerance")
        if ppr.reset_field:
            try:
                known = binding.known(ppr.reset_field, "ppr.reset_field", False)
                checks.need(known.kind in NUMBERS, "ppr.reset_field")
            except Refused as refused:
                checks.absorb(refused)
        return cls(
            alpha=alpha,
            iterations=checks.number(
                "ppr.iterations",
                ppr.iterations if ppr.HasField("iterations") else 50,
                low=0,
                high=MOST_ITERATIONS,
            ),
            tolerance=tolerance,
            undirected=ppr.undirected if ppr.HasField("undirected") else True,
            reset_field=ppr.reset_field,
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The chance of standing at each node, the passes run, and whether the last one moved little enough."""

    scores: dict[str, float]
    iterations: int
    converged: bool


def rank(graph: Graph, how: PageRank, reached: list[Reached], traversed: list[Traversed]) -> Ranked:
    """The rank of the nodes *reached*; *traversed* come by hop, then in stored order."""
    nodes = in_total_order(reached)
    if not nodes:
        return Ranked({}, 0, True)
    ids = [node.id for node in nodes]
    restart = _restart(graph, how, nodes)
    shares = {row_id: _shares(row_id, how, traversed) for row_id in ids}
    scores = dict(restart)
    for done in range(1, how.iterations + 1):
        new = dict.fromkeys(ids, 0.0)
        back = 0.0
        for row_id in ids:
            walking = how.alpha * scores[row_id]
            if not shares[row_id]:
                back += walking
                continue
            total = 0.0
            for _, share in shares[row_id]:
                total += share
            flow = walking / total
            for end, share in shares[row_id]:
                new[end] += flow * share
        part = (1.0 - how.alpha) + back
        change = 0.0
        for row_id in ids:
            new[row_id] += part * restart[row_id]
            change += abs(new[row_id] - scores[row_id])
        scores = new
        if change < how.tolerance:
            return Ranked(scores, done, True)
    return Ranked(scores, how.iterations, False)


def _restart(graph: Graph, how: PageRank, nodes: list[Reached]) -> dict[str, float]:
    """Where a restart leads, *nodes* in the total order: to seeds, by their scores, scaled by the field."""
    wanted = {
        node.id: node.score * _reset(graph, how, node.id) if node.hop == 0 else 0.0
        for node in nodes
    }
    for row_id, value in wanted.items():
        if math.isnan(value):  # a score that outgrew the doubles, times 0
            wanted[row_id] = 0.0
    if math.inf in wanted.values():
        wanted = {row_id: float(value == math.inf) for row_id, value in wanted.items()}
    largest = max(wanted.values())
    if largest == 0.0:
        wanted = {node.id: float(node.hop == 0) for node in nodes}
        largest = 1.0
    shares = {row_id: value / largest for row_id, value in wanted.items()}
    total = 0.0
    for share in shares.values():
        total += share
    return {row_id: share / total for row_id, share in shares.items()}


def _reset(graph: Graph, how: PageRank, row_id: str) -> float:
    held = graph.rows[row_id].properties.get(property_named(how.reset_field))
    if not how.reset_field or held is None or held.many:
        return 1.0
    value = held.values[0]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 1.0
    return float(value) if value > 0 else 0.0


def _shares(row_id: str, how: PageRank, traversed: list[Traversed]) -> list[tuple[str, float]]:
    """The edges by which a random walk leaves a node, each by its other end and its weight next to the largest."""
    usable = [
        each
        for each in traversed
        if each.weight > 0
        and (row_id == each.arc.source or (how.undirected and row_id == each.arc.target))
    ]
    largest = max((each.weight for each in usable), default=0.0)
    return [(each.arc.other(row_id), each.weight / largest) for each in usable]
