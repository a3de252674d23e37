"""Paths: every simple path, by trying every one, then sorted.

Only graphs small enough for that are asked here. What the caps of the search leave out depends on how a search
goes about it, so `paths` answers as if there were none; `is_capped` says when a server may answer less.
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from passageway.v1 import graph_pb2, query_pb2
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
from tests.oracle.steps import BOTH, Step

MOST_ENDS, MOST_DEPTH = 10, 6


@dataclass(frozen=True, slots=True)
class Link:
    """The evidence between two neighbors on a path: its cost, and the edge."""

    cost: float
    arc: Arc


@dataclass(frozen=True, slots=True)
class Found:
    """A path that was found."""

    cost: float
    nodes: tuple[str, ...]
    arcs: tuple[Arc, ...]

    @property
    def order(self) -> tuple[float, int, tuple[str, ...]]:
        return (self.cost, len(self.arcs), self.nodes)


def is_capped(graph: Graph, request: graph_pb2.PathsRequest) -> bool:
    """Whether a cap of the request could cut a search over this graph short."""
    rows, edges = len(graph.rows), len(graph.arcs)
    frontiers = [spec.max_frontier for spec in request.edges if spec.max_frontier]
    if request.HasField("max_frontier"):
        frontiers.append(request.max_frontier)
    return any(cap < rows for cap in frontiers) or 0 < request.max_degree < edges


def paths(
    graph: Graph,
    request: graph_pb2.PathsRequest,
    *,
    now_us: int,
    among: Collection[tuple[str, ...]] | None = None,
) -> graph_pb2.PathsResponse:
    """The answer to a Paths that meets no cap; ``explored`` is left out.

    With *among*, only paths of these node lists are looked at: what is true of an answer that a cap cut short.
    """
    checks = Checks(request.bounds)
    binding = Binding(graph, request.vars)
    check_vars(dict(request.vars), checks)
    every = request.mode == graph_pb2.PathsRequest.MODE_ALL_SIMPLE
    steps = [
        Step.of(graph, spec, binding, checks, path=f"edges[{place}]", unspecified=BOTH)
        for place, spec in enumerate(request.edges or [query_pb2.EdgeSpec()])
    ]
    keeps: Test = bool
    try:
        keeps = binding.over_nodes(request.filter, "filter")
    except Refused as refused:
        checks.absorb(refused)
    for name, ends in (("sources", request.sources), ("targets", request.targets)):
        checks.need(0 < len(ends) <= MOST_ENDS, name)
    if every:
        checks.need(not request.HasField("k"), "k")
        checks.need(not request.weighted, "weighted")
    else:
        checks.need(not request.HasField("min_depth"), "min_depth")
        checks.need(not request.HasField("max_paths"), "max_paths")
    max_depth = _number(request, checks, "max_depth", absent=4, low=1, high=MOST_DEPTH)
    k = _number(request, checks, "k", absent=1, low=1, high=10)
    min_depth = _number(request, checks, "min_depth", absent=1, low=0, high=max_depth)
    max_paths = _number(request, checks, "max_paths", absent=100, low=1, high=10_000)
    _number(request, checks, "max_frontier", absent=1_000, low=1, high=100_000)
    preview = _number(request, checks, "content_max_chars", absent=500, low=0, high=MOST_PREVIEW)
    check_node_fields(graph, request.fields, checks)
    check_edge_fields(graph, request.edge_fields, checks)
    checks.done()
    binding.work_out(checks)

    scope = Scope(graph, request.read, now_us=now_us)
    open_rows = {row_id for row_id, row in graph.rows.items() if row_id in scope and keeps(row)}
    links = _links(graph, open_rows, steps, weighted=request.weighted)
    found = sorted(
        (
            path
            for source in dict.fromkeys(request.sources)
            if source in open_rows
            for path in _simple(Found(0.0, (source,), ()), links, max_depth)
            if path.nodes[-1] in request.targets and (among is None or path.nodes in among)
        ),
        key=lambda path: (len(path.arcs), path.nodes) if every else path.order,
    )
    answer = graph_pb2.PathsResponse(applied=checks.applied)
    if every:
        found = [path for path in found if len(path.arcs) >= min_depth]
        answer.truncated = len(found) > max_paths
    for path in found[: max_paths if every else k]:
        shown = answer.paths.add(node_ids=path.nodes, length=len(path.arcs), cost=path.cost)
        shown.edges.extend(edge_message(graph, arc, request.edge_fields) for arc in path.arcs)
        for row_id in path.nodes:
            answer.nodes[row_id].CopyFrom(
                node_message(graph, graph.rows[row_id], request.fields, preview=preview)
            )
    return answer


def _number(
    request: graph_pb2.PathsRequest, checks: Checks, name: str, *, absent: int, low: int, high: int
) -> int:
    if not request.HasField(name):  # type: ignore[arg-type]
        return min(absent, high)
    return checks.number(name, getattr(request, name), low=low, high=high)


def _links(
    graph: Graph, open_rows: set[str], steps: list[Step], *, weighted: bool
) -> dict[str, dict[str, Link]]:
    """From each node, its neighbors with the cheapest usable edge to each; ties by stored order."""
    links: dict[str, dict[str, Link]] = {row_id: {} for row_id in open_rows}
    for leaving, neighbors in links.items():
        for arc in graph.at[leaving]:
            end = arc.other(leaving)
            if end not in open_rows:
                continue
            for step in steps:
                if not step.takes(arc, leaving):
                    continue
                cost = _cost(step.weight(arc) or 0.0) if weighted else 1.0
                before = neighbors.get(end)
                if cost is not None and (
                    before is None or (cost, arc.stored) < (before.cost, before.arc.stored)
                ):
                    neighbors[end] = Link(cost, arc)
    return links


def _cost(weight: float) -> float | None:
    """-ln(weight), a weight above 1 counting as 1; None for 0, by which nothing can pass."""
    if weight == 0.0:
        return None
    return 0.0 if weight >= 1.0 else -math.log(weight)


def _simple(path: Found, links: dict[str, dict[str, Link]], steps_left: int) -> Iterator[Found]:
    """The path, and every simple path that begins with it."""
    yield path
    if steps_left == 0:
        return
    for end, link in links[path.nodes[-1]].items():
        if end not in path.nodes:
            longer = Found(path.cost + link.cost, (*path.nodes, end), (*path.arcs, link.arc))
            yield from _simple(longer, links, steps_left - 1)
