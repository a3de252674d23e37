"""Metrics: one number over all the values that rows hold in a field, rows being nodes or edges alike.

Sums are exact, and rounded once in the end. A list counts with each of its values.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from passageway.v1 import query_pb2, types_pb2
from tests.oracle.facets import MOST_MEASURES
from tests.oracle.fields import INT, NUMBERS, TIME, VECTOR
from tests.oracle.filters import Binding, values_in
from tests.oracle.graph import Arc, Moment, Row, Scalar
from tests.oracle.refusals import Checks, Refused

COUNTING = (query_pb2.Metric.OP_COUNT, query_pb2.Metric.OP_CARDINALITY)
UNSPECIFIED = query_pb2.Metric.OP_UNSPECIFIED
INT64 = range(-(2**63), 2**63)

Metrics = Mapping[str, query_pb2.Metric]


def check_metrics(
    metrics: Metrics, binding: Binding, checks: Checks, *, on_edges: bool = False
) -> dict[str, int]:
    """Note what is wrong with the metrics of a request; what comes back are the kinds of fields, by name."""
    checks.need(len(metrics) <= MOST_MEASURES, "metrics")
    kinds: dict[str, int] = {}
    for name, metric in metrics.items():
        path = f"metrics.{name}"
        checks.need(metric.op != UNSPECIFIED, f"{path}.op")
        try:
            kinds[name] = binding.known(metric.field, f"{path}.field", on_edges).kind
        except Refused as refused:
            checks.absorb(refused)
            continue
        if kinds[name] == VECTOR:
            checks.fault(f"{path}.field")
        elif metric.op not in (*COUNTING, UNSPECIFIED):
            summed = metric.op == query_pb2.Metric.OP_SUM
            measurable = NUMBERS if summed else NUMBERS | {int(TIME)}
            checks.need(kinds[name] in measurable, f"{path}.field")
    return kinds


def measure(
    rows: Iterable[Row | Arc], metrics: Metrics, kinds: Mapping[str, int]
) -> dict[str, types_pb2.Value]:
    """The metrics over *rows*; no key where there is no value to measure."""
    rows = list(rows)
    measured: dict[str, types_pb2.Value] = {}
    for name, metric in metrics.items():
        values = [value for row in rows for value in values_in(row, metric.field)]
        if values:
            measured[name] = _measured(metric.op, values, kinds[name])
    return measured


def _measured(op: int, values: list[Scalar], kind: int) -> types_pb2.Value:
    """One metric over values of a *kind*, of which there is at least one."""
    if op == query_pb2.Metric.OP_COUNT:
        return types_pb2.Value(int_value=len(values))
    if op == query_pb2.Metric.OP_CARDINALITY:
        return types_pb2.Value(int_value=len(set(values)))
    if kind == TIME:
        micros = [value.micros for value in values if isinstance(value, Moment)]
        return types_pb2.Value(double_value=_seconds(op, micros))
    if kind == INT:
        return _of_ints(op, [value for value in values if isinstance(value, int)])
    numbers = [value for value in values if isinstance(value, int | float)]
    return types_pb2.Value(double_value=_of_floats(op, numbers))


def _seconds(op: int, micros: list[int]) -> float:
    """Seconds since 1970."""
    if op == query_pb2.Metric.OP_AVG:
        return sum(micros) / (len(micros) * 10**6)
    extreme = min(micros) if op == query_pb2.Metric.OP_MIN else max(micros)
    return extreme / 1e6


def _of_ints(op: int, ints: list[int]) -> types_pb2.Value:
    """An int, but for an average and for a sum past int64."""
    if op == query_pb2.Metric.OP_AVG:
        return types_pb2.Value(double_value=sum(ints) / len(ints))
    if op == query_pb2.Metric.OP_SUM and sum(ints) not in INT64:
        return types_pb2.Value(double_value=float(sum(ints)))
    if op == query_pb2.Metric.OP_SUM:
        return types_pb2.Value(int_value=sum(ints))
    return types_pb2.Value(int_value=min(ints) if op == query_pb2.Metric.OP_MIN else max(ints))


def _of_floats(op: int, numbers: list[int | float]) -> float:
    """A double, though the numbers may be ints among floats. Zero bears no sign."""
    if op == query_pb2.Metric.OP_MIN:
        return float(min(numbers)) + 0.0
    if op == query_pb2.Metric.OP_MAX:
        return float(max(numbers)) + 0.0
    total = sum((Fraction(number) for number in numbers), Fraction(0))
    rounded = _rounded(total)
    return rounded / len(numbers) if op == query_pb2.Metric.OP_AVG else rounded


def _rounded(exact: Fraction) -> float:
    """The nearest double; an infinity where the number outgrew the doubles."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")
