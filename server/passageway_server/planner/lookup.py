"""What a Lookup asks for, bound and bounded: one predicate, of its filter and its semi-join."""

from dataclasses import dataclass

from passageway_server.columns.gates import Gate
from passageway_server.engine.predicate import All, InnerQuery, Joined, KnownField, Predicate
from passageway_server.engine.selection import Selection
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.planner.filters import unknown_field
from passageway_server.planner.lookups import join_fault, too_many_values
from passageway_server.values.requests import LookupRequest
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class LookupPlan:
    """Rows that meet ``predicate`` (None: every row); the first ``page_size`` are shown."""

    predicate: Predicate | None
    page_size: int
    selection: Selection
    max_chars: int
    applied: dict[str, int]


def plan_lookup(request: LookupRequest, *, version: Version, gate: Gate) -> LookupPlan:
    """Bind *request* to *version* and to what the holder of *gate*, a read gate, knows.

    Raises InvalidRequest with every fault, and NotBuilt.
    """
    binding = Binding(version, gate, bounds=request.bounds, vars=request.vars)
    page_size = binding.number("page_size", request.page_size, limits.PAGE_SIZE)
    max_chars = binding.number("content_max_chars", request.content_max_chars, limits.CONTENT_CHARS)
    most = binding.number("max_values", request.max_values, limits.MAX_VALUES)
    selection = binding.node_fields(request.fields)
    plain = binding.filter(request.filter, path="filter", over="nodes")
    joined = _semi_join(request, most, binding)
    binding.check()
    parts = tuple(part for part in (joined, plain) if part is not None)
    predicate = All(parts) if len(parts) == 2 else parts[0] if parts else None
    return LookupPlan(predicate, page_size, selection, max_chars, binding.applied)


def _semi_join(request: LookupRequest, most: int, binding: Binding) -> Predicate | None:
    """The semi-join in fields of its own: all three are given, or none."""
    given = {name: getattr(request, name) for name in ("field", "from_filter", "from_field")}
    if not any(given.values()):
        return None
    faults = binding.faults
    before = len(faults)
    for name, text in given.items():
        if not text:
            faults.add(name, "missing: field, from_filter and from_field go together")
    field = _field(request.field, "field", binding)
    from_field = _field(request.from_field, "from_field", binding)
    inner = binding.filter(request.from_filter, path="from_filter", over="nodes")
    if field is None or from_field is None or len(faults) > before:
        return None
    mismatch = join_fault(field, from_field)
    if mismatch is not None:
        faults.add("field", mismatch)
        return None
    query = InnerQuery(inner, from_field)
    binding.lookups.add(query, most, path="max_values", message=too_many_values(most))
    return Joined(field, query)


def _field(name: str, path: str, binding: Binding) -> KnownField | None:
    if not name:
        return None
    field = binding.nodes.get(name)
    if field is None:
        binding.faults.add(path, unknown_field(name, binding.nodes))
    return field
