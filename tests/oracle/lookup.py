"""Lookup: every row that passes a filter, a join, or both, by id."""

from passageway.v1 import read_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Graph, Scope
from tests.oracle.refusals import Checks, Refused
from tests.oracle.shown import MOST_PREVIEW, check_node_fields, check_vars, node_message

MOST_VALUES, MOST_ROWS = 65_536, 10_000


def lookup(
    graph: Graph, request: read_pb2.LookupRequest, *, now_us: int
) -> read_pb2.LookupResponse:
    """The answer to a Lookup of nodes over a graph of which the caller may read everything."""
    checks = Checks(request.bounds)
    binding = Binding(graph, request.vars)
    check_vars(dict(request.vars), checks)
    most = checks.number(
        "max_values",
        request.max_values if request.HasField("max_values") else MOST_VALUES,
        low=1,
        high=MOST_VALUES,
    )
    page_size = checks.number(
        "page_size",
        request.page_size if request.HasField("page_size") else 10,
        low=0,
        high=MOST_ROWS,
    )
    preview = checks.number(
        "content_max_chars",
        request.content_max_chars if request.HasField("content_max_chars") else 500,
        low=0,
        high=MOST_PREVIEW,
    )
    check_node_fields(graph, request.fields, checks)
    keeps = _filter(binding, request.filter, "filter", checks)
    joins = _join(binding, request, most, checks)
    checks.done()
    binding.work_out(checks)

    scope = Scope(graph, request.read, now_us=now_us)
    matches = [
        row
        for row_id, row in sorted(graph.rows.items())
        if row_id in scope and keeps(row) and joins(row)
    ]
    answer = read_pb2.LookupResponse(total=len(matches), applied=checks.applied)
    answer.nodes.extend(
        node_message(graph, row, request.fields, preview=preview) for row in matches[:page_size]
    )
    return answer


def _filter(binding: Binding, text: str, path: str, checks: Checks) -> Test:
    try:
        return binding.over_nodes(text, path)
    except Refused as refused:
        checks.absorb(refused)
        return bool


def _join(binding: Binding, request: read_pb2.LookupRequest, most: int, checks: Checks) -> Test:
    """The join that the request's own fields say; always true where they say none."""
    parts = {
        "field": request.field,
        "from_filter": request.from_filter,
        "from_field": request.from_field,
    }
    if not any(parts.values()):
        return bool
    for path, part in parts.items():
        checks.need(part != "", path)
    before, begun = len(checks.faults), binding.joins
    kept = _filter(binding, request.from_filter, "from_filter", checks)
    named = all(parts.values()) and len(checks.faults) == before
    for path in ("field", "from_field"):
        try:
            if parts[path]:
                binding.known(parts[path], path, False)
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
            most_path="max_values",
        )
    except Refused as refused:
        checks.absorb(refused)
        return bool
