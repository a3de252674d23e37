"""Expand: from a request to a plan, or to every fault that it has."""

from collections.abc import Mapping
from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.budget import BudgetPlan
from passageway_server.engine.facets import FacetPlan
from passageway_server.engine.kernels.step import NO_CAP
from passageway_server.engine.metrics import MetricPlan
from passageway_server.engine.pagerank import PageRankPlan
from passageway_server.engine.plans import HopPlan, WalkPlan
from passageway_server.engine.predicate import Predicate
from passageway_server.engine.query import QueryPlan
from passageway_server.engine.selection import Selection
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.facets import plan_facets, plan_metrics
from passageway_server.planner.query import plan_query
from passageway_server.planner.ranks import plan_budget, plan_page_rank
from passageway_server.planner.seeds import SeedPlan, plan_seeds, positive
from passageway_server.planner.shared import plan_shared
from passageway_server.planner.walks import declared_tables, type_table, weight_name
from passageway_server.values.collections import Direction
from passageway_server.values.requests import ExpandRequest, Hop, Propagate, Rank
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class ExpandPlan:
    """A checked request, bound to a version and to what its caller knows."""

    seeds: tuple[SeedPlan, ...]
    walk: WalkPlan
    limit: int
    min_hop: int
    include_seeds: bool
    returned: Predicate | None
    fields: Selection
    max_chars: int
    edge_fields: Selection
    with_edges: bool
    with_subgraph: bool
    with_scores: bool
    budget: BudgetPlan | None
    page_rank: PageRankPlan | None
    facets: Mapping[str, FacetPlan]
    metrics: Mapping[str, MetricPlan]
    search: QueryPlan | None
    search_fields: Selection
    timeout_ms: int  # 0: no bound
    applied: dict[str, int]


def plan_expand(request: ExpandRequest, version: Version, gate: Gate) -> ExpandPlan:
    """The plan of *request*; *gate* is the caller's read gate.

    Raises InvalidRequest with all faults.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars=request.vars)
    seeds = plan_seeds(request.seeds, binding)
    hops = _hops(request, binding)
    if request.min_hop > len(request.hops):
        binding.faults.add("min_hop", f"is {request.min_hop}, with {len(request.hops)} hops")
    limit = binding.number("limit", request.limit, limits.HITS)
    page_rank = plan_page_rank(request.ppr, binding)
    budget = None if request.budget is None else plan_budget(request.budget, binding)
    ranks = request.rank is Rank.PPR
    max_edges = binding.number("max_edges", request.max_edges, limits.EDGES)
    plan = ExpandPlan(
        seeds=seeds,
        walk=WalkPlan(
            hops=hops,
            summing=request.propagate is Propagate.SUM,
            nodes=binding.filter(request.filter, path="filter", over="nodes"),
            max_nodes=binding.number("max_nodes", request.max_nodes, limits.NODES),
            with_traversed=request.with_subgraph or ranks or budget is not None,
            max_edges=max_edges if request.with_subgraph else NO_CAP,
        ),
        limit=limits.HITS.high if limit == -1 else limit,
        min_hop=request.min_hop,
        include_seeds=request.include_seeds is not False,
        returned=binding.filter(request.return_filter, path="return_filter", over="nodes"),
        fields=binding.node_fields(request.fields),
        max_chars=binding.number(
            "content_max_chars", request.content_max_chars, limits.CONTENT_CHARS
        ),
        edge_fields=binding.edge_fields(
            request.edge_fields, made=any(hop.shared for hop in request.hops)
        ),
        with_edges=request.with_edges,
        with_subgraph=request.with_subgraph,
        with_scores=request.with_scores is not False,
        budget=budget,
        page_rank=page_rank if ranks else None,
        facets=plan_facets(request.facets, binding, over="nodes") if request.facets else {},
        metrics=plan_metrics(request.metrics, binding, over="nodes") if request.metrics else {},
        search=_search(request, binding),
        search_fields=binding.node_fields(request.search_fields, path="search_fields"),
        timeout_ms=request.timeout_ms,
        applied=binding.applied,
    )
    binding.check()
    return plan


def _search(request: ExpandRequest, binding: Binding) -> QueryPlan | None:
    return None if request.search is None else plan_query(request.search, binding, path="search")


def _hops(request: ExpandRequest, binding: Binding) -> tuple[HopPlan, ...]:
    hops, declared = request.hops, request.walk_as_declared
    if len(hops) > limits.HOPS:
        binding.faults.add("hops", f"has {len(hops)} hops; at most {limits.HOPS}")
    return tuple(_hop(hop, f"hops[{i}]", binding, declared=declared) for i, hop in enumerate(hops))


def _hop(hop: Hop, path: str, binding: Binding, *, declared: bool) -> HopPlan:
    spec, version, faults = hop.edges, binding.version, binding.faults
    if spec.max_frontier:
        faults.add(
            f"{path}.edges.max_frontier", "is of Paths; in Expand the hop has a max_frontier"
        )
    positive(f"{path}.decay", hop.decay, faults)
    types = type_table(spec.types, version)
    out_types = in_types = types
    if declared:
        out_types, in_types = declared_tables(types, version)
    max_frontier = binding.number(f"{path}.max_frontier", hop.max_frontier, limits.HOP_FRONTIER)
    return HopPlan(
        outward=spec.direction is not Direction.IN,
        inward=spec.direction in (Direction.IN, Direction.BOTH),
        out_types=out_types,
        in_types=in_types,
        weight_property=weight_name(
            spec.weight_property, path=f"{path}.edges.weight_property", binding=binding
        ),
        decay=1.0 if hop.decay is None else hop.decay,
        edges=binding.filter(spec.filter, path=f"{path}.edges.filter", over="edges"),
        nodes=binding.filter(hop.filter, path=f"{path}.filter", over="nodes"),
        max_degree=hop.max_degree or NO_CAP,
        max_per_node=hop.max_per_node or NO_CAP,
        max_frontier=max_frontier or NO_CAP,
        shared=plan_shared(hop.shared, path, binding),
    )
