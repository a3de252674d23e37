"""Rows in an order by fields: which are the first, and which come after a position?

Rows without the field come last, whichever way it is ordered; of several values of a row the
smallest counts, for descending the largest; ties go by id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.field_values import FieldValue, FieldValues, field_values
from passageway_server.engine.held import Mask, Rows
from passageway_server.engine.ordering import (
    ByNumbers,
    ByStrings,
    Comparable,
    Level,
    Part,
    Places,
    first,
)
from passageway_server.engine.predicate import KnownField, Over
from passageway_server.engine.texts import order
from passageway_server.values.halt import Halt
from passageway_server.version.version import Version

SortValue = FieldValue | None
"""What a row is ordered by, as JSON has it; None where it has no value."""


@dataclass(frozen=True, slots=True)
class SortKey:
    """Order by one field."""

    field: KnownField
    descending: bool = False


def first_rows(
    version: Version,
    gate: Gate,
    rows: Rows,
    keys: Sequence[SortKey],
    limit: int,
    *,
    over: Over = "nodes",
) -> Rows:
    """The first *limit* of *rows*, which are distinct, in order: by *keys*, then by id.

    *rows* are rows, or keys of edge documents, which are theirs; *gate*, the read gate, decides on the
    links that they have. After the time of a call is spent the order means nothing.
    """
    if not keys and over == "nodes":
        return _first_by_id(version.rank, rows, limit)

    def by(key: SortKey) -> Level:
        return lambda places: _keyed(version, gate, rows[places], key, over)

    def by_id(places: Places) -> Comparable:
        if over == "nodes":
            return ByNumbers((version.rank[rows[places]],))
        strings = version.docs.ids.strings
        return ByStrings(strings, rows[places], gate.halt)

    levels = [*map(by, keys), by_id]
    return rows[first(levels, len(rows), limit, halt=gate.halt)]


def _first_by_id(rank: NDArray[np.int32], rows: Rows, limit: int) -> Rows:
    """The first *limit* of *rows* by *rank*: one look at each, and a sort of those."""
    if not limit:
        return rows[:0]
    ranks = rank[rows]
    if limit < len(rows):
        first = np.argpartition(ranks, limit - 1)[:limit]
        rows, ranks = rows[first], ranks[first]
    return rows[np.argsort(ranks)]


def sort_values(
    version: Version, gate: Gate, row: int, keys: Sequence[SortKey], *, over: Over = "nodes"
) -> tuple[SortValue, ...]:
    """What *row* is ordered by under each of *keys*."""
    rows = np.array([row], dtype=np.int64)
    keyed = [_keyed(version, gate, rows, key, over) for key in keys]
    return tuple(one.listed()[0] for one in keyed)


def after(
    version: Version,
    gate: Gate,
    rows: Rows,
    keys: Sequence[SortKey],
    values: Sequence[SortValue],
    id: str,
    *,
    over: Over = "nodes",
) -> Mask:
    """Which of *rows* come after the row that had *id* and, under *keys*, *values*: bool[rows].

    No row need be there any more. A value of another kind than the field has now counts as none.
    """
    behind = np.zeros(len(rows), dtype=np.bool_)
    left = np.arange(len(rows), dtype=np.int64)
    for key, value in zip(keys, values, strict=True):
        signs = _keyed(version, gate, rows[left], key, over).signs(value, gate.halt)
        behind[left[signs > 0]] = True
        left = left[signs == 0]
    if over == "nodes":
        terms, numbers = version.nodes.ids, rows[left]
        row = terms.find(id)
        if row >= 0:  # as long as the id is known, its row is, whatever stands there now
            behind[left[version.rank[numbers] > version.rank[row]]] = True
            return behind
    else:
        terms, numbers = version.docs.ids, rows[left]
    behind[left[order(terms.strings, numbers, id, gate.halt) > 0]] = True
    return behind


@dataclass(frozen=True, slots=True)
class _Keyed:
    """Rows as one key orders them: row i has the value ``at[i]`` of ``values``, none where -1."""

    values: FieldValues
    parts: Comparable
    at: Places
    descending: bool

    def part(self, number: int, among: Places) -> Part | None:
        """See `Comparable`: whether it is without a value, then the parts of the value."""
        at = self.at[among]
        if number == 0:
            return at < 0
        held = np.flatnonzero(at >= 0)
        found = _turned(self.parts, number - 1, at[held], descending=self.descending)
        if found is None or len(held) == len(among):
            return found
        part = np.zeros(len(among), dtype=found.dtype)  # those without one are equal
        part[held] = found
        return part

    def signs(self, value: SortValue, halt: Halt) -> NDArray[np.int8]:
        """-1, 0 or 1 where a row is before, equal to or after *value* in this order: int8[rows].

        Raises what *halt* says.
        """
        lacking = self.at < 0
        signs = np.zeros(len(self.at), dtype=np.int8)
        there = np.flatnonzero(~lacking)
        found = None if value is None else self.values.chosen(self.at[there]).signs(value, halt)
        if found is None:
            signs[there] = -1
            return signs
        signs[there] = -found if self.descending else found
        signs[lacking] = 1
        return signs

    def listed(self) -> list[SortValue]:
        """The value of each row."""
        there = np.flatnonzero(self.at >= 0)
        listed: list[SortValue] = [None] * len(self.at)
        found = self.values.chosen(self.at[there]).listed()
        for place, value in zip(there.tolist(), found, strict=True):
            listed[place] = value
        return listed


def _keyed(version: Version, gate: Gate, rows: Rows, key: SortKey, over: Over) -> _Keyed:
    values, owners = field_values(key.field, version, rows, gate, over=over)
    parts = values.comparable(gate.halt)
    gate.halt.spent()
    at = np.full(len(rows), -1, dtype=np.int64)
    best = _best(parts, owners, key.descending, gate.halt)
    at[owners[best]] = best
    return _Keyed(values, parts, at, key.descending)


def _best(parts: Comparable, owners: Rows, descending: bool, halt: Halt) -> Places:
    """The place of the value that counts of each owner; equal ones stand for each other."""
    left = np.arange(len(owners), dtype=np.int64)
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    for number in count():
        if len(starts) == len(left) or halt.spent():
            break
        part = _turned(parts, number, left, descending=descending)
        if part is None:
            break
        halt.spent()  # for what it raises, as below
        smallest = np.minimum.reduceat(part, starts)
        left = left[part == np.repeat(smallest, np.diff(starts, append=len(left)))]
        halt.spent()
        starts = np.flatnonzero(np.diff(owners[left], prepend=-1))
    return left[starts]


def _turned(parts: Comparable, number: int, among: Places, *, descending: bool) -> Part | None:
    """A part of values, so that the first in order is the smallest."""
    part = parts.part(number, among)
    if part is None or not descending:
        return part
    return -part if part.dtype.kind == "f" else ~part
