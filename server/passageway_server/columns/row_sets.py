"""Sets of numbers by row: which numbers stand at row r? Few rows have any.

A set of pairs, each an int64: the row in its upper half, the number in its lower, so that ascending pairs are by row, then by
number. Most of them stand in one large array; what was added and taken away since stands beside it.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import among, joined, united, without
from passageway_server.columns.ranges import side_by_side

Pairs = NDArray[np.int64]

_FEW = 65_536
_PART = 16  # of the pairs: as many changes are made one with them
_LEAST = -(1 << 31)  # of the numbers: it stands as 0
_NONE = np.empty(0, dtype=np.int64)


class RowSets:
    """Numbers (int32) by row, read-only; a change makes another of it."""

    __slots__ = ("_added", "_base", "_gone", "_whole")

    def __init__(self, base: Pairs, added: Pairs = _NONE, gone: Pairs = _NONE) -> None:
        self._base = base  # all three ascend
        self._added = added  # none of the base
        self._gone = gone  # of the base
        self._whole: Pairs | None = None if len(added) or len(gone) else base
        for pairs in (base, added, gone):
            pairs.flags.writeable = False

    @classmethod
    def of(cls, rows: NDArray[np.integer], numbers: NDArray[np.integer]) -> "RowSets":
        """``numbers[i]`` at ``rows[i]``, in any order."""
        return cls(united(pairs_of(rows, numbers)))

    @classmethod
    def checked(cls, pairs: Pairs, *, rows: int) -> "RowSets":
        """The stored *pairs*. Raises ValueError unless they ascend, and are at *rows* rows."""
        if (np.diff(pairs) <= 0).any():
            raise ValueError("pairs that do not ascend")
        at = rows_of(pairs[:1]), rows_of(pairs[-1:])
        if (at[0] < 0).any() or (at[1] >= rows).any():
            raise ValueError("numbers at a row that is not there")
        return cls(pairs)

    def __len__(self) -> int:
        return len(self._base) + len(self._added) - len(self._gone)

    @property
    def delta_size(self) -> int:
        """How many pairs stand beside the base."""
        return len(self._added) + len(self._gone)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self._base.nbytes + self._added.nbytes + self._gone.nbytes

    @property
    def whole(self) -> Pairs:
        """All pairs as one array, which is what a snapshot stores."""
        if self._whole is None:
            self._whole = joined(without(self._base, self._gone), self._added)
        return self._whole

    def at(self, rows: NDArray[np.integer]) -> NDArray[np.int32]:
        """The numbers at each of *rows*, side by side; those of one row in no order."""
        if not len(self) or not len(rows):
            return np.empty(0, dtype=np.int32)
        found = _at(self._base, rows)
        found = found[~among(found, self._gone)]
        return numbers_of(np.concatenate((found, _at(self._added, rows))))

    def changed(self, removed: Pairs, added: Pairs) -> "RowSets":
        """These without the pairs *removed*, all of which are here, and then with those *added*, each of them once."""
        removed, added = united(removed), united(added)
        again = among(removed, added)
        removed, added = removed[~again], added[~among(added, removed[again])]
        if not len(removed) and not len(added):
            return self
        young, back = among(removed, self._added), among(added, self._gone)
        merged = RowSets(
            self._base,
            joined(without(self._added, removed[young]), added[~back]),
            joined(without(self._gone, added[back]), removed[~young]),
        )
        if merged.delta_size <= max(_FEW, len(self._base) // _PART):
            return merged
        return RowSets(merged.whole)


def pairs_of(rows: NDArray[np.integer], numbers: NDArray[np.integer]) -> Pairs:
    """The pairs of ``numbers[i]`` at ``rows[i]``."""
    pairs: Pairs = (rows.astype(np.int64) << 32) | (numbers.astype(np.int64) - _LEAST)
    return pairs


def numbers_of(pairs: Pairs) -> NDArray[np.int32]:
    """The number of each pair."""
    numbers: NDArray[np.int32] = ((pairs & 0xFFFFFFFF) + _LEAST).astype(np.int32)
    return numbers


def rows_of(pairs: Pairs) -> NDArray[np.int32]:
    """The row of each pair."""
    rows: NDArray[np.int32] = (pairs >> 32).astype(np.int32)
    return rows


def _at(pairs: Pairs, rows: NDArray[np.integer]) -> Pairs:
    starts = pairs.searchsorted(rows.astype(np.int64) << 32)
    lengths = pairs.searchsorted((rows.astype(np.int64) + 1) << 32) - starts
    return pairs[side_by_side(starts, lengths).positions]
