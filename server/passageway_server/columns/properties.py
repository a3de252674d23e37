"""The values of one field over all rows (or edge documents): what does row r hold?

``at[row]`` is the entry of a row, -1 where it has none; what an entry holds is in `Entries`. Putting a row anew
gives it a new entry, and entries that no row holds are dropped once they outnumber the others.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.coding import DTYPES, decoded, of_rows
from passageway_server.columns.entries import Entries
from passageway_server.columns.remembered import Followed
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.values.records import PropertyValue, Vector

_SPARE = 4096  # entries of no row that are never worth a copy
_PART = 8  # of vectors: one of no row for so many that are held is not worth one


class Holding(NamedTuple):
    """Which of some rows hold a field."""

    places: NDArray[np.int64]  # among them, ascending
    entries: NDArray[np.int32]


class Column:
    """One field. ``values`` by kind:

    KEYWORD int32 into the version's keywords; TEXT int32 into its texts; INT and FLOAT int64 bits,
    with ``floats`` 1 where they are a double's; BOOL uint8; TIME int64 microseconds since 1970; VECTOR
    float32, of as many in each entry: ``values.reshape(entries, -1)`` is all of them, without a copy. An
    inferred number field has kind FLOAT and holds both ints and doubles. ``floats`` is empty for
    other kinds.
    """

    __slots__ = (
        "_entries", "_held",
        "at", "bounds", "floats", "followed", "inferred", "kind", "many", "sketch", "values",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        inferred: bool,
        at: ByRow[np.int32],
        entries: Entries,
        *,
        held: int | None = None,
    ) -> None:
        self._held = held
        self._entries = entries
        self.followed = Followed()  # what readers work out from it
        self.kind = kind
        self.inferred = inferred
        self.at = at
        self.bounds, self.many = entries.bounds, entries.many
        self.values, self.floats = entries.values, entries.floats
        self.sketch = entries.sketch

    @classmethod
    def empty(cls, kind: Kind, inferred: bool, rows: int) -> "Column":
        """A field that none of *rows* rows holds."""
        at = ByRow.filled(np.int32(-1), rows)
        return cls(kind, inferred, at, Entries.none(DTYPES[kind]), held=0)

    def __len__(self) -> int:
        return len(self.at)

    @property
    def held(self) -> int:
        """How many rows hold it."""
        if self._held is None:
            self._held = int(np.count_nonzero(self.at.whole >= 0))
        return self._held

    @property
    def doubles(self) -> bool:
        """Whether some value is a double."""
        return self._entries.doubles

    def resized(self, rows: int) -> "Column":
        """This field over *rows* rows, of which the new ones hold nothing."""
        added = rows - len(self.at)
        if not added:
            return self
        at = self.at.extended(np.full(added, -1, dtype=np.int32))
        return self._like(at, held=self._held)

    def put(
        self,
        rows: NDArray[np.int32],
        values: Sequence[PropertyValue],
        *,
        keywords: Mapping[str, int],
        texts: Strings,
    ) -> "tuple[Column, Strings]":
        """This field with values[i] at rows[i], and the texts that it refers to then.

        The rows are distinct, and each value has passed `kind_fault`. An empty list is no value. *keywords* has
        the number of each keyword.
        """
        double = self.kind == Kind.FLOAT and not self.inferred
        lengths, many, coded = of_rows(
            values, self.kind, double=double, keywords=keywords, texts=texts
        )
        held = lengths > 0
        entries = np.where(held, held.cumsum() + (len(self.many) - 1), -1).astype(np.int32)
        more = self._entries.extended(lengths[held], many[held], coded.values, coded.floats)
        return self._changed(rows, entries, more), coded.texts

    def put_single(self, rows: NDArray[np.int32], values: NDArray[np.generic]) -> "Column":
        """This field with the one value ``values[i]`` at ``rows[i]``, which are distinct.

        The values are numbers of keywords for a keyword field; int64 or float64 for a number field that takes them.
        """
        floats = np.empty(0, dtype=np.uint8)
        if self.kind in (Kind.INT, Kind.FLOAT):
            if self.kind == Kind.FLOAT and not self.inferred:
                values = values.astype(np.float64)
            floats = np.full(len(rows), values.dtype == np.float64, dtype=np.uint8)
            values = values.view(np.int64)
        more = self._entries.extended(
            np.ones(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.uint8), values, floats
        )
        entries = np.arange(len(self.many), len(more), dtype=np.int32)
        return self._changed(rows, entries, more)

    def without(self, rows: NDArray[np.int32]) -> "Column":
        """This field with nothing at *rows*, which are distinct; itself where they hold nothing."""
        rows = rows[self.at[rows] >= 0]
        if not len(rows):
            return self
        at = self.at.put(rows, np.full(len(rows), -1, dtype=np.int32))
        return self._like(at, held=self.held - len(rows))

    def declared_as(self, kind: Kind, *, inferred: bool) -> "Column":
        """This field under another declaration, whose kind stores its values in the same way."""
        if kind == self.kind and inferred == self.inferred:
            return self
        return Column(kind, inferred, self.at, self._entries, held=self._held)

    def value(self, row: int, *, keywords: Terms, texts: Strings) -> PropertyValue | None:
        """What was put at *row*: one value or a list; None where there is none."""
        return self.take([row], keywords=keywords, texts=texts)[0]

    def take(
        self, rows: NDArray[np.integer] | Sequence[int], *, keywords: Terms, texts: Strings
    ) -> list[PropertyValue | None]:
        """What was put at each of *rows*, as `value` gives it."""
        held = self.holding(np.asarray(rows, dtype=np.int64))
        taken: list[PropertyValue | None] = [None] * len(rows)
        values = self.held_in(held.entries, keywords=keywords, texts=texts)
        for place, value in zip(held.places.tolist(), values, strict=True):
            taken[place] = value
        return taken

    def holding(self, rows: NDArray[np.integer]) -> Holding:
        """Which of *rows* hold it."""
        entries = self.at[rows]
        places = (entries >= 0).nonzero()[0]
        return Holding(places, entries[places])

    def held_in(
        self, entries: NDArray[np.integer], *, keywords: Terms, texts: Strings
    ) -> list[PropertyValue]:
        """What was put as each of *entries*: one value, a list or a vector."""
        if self.kind == Kind.VECTOR:
            return [Vector(vector.tobytes()) for vector in self._entries.vectors[entries]]
        kept, bounds = self._entries.ranges(entries)
        floats = self.floats[kept] if len(self.floats) else self.floats
        scalars = decoded(self.values[kept], floats, self.kind, keywords=keywords, texts=texts)
        many = self.many[entries].tolist()
        return [
            cast(PropertyValue, scalars[start:end]) if is_list else scalars[start]
            for is_list, (start, end) in zip(many, pairwise(bounds.tolist()), strict=True)
        ]

    def extents(self, entries: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the values of each of *entries* begin in ``values``, and how many there are."""
        starts = self.bounds[entries]
        return starts, self.bounds[entries + 1] - starts

    def positions(self, entries: NDArray[np.integer]) -> NDArray[np.int64]:
        """Where the values of *entries* are in ``values``, side by side."""
        return self._entries.ranges(entries).positions

    def spread(self, entries: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the values of *entries* are in ``values``, side by side, and whose each is.

        The second is the place of the entry among *entries*.
        """
        ranges = self._entries.ranges(entries)
        return ranges.positions, ranges.owners

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name; ``form`` is the kind, and 1 where it is inferred."""
        form = np.array([self.kind, self.inferred], dtype=np.uint8)
        return {"form": form, "at": self.at.stored, **self._entries.arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Column":
        """The inverse of `arrays`."""
        kind, inferred = arrays["form"].tolist()
        at = ByRow.of(cast(NDArray[np.int32], arrays["at"]))
        return cls(Kind(kind), bool(inferred), at, Entries.from_arrays(arrays))

    def check_vectors(self, dimensions: int) -> None:
        """Raise ValueError unless this holds vectors of so many *dimensions*, one for each entry that a row names."""
        self._entries.check_vectors(dimensions)
        at = self.at.whole
        if at.min(initial=-1) < -1 or at.max(initial=-1) >= len(self.many):
            raise ValueError("a vector that is named is not stored")

    @property
    def dimensions(self) -> int | None:
        """How many numbers a vector of it has; None where none was put."""
        return int(self.bounds[1]) if self.kind == Kind.VECTOR and len(self.many) else None

    def renumbered(self, numbers: NDArray[np.int32]) -> "Column":
        """The entries that rows hold and no others, value v now being ``numbers[v]``."""
        at, entries, held = self._thinned()
        return Column(self.kind, self.inferred, at, entries.renumbered(numbers), held=held)

    def settled(self) -> "Column":
        """This field, patched no more, and without the entries of no row where they are many."""
        if self.sparse:
            return self._held_alone()
        at = self.at.settled()
        return self if at is self.at else self._like(at, held=self._held)

    def chosen(self, rows: NDArray[np.integer]) -> "Column":
        """What *rows* hold, in their order, by their places."""
        return self._like(ByRow.of(self.at[rows]).settled(), held=None)

    @property
    def sparse(self) -> bool:
        """Whether entries of no row are worth a copy of the others. Vectors are large: few of them are."""
        most = self.held // _PART if self.kind == Kind.VECTOR else self.held + _SPARE
        return self.spare > most

    @property
    def spare(self) -> int:
        """How many entries no row holds."""
        return len(self.many) - self.held

    def _like(self, at: ByRow[np.int32], *, held: int | None) -> "Column":
        """The same entries, held at other rows."""
        return Column(self.kind, self.inferred, at, self._entries, held=held)

    def _changed(
        self, rows: NDArray[np.int32], entries: NDArray[np.int32], more: Entries
    ) -> "Column":
        """This field with others of *more* entries at *rows*, -1 is none; thinned where that is due."""
        gone = int(np.count_nonzero(self.at[rows] >= 0))
        held = self.held - gone + len(more) - len(self.many)
        column = Column(self.kind, self.inferred, self.at.put(rows, entries), more, held=held)
        return column if column.spare <= held + _SPARE else column._held_alone()

    def _held_alone(self) -> "Column":
        """This field, without the entries of no row."""
        at, entries, held = self._thinned()
        return Column(self.kind, self.inferred, at, entries, held=held)

    def _thinned(self) -> tuple[ByRow[np.int32], Entries, int]:
        """The entries that rows hold and no others, which row holds which, and how many do."""
        before = self.at.whole
        rows = np.flatnonzero(before >= 0)
        at = np.full(len(before), -1, dtype=np.int32)
        at[rows] = np.arange(len(rows), dtype=np.int32)
        return ByRow.of(at).settled(), self._entries.chosen(before[rows]), len(rows)
