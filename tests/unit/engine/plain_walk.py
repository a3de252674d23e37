"""A walk over plain objects, one edge at a time: what the kernels must agree with to the last bit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from passageway_server.errors import LimitExceeded

OUT, IN, BOTH = "out", "in", "both"


class Arc(NamedTuple):
    """An edge; ``stored`` is its place in the stored order."""

    stored: int
    source: str
    target: str
    type: int = 0
    weight: float = 1.0
    hidden: bool = False


@dataclass(frozen=True)
class PlainGraph:
    """All nodes and edges, and the nodes that the caller may not read."""

    nodes: list[str]
    arcs: list[Arc]
    hidden: frozenset[str] = frozenset()

    def leaving(self, node: str, direction: str) -> list[tuple[Arc, str]]:
        """The visible edges at *node* with their other ends, heaviest first, then in stored order."""
        found: list[tuple[Arc, str]] = []
        for arc in self.arcs:
            if arc.hidden or arc.source == arc.target:
                continue
            if arc.source == node and direction != IN and arc.target not in self.hidden:
                found.append((arc, arc.target))
            if arc.target == node and direction != OUT and arc.source not in self.hidden:
                found.append((arc, arc.source))
        return sorted(found, key=lambda one: (-one[0].weight, one[0].stored))


@dataclass(frozen=True)
class PlainHop:
    direction: str = OUT
    types: frozenset[int] | None = None
    decay: float = 1.0
    edges: Callable[[Arc], bool] | None = None
    nodes: Callable[[str], bool] | None = None
    max_degree: int = 0
    max_per_node: int = 0
    max_frontier: int = 0


@dataclass(frozen=True)
class PlainPlan:
    hops: tuple[PlainHop, ...] = ()
    summing: bool = True
    nodes: Callable[[str], bool] | None = None
    max_nodes: int = 100_000
    max_edges: int = 100_000


@dataclass
class PlainHit:
    """A node reached: the shares that arrived, in order, and the edges that brought them."""

    id: str
    score: float
    hop: int
    via: str = ""
    stored: int = -1
    way: str = ""


@dataclass
class PlainWalked:
    hits: list[PlainHit] = field(default_factory=list[PlainHit])
    traversed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # hop, stored


def plain_walk(graph: PlainGraph, plan: PlainPlan, seeds: dict[str, float]) -> PlainWalked:
    """What *plan* reaches, in the total order, and the edges traversed."""
    reached = {id: PlainHit(id, score, 0) for id, score in seeds.items()}
    followed: dict[Arc, int] = {}
    latest = list(reached.values())
    _check(len(reached), plan.max_nodes, "MAX_NODES")
    for number, hop in enumerate(plan.hops, start=1):
        arrivals: dict[str, list[tuple[float, str, Arc]]] = {}
        for near in sorted(latest, key=lambda hit: (-hit.score, hit.id)):
            for arc, other in _chosen(graph, plan, hop, near.id):
                followed.setdefault(arc, number)
                if other not in reached:
                    share = (near.score * hop.decay) * arc.weight
                    arrivals.setdefault(other, []).append((share, near.id, arc))
        latest = [_arrived(other, shares, number, plan) for other, shares in arrivals.items()]
        latest.sort(key=lambda hit: (-hit.score, hit.id))
        if hop.max_frontier:
            latest = latest[: hop.max_frontier]
        reached |= {hit.id: hit for hit in latest}
        _check(len(reached), plan.max_nodes, "MAX_NODES")
    traversed = sorted(
        (number, arc.stored)
        for arc, number in followed.items()
        if arc.source in reached and arc.target in reached
    )
    _check(len(traversed), plan.max_edges, "MAX_EDGES")
    hits = sorted(reached.values(), key=lambda hit: (-hit.score, hit.hop, hit.id))
    return PlainWalked(hits, traversed)


def _chosen(graph: PlainGraph, plan: PlainPlan, hop: PlainHop, near: str) -> list[tuple[Arc, str]]:
    usable = [
        (arc, other)
        for arc, other in graph.leaving(near, hop.direction)
        if (hop.types is None or arc.type in hop.types) and (hop.edges is None or hop.edges(arc))
    ]
    if hop.max_degree and len(usable) > hop.max_degree:
        return []
    for passes in (plan.nodes, hop.nodes):
        if passes is not None:
            usable = [(arc, other) for arc, other in usable if passes(other)]
    return usable[: hop.max_per_node] if hop.max_per_node else usable


def _arrived(
    other: str, shares: list[tuple[float, str, Arc]], number: int, plan: PlainPlan
) -> PlainHit:
    score = 0.0
    for share, _, _ in shares:
        score = score + share if plan.summing else max(score, share)
    _, via, arc = min(shares, key=lambda one: (-one[0], one[1], one[2].stored))
    return PlainHit(other, score, number, via, arc.stored, OUT if arc.source == via else IN)


def _check(count: int, most: int, reason: str) -> None:
    if count > most:
        raise LimitExceeded(reason, limit=most, parameter=reason.lower(), advice="lower it")
