"""Rows that were written again since the arrays by row of a table were made whole: where are their values now?

The values of a patched row are an entry, of one number in all arrays that share the patches. Entries are
numbered in the order in which they were written; the latest of a row counts. Nothing here changes: a
version that writes more has patches of its own, made from those before.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import inserted

_FEW = 65_536
_PART = 16  # of the rows: as many entries are too many
_SOUGHT = 1024  # rows that are looked up one by one; more go by their marks


Found = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Places of patched rows among those that were looked up, and their entries."""


class Patches:
    """``entries[i]`` is the entry of row ``rows[i]``; the rows ascend, and stand but once."""

    __slots__ = ("_marks", "entries", "rows", "size")

    def __init__(self, rows: NDArray[np.int32], entries: NDArray[np.int32], size: int) -> None:
        self.rows = rows
        self.entries = entries
        self.size = size  # entries that were ever written
        self._marks: NDArray[np.uint8] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        made = 0 if self._marks is None else self._marks.nbytes
        return self.rows.nbytes + self.entries.nbytes + made

    def are_many(self, rows: int) -> bool:
        """Whether arrays of so many *rows* are better made whole."""
        return self.size > max(_FEW, rows // _PART)

    def entry(self, row: int) -> int:
        """The entry of *row*, -1 where it has none."""
        place = int(self.rows.searchsorted(row))
        known = place < len(self.rows) and self.rows[place] == row
        return int(self.entries[place]) if known else -1

    def find(self, rows: NDArray[np.integer]) -> Found:
        """The places of patched ones among *rows*, and the entry of each of those."""
        if not len(self.rows) or not len(rows):
            return _NOT_ONE
        if len(rows) <= _SOUGHT:
            sought = self.rows.searchsorted(rows)
            places = (self.rows.take(sought, mode="clip") == rows).nonzero()[0]
            return places, self.entries[sought[places]]
        # The last byte has no mark: a row behind all patched ones is looked up there.
        marks = self.marks.take(rows >> 3, mode="clip") >> (rows & 7).astype(np.uint8)
        places = (marks & 1).nonzero()[0]
        return places, self.entries[self.rows.searchsorted(rows[places])]

    @property
    def marks(self) -> NDArray[np.uint8]:
        """A bit for each row up to the last of `rows`, and a byte without any; made when first asked for."""
        if self._marks is None:
            last = int(self.rows[-1]) if len(self.rows) else -1
            marks = np.zeros((last >> 3) + 2, dtype=np.uint8)
            bits = np.left_shift(1, self.rows & 7).astype(np.uint8)
            np.bitwise_or.at(marks, self.rows >> 3, bits)
            self._marks = marks
        return self._marks

    def extended(self, rows: NDArray[np.int32]) -> "Patches":
        """These patches with a new entry for each of *rows*, which are distinct and ascend."""
        if not len(rows):
            return self
        entries = np.arange(self.size, self.size + len(rows), dtype=np.int32)
        size = self.size + len(rows)
        if not len(self.rows):
            rows = rows if rows.base is None else rows.copy()  # a view keeps all that it is of
            return Patches(rows, entries, size)
        places = self.rows.searchsorted(rows)
        known = self.rows.take(places, mode="clip") == rows
        merged = self.entries.copy()
        merged[places[known]] = entries[known]
        new = ~known
        places = places[new]
        return Patches(
            inserted(self.rows, places, rows[new]), inserted(merged, places, entries[new]), size
        )


_NONE = np.empty(0, dtype=np.int32)
_NOT_ONE: Found = np.empty(0, dtype=np.int64), _NONE
UNPATCHED = Patches(_NONE, _NONE, 0)
"""Of arrays that are whole."""
