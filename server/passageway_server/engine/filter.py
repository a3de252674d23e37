"""Filters, evaluated in columns: which of these rows, or edges, meet a predicate?

Works over any set of candidates: a few of a walk's step, or all rows of a version. Many are judged
a part at a time. Once the time of the request is spent no more are judged, and those that were not
do not meet anything: whoever needs to know asks the halt. Where the call is over, DeadlineExceeded
or Cancelled is raised.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.gates import Gate
from passageway_server.engine import meeting, worded
from passageway_server.engine.held import Held, Mask, Rows, of_edges, of_rows
from passageway_server.engine.predicate import (
    Affix,
    All,
    Differs,
    Equals,
    Has,
    Joined,
    KnownField,
    Not,
    Ordered,
    Predicate,
    Some,
    Source,
    Worded,
)
from passageway_server.values.halt import UNHALTED, Halt, OutOfTime
from passageway_server.version.version import Version


class _Candidates(Protocol):
    """Some rows, or some edges."""

    def held(self, field: KnownField) -> Held:
        """What they hold in *field*."""
        ...

    def worded(self, test: Worded) -> Mask:
        """Which of them have the words of *test*. Raises OutOfTime, DeadlineExceeded, Cancelled."""
        ...


class _RowsAt(NamedTuple):
    version: Version
    rows: Rows | None
    gate: Gate

    def held(self, field: KnownField) -> Held:
        return of_rows(field, self.version, self.rows, self.gate)

    def worded(self, test: Worded) -> Mask:
        return worded.rows_that_meet(test, self.version, self.rows, self.gate)


class _EdgesAt(NamedTuple):
    version: Version
    stored: Rows
    halt: Halt

    def held(self, field: KnownField) -> Held:
        return of_edges(field, self.version, self.stored)

    def worded(self, test: Worded) -> Mask:
        return worded.holders_that_meet(test, self.held(test.field), self.halt)


_AT_ONCE = 1 << 17
"""Candidates of one part: a step over their values takes some milliseconds."""


def matches(predicate: Predicate, version: Version, rows: Rows | None, gate: Gate) -> Mask:
    """Which of *rows* (None: every row of the version) meet *predicate*: bool[rows].

    *gate* is the caller's read gate: links hold ids of rows that are open under it. Whether the
    rows themselves are open is not asked.
    """
    count = len(version.nodes)
    if rows is not None and count < 2 * len(rows) and count <= _AT_ONCE:
        return matches(predicate, version, None, gate)[rows]

    def read(first: int, last: int) -> _Candidates:
        some = rows
        if rows is not None:
            some = rows[first:last]
        elif last - first < count:
            some = np.arange(first, last, dtype=np.int32)
        return _RowsAt(version, some, gate)

    return _by_parts(predicate, read, count if rows is None else len(rows), gate.halt)


def edge_matches(
    predicate: Predicate, version: Version, stored: Rows, halt: Halt = UNHALTED
) -> Mask:
    """Which edges of the keys *stored* meet *predicate*: bool[stored].

    Whether they are visible is not asked.
    """

    def read(first: int, last: int) -> _Candidates:
        return _EdgesAt(version, stored[first:last], halt)

    return _by_parts(predicate, read, len(stored), halt)


def matching_rows(
    predicate: Predicate | None, version: Version, *, read: Gate, scope: Gate
) -> NDArray[np.integer]:
    """The rows open to *scope* that meet *predicate*, ascending; links are seen through *read*."""
    rows = None if predicate is None else _candidates(predicate, version, read.halt)
    read.halt.spent()
    if rows is None:
        found = version.gates.open_rows(scope)
        if predicate is not None:
            found = found & matches(predicate, version, None, read)
        return np.flatnonzero(found)
    rows = rows[version.gates.open(scope, rows)]
    assert predicate is not None
    return rows[matches(predicate, version, rows, read)]


def seen_rows(predicate: Predicate | None, version: Version, scope: Gate) -> NDArray[np.integer]:
    """Rows open to *scope*, ascending: all that may meet *predicate*."""
    rows = None if predicate is None else _candidates(predicate, version, scope.halt)
    if rows is None:
        return np.flatnonzero(version.gates.open_rows(scope))
    return rows[version.gates.open(scope, rows)]


def _candidates(predicate: Predicate, version: Version, halt: Halt) -> NDArray[np.integer] | None:
    """Rows among which are all that may meet *predicate*, ascending.

    None where it takes a look at each.
    """
    match predicate:
        case Equals(KnownField("id", Source.BUILT_IN), operands):
            found = version.nodes.ids.find_all([str(operand) for operand in operands])
            return united(found[found >= 0])
        case Equals(KnownField(name, Source.LINK), (str(target),)):
            return _pointing_at(version, name, target)
        case Joined(KnownField("id", Source.BUILT_IN)):
            return predicate.values.numbers_in(version.nodes.ids)
        case Worded():
            return worded.rows_that_may_meet(predicate, version, halt)
        case All(parts):
            few = [rows for part in parts if (rows := _candidates(part, version, halt)) is not None]
            return min(few, key=len) if few else None
        case Some(parts):
            each = [_candidates(part, version, halt) for part in parts]
            some = [rows for rows in each if rows is not None]
            return united(*some) if len(some) == len(each) else None
        case _:
            return None


def _pointing_at(version: Version, name: str, target: str) -> NDArray[np.integer]:
    """Rows that may have a link *name* to *target*.

    They are those with an edge of that type, and the target itself.
    """
    row = version.nodes.ids.find(target)
    if row < 0:
        return np.empty(0, dtype=np.int64)
    slots = version.into.slots_of(np.array([row], dtype=np.int32))
    types = version.edge_classes.types[slots.classes]
    typed = types == version.edge_types.find(name)
    return united(slots.others[typed], np.array([row], dtype=np.int32))


def _by_parts(
    predicate: Predicate, read: Callable[[int, int], _Candidates], count: int, halt: Halt
) -> Mask:
    """Which of *count* candidates meet *predicate*, of those that there is time for."""
    met = np.zeros(count, dtype=np.bool_)
    with suppress(OutOfTime):
        for first in range(0, count, _AT_ONCE):
            last = min(first + _AT_ONCE, count)
            met[first:last] = _judge(predicate, read(first, last), halt)
    return met


def _judge(predicate: Predicate, some: _Candidates, halt: Halt) -> Mask:
    """Which candidates meet *predicate*. Raises OutOfTime: half a verdict may be a wrong one."""
    halt.check()
    match predicate:
        case All(parts):
            return reduce(np.logical_and, [_judge(part, some, halt) for part in parts])
        case Some(parts):
            return reduce(np.logical_or, [_judge(part, some, halt) for part in parts])
        case Not(part):
            return ~_judge(part, some, halt)
        case Has(field):
            return some.held(field).held
        case Equals(field, operands):
            held = some.held(field)
            return held.any(meeting.equal(held, operands, halt))
        case Differs(field, operand):
            held = some.held(field)
            return held.held & ~held.any(meeting.equal(held, (operand,), halt))
        case Ordered(field, sign, operand):
            held = some.held(field)
            return held.any(meeting.ordered(held, sign, operand, halt))
        case Affix(field, test, text):
            held = some.held(field)
            return held.any(meeting.affixed(held, test, text, halt))
        case Worded():
            return some.worded(predicate)
        case Joined(field):
            held = some.held(field)
            return held.any(meeting.joined(held, predicate.values, halt))
