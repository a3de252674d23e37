"""The layered walk: what each hop follows, what it reaches, and with what scores.

Scores are plain sequential additions, in the order that the specification gives: predecessors by the total order
of their hop, from each its edges heaviest first, then in stored order.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from passageway.v1 import graph_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Arc, Graph, Scope
from tests.oracle.model import MADE
from tests.oracle.refusals import Checks
from tests.oracle.shared import MOST_SHARED, Shared
from tests.oracle.steps import OUT, Step

MOST_FRONTIER = 100_000


@dataclass(slots=True)
class Reached:
    """A node of the walk."""

    id: str
    score: float
    hop: int
    via: str = ""
    edge: Arc | None = None


def in_total_order(nodes: Iterable[Reached]) -> list[Reached]:
    """The total order: best score, then nearest, then by id."""
    return sorted(nodes, key=lambda node: (-node.score, node.hop, node.id))


class Traversed(NamedTuple):
    """An edge that was followed: the first hop that did, and the weight that it had in that hop."""

    arc: Arc
    hop: int
    weight: float


@dataclass(slots=True)
class Walk:
    """What a walk has reached, by id, and the edges that it has followed."""

    reached: dict[str, Reached]
    followed: dict[Arc, Traversed] = field(default_factory=dict[Arc, Traversed])

    def traversed(self) -> list[Traversed]:
        """The followed edges whose two ends are reached, by hop, then in stored order."""
        between = [
            each
            for each in self.followed.values()
            if each.arc.source in self.reached and each.arc.target in self.reached
        ]
        return sorted(between, key=lambda each: (each.hop, each.arc.stored))


@dataclass(slots=True)
class Offer:
    """What a node that no earlier hop reached has been given so far in this one."""

    score: float
    best: tuple[float, str, Arc]


@dataclass(frozen=True, slots=True)
class Layer:
    """One hop, bound: its edges, its filter, its caps."""

    step: Step
    keeps: Test
    decay: float
    max_per_node: int
    max_frontier: int
    max_degree: int
    shared: list[Shared]

    @classmethod
    def of(
        cls,
        graph: Graph,
        hop: graph_pb2.Hop,
        path: str,
        binding: Binding,
        checks: Checks,
        *,
        keeps: Test,
        as_declared: bool,
    ) -> "Layer":
        """The layer that *hop* says, *keeps* being its filter; its faults go to *checks*, under *path*."""
        step = Step.of(
            graph,
            hop.edges,
            binding,
            checks,
            path=f"{path}.edges",
            unspecified=OUT,
            as_declared=as_declared,
        )
        checks.need(hop.edges.max_frontier == 0, f"{path}.edges.max_frontier")
        if hop.HasField("decay"):
            checks.need(0 < hop.decay < float("inf"), f"{path}.decay")
        checks.need(len(hop.shared) <= MOST_SHARED, f"{path}.shared")
        return cls(
            step=step,
            keeps=keeps,
            decay=hop.decay if hop.HasField("decay") else 1.0,
            max_per_node=hop.max_per_node,
            max_frontier=checks.number(
                f"{path}.max_frontier", hop.max_frontier, low=0, high=MOST_FRONTIER
            ),
            max_degree=hop.max_degree,
            shared=[
                Shared.of(spec, place, f"{path}.shared[{place}]", checks)
                for place, spec in enumerate(hop.shared)
            ],
        )

    def weight(self, arc: Arc) -> float:
        """The weight in use."""
        return arc.weight if arc.stored[0] == MADE else self.step.weight(arc) or 0.0


def walk_hop(
    graph: Graph,
    scope: Scope,
    keeps: Test,
    walk: Walk,
    frontier: list[Reached],
    hop: int,
    layer: Layer,
    *,
    maximum: bool,
) -> list[Reached]:
    """Walk one hop from *frontier*; the nodes that it reaches for the first time, in the total order."""
    offers: dict[str, Offer] = {}
    for leaving in frontier:
        for arc in _followed(graph, scope, keeps, leaving.id, hop, layer):
            weight = layer.weight(arc)
            walk.followed.setdefault(arc, Traversed(arc, hop, weight))
            end = arc.other(leaving.id)
            if end in walk.reached:
                continue
            gives = (leaving.score * layer.decay) * weight
            if math.isnan(gives):  # a score that outgrew the doubles, over a weight of 0
                gives = 0.0
            offer = offers.get(end)
            if offer is None:
                offers[end] = Offer(0.0 + gives, (gives, leaving.id, arc))
                continue
            offer.score = max(offer.score, gives) if maximum else offer.score + gives
            if _before((gives, leaving.id, arc), offer.best):
                offer.best = (gives, leaving.id, arc)
    new = in_total_order(
        Reached(end, offer.score, hop, offer.best[1], offer.best[2])
        for end, offer in offers.items()
    )
    if layer.max_frontier:
        new = new[: layer.max_frontier]
    walk.reached.update((node.id, node) for node in new)
    return new


def _before(one: tuple[float, str, Arc], other: tuple[float, str, Arc]) -> bool:
    """Whether *one* edge gave more than the *other*: then smaller predecessor, then stored order."""
    return (-one[0], one[1], one[2].stored) < (-other[0], other[1], other[2].stored)


def _followed(
    graph: Graph, scope: Scope, keeps: Test, leaving: str, hop: int, layer: Layer
) -> list[Arc]:
    """The edges by which a node is left, heaviest first, then in stored order; none past max_degree."""
    usable = [
        arc
        for arc in graph.at[leaving]
        if arc.other(leaving) in scope and layer.step.takes(arc, leaving)
    ]
    if layer.max_degree and len(usable) > layer.max_degree:
        return []
    for shared in layer.shared:
        usable += shared.made_at(graph, scope, leaving, hop)
    kept = [
        arc
        for arc in usable
        if keeps(graph.rows[arc.other(leaving)]) and layer.keeps(graph.rows[arc.other(leaving)])
    ]
    kept.sort(key=lambda arc: (-layer.weight(arc), arc.stored))
    return kept[: layer.max_per_node] if layer.max_per_node else kept
