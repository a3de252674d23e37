"""Rows by a vector: how near is the vector of each row to the one that is asked for?

Scores are exact, and no row is left out for speed. Where many rows are compared, their sketches bound the scores, and those of
the rows that matter are worked out from the vectors themselves.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.growing import Growing
from passageway_server.columns.properties import Column
from passageway_server.columns.sketch import Sketch
from passageway_server.engine.found import VECTOR, Bounds, Found, Places, Scores
from passageway_server.engine.kernels import vectors as kernel
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.lending import Pool
from passageway_server.values.collections import Similarity
from passageway_server.values.halt import Halt
from passageway_server.values.records import Vector
from passageway_server.version.version import Version

Rows = NDArray[np.int32]

_FEW: Final = 256  # vectors that are compared as they are: a sketch would save nothing
_MOST_TOTAL: Final = (1 << 31) - 1  # of the product of two sketches
_MOST_LEVELS: Final = (1 << 15) - 1  # of the sketch of a query
_ROOM: Final = 1 + 1e-9


class _Room:
    """Where rows are written while nobody knows how many they are."""

    __slots__ = ("entries", "found", "rows")

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.found, self.entries = np.empty((2, rows), dtype=np.int32)

    def clear(self) -> None:
        """Nothing: what is left in it is of no concern."""


_POOL = Pool(_Room)

_products, _sketched = direct(kernel.products), direct(kernel.sketched)
_bounded, _holding = direct(kernel.bounded), direct(kernel.holding)


@dataclass(frozen=True, slots=True)
class VectorPlan:
    """A field to search, the vector that is looked for, and how they are compared."""

    field: str
    vector: Vector
    similarity: Similarity

    @property
    def by_angle(self) -> bool:
        """Whether lengths are of no concern; then a vector of zeros alone is like none."""
        return self.similarity != Similarity.DOT


@dataclass(frozen=True, slots=True)
class Holders:
    """Rows that hold a field of vectors, and their entries in it."""

    rows: Rows
    entries: NDArray[np.int32]

    def at(self, places: Places | NDArray[np.bool_]) -> "Holders":
        """Those at *places*."""
        return Holders(self.rows[places], self.entries[places])


def holders(version: Version, field: str, rows: Rows | None, scope: Gate) -> Holders:
    """Which of *rows*, or of all that are open to *scope*, hold *field*. Raises DeadlineExceeded, Cancelled."""
    column = version.nodes.properties.get(field)
    if column is None:
        none = np.empty(0, dtype=np.int32)
        return Holders(none, none)
    if rows is not None:
        held = column.holding(rows)
        return Holders(rows[held.places].astype(np.int32, copy=False), held.entries)
    at = sealed(column.at.whole)
    with _POOL.lent(len(at) + 1) as room:
        found = _holding(at, Sight.of(version.gates, scope), room.found, room.entries)
        scope.halt.spent()
        return Holders(room.found[:found].copy(), room.entries[:found].copy())


def compared(version: Version, plan: VectorPlan, held: Holders, halt: Halt) -> Found:
    """Those of *held* that *plan* finds, and their scores. Raises DeadlineExceeded, Cancelled."""
    column = version.nodes.properties.get(plan.field)
    if column is None or not len(held.rows):
        return Found(held.rows, np.empty(0), VECTOR)
    probe = _Probe.of(plan, halt)
    if len(held.rows) <= _FEW:
        scores, there = probe.scores(column, held.entries)
        return Found(held.rows[there], scores[there], VECTOR)
    sketch = sketch_of(column, halt)
    if plan.by_angle:
        there = sketch.lengths.array[held.entries] > 0
        if not there.all():
            held = held.at(there)
    low, high = probe.bounds(sketch, held.entries)
    return Found(held.rows, Bounds(low, high, partial(probe.exact, column, held.entries)), VECTOR)


def sketch_of(column: Column, halt: Halt) -> Sketch:
    """That of the vectors of *column*, of which those that are new since the last time are looked at.

    Raises DeadlineExceeded, Cancelled.
    """

    def made(before: Sketch | None) -> Sketch:
        known = Sketch.none() if before is None else before
        dimensions = column.dimensions or 0
        more = len(column.many) - len(known)
        codes = np.empty(more * dimensions, dtype=np.int8)
        steps, errors, lengths = (np.empty(more) for _ in range(3))
        _sketched(
            _values(column),
            dimensions,
            len(known),
            codes,
            steps,
            errors,
            lengths,
            np.empty(dimensions),
            sealed(halt.flag),
        )
        halt.spent()
        grown = Growing(steps), Growing(errors), Growing(lengths)
        return known.extended(Sketch(Growing(codes), *grown))

    return column.sketch.of(made, halt)


@dataclass(frozen=True, slots=True)
class _Probe:
    """The vector of a query, made ready: as doubles, and as whole numbers times a step."""

    plan: VectorPlan
    numbers: NDArray[np.float64]
    square: float
    codes: NDArray[np.int16]
    measures: NDArray[np.float64]  # as the kernel takes them
    halt: Halt

    @classmethod
    def of(cls, plan: VectorPlan, halt: Halt) -> "_Probe":
        numbers = plan.vector.numbers.astype(np.float64)
        itself, square = np.zeros(1, dtype=np.int32), np.empty((2, 1))
        values = sealed(plan.vector.numbers.astype(np.float32))
        _products(
            values,
            sealed(numbers),
            sealed(itself),
            np.empty(len(numbers)),
            square[0],
            square[1],
            sealed(halt.flag),
        )
        most = min(_MOST_LEVELS, _MOST_TOTAL // (kernel.LEVELS * len(numbers)))
        step = float(np.abs(numbers).max()) / most
        codes = np.rint(numbers / step) if step else np.zeros(len(numbers))
        about, off = (_length(some) * _ROOM for some in (step * codes, numbers - step * codes))
        measures = np.array([step, about, off, _length(numbers)])
        return cls(
            plan,
            sealed(numbers),
            float(square[0][0]),
            sealed(codes.astype(np.int16)),
            sealed(measures),
            halt,
        )

    def scores(
        self, column: Column, entries: NDArray[np.int32]
    ) -> tuple[Scores, NDArray[np.bool_]]:
        """The score of each of *entries*, and whether it has one: by angle a vector of zeros has none."""
        dots, squares = np.empty((2, len(entries)))
        _products(
            _values(column),
            self.numbers,
            sealed(entries),
            np.empty(len(self.numbers)),
            dots,
            squares,
            sealed(self.halt.flag),
        )
        self.halt.spent()
        if not self.plan.by_angle:
            return dots + 0.0, np.ones(len(dots), dtype=np.bool_)
        there = squares > 0
        both = np.sqrt(self.square * np.where(there, squares, 1.0))
        return np.clip(dots / both + 0.0, -1.0, 1.0), there  # 0.0 for -0.0

    def exact(self, column: Column, entries: NDArray[np.int32], places: Places) -> Scores:
        """The scores of those of *entries* at *places*, all of which have one."""
        return self.scores(column, entries[places])[0]

    def bounds(self, sketch: Sketch, entries: NDArray[np.int32]) -> tuple[Scores, Scores]:
        """Bounds of the score of each of *entries*."""
        low, high = np.empty((2, len(entries)))
        _bounded(
            sealed(sketch.codes.array),
            sealed(sketch.steps.array),
            sealed(sketch.errors.array),
            sealed(sketch.lengths.array),
            self.codes,
            self.measures,
            self.plan.by_angle,
            sealed(entries),
            low,
            high,
            sealed(self.halt.flag),
        )
        self.halt.spent()
        return low, high


def _values(column: Column) -> NDArray[np.float32]:
    return sealed(cast(NDArray[np.float32], column.values))


def _length(numbers: NDArray[np.float64]) -> float:
    return float(np.sqrt((numbers * numbers).sum()))
