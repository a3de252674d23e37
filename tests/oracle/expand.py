"""Expand: a layered walk over the visible graph, one edge at a time.

Scores are plain sequential additions, in the order that the specification gives: predecessors by the total order
of their hop, from each its edges heaviest first, then in stored order.
"""

import math
from dataclasses import dataclass, field

from passageway.v1 import graph_pb2, types_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Arc, Graph, Scope
from tests.oracle.refusals import Checks, Refused
from tests.oracle.shown import (
    MOST_PREVIEW,
    check_edge_fields,
    check_node_fields,
    check_vars,
    edge_message,
    node_message,
)
from tests.oracle.steps import OUT, Step

MOST_IDS, MOST_GROUPS, MOST_HOPS = 10_000, 10, 3
MOST_ROWS, MOST_HITS = 100_000, 10_000


@dataclass(slots=True)
class Reached:
    """A node of the walk."""

    id: str
    score: float
    hop: int
    via: str = ""
    edge: Arc | None = None


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


@dataclass(slots=True)
class Walk:
    """What a walk has reached, and the first hop that followed each edge."""

    reached: dict[str, Reached] = field(default_factory=dict[str, Reached])
    followed: dict[Arc, int] = field(default_factory=dict[Arc, int])


def _first(walk: list[Reached]) -> list[Reached]:
    """The total order."""
    return sorted(walk, key=lambda node: (-node.score, node.hop, node.id))


def expand(
    graph: Graph, request: graph_pb2.ExpandRequest, *, now_us: int
) -> graph_pb2.ExpandResponse:
    """The answer to an Expand over a graph of which the caller may read everything."""
    checks = Checks(request.bounds)
    binding = Binding(graph, request.vars)
    check_vars(dict(request.vars), checks)

    def over_nodes(text: str, path: str) -> Test:
        try:
            return binding.over_nodes(text, path)
        except Refused as refused:
            checks.absorb(refused)
            return bool

    dropped = _check_seeds(request, checks)
    layers = [
        _layer(
            graph,
            request,
            place,
            hop,
            binding,
            checks,
            over_nodes(hop.filter, f"hops[{place}].filter"),
        )
        for place, hop in enumerate(request.hops)
    ]
    checks.need(len(request.hops) <= MOST_HOPS, "hops")
    checks.need(request.min_hop <= len(request.hops), "min_hop")
    keeps = over_nodes(request.filter, "filter")
    returns = over_nodes(request.return_filter, "return_filter")
    limit = checks.number(
        "limit", request.limit if request.HasField("limit") else 10, low=-1, high=MOST_HITS
    )
    preview = checks.number(
        "content_max_chars",
        request.content_max_chars if request.HasField("content_max_chars") else 500,
        low=0,
        high=MOST_PREVIEW,
    )
    max_nodes = checks.number(
        "max_nodes",
        request.max_nodes if request.HasField("max_nodes") else MOST_ROWS,
        low=0,
        high=MOST_ROWS,
    )
    max_edges = checks.number(
        "max_edges",
        request.max_edges if request.HasField("max_edges") else MOST_ROWS,
        low=0,
        high=MOST_ROWS,
    )
    check_node_fields(graph, request.fields, checks)
    check_edge_fields(graph, request.edge_fields, checks)
    checks.done()
    binding.work_out(checks)

    scope = Scope(graph, request.read, now_us=now_us)
    answer = graph_pb2.ExpandResponse(applied=checks.applied)
    walk = Walk(reached=_seeds(graph, request, scope, keeps, dropped, answer))
    if len(walk.reached) > max_nodes:
        raise Refused("RESOURCE_EXHAUSTED", ["max_nodes"])
    frontier = _first(list(walk.reached.values()))
    for hop, layer in enumerate(layers, start=1):
        maximum = request.propagate == graph_pb2.ExpandRequest.PROPAGATE_MAX
        frontier = _hop(graph, scope, keeps, walk, frontier, hop, layer, maximum=maximum)
        if len(walk.reached) > max_nodes:
            raise Refused("RESOURCE_EXHAUSTED", ["max_nodes"])

    if request.with_subgraph:
        traversed = sorted(
            (hop, arc.stored, arc)
            for arc, hop in walk.followed.items()
            if arc.source in walk.reached and arc.target in walk.reached
        )
        if len(traversed) > max_edges:
            raise Refused("RESOURCE_EXHAUSTED", ["max_edges"])
        for hop, _, arc in traversed:
            answer.subgraph.add(edge=edge_message(graph, arc, request.edge_fields), hop=hop)

    include_seeds = request.include_seeds if request.HasField("include_seeds") else True
    shown = [
        node
        for node in _first(list(walk.reached.values()))
        if node.hop >= request.min_hop
        and (node.hop > 0 or include_seeds)
        and returns(graph.rows[node.id])
    ]
    hits = shown[: MOST_HITS if limit == -1 else limit]
    answer.total = len(shown)
    answer.truncated = len(shown) > len(hits)
    with_scores = request.with_scores if request.HasField("with_scores") else True
    for node in hits:
        hit = answer.hits.add(hop=node.hop, via=node.via)
        hit.node.CopyFrom(node_message(graph, graph.rows[node.id], request.fields, preview=preview))
        if with_scores:
            hit.score = node.score
        if node.edge is not None:
            out = node.edge.source == node.via
            hit.direction = types_pb2.DIRECTION_OUT if out else types_pb2.DIRECTION_IN
            if request.with_edges:
                hit.edge.CopyFrom(edge_message(graph, node.edge, request.edge_fields))
    return answer


def _check_seeds(request: graph_pb2.ExpandRequest, checks: Checks) -> set[str]:
    """Judge the seed groups; what comes back are the ids past the cap, which only CLAMP lets through."""
    checks.need(0 < len(request.seeds) <= MOST_GROUPS, "seeds")
    for place, group in enumerate(request.seeds):
        checks.need(bool(group.ids), f"seeds[{place}]")
        if group.HasField("weight"):
            checks.need(0 < group.weight < float("inf"), f"seeds[{place}].weight")
    ids = [seed for group in request.seeds for seed in group.ids]
    if len(ids) > MOST_IDS:
        checks.number("seeds", len(ids), low=0, high=MOST_IDS)
    return set(ids[MOST_IDS:]) - set(ids[:MOST_IDS])


def _layer(
    graph: Graph,
    request: graph_pb2.ExpandRequest,
    place: int,
    hop: graph_pb2.Hop,
    binding: Binding,
    checks: Checks,
    keeps: Test,
) -> Layer:
    path = f"hops[{place}]"
    step = Step.of(
        graph,
        hop.edges,
        binding,
        checks,
        path=f"{path}.edges",
        unspecified=OUT,
        as_declared=request.walk_as_declared,
    )
    checks.need(hop.edges.max_frontier == 0, f"{path}.edges.max_frontier")
    if hop.HasField("decay"):
        checks.need(0 < hop.decay < float("inf"), f"{path}.decay")
    return Layer(
        step=step,
        keeps=keeps,
        decay=hop.decay if hop.HasField("decay") else 1.0,
        max_per_node=hop.max_per_node,
        max_frontier=checks.number(f"{path}.max_frontier", hop.max_frontier, low=0, high=MOST_ROWS),
        max_degree=hop.max_degree,
    )


def _seeds(
    graph: Graph,
    request: graph_pb2.ExpandRequest,
    scope: Scope,
    keeps: Test,
    dropped: set[str],
    answer: graph_pb2.ExpandResponse,
) -> dict[str, Reached]:
    """Hop 0: each group gives its weight once to each of its ids; what does not start is unresolved."""
    reached: dict[str, Reached] = {}
    asked: dict[str, bool] = {}
    for group in request.seeds:
        weight = group.weight if group.HasField("weight") else 1.0
        for seed in dict.fromkeys(group.ids):
            starts = seed in scope and keeps(graph.rows[seed]) and seed not in dropped
            asked.setdefault(seed, starts)
            if starts and seed in reached:
                reached[seed].score += weight
            elif starts:
                reached[seed] = Reached(seed, weight, 0)
    answer.origins.extend(seed for seed, starts in asked.items() if starts)
    answer.unresolved.extend(seed for seed, starts in asked.items() if not starts)
    return reached


def _hop(
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
        for arc in _followed(graph, scope, keeps, leaving.id, layer):
            walk.followed.setdefault(arc, hop)
            end = arc.other(leaving.id)
            if end in walk.reached:
                continue
            gives = (leaving.score * layer.decay) * (layer.step.weight(arc) or 0.0)
            if math.isnan(gives):  # a score that outgrew the doubles, over a weight of 0
                gives = 0.0
            offer = offers.get(end)
            if offer is None:
                offers[end] = Offer(0.0 + gives, (gives, leaving.id, arc))
                continue
            offer.score = max(offer.score, gives) if maximum else offer.score + gives
            if _before((gives, leaving.id, arc), offer.best):
                offer.best = (gives, leaving.id, arc)
    new = _first(
        [
            Reached(end, offer.score, hop, offer.best[1], offer.best[2])
            for end, offer in offers.items()
        ]
    )
    if layer.max_frontier:
        new = new[: layer.max_frontier]
    walk.reached.update((node.id, node) for node in new)
    return new


def _before(one: tuple[float, str, Arc], other: tuple[float, str, Arc]) -> bool:
    """Whether *one* edge gave more than the *other*: then smaller predecessor, then stored order."""
    return (-one[0], one[1], one[2].stored) < (-other[0], other[1], other[2].stored)


def _followed(graph: Graph, scope: Scope, keeps: Test, leaving: str, layer: Layer) -> list[Arc]:
    """The edges by which a node is left, heaviest first, then in stored order; none past max_degree."""
    step = layer.step
    usable = [
        arc for arc in graph.at[leaving] if arc.other(leaving) in scope and step.takes(arc, leaving)
    ]
    if layer.max_degree and len(usable) > layer.max_degree:
        return []
    kept = [
        arc
        for arc in usable
        if keeps(graph.rows[arc.other(leaving)]) and layer.keeps(graph.rows[arc.other(leaving)])
    ]
    kept.sort(key=lambda arc: (-(step.weight(arc) or 0.0), arc.stored))
    return kept[: layer.max_per_node] if layer.max_per_node else kept
