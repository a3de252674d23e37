"""What a Lookup asks for, bound and bounded: one predicate, of its filter and its semi-join, and how its
matches are ordered, shown and measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.facets import FacetPlan
from passageway_server.engine.metrics import MetricPlan
from passageway_server.engine.predicate import All, InnerQuery, Joined, Over, Predicate
from passageway_server.engine.selection import Selection
from passageway_server.engine.sorting import SortKey
from passageway_server.errors import Fault
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.facets import plan_facets, plan_metrics
from passageway_server.planner.lookups import join_fault, too_many_values
from passageway_server.planner.sorting import plan_sort
from passageway_server.values.requests import LookupKind, LookupRequest
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """Nodes, or edge documents, that meet ``predicate`` (None: every one).

    They are counted and measured all; of those on the page, ``page_size`` at most, is shown what
    ``selection`` says.
    """

    over: Over
    predicate: Predicate | None
    sort: tuple[SortKey, ...]
    page_size: int
    selection: Selection
    max_chars: int
    facets: dict[str, FacetPlan]
    metrics: dict[str, MetricPlan]
    applied: dict[str, int]


def plan_lookup(
    request: LookupRequest, *, version: Version, gate: Gate, faults: Sequence[Fault] = ()
) -> LookupPlan:
    """Bind *request* to *version* and to what the holder of *gate*, a read gate, knows.

    Raises InvalidRequest with every fault, *faults* that were found before among them.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars=request.vars)
    for fault in faults:
        binding.faults.add(fault.field, fault.message)
    over = _over(request.kind)
    page_size = binding.number("page_size", request.page_size, limits.PAGE_SIZE)
    max_chars = binding.number("content_max_chars", request.content_max_chars, limits.CONTENT_CHARS)
    most = binding.number("max_values", request.max_values, limits.MAX_VALUES)
    if over == "nodes":
        selection = binding.node_fields(request.fields)
    else:
        selection = binding.edge_fields(request.fields, path="fields")
    sort = plan_sort(request.sort, binding, path="sort", over=over)
    facets = plan_facets(request.facets, binding, over=over)
    metrics = plan_metrics(request.metrics, binding, over=over)
    plain = binding.filter(request.filter, path="filter", over=over)
    joined = _semi_join(request, over, most, binding)
    binding.check()
    parts = tuple(part for part in (joined, plain) if part is not None)
    predicate = All(parts) if len(parts) == 2 else parts[0] if parts else None
    return LookupPlan(
        over,
        predicate,
        sort=sort,
        page_size=page_size,
        selection=selection,
        max_chars=max_chars,
        facets=facets,
        metrics=metrics,
        applied=binding.applied,
    )


def _over(kind: LookupKind | None) -> Over:
    return "edges" if kind is LookupKind.EDGES else "nodes"


def _semi_join(request: LookupRequest, over: Over, most: int, binding: Binding) -> Predicate | None:
    """The semi-join in fields of its own: all three parts are given, or none and no kind of theirs."""
    given = {name: getattr(request, name) for name in ("field", "from_filter", "from_field")}
    if not any(given.values()) and request.from_kind is None:
        return None
    faults = binding.faults
    before = len(faults)
    for name, text in given.items():
        if not text:
            faults.add(name, "missing: field, from_filter and from_field go together")
    within = _over(request.from_kind)
    field = from_field = None
    if request.field:
        field = binding.field(request.field, path="field", over=over)
    if request.from_field:
        from_field = binding.field(request.from_field, path="from_field", over=within)
    inner = binding.filter(request.from_filter, path="from_filter", over=within)
    if field is None or from_field is None or len(faults) > before:
        return None
    mismatch = join_fault(field, from_field)
    if mismatch is not None:
        faults.add("field", mismatch)
        return None
    query = InnerQuery(inner, from_field, within)
    binding.lookups.add(query, most, path="max_values", message=too_many_values(most))
    return Joined(field, query)
