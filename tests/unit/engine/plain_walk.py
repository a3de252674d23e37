"""A walk over plain objects, one edge at a time: what the kernels must agree with to the last bit."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from passageway_server.errors import LimitExceeded

OUT, IN, BOTH = "out", "in", "both"
MADE = 1 << 40
"""Past the number of every stored edge."""


class Arc(NamedTuple):
    """An edge; ``stored`` is its place in the stored order. A made one runs by way of ``through``."""

    stored: int
    source: str
    target: str
    type: int = 0
    weight: float = 1.0
    hidden: bool = False
    through: str = ""


@dataclass(frozen=True)
class PlainGraph:
    """All nodes and edges, and the nodes that the caller may not read."""

    nodes: list[str]
    arcs: list[Arc]
    hidden: frozenset[str] = frozenset()
    types: dict[str, int] = field(default_factory=dict[str, int])  # of nodes; 0 where unnamed

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
class PlainShared:
    """Edges to be made: ``type`` is of the two edges that lead to a node of type ``through``."""

    type: int = 0
    through: int = 0
    weight: float = 1.0
    max_members: int = 1000


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
    shared: tuple[PlainShared, ...] = ()


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
    throughs: dict[int, str] = field(default_factory=dict[int, str])  # of made edges, by number


def plain_walk(graph: PlainGraph, plan: PlainPlan, seeds: dict[str, float]) -> PlainWalked:
    """What *plan* reaches, in the total order, and the edges traversed."""
    reached = {id: PlainHit(id, score, 0) for id, score in seeds.items()}
    followed: dict[Arc, int] = {}
    latest = list(reached.values())
    _check(len(reached), plan.max_nodes, "MAX_NODES")
    for number, hop in enumerate(plan.hops, start=1):
        arrivals: dict[str, list[tuple[float, str, Arc]]] = {}
        for near in sorted(latest, key=lambda hit: (-hit.score, hit.id)):
            for arc, other in _chosen(graph, plan, hop, near.id, number):
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
    shown = {hit.stored for hit in hits} | {stored for _, stored in traversed}
    throughs = {arc.stored: arc.through for arc in followed if arc.through and arc.stored in shown}
    return PlainWalked(hits, traversed, throughs)


def made_number(graph: PlainGraph, hop: int, source: str, target: str, spec: int) -> int:
    """The number of a made edge: by hop, source, target, spec."""
    ids = sorted(graph.nodes)
    place = (hop * len(ids) + ids.index(source)) * len(ids) + ids.index(target)
    return MADE + 10 * place + spec


def made_edges(graph: PlainGraph, hop: PlainHop, number: int, near: str) -> list[tuple[Arc, str]]:
    """The edges that *hop*, of that *number*, makes for *near*."""
    made: list[tuple[Arc, str]] = []
    for place, spec in enumerate(hop.shared):
        throughs: dict[str, str] = {}
        for middle in sorted({there for _, there in _of_type(graph, near, OUT, spec.type)}):
            members = {there for _, there in _of_type(graph, middle, IN, spec.type)}
            if graph.types.get(middle, 0) == spec.through and len(members) <= spec.max_members:
                for member in members - {near}:
                    throughs.setdefault(member, middle)
        for far, middle in throughs.items():
            stored = made_number(graph, number, near, far, place)
            made.append((Arc(stored, near, far, weight=spec.weight, through=middle), far))
    return made


def _of_type(graph: PlainGraph, node: str, way: str, type: int) -> list[tuple[Arc, str]]:
    return [(arc, other) for arc, other in graph.leaving(node, way) if arc.type == type]


def _chosen(
    graph: PlainGraph, plan: PlainPlan, hop: PlainHop, near: str, number: int
) -> list[tuple[Arc, str]]:
    usable = [
        (arc, other)
        for arc, other in graph.leaving(near, hop.direction)
        if (hop.types is None or arc.type in hop.types) and (hop.edges is None or hop.edges(arc))
    ]
    if hop.max_degree and len(usable) > hop.max_degree:
        return []
    usable += made_edges(graph, hop, number, near)
    usable.sort(key=lambda one: (-one[0].weight, one[0].stored))
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
