"""Expand: the walk, the budget that it is cut down to, the rank that orders it, and the answer made of it."""

from dataclasses import dataclass, replace
from typing import Literal

from passageway.v1 import graph_pb2, types_pb2
from tests.oracle.budget import Budget, keep
from tests.oracle.facets import check_facets, count_facets
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Graph, Scope
from tests.oracle.metrics import check_metrics, measure
from tests.oracle.pagerank import PageRank, rank
from tests.oracle.queries import Selection, bound_test
from tests.oracle.refusals import Checks, Refused
from tests.oracle.seeds import Group, check_seeds, start
from tests.oracle.shown import (
    MOST_PREVIEW,
    check_edge_fields,
    check_node_fields,
    check_vars,
    edge_message,
    node_message,
)
from tests.oracle.walk import Layer, Reached, Walk, in_total_order, walk_hop

_Numbers = Literal["limit", "content_max_chars", "max_nodes", "max_edges"]

MOST_HOPS, MOST_ROWS, MOST_HITS = 3, 100_000, 10_000


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that has no fault, bound to what the caller knows."""

    groups: list[Group]
    layers: list[Layer]
    keeps: Test
    returns: Test
    limit: int
    preview: int
    max_nodes: int
    max_edges: int
    budget: Budget | None
    page_rank: PageRank
    facet_limits: dict[str, int]
    metric_kinds: dict[str, int]
    search: Selection | None


def expand(
    graph: Graph, request: graph_pb2.ExpandRequest, *, now_us: int
) -> graph_pb2.ExpandResponse:
    """The answer to an Expand over a graph of which the caller may read everything."""
    checks = Checks(request.bounds)
    binding = Binding(graph, request.vars)
    plan = _plan(graph, request, binding, checks)
    checks.done()
    binding.work_out(checks)

    answer = graph_pb2.ExpandResponse(applied=checks.applied)
    scope = Scope(graph, request.read, now_us=now_us)
    walk = _walk(graph, request, plan, scope, answer)
    reached, traversed = list(walk.reached.values()), walk.traversed()
    if request.with_subgraph and len(traversed) > plan.max_edges:
        raise Refused("RESOURCE_EXHAUSTED", ["max_edges"])
    if plan.budget is not None:
        reached, traversed = keep(plan.budget, reached, traversed)
    if request.with_subgraph:
        for arc, hop, _ in traversed:
            answer.subgraph.add(edge=edge_message(graph, arc, request.edge_fields), hop=hop)
    if request.rank == graph_pb2.ExpandRequest.RANK_PPR:
        ranked = rank(graph, plan.page_rank, reached, traversed)
        answer.ppr.iterations = ranked.iterations
        answer.ppr.converged = ranked.converged
        reached = [replace(node, score=ranked.scores[node.id]) for node in reached]
    _show(graph, request, plan, scope, reached, answer)
    return answer


def _plan(graph: Graph, request: graph_pb2.ExpandRequest, binding: Binding, checks: Checks) -> Plan:
    """Judge the whole request; its faults go to *checks*."""

    def number(name: _Numbers, usual: int, low: int, high: int) -> int:
        given = getattr(request, name) if request.HasField(name) else usual
        return checks.number(name, given, low=low, high=high)

    check_vars(request.vars, checks)
    checks.need(len(request.hops) <= MOST_HOPS, "hops")
    checks.need(request.min_hop <= len(request.hops), "min_hop")
    check_node_fields(graph, request.fields, checks)
    check_node_fields(graph, request.search_fields, checks, path="search_fields")
    made = any(hop.shared for hop in request.hops)
    check_edge_fields(graph, request.edge_fields, checks, made=made)
    return Plan(
        groups=check_seeds(graph, request, binding, checks),
        layers=[
            Layer.of(
                graph,
                hop,
                f"hops[{place}]",
                binding,
                checks,
                keeps=bound_test(binding, hop.filter, f"hops[{place}].filter", checks),
                as_declared=request.walk_as_declared,
            )
            for place, hop in enumerate(request.hops)
        ],
        keeps=bound_test(binding, request.filter, "filter", checks),
        returns=bound_test(binding, request.return_filter, "return_filter", checks),
        limit=number("limit", 10, -1, MOST_HITS),
        preview=number("content_max_chars", 500, 0, MOST_PREVIEW),
        max_nodes=number("max_nodes", MOST_ROWS, 0, MOST_ROWS),
        max_edges=number("max_edges", MOST_ROWS, 0, MOST_ROWS),
        budget=Budget.of(request.budget, checks) if request.HasField("budget") else None,
        page_rank=PageRank.of(request.ppr, binding, checks),
        facet_limits=check_facets(request.facets, binding, checks),
        metric_kinds=check_metrics(request.metrics, binding, checks),
        search=Selection.of(request.search, "search", graph, binding, checks)
        if request.HasField("search")
        else None,
    )


def _walk(
    graph: Graph,
    request: graph_pb2.ExpandRequest,
    plan: Plan,
    scope: Scope,
    answer: graph_pb2.ExpandResponse,
) -> Walk:
    """Walk all hops from the seeds; RESOURCE_EXHAUSTED where they reach too many nodes."""
    begun = start(graph, plan.groups, scope, plan.keeps)
    answer.origins.extend(begun.scores)
    answer.unresolved.extend(begun.unresolved)
    walk = Walk({seed: Reached(seed, score, 0) for seed, score in begun.scores.items()})
    frontier = in_total_order(walk.reached.values())
    _check_size(walk, plan)
    maximum = request.propagate == graph_pb2.ExpandRequest.PROPAGATE_MAX
    for hop, layer in enumerate(plan.layers, start=1):
        frontier = walk_hop(graph, scope, plan.keeps, walk, frontier, hop, layer, maximum=maximum)
        _check_size(walk, plan)
    return walk


def _check_size(walk: Walk, plan: Plan) -> None:
    if len(walk.reached) > plan.max_nodes:
        raise Refused("RESOURCE_EXHAUSTED", ["max_nodes"])


def _show(
    graph: Graph,
    request: graph_pb2.ExpandRequest,
    plan: Plan,
    scope: Scope,
    reached: list[Reached],
    answer: graph_pb2.ExpandResponse,
) -> None:
    """Fill in all that covers the nodes which are not hidden, and the first hits of them."""
    include_seeds = request.include_seeds if request.HasField("include_seeds") else True
    shown = [
        node
        for node in in_total_order(reached)
        if node.hop >= request.min_hop
        and (node.hop > 0 or include_seeds)
        and plan.returns(graph.rows[node.id])
    ]
    rows = [graph.rows[node.id] for node in shown]
    for name, counted in count_facets(rows, request.facets, plan.facet_limits).items():
        answer.facets[name].CopyFrom(counted)
    for name, value in measure(rows, request.metrics, plan.metric_kinds).items():
        answer.metrics[name].CopyFrom(value)
    found_rows = (
        plan.search.rescored(plan.search.matches(rows, of=scope.rows)) if plan.search else []
    )
    for match in found_rows[: plan.search.limit if plan.search is not None else 0]:
        found = node_message(graph, match.row, request.search_fields, preview=plan.preview)
        answer.search.add(node=found, score=match.score)
    hits = shown[: MOST_HITS if plan.limit == -1 else plan.limit]
    answer.total = len(shown)
    answer.truncated = len(shown) > len(hits)
    for node in hits:
        _show_hit(graph, request, plan, node, answer)


def _show_hit(
    graph: Graph,
    request: graph_pb2.ExpandRequest,
    plan: Plan,
    node: Reached,
    answer: graph_pb2.ExpandResponse,
) -> None:
    hit = answer.hits.add(hop=node.hop, via=node.via)
    row = graph.rows[node.id]
    hit.node.CopyFrom(node_message(graph, row, request.fields, preview=plan.preview))
    if request.with_scores or not request.HasField("with_scores"):
        hit.score = node.score
    if node.edge is not None:
        out = node.edge.source == node.via
        hit.direction = types_pb2.DIRECTION_OUT if out else types_pb2.DIRECTION_IN
        if request.with_edges:
            hit.edge.CopyFrom(edge_message(graph, node.edge, request.edge_fields))
