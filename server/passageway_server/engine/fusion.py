"""Several lists as one: a row's score is the sum of ``1 / (60 + rank)`` over the lists that hold it.

Reciprocal rank fusion (Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning
methods", 2009). Ranks count from 1, over all rows of a list; those with equal scores share one, and the next is skipped: 1, 1, 3.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.found import Bounds, Found, Places, Scores

CONSTANT: Final = 60.0

Ranks = NDArray[np.int64]


def fused(lists: Sequence[Found]) -> Found:
    """The rows of all *lists*, ascending; shares are added in the order of the lists."""
    rows = np.unique(np.concatenate([found.rows for found in lists]))
    places = [np.searchsorted(rows, found.rows) for found in lists]
    by = np.zeros(len(rows), dtype=np.uint8)
    low, high = np.zeros(len(rows)), np.zeros(len(rows))
    ranked = [_Ranked(found) for found in lists]
    for found, where, one in zip(lists, places, ranked, strict=True):
        by[where] |= found.by
        best, worst = one.bounds()
        low[where] += share(worst)
        high[where] += share(best)
    if all(found.bounds is None for found in lists):
        return Found(rows, low, by)
    inverses = [_inverse(where, len(rows)) for where in places]

    def exact(some: Places) -> Scores:
        scores = np.zeros(len(some))
        for one, inverse in zip(ranked, inverses, strict=True):
            held = np.flatnonzero(inverse[some] >= 0)
            scores[held] += share(one.exact(inverse[some[held]]))
        return scores

    return Found(rows, Bounds(low, high, exact), by)


def share(ranks: Ranks) -> Scores:
    """What a list adds to rows of these *ranks* in it."""
    return 1.0 / (CONSTANT + ranks)


class _Ranked:
    """The ranks of one list, as far as they are known."""

    def __init__(self, found: Found) -> None:
        self._found = found
        if found.bounds is None:
            self._low = self._high = found.scores
        else:
            self._low, self._high = found.bounds.low, found.bounds.high
        self._lows = np.sort(self._low)

    def bounds(self) -> tuple[Ranks, Ranks]:
        """The least and the greatest rank that each row may have."""
        best = 1 + _above(self._lows, self._high)
        if self._found.bounds is None:
            return best, best
        itself = self._high > self._low
        return best, 1 + _above(np.sort(self._high), self._low) - itself

    def exact(self, places: Places) -> Ranks:
        """The ranks of the rows at *places*: one more than rows have a higher score."""
        scores = self._found.at(places).scores
        above = _above(self._lows, scores)
        if self._found.bounds is None:
            return 1 + above
        in_order = np.sort(scores)
        first, last = in_order.searchsorted(self._low), in_order.searchsorted(self._high)
        unsure = np.flatnonzero(first < last)  # some score is one that these may have
        above -= _above(np.sort(self._low[unsure]), scores)
        return 1 + above + _above(np.sort(self._found.at(unsure).scores), scores)


def _above(in_order: Scores, scores: Scores) -> Ranks:
    """How many of those *in_order*, ascending, are greater than each of *scores*."""
    return len(in_order) - in_order.searchsorted(scores, side="right")


def _inverse(places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """By each of *count* places, where it stands among *places*; -1 where it does not."""
    inverse = np.full(count, -1, dtype=np.int64)
    inverse[places] = np.arange(len(places))
    return inverse
