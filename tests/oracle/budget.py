"""The connected part of a walk that fits a budget: grown from the seeds, always by the best node at hand."""

import math
from dataclasses import dataclass

from passageway.v1 import graph_pb2
from tests.oracle.refusals import Checks
from tests.oracle.walk import Reached, Traversed, in_total_order

MOST = 100_000


@dataclass(frozen=True, slots=True)
class Budget:
    """How large the part may be; None: no cap."""

    nodes: int | None
    edges: int | None
    edge_cost: float

    @classmethod
    def of(cls, budget: graph_pb2.ExpandRequest.Budget, checks: Checks) -> "Budget":
        """The budget that a request has; its faults go to *checks*."""
        given = [name for name in ("nodes", "edges", "edge_cost") if budget.HasField(name)]
        checks.need(bool(given), "budget")
        caps = {
            name: checks.number(f"budget.{name}", getattr(budget, name), low=0, high=MOST)
            for name in given
            if name != "edge_cost"
        }
        checks.need(math.isfinite(budget.edge_cost), "budget.edge_cost")
        return cls(caps.get("nodes"), caps.get("edges"), budget.edge_cost)


def keep(
    budget: Budget, reached: list[Reached], traversed: list[Traversed]
) -> tuple[list[Reached], list[Traversed]]:
    """The part of a walk that fits: its nodes, each by the edge that attached it, and its edges."""
    most_nodes = len(reached) if budget.nodes is None else budget.nodes
    most_edges = len(traversed) if budget.edges is None else budget.edges
    seeds = in_total_order(node for node in reached if node.hop == 0)[:most_nodes]
    kept = {seed.id: seed for seed in seeds}
    edges: list[Traversed] = []
    while len(kept) < most_nodes and len(edges) < most_edges:
        ways: dict[str, list[tuple[Traversed, str]]] = {}
        for each in traversed:
            for inside, outside in _ways(each):
                if inside in kept and outside not in kept:
                    ways.setdefault(outside, []).append((each, inside))
        best = in_total_order(node for node in reached if node.id in ways)[:1]
        if not best or best[0].score <= budget.edge_cost:
            break
        heaviest, via = min(ways[best[0].id], key=lambda way: _heaviest_first(way[0]))
        edges.append(heaviest)
        kept[best[0].id] = Reached(best[0].id, best[0].score, best[0].hop, via, heaviest.arc)
    left_over = [
        each
        for each in traversed
        if each not in edges and each.arc.source in kept and each.arc.target in kept
    ]
    left_over.sort(key=_heaviest_first)
    among = {each.arc for each in edges + left_over[: most_edges - len(edges)]}
    return list(kept.values()), [each for each in traversed if each.arc in among]


def _ways(each: Traversed) -> tuple[tuple[str, str], tuple[str, str]]:
    return (each.arc.source, each.arc.target), (each.arc.target, each.arc.source)


def _heaviest_first(each: Traversed) -> tuple[float, tuple[int, int, int]]:
    return -each.weight, each.arc.stored
