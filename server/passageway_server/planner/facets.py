"""Facets and metrics of a request, bound to fields that the caller knows."""

from passageway_server.columns.kinds import kind_name
from passageway_server.engine.facets import FacetPlan
from passageway_server.engine.metrics import MetricPlan
from passageway_server.engine.predicate import KnownField, Over, Source
from passageway_server.planner import limits
from passageway_server.planner.binding import Binding
from passageway_server.values.collections import Kind
from passageway_server.values.queries import Facets, MetricOp, Metrics

_COUNTING = (MetricOp.COUNT, MetricOp.CARDINALITY)
_NUMBERS = (Kind.INT, Kind.FLOAT)


def plan_facets(facets: Facets, binding: Binding, *, over: Over) -> dict[str, FacetPlan]:
    """The plan of each facet, by name.

    Faults are added at ``facets`` where there are too many, and at ``facets.NAME.field`` and
    ``.limit``.
    """
    _check_count("facets", len(facets), binding)
    plans: dict[str, FacetPlan] = {}
    for name, facet in sorted(facets.items()):
        path = f"facets.{name}"
        limit = binding.number(f"{path}.limit", facet.limit, limits.BUCKETS)
        field = binding.field(facet.field, path=f"{path}.field", over=over)
        if field is None:
            continue
        if _is_prose(field):
            kind = "text" if field.kind == Kind.KEYWORD else kind_name(field.kind)
            binding.faults.add(f"{path}.field", f"{field.name} is a {kind}, which has no facet")
        plans[name] = FacetPlan(field, None if limit == -1 else limit)
    return plans


def plan_metrics(metrics: Metrics, binding: Binding, *, over: Over) -> dict[str, MetricPlan]:
    """The plan of each metric, by name.

    Faults are added at ``metrics`` where there are too many, and at ``metrics.NAME.field`` and
    ``.op``.
    """
    _check_count("metrics", len(metrics), binding)
    plans: dict[str, MetricPlan] = {}
    for name, metric in sorted(metrics.items()):
        path = f"metrics.{name}"
        if metric.op == MetricOp.UNSPECIFIED:
            binding.faults.add(f"{path}.op", "missing: say what to take over the values")
        field = binding.field(metric.field, path=f"{path}.field", over=over)
        if field is None:
            continue
        fault = _metric_fault(metric.op, field)
        if fault is not None:
            binding.faults.add(f"{path}.field", fault)
        plans[name] = MetricPlan(field, metric.op)
    return plans


def _check_count(path: str, count: int, binding: Binding) -> None:
    if count > limits.FACETS:
        binding.faults.add(path, f"has {count} of them; at most {limits.FACETS}")


def _is_prose(field: KnownField) -> bool:
    """Whether the values of *field* are texts to read, or vectors: hardly two are ever equal."""
    content = field.source == Source.BUILT_IN and field.name == "content"
    return content or field.kind in (Kind.TEXT, Kind.VECTOR)


def _metric_fault(op: MetricOp, field: KnownField) -> str | None:
    """Why there is no *op* over *field*, or None where there is."""
    found = f"{field.name} is a {kind_name(field.kind)}"
    if field.kind == Kind.VECTOR:
        return f"{found}, over which there is no metric"
    if op in (*_COUNTING, MetricOp.UNSPECIFIED) or field.kind in _NUMBERS:
        return None
    if op == MetricOp.SUM:
        return f"{found}; {op.name} is of numbers"
    return None if field.kind == Kind.TIME else f"{found}; {op.name} is of numbers and times"
