"""How many rows hold each value of a field?

A row counts once for a value, however often it holds it. Values are told apart by what they are: 1
and 1.0 are one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.times import from_micros
from passageway_server.engine.field_values import FieldValue, FieldValues, field_values
from passageway_server.engine.held import Rows
from passageway_server.engine.kernels import tally as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.ordering import ByNumbers, Level, first, standings
from passageway_server.engine.predicate import KnownField, Over
from passageway_server.engine.sizes import FRAME, Size
from passageway_server.values.answers import Bucket, FacetAnswers
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

_WIDE = 4  # whole numbers are counted in a table as long as their range, up to so many times theirs
_AT_ONCE = 4096  # buckets that become values between two looks at the halt


@dataclass(frozen=True, slots=True)
class FacetPlan:
    """Count the values of ``field``; the first ``limit`` buckets are shown, None shows all."""

    field: KnownField
    limit: int | None


def count_values(
    version: Version,
    gate: Gate,
    rows: Rows,
    plans: Mapping[str, FacetPlan],
    *,
    over: Over = "nodes",
    size: Size | None = None,
) -> FacetAnswers:
    """The buckets of each of *plans* over *rows*: by count, the largest first, then by value.

    *rows* are distinct rows, or keys of edges; *gate* is the read gate. Where the time of
    the call is spent, facets that were not begun have no key. *size* is that of the whole answer.
    Raises LimitExceeded.
    """
    answers: FacetAnswers = {}
    size = size or Size()
    if plans:
        rows = np.sort(rows)  # nothing depends on their order, and memory is read forward
    for name, plan in plans.items():
        if gate.halt.spent():
            break
        values, owners = field_values(plan.field, version, rows, gate, over=over)
        answers[name] = _buckets(values, owners, plan.limit, gate.halt, size)
    return answers


def _buckets(
    values: FieldValues,
    owners: NDArray[np.integer],
    limit: int | None,
    halt: Halt,
    size: Size,
) -> list[Bucket]:
    numbers, most = _numbered(values, halt)
    firsts, last, counts = np.zeros((3, min(most, len(numbers)) + 1), dtype=np.int32)
    last.fill(-1)
    found = kernel.tally(
        sealed(owners.astype(np.int32, copy=False)),
        sealed(numbers.astype(np.int32, copy=False)),
        np.zeros(most, dtype=np.int32),
        firsts,
        last,
        counts,
        sealed(halt.flag),
    )
    firsts, counts = firsts[1 : found + 1], counts[1 : found + 1]
    limit = found if limit is None else limit
    # Most values are held by fewer rows than the last that is shown: those are not compared.
    least = kernel.at_least(counts, np.zeros(int(counts.max(initial=0)) + 1, np.int32), limit)
    likely = np.flatnonzero(counts >= least)
    distinct, counts = values.chosen(firsts[likely]), counts[likely]
    levels: list[Level] = [
        lambda places: ByNumbers((-counts[places],)),
        lambda places: distinct.chosen(places).comparable(halt),
    ]
    best = first(levels, len(likely), limit, halt=halt)
    size.add(distinct.chosen(best).size + 2 * FRAME * len(best), lower="facets")
    buckets: list[Bucket] = []
    for start in range(0, len(best), _AT_ONCE):
        halt.spent()  # for what it raises
        some = best[start : start + _AT_ONCE]
        texts = [_text(value, values.kind) for value in distinct.chosen(some).listed()]
        buckets += map(Bucket, texts, counts[some].tolist())
    return buckets


def _numbered(values: FieldValues, halt: Halt) -> tuple[NDArray[np.integer], int]:
    """A number for each value, below the second, so that equal values have the same one."""
    held = values.values
    if values.terms is not None:
        return held, len(values.terms)
    if values.texts is None and values.floats is None and len(held):
        least = int(held.min())
        reach = int(held.max()) - least + 1
        if reach <= _WIDE * len(held) + 256:
            return held.astype(np.int64) - least, reach
    comparable = values.comparable(halt)
    return standings([lambda _: comparable], len(held), halt=halt), len(held)


def _text(value: FieldValue, kind: Kind) -> str:
    """The shortest text of a value: of a number the same, whether it is an int or a float."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() if kind == Kind.TIME:
            return _instant(from_micros(value))
        case _:
            whole = -(2**63) <= value < 2**63 and value == int(value)
            return str(int(value)) if whole else repr(float(value))


def _instant(time: datetime) -> str:
    """RFC 3339 in UTC, with a fraction only where there is one."""
    return time.isoformat().replace("+00:00", "Z")
