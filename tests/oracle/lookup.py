"""Lookup: every node, or edge document, that passes a filter, a join, or both, in order, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from passageway.v1 import read_pb2
from tests.oracle.facets import check_facets, count_facets
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Arc, Graph, Row, Scope
from tests.oracle.metrics import check_metrics, measure
from tests.oracle.pages import MORE, Place, place_of, rows_after
from tests.oracle.refusals import Checks, Refused
from tests.oracle.shown import (
    MOST_PREVIEW,
    check_edge_fields,
    check_node_fields,
    check_vars,
    edge_message,
    node_message,
)
from tests.oracle.sorting import SortKey, check_sort, in_order

MOST_VALUES, MOST_ROWS = 65_536, 10_000
EDGES = read_pb2.LookupRequest.KIND_EDGES

RowT = TypeVar("RowT", Row, Arc)


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that has no fault, bound to what the caller knows."""

    keeps: Test
    joins: Test
    keys: list[SortKey]
    page_size: int
    preview: int
    facet_limits: dict[str, int]
    metric_kinds: dict[str, int]


def lookup(
    graph: Graph, request: read_pb2.LookupRequest, *, now_us: int, after: Place | None = None
) -> read_pb2.LookupResponse:
    """The answer to a Lookup over a graph of which the caller may read everything.

    It is the page *after* a place, by the clock of that place, where the request's token was one that goes on.
    """
    checks = Checks(request.bounds)
    binding = Binding(graph, request.vars)
    plan = _plan(graph, request, binding, checks)
    checks.need(request.page_token == "" or after is not None, "page_token")
    checks.done()
    binding.work_out(checks)

    now_us = now_us if after is None else after.now_us
    answer = read_pb2.LookupResponse(applied=checks.applied)
    scope = Scope(graph, request.read, now_us=now_us)
    if request.kind == EDGES:
        arcs = [arc for arc in graph.documents if arc.source in scope and arc.target in scope]
        for arc in _page(arcs, request, plan, answer, after=after):
            answer.edges.append(edge_message(graph, arc, request.fields))
    else:
        rows = [row for row_id, row in graph.rows.items() if row_id in scope]
        for row in _page(rows, request, plan, answer, after=after):
            answer.nodes.append(node_message(graph, row, request.fields, preview=plan.preview))
    return answer


def place_in(graph: Graph, request: read_pb2.LookupRequest, row_id: str, *, now_us: int) -> Place:
    """The place of a row that an answer to *request* shows, for the page that comes after it."""
    on_edges = request.kind == EDGES
    keys = check_sort(
        request.sort, "sort", Binding(graph, request.vars), Checks(0), on_edges=on_edges
    )
    if not on_edges:
        return place_of(graph.rows[row_id], keys, now_us=now_us)
    (arc,) = (arc for arc in graph.documents if arc.id == row_id)
    return place_of(arc, keys, now_us=now_us)


def _plan(graph: Graph, request: read_pb2.LookupRequest, binding: Binding, checks: Checks) -> Plan:
    """Judge the whole request; its faults go to *checks*."""
    on_edges = request.kind == EDGES
    check_vars(request.vars, checks)
    if on_edges:
        check_edge_fields(graph, request.fields, checks, path="fields")
    else:
        check_node_fields(graph, request.fields, checks)
    most = checks.number(
        "max_values",
        request.max_values if request.HasField("max_values") else MOST_VALUES,
        low=1,
        high=MOST_VALUES,
    )
    return Plan(
        keeps=_filter(binding, request.filter, "filter", checks, on_edges=on_edges),
        joins=_join(binding, request, most, checks, on_edges=on_edges),
        keys=check_sort(request.sort, "sort", binding, checks, on_edges=on_edges),
        page_size=checks.number(
            "page_size",
            request.page_size if request.HasField("page_size") else 10,
            low=0,
            high=MOST_ROWS,
        ),
        preview=checks.number(
            "content_max_chars",
            request.content_max_chars if request.HasField("content_max_chars") else 500,
            low=0,
            high=MOST_PREVIEW,
        ),
        facet_limits=check_facets(request.facets, binding, checks, on_edges=on_edges),
        metric_kinds=check_metrics(request.metrics, binding, checks, on_edges=on_edges),
    )


def _filter(binding: Binding, text: str, path: str, checks: Checks, *, on_edges: bool) -> Test:
    try:
        return binding.over_edges(text, path) if on_edges else binding.over_nodes(text, path)
    except Refused as refused:
        checks.absorb(refused)
        return bool


def _join(
    binding: Binding,
    request: read_pb2.LookupRequest,
    most: int,
    checks: Checks,
    *,
    on_edges: bool,
) -> Test:
    """The join that the request's own fields say; always true where they say none."""
    parts = {
        "field": request.field,
        "from_filter": request.from_filter,
        "from_field": request.from_field,
    }
    if not any(parts.values()) and not request.from_kind:
        return bool
    from_edges = request.from_kind == EDGES
    for path, part in parts.items():
        checks.need(part != "", path)
    before, begun = len(checks.faults), binding.joins
    kept = _filter(binding, request.from_filter, "from_filter", checks, on_edges=from_edges)
    named = all(parts.values()) and len(checks.faults) == before
    for path, of_edges in (("field", on_edges), ("from_field", from_edges)):
        try:
            if parts[path]:
                binding.known(parts[path], path, of_edges)
        except Refused as refused:
            checks.absorb(refused)
            named = False
    if not named:
        return bool
    try:
        return binding.join(
            request.field,
            kept,
            request.from_field,
            most,
            "field",
            "from_field",
            begun=begun,
            on_edges=on_edges,
            from_edges=from_edges,
            most_path="max_values",
        )
    except Refused as refused:
        checks.absorb(refused)
        return bool


def _page(
    rows: Sequence[RowT],
    request: read_pb2.LookupRequest,
    plan: Plan,
    answer: read_pb2.LookupResponse,
    *,
    after: Place | None,
) -> list[RowT]:
    """The rows of one page; what is told of all that match goes to *answer*, and whether another page follows."""
    matches = in_order((row for row in rows if plan.keeps(row) and plan.joins(row)), plan.keys)
    answer.total = len(matches)
    for name, counted in count_facets(matches, request.facets, plan.facet_limits).items():
        answer.facets[name].CopyFrom(counted)
    for name, value in measure(matches, request.metrics, plan.metric_kinds).items():
        answer.metrics[name].CopyFrom(value)
    rest = matches if after is None else rows_after(matches, plan.keys, after)
    page = rest[: plan.page_size]
    if 0 < len(page) < len(rest):
        answer.next_page_token = MORE
    return page
