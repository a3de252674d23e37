"""Several lists as one: a row's score is the sum of ``1 / (60 + rank)`` over the lists that hold it.

Reciprocal rank fusion (Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning
methods", 2009). Ranks count from 1, over all rows of a list; those with equal scores share one, and the next is skipped: 1, 1, 3.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.found import Bounds, Found, Places, Scores
from passageway_server.engine.kernels import ranks as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.values.halt import Halt

CONSTANT: Final = 60.0

Ranks = NDArray[np.int64]

_above_all = direct(kernel.above)


def fused(lists: Sequence[Found], halt: Halt) -> Found:
    """The rows of all *lists*, ascending; shares are added in the order of the lists. Raises DeadlineExceeded, Cancelled."""
    rows = np.sort(np.concatenate([found.rows for found in lists]))
    rows = rows[np.diff(rows, prepend=-1) > 0]
    place = np.empty(int(rows.max(initial=-1)) + 1, dtype=np.int64)  # by row that is in some list
    place[rows] = np.arange(len(rows))
    by = np.zeros(len(rows), dtype=np.uint8)
    low, high = np.zeros((2, len(rows)))
    ranked = [_Ranked(found, halt) for found in lists]
    for found, one in zip(lists, ranked, strict=True):
        where = place[found.rows]
        by[where] |= found.by
        best, worst = one.bounds()
        low[where] += share(worst)
        high[where] += share(best)
    if all(found.bounds is None for found in lists):
        return Found(rows, low, by)
    inverses = [_inverse(place[found.rows], len(rows)) for found in lists]

    def exact(some: Places) -> Scores:
        scores = np.zeros(len(some))
        for one, inverse in zip(ranked, inverses, strict=True):
            held = np.flatnonzero(inverse[some] >= 0)
            scores[held] += share(one.exact(inverse[some[held]]))
        return scores

    return Found(rows, Bounds(low, high, exact), by)


def share(ranks: Ranks) -> Scores:
    """What a list adds to rows of these *ranks* in it."""
    return 1.0 / (CONSTANT + ranks.astype(np.float64))


class _Ranked:
    """The ranks of one list, as far as they are known."""

    def __init__(self, found: Found, halt: Halt) -> None:
        self._found, self._halt = found, halt
        exact = found.bounds is None
        self._low = found.scores if found.bounds is None else found.bounds.low
        self._high = self._low if found.bounds is None else found.bounds.high
        self._by_low = self._low.argsort()
        self._lows = self._low[self._by_low]
        self._by_high = self._by_low if exact else self._high.argsort()

    def bounds(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank that each row may have. Raises DeadlineExceeded, Cancelled."""
        best = 1 + self._all_above(self._lows, self._high, self._by_high)
        if self._found.bounds is None:
            return best, best
        highs = self._high[self._by_high]
        return best, 1 + self._all_above(highs, self._low, self._by_low)  # itself may be among them

    def exact(self, places: Places) -> Ranks:
        """The ranks of the rows at *places*: one more than rows have a higher score. Raises DeadlineExceeded, Cancelled."""
        scores = self._found.at(places).scores
        above = _above(self._lows, scores)
        if self._found.bounds is None:
            return 1 + above
        in_order = np.sort(scores)
        first, last = in_order.searchsorted(self._low), in_order.searchsorted(self._high)
        unsure = np.flatnonzero(first < last)  # some score is one that these may have
        above -= _above(np.sort(self._low[unsure]), scores)
        return 1 + above + _above(np.sort(self._found.at(unsure).scores), scores)

    def _all_above(self, in_order: Scores, scores: Scores, places: Ranks) -> Ranks:
        """As `_above`, where *places* are in the order of *scores*."""
        counts = np.zeros(len(scores), dtype=np.int64)
        _above_all(in_order, scores, places, counts, sealed(self._halt.flag))
        self._halt.spent()
        return counts


def _above(in_order: Scores, scores: Scores) -> Ranks:
    """How many of those *in_order*, ascending, are greater than each of *scores*."""
    return len(in_order) - in_order.searchsorted(scores, side="right")


def _inverse(places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """By each of *count* places, where it stands among *places*; -1 where it does not."""
    inverse = np.full(count, -1, dtype=np.int64)
    inverse[places] = np.arange(len(places))
    return inverse
