"""What a query found: rows, and how well each meets it.

Where it costs much to say how well, bounds of it come first, and the score itself is worked out for the rows that may be among
those that are shown. Whatever is left out that way is certain to stand behind them.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Places = NDArray[np.integer]
Scores = NDArray[np.float64]
Mask = NDArray[np.bool_]

LEXICAL: Final = 1
"""The bit of a row that was found by words."""

VECTOR: Final = 2
"""The bit of a row that was found by a vector."""


class Bounds(NamedTuple):
    """Scores that are not worked out: ``low[i] <= score <= high[i]``, and *exact* gives those of some places."""

    low: Scores
    high: Scores
    exact: Callable[[Places], Scores]


class Found:
    """Rows that meet a query, each once, their scores, and by which sort of list each was found: bits, 0 by neither."""

    __slots__ = ("_scores", "bounds", "by", "rows")

    def __init__(
        self, rows: Rows, scores: Scores | Bounds, by: NDArray[np.uint8] | int = 0
    ) -> None:
        self.rows = rows
        self.by = np.full(len(rows), by, dtype=np.uint8) if isinstance(by, int) else by
        self.bounds: Bounds | None = None
        if isinstance(scores, Bounds):
            self.bounds, scores = scores, np.full(len(rows), np.nan)
        self._scores = scores  # NaN where it is not worked out so far

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def scores(self) -> Scores:
        """The score of each row."""
        return self._scores if self.bounds is None else self._worked_out(np.arange(len(self)))

    def at(self, places: Places | Mask) -> "Found":
        """Those at *places*, in their order, with their scores."""
        if self.bounds is None:
            return Found(self.rows[places], self._scores[places], self.by[places])
        some = np.arange(len(self))[places]
        return Found(self.rows[some], self._worked_out(some), self.by[some])

    def leading(self, limit: int) -> Mask:
        """Which may be among the first *limit*."""
        if self.bounds is None or limit >= len(self):
            return np.ones(len(self), dtype=np.bool_)
        return self.bounds.high >= largest(self.bounds.low, limit)

    def _worked_out(self, places: Places) -> Scores:
        assert self.bounds is not None
        missing = places[np.isnan(self._scores[places])]
        if len(missing):
            self._scores[missing] = self.bounds.exact(missing)
        return self._scores[places]


def largest(scores: Scores, number: int) -> float:
    """The *number*-th largest of *scores*; minus infinity where there are fewer, infinity for none of them."""
    if number <= 0:
        return np.inf
    if number > len(scores):
        return -np.inf
    return float(np.partition(scores, len(scores) - number)[len(scores) - number])
