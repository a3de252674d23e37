"""The values of one field over all rows (or edge documents): what does row r hold?

``at[row]`` is the entry of a row, -1 where it has none; entry i is ``values[bounds[i]:bounds[i +
1]]``, and ``many[i]`` says that it was put as a list. An entry never changes: putting a row anew
gives it a new entry, and entries that no row holds are dropped once they outnumber the others.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.by_row import ByRow
from passageway_server.columns.coding import DTYPES, decoded, encoded
from passageway_server.columns.growing import Growing
from passageway_server.columns.ranges import Ranges, side_by_side
from passageway_server.columns.remembered import Followed
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.collections import Kind
from passageway_server.values.records import PropertyValue, Scalar

_SPARE = 4096  # entries of no row that are never worth a copy


class Column:
    """One field. ``values`` by kind:

    KEYWORD int32 into the version's keywords; TEXT int32 into its texts; INT and FLOAT int64 bits,
    with ``floats`` 1 where they are a double's; BOOL uint8; TIME int64 microseconds since 1970. An
    inferred number field has kind FLOAT and holds both ints and doubles. ``floats`` is empty for
    other kinds.
    """

    __slots__ = (
        "_bounds", "_doubles", "_floats", "_held", "_many", "_values",
        "at", "bounds", "floats", "followed", "inferred", "kind", "many", "values",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        inferred: bool,
        at: ByRow[np.int32],
        *,
        bounds: Growing[np.int64],
        many: Growing[np.uint8],
        values: Growing[np.generic],
        floats: Growing[np.uint8],
        held: int | None = None,
    ) -> None:
        self._doubles: bool | None = None
        self._held = held
        self.followed = Followed()  # what readers work out from it
        self.kind = kind
        self.inferred = inferred
        self.at = at
        self._bounds, self._many, self._values, self._floats = bounds, many, values, floats
        self.bounds: NDArray[np.int64] = bounds.array
        self.many: NDArray[np.uint8] = many.array
        self.values: NDArray[np.generic] = values.array
        self.floats: NDArray[np.uint8] = floats.array

    @classmethod
    def empty(cls, kind: Kind, inferred: bool, rows: int) -> "Column":
        """A field that none of *rows* rows holds."""
        return cls(
            kind,
            inferred,
            ByRow.of(np.broadcast_to(np.int32(-1), rows)),
            bounds=Growing(np.zeros(1, dtype=np.int64)),
            many=Growing(np.empty(0, dtype=np.uint8)),
            values=Growing(np.empty(0, dtype=DTYPES[kind])),
            floats=Growing(np.empty(0, dtype=np.uint8)),
            held=0,
        )

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
        if self._doubles is None:
            self._doubles = bool(self.floats.any())
        return self._doubles

    def resized(self, rows: int) -> "Column":
        """This field over *rows* rows, of which the new ones hold nothing."""
        added = rows - len(self.at)
        if not added:
            return self
        at = self.at.extended(np.full(added, -1, dtype=np.int32))
        return self._like(self.kind, self.inferred, at, held=self._held)

    def put(
        self,
        rows: NDArray[np.int32],
        values: Sequence[PropertyValue],
        *,
        keywords: Terms,
        texts: Strings,
    ) -> "tuple[Column, Terms, Strings]":
        """This field with values[i] at rows[i], and the terms and texts that it now refers to.

        The rows are distinct, and each value has passed `kind_fault`. An empty list is no value.
        """
        lists = [value if isinstance(value, list) else (value,) for value in values]
        lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        flat: list[Scalar] = [one for several in lists for one in several]
        held = lengths > 0
        entries = np.full(len(rows), -1, dtype=np.int32)
        entries[held] = self._next_entries(int(held.sum()))
        many = np.fromiter((isinstance(v, list) for v in values), np.uint8, count=len(lists))
        double = self.kind == Kind.FLOAT and not self.inferred
        coded = encoded(flat, self.kind, double=double, keywords=keywords, texts=texts)
        column = self._extended(
            rows,
            entries,
            lengths=lengths[held],
            many=many[held],
            values=coded.values,
            floats=coded.floats,
        )
        return column, coded.keywords, coded.texts

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
        return self._extended(
            rows,
            self._next_entries(len(rows)),
            lengths=np.ones(len(rows), dtype=np.int64),
            many=np.zeros(len(rows), dtype=np.uint8),
            values=values,
            floats=floats,
        )

    def without(self, rows: NDArray[np.int32]) -> "Column":
        """This field with nothing at *rows*, which are distinct; itself where they hold nothing."""
        rows = rows[self.at[rows] >= 0]
        if not len(rows):
            return self
        at = self.at.put(rows, np.full(len(rows), -1, dtype=np.int32))
        return self._like(self.kind, self.inferred, at, held=self.held - len(rows))

    def declared_as(self, kind: Kind, *, inferred: bool) -> "Column":
        """This field under another declaration, whose kind stores its values in the same way."""
        if kind == self.kind and inferred == self.inferred:
            return self
        return self._like(kind, inferred, self.at, held=self._held)

    def value(self, row: int, *, keywords: Terms, texts: Strings) -> PropertyValue | None:
        """What was put at *row*: one value or a list; None where there is none."""
        return self.take([row], keywords=keywords, texts=texts)[0]

    def take(
        self, rows: NDArray[np.integer] | Sequence[int], *, keywords: Terms, texts: Strings
    ) -> list[PropertyValue | None]:
        """What was put at each of *rows*, as `value` gives it."""
        entries = self.at[np.asarray(rows, dtype=np.int64)]
        held = entries[entries >= 0]
        kept, starts = self._ranges(held)
        floats = self.floats[kept] if len(self.floats) else self.floats
        scalars = decoded(self.values[kept], floats, self.kind, keywords=keywords, texts=texts)
        taken: list[PropertyValue | None] = [None] * len(entries)
        places = np.flatnonzero(entries >= 0).tolist()
        many = self.many[held].tolist()
        edges = starts.tolist()
        for i, place in enumerate(places):
            start = edges[i]
            values = cast(PropertyValue, scalars[start : edges[i + 1]])
            taken[place] = values if many[i] else scalars[start]
        return taken

    def spread(self, entries: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the values of *entries* are in ``values``, side by side, and whose each is.

        The second is the place of the entry among *entries*.
        """
        ranges = self._ranges(entries)
        return ranges.positions, ranges.owners

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name; ``form`` is the kind, and 1 where it is inferred."""
        return {
            "form": np.array([self.kind, self.inferred], dtype=np.uint8),
            "at": self.at.stored,
            "bounds": self.bounds,
            "many": self.many,
            "values": self.values,
            "floats": self.floats,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Column":
        """The inverse of `arrays`."""
        kind, inferred = arrays["form"].tolist()
        return cls(
            Kind(kind),
            bool(inferred),
            ByRow.of(cast(NDArray[np.int32], arrays["at"])),
            bounds=Growing(cast(NDArray[np.int64], arrays["bounds"])),
            many=Growing(cast(NDArray[np.uint8], arrays["many"])),
            values=Growing(arrays["values"]),
            floats=Growing(cast(NDArray[np.uint8], arrays["floats"])),
        )

    def renumbered(self, numbers: NDArray[np.int32]) -> "Column":
        """The entries that rows hold and no others, value v now being ``numbers[v]``."""
        thin = self._held_alone()
        values = Growing[np.generic](numbers[cast(NDArray[np.int32], thin.values)])
        return Column(
            self.kind,
            self.inferred,
            thin.at,
            bounds=Growing(thin.bounds),
            many=Growing(thin.many),
            values=values,
            floats=Growing(thin.floats),
            held=thin.held,
        )

    def settled(self) -> "Column":
        """This field, patched no more, and without the entries of no row where they are many."""
        if self.spare > self.held + _SPARE:
            return self._held_alone()
        at = self.at.settled()
        return self if at is self.at else self._like(self.kind, self.inferred, at, held=self._held)

    def chosen(self, rows: NDArray[np.integer]) -> "Column":
        """What *rows* hold, in their order, by their places."""
        at = ByRow.of(self.at[rows]).settled()
        return self._like(self.kind, self.inferred, at, held=None)

    @property
    def spare(self) -> int:
        """How many entries no row holds."""
        return len(self.many) - self.held

    def _next_entries(self, count: int) -> NDArray[np.int32]:
        return np.arange(len(self.many), len(self.many) + count, dtype=np.int32)

    def _like(
        self, kind: Kind, inferred: bool, at: ByRow[np.int32], *, held: int | None
    ) -> "Column":
        """The same entries, held at other rows or under another declaration."""
        return Column(
            kind,
            inferred,
            at,
            bounds=self._bounds,
            many=self._many,
            values=self._values,
            floats=self._floats,
            held=held,
        )

    def _extended(
        self,
        rows: NDArray[np.int32],
        entries: NDArray[np.int32],
        *,
        lengths: NDArray[np.int64],
        many: NDArray[np.uint8],
        values: NDArray[np.generic],
        floats: NDArray[np.uint8],
    ) -> "Column":
        """This field with other *entries* at *rows*, -1 is none: more of them, as many as *lengths*.

        It is thinned where that is due.
        """
        before = int(np.count_nonzero(self.at[rows] >= 0))
        column = Column(
            self.kind,
            self.inferred,
            self.at.put(rows, entries),
            bounds=self._bounds.extended(np.cumsum(lengths) + self.bounds[-1]),
            many=self._many.extended(many),
            values=self._values.extended(values),
            floats=self._floats.extended(floats),
            held=self.held - before + len(lengths),
        )
        return column if column.spare <= column.held + _SPARE else column._held_alone()

    def _ranges(self, entries: NDArray[np.integer]) -> Ranges:
        """Where the values of *entries* are."""
        starts = self.bounds[entries]
        return side_by_side(starts, self.bounds[entries + 1] - starts)

    def _held_alone(self) -> "Column":
        """This field, without the entries of no row."""
        before = self.at.whole
        rows = np.flatnonzero(before >= 0)
        entries = before[rows]
        at = np.full(len(before), -1, dtype=np.int32)
        at[rows] = np.arange(len(rows), dtype=np.int32)
        kept, bounds = self._ranges(entries)
        return Column(
            self.kind,
            self.inferred,
            ByRow.of(at).settled(),
            bounds=Growing(bounds),
            many=Growing(self.many[entries]),
            values=Growing(self.values[kept]),
            floats=Growing(self.floats[kept] if len(self.floats) else self.floats.copy()),
            held=len(rows),
        )
