"""Orders, facets and metrics over plain dicts, one row at a time: what the columns must agree with.

A row is the values of each of its fields, as a list; a field that it lacks has no key.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from passageway_server.values.collections import Kind
from passageway_server.values.queries import MetricOp
from tests.unit.engine.plain_filter import Row, Rows

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def in_order(rows: Rows, keys: Sequence[str]) -> list[str]:
    """The ids of *rows* by *keys*, ``-`` before one for descending, then by id."""
    ids = sorted(rows)
    for key in reversed(keys):
        name, descending = key.removeprefix("-"), key.startswith("-")
        best = {id: counting(rows[id], key) for id in ids}
        held = [id for id in ids if name in rows[id]]
        lacking = [id for id in ids if name not in rows[id]]
        ids = sorted(held, key=best.__getitem__, reverse=descending) + lacking
    return ids


def counting(row: Row, key: str) -> Any:
    """The value that *row* is ordered by under *key*; None where it has none."""
    values = row.get(key.removeprefix("-"))
    return None if values is None else max(values) if key.startswith("-") else min(values)


def facet(rows: Iterable[Row], field: str, limit: int | None) -> list[tuple[str, int]]:
    """Texts and counts of the values of *field*: the largest count first, then the smallest."""
    counts = Counter(value for row in rows for value in set(row.get(field, [])))
    pairs = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(_text(value), count) for value, count in pairs[:limit]]


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            fraction = f".{value.microsecond:06}" if value.microsecond else ""
            return value.replace(microsecond=0, tzinfo=None).isoformat() + fraction + "Z"
        case int() | float():
            exact = Fraction(value)
            whole = exact.denominator == 1 and -(2**63) <= exact < 2**63
            return str(exact.numerator) if whole else repr(float(value))
        case _:
            return str(value)


def metric(values: list[Any], op: MetricOp, kind: Kind) -> int | float:
    """*op* over *values*, of which there is at least one, of a field of *kind*."""
    match op:
        case MetricOp.COUNT:
            return len(values)
        case MetricOp.CARDINALITY:
            return len(set(values))
        case MetricOp.SUM | MetricOp.AVG if kind == Kind.INT:
            total = sum(values)
            if op == MetricOp.AVG:
                return _nearest(Fraction(total, len(values)))
            return total if -(2**63) <= total < 2**63 else float(total)
        case MetricOp.SUM | MetricOp.AVG if kind == Kind.FLOAT:
            rounded = _nearest(sum(map(Fraction, values), Fraction(0)))
            return rounded if op == MetricOp.SUM else rounded / len(values)
        case MetricOp.AVG:
            micros = [to_micros(value) for value in values]
            return _nearest(Fraction(sum(micros), len(micros) * 10**6))
        case _:
            extreme = min(values) if op == MetricOp.MIN else max(values)
            if kind == Kind.INT:
                return int(extreme)
            return to_micros(extreme) / 1e6 if kind == Kind.TIME else float(extreme) + 0.0


def to_micros(time: datetime) -> int:
    """Microseconds since 1970."""
    since = time - _EPOCH
    return (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds


def _nearest(exact: Fraction) -> float:
    """The nearest double, an infinity past the largest."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
