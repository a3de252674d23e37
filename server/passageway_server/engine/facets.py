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
from passageway_server.engine.ordering import ByNumbers, Places, first, standings
from passageway_server.engine.predicate import KnownField, Over
from passageway_server.values.answers import Bucket, FacetAnswers
from passageway_server.values.collections import Kind
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

_WIDE = 4  # whole numbers are counted in a table as long as their range, up to so many times theirs


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
) -> FacetAnswers:
    """The buckets of each of *plans* over *rows*: by count, the largest first, then by value.

    *rows* are distinct rows, or stored numbers of edges; *gate* is the read gate. Where the time of
    the call is spent, facets that were not begun have no key.
    """
    answers: FacetAnswers = {}
    rows = np.sort(rows) if plans else rows  # memory is read forward; nothing depends on their order
    for name, plan in plans.items():
        if gate.halt.spent():
            break
        values, owners = field_values(plan.field, version, rows, gate, over=over)
        answers[name] = _buckets(values, owners, plan.limit, gate.halt)
    return answers


def _buckets(
    values: FieldValues, owners: NDArray[np.integer], limit: int | None, halt: Halt
) -> list[Bucket]:
    numbers, most = _numbered(values, halt)
    room = min(most, len(numbers))
    firsts, last, counts = np.empty((3, room), dtype=np.int64)
    found = kernel.tally(
        sealed(owners.astype(np.int64, copy=False)),
        sealed(numbers),
        np.zeros(most, dtype=np.int32),
        firsts,
        last,
        counts,
        sealed(halt.flag),
    )
    best = _largest(values.chosen(firsts[:found]), counts[:found], limit, halt)
    texts = [_text(value, values.kind) for value in values.chosen(firsts[best]).listed()]
    return list(map(Bucket, texts, counts[best].tolist()))


def _largest(
    distinct: FieldValues, counts: NDArray[np.int64], limit: int | None, halt: Halt
) -> Places:
    """The places of the first *limit* values: by count, the largest first, then by value."""
    limit = len(counts) if limit is None else limit
    likely = np.arange(len(counts), dtype=np.int64)
    if 0 < limit < len(counts):  # most are not among them, and need not be compared
        least = len(counts) - limit
        likely = np.flatnonzero(counts >= np.partition(counts, least)[least])
    levels = [
        lambda places: ByNumbers((-counts[likely[places]],)),
        lambda places: distinct.chosen(likely[places]).comparable(halt),
    ]
    return likely[first(levels, len(likely), limit, halt=halt)]


def _numbered(values: FieldValues, halt: Halt) -> tuple[NDArray[np.int64], int]:
    """A number for each value, below the second, so that equal values have the same one."""
    held = values.values
    if values.terms is not None:
        return held.astype(np.int64, copy=False), len(values.terms)
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
            whole = abs(value) < 2**63 and value == int(value)
            return str(int(value)) if whole else repr(float(value))


def _instant(time: datetime) -> str:
    """RFC 3339 in UTC, with a fraction only where there is one."""
    return time.isoformat().replace("+00:00", "Z")
