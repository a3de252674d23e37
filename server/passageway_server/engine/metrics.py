"""One number over all values that rows hold in a field.

Sums are exact, and rounded once in the end: no order of rows can be told from them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.field_values import FieldValues, field_values
from passageway_server.engine.held import Rows
from passageway_server.engine.ordering import standings
from passageway_server.engine.predicate import KnownField, Over
from passageway_server.values.answers import MetricAnswers
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.values.queries import MetricOp
from passageway_server.version.version import Version

_MICROS = 10**6  # of a second
_INT64 = range(-(1 << 63), 1 << 63)

_DIGITS, _LEAST = 53, -1074  # bits of a double's digits; the exponent of the least double above 0


@dataclass(frozen=True, slots=True)
class MetricPlan:
    """Take ``op`` over the values of ``field``."""

    field: KnownField
    op: MetricOp


def measure(
    version: Version,
    gate: Gate,
    rows: Rows,
    plans: Mapping[str, MetricPlan],
    *,
    over: Over = "nodes",
) -> MetricAnswers:
    """The metric of each of *plans* over *rows*; no key where there is no value.

    *rows* are distinct rows, or keys of edges; *gate* is the read gate. Where the time of
    the call is spent, metrics that were not begun have no key.
    """
    answers: MetricAnswers = {}
    for name, plan in plans.items():
        if gate.halt.spent():
            break
        values, _ = field_values(plan.field, version, rows, gate, over=over)
        if len(values):
            answers[name] = _measured(plan.op, values, gate.halt)
    return answers


def _measured(op: MetricOp, values: FieldValues, halt: Halt) -> int | float:
    """One metric over *values*, of which there is at least one."""
    if op == MetricOp.COUNT:
        return len(values)
    if op == MetricOp.CARDINALITY:
        return _distinct(values, halt)
    match values.kind:
        case Kind.TIME:
            return _seconds(op, values.values)
        case Kind.INT:
            return _of_ints(op, values.values)
        case _:
            return _of_doubles(op, values)


def _distinct(values: FieldValues, halt: Halt) -> int:
    if values.terms is not None:
        present = np.zeros(len(values.terms), dtype=np.bool_)
        present[values.values] = True
    else:
        comparable = values.comparable(halt)
        present = np.zeros(len(values), dtype=np.bool_)
        present[standings([lambda _: comparable], len(values), halt=halt)] = True
    return int(np.count_nonzero(present))


def _seconds(op: MetricOp, micros: NDArray[np.int64]) -> float:
    """Seconds since 1970."""
    if op == MetricOp.AVG:
        return _sum_of_ints(micros) / (len(micros) * _MICROS)
    return _extreme(op, micros) / 1e6


def _of_ints(op: MetricOp, ints: NDArray[np.int64]) -> int | float:
    """An int, but for an average, and for a sum past int64."""
    match op:
        case MetricOp.SUM:
            total = _sum_of_ints(ints)
            return total if total in _INT64 else float(total)
        case MetricOp.AVG:
            return _sum_of_ints(ints) / len(ints)
        case _:
            return _extreme(op, ints)


def _of_doubles(op: MetricOp, values: FieldValues) -> float:
    """A double, though there may be ints among them; a zero has no sign."""
    is_float = np.zeros(len(values), np.bool_) if values.floats is None else values.floats == 1
    doubles = values.values.view(np.float64)[is_float]
    ints = values.values[~is_float]
    if op in (MetricOp.SUM, MetricOp.AVG):
        total = _rounded((_sum_of_ints(ints) << -_LEAST) + _sum_of_doubles(doubles))
        return total if op == MetricOp.SUM else total / len(values)
    extremes = [_extreme(op, some) for some in (doubles, ints) if len(some)]
    return float(min(extremes) if op == MetricOp.MIN else max(extremes)) + 0.0


def _extreme(op: MetricOp, numbers: NDArray[Any]) -> int | float:
    extreme: int | float = (numbers.min() if op == MetricOp.MIN else numbers.max()).item()
    return extreme


def _sum_of_ints(ints: NDArray[np.int64]) -> int:
    """The exact sum."""
    return (int((ints >> 32).sum()) << 32) + int((ints & 0xFFFFFFFF).sum())


def _sum_of_doubles(doubles: NDArray[np.float64]) -> int:
    """The exact sum of finite *doubles*, in units of the least double above 0.

    A double is a whole number times a power of two: those of one power are summed as ints.
    """
    if not len(doubles):
        return 0
    fractions, exponents = np.frexp(doubles)
    digits = np.ldexp(fractions, _DIGITS).astype(np.int64)
    shifts = exponents - (_DIGITS + _LEAST)
    order = np.argsort(shifts, kind="stable")
    shifts, digits = shifts[order], digits[order]
    starts = np.flatnonzero(np.diff(shifts, prepend=shifts[:1] - 1))
    total = 0
    for start, some in zip(starts.tolist(), np.split(digits, starts[1:]), strict=True):
        shift, part = int(shifts[start]), _sum_of_ints(some)
        total += part << shift if shift >= 0 else part >> -shift  # the bits lost are all 0
    return total


def _rounded(total: int) -> float:
    """The double nearest to *total* units of the least double; an infinity past the largest."""
    try:
        return total / (1 << -_LEAST)
    except OverflowError:
        return math.inf if total > 0 else -math.inf
