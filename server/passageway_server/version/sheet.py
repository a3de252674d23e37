"""The rows of a table that a draft touches: copies of their values, aside, where they are written.

A row is copied when it is first written, all its arrays at once. New rows are touched from the outset. What is
not touched is read from the version that the draft began from.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import inserted, united
from passageway_server.columns.by_row import ByRow

Rows = NDArray[np.int32]
Fill = Mapping[str, tuple[type[np.generic], float]]
"""By array: the type of its values, and that of a row at which nothing stands."""

_ROOM = 64


class Sheet:
    """Arrays by row, all as long, while some rows of them change."""

    def __init__(self, arrays: Mapping[str, ByRow[Any]], fill: Fill) -> None:
        self._base = arrays
        self._fill = fill
        self._before = len(next(iter(arrays.values())))
        self._rows = np.empty(0, dtype=np.int32)  # touched, ascending
        self._slots = np.empty(0, dtype=np.int64)  # where the values of each are
        self._values = {name: np.empty(0, dtype=kind) for name, (kind, _) in fill.items()}
        self._appended = 0
        self._latest: tuple[Rows, NDArray[np.int64]] | None = None  # rows written last, their slots

    def __len__(self) -> int:
        return self._before + self._appended

    @property
    def touched(self) -> Rows:
        """The rows that were written, new ones included, ascending."""
        return self._rows

    def append(self, count: int) -> None:
        """Add rows at which nothing stands."""
        rows = np.arange(len(self), len(self) + count, dtype=np.int32)
        slots = self._taken(count)
        for name, (_, nothing) in self._fill.items():
            self._values[name][slots] = nothing
        self._rows = np.concatenate((self._rows, rows))
        self._slots = np.concatenate((self._slots, slots))
        self._appended += count

    def read(self, name: str, rows: NDArray[np.integer]) -> NDArray[Any]:
        """What an array holds at *rows* by now."""
        places, known = self._find(rows)
        if known.all():
            return self._values[name][self._slots[places]]
        unknown = ~known
        values = np.empty(len(rows), dtype=self._fill[name][0])
        values[known] = self._values[name][self._slots[places[known]]]
        values[unknown] = self._base[name][rows[unknown]]
        return values

    def put(self, name: str, rows: Rows, values: NDArray[Any]) -> None:
        """Write *values* at *rows* of one array; the last of one row counts."""
        slots = self._touched(rows)  # first: it may move the values
        self._values[name][slots] = values

    def clear(self, rows: Rows) -> None:
        """Write to all arrays at *rows* that nothing stands there."""
        slots = self._touched(rows)
        for name, (_, nothing) in self._fill.items():
            self._values[name][slots] = nothing

    def whole(self, name: str) -> NDArray[Any]:
        """An array with what was written: a copy of all of it."""
        whole = np.empty(len(self), dtype=self._fill[name][0])
        whole[: self._before] = self._base[name].whole
        whole[self._rows] = self._values[name][self._slots]
        return whole

    def finished(self) -> dict[str, ByRow[Any]]:
        """The arrays with what was written."""
        if not len(self._rows):
            return dict(self._base)
        old = int(self._rows.searchsorted(self._before))
        patches = next(iter(self._base.values())).patches.extended(self._rows[:old])
        if patches.are_many(len(self)):
            return {name: ByRow.of(self.whole(name)) for name in self._base}
        written = {name: values[self._slots] for name, values in self._values.items()}
        return {
            name: array.extended(written[name][old:]).patched(patches, written[name][:old])
            for name, array in self._base.items()
        }

    def _find(self, rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where each of *rows* is among those touched, if it is one of them."""
        if not len(self._rows):
            return np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.bool_)
        places = self._rows.searchsorted(rows)
        known: NDArray[np.bool_] = self._rows.take(places, mode="clip") == rows
        return places, known

    def _touched(self, rows: Rows) -> NDArray[np.int64]:
        """The slots of *rows*, which are touched from now on, and stay where they are."""
        if self._latest is not None and self._latest[0] is rows:  # one array after the other
            return self._latest[1]
        places, known = self._find(rows)
        if not known.all():
            self._copy(united(rows[~known]))
            places = self._rows.searchsorted(rows)
        slots = self._slots[places]
        self._latest = rows, slots
        return slots

    def _copy(self, rows: Rows) -> None:
        slots = self._taken(len(rows))
        copies = ByRow.read_all(self._base.values(), rows)
        for name, values in zip(self._base, copies, strict=True):
            self._values[name][slots] = values
        places = self._rows.searchsorted(rows)
        self._rows = inserted(self._rows, places, rows)
        self._slots = inserted(self._slots, places, slots)

    def _taken(self, count: int) -> NDArray[np.int64]:
        """Slots for *count* more rows."""
        first = len(self._slots)
        room = len(next(iter(self._values.values())))
        if first + count > room:
            room = first + count + max(first + count, _ROOM)
            for name, values in self._values.items():
                longer = np.empty(room, dtype=values.dtype)
                longer[:first] = values[:first]
                self._values[name] = longer
        return np.arange(first, first + count)
