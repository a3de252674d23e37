"""Ids by code point, as numbers to compare: which of two rows comes first?

Ranks leave gaps, in which ids that come later find room, so that a new id changes the rank of no other. Where a
gap is full, all ranks are dealt out anew.
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.terms import Terms

Rows = NDArray[np.int32]

_MOST = (1 << 31) - 1  # no rank is as large
_DEALT = 3 << 29  # ranks are dealt out below: ids often grow at their end
_FEW, _PART = 4096, 16  # new ids past which, and past such a part, all are sorted
_RECENT = 65_536
# New ids take a part of their gap, and leave the rest to those that follow them: most of it where ids seem to count on
# from one that came lately.
_COUNTING, _OTHERS = 16, 2


class Ranking:
    """The order of the ids of all rows. ``rank[row]`` is >= 0, and ascends with the id by code point.

    That is the order of the UTF-8 bytes.
    """

    __slots__ = ("_rank", "_recent", "_settled", "rank")

    def __init__(self, rank: Growing[np.int32], settled: Rows, recent: Rows) -> None:
        self._rank = rank
        self.rank: NDArray[np.int32] = rank.array
        self._settled = settled  # most rows, by id
        self._recent = recent  # the others, by id
        settled.flags.writeable = recent.flags.writeable = False

    @classmethod
    def of(cls, ids: Terms) -> "Ranking":
        """That of *ids*, all of which are sorted."""
        heap = ids.strings.heap.tobytes()
        bounds = ids.strings.bounds.tolist()
        encoded = [heap[bounds[row] : bounds[row + 1]] for row in range(len(ids))]
        return cls.dealt(np.array(sorted(range(len(ids)), key=encoded.__getitem__), np.int32))

    @classmethod
    def dealt(cls, rows: Rows) -> "Ranking":
        """That of *rows*, which are all and go by id, with equal gaps."""
        gap = max(_DEALT // max(len(rows), 1), 1)
        rank = np.empty(len(rows), dtype=np.int32)
        rank[rows] = np.arange(1, len(rows) + 1, dtype=np.int64) * gap - 1
        return cls(Growing(rank), rows, np.empty(0, dtype=np.int32))

    @classmethod
    def adopted(cls, rank: NDArray[np.int32]) -> "Ranking":
        """That of a *rank* which was stored."""
        rows = np.argsort(rank).astype(np.int32)
        return cls(Growing(rank), rows, np.empty(0, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def rows(self) -> Rows:
        """All rows, by id."""
        if not len(self._recent):
            return self._settled
        places = self.rank[self._settled].searchsorted(self.rank[self._recent])
        return np.insert(self._settled, places, self._recent)

    def extended(self, ids: Terms) -> "Ranking":
        """That of *ids*, of which these are the first: only those behind them are compared."""
        added = len(ids) - len(self)
        if not added:
            return self
        if added > max(_FEW, len(self) // _PART):
            return Ranking.of(ids)
        encoded = _encoding(ids)
        new = sorted(range(len(self), len(ids)), key=encoded)
        rows = np.array(new, dtype=np.int32)
        settled, recent = (
            np.fromiter(
                (bisect_left(some, encoded(row), key=encoded) for row in new), np.int64, added
            )
            for some in (self._settled.data, self._recent.data)
        )
        ranks = self._between(settled, recent)
        if ranks is None:
            return Ranking.dealt(np.insert(self.rows, settled + recent, rows))
        by_row = np.empty(added, dtype=np.int32)
        by_row[rows - len(self)] = ranks
        extended = self._rank.extended(by_row)
        grown = Ranking(extended, self._settled, np.insert(self._recent, recent, rows))
        if len(grown._recent) <= _RECENT:
            return grown
        return Ranking(extended, grown.rows, self._recent[:0])

    def _between(
        self, settled: NDArray[np.int64], recent: NDArray[np.int64]
    ) -> NDArray[np.int64] | None:
        """Ranks of new ids that go before these places; None where some have no room."""
        low, recent_low = self._before(self._settled, settled), self._before(self._recent, recent)
        high, recent_high = self._from(self._settled, settled), self._from(self._recent, recent)
        counting = (recent_low > low) & (high < recent_high)
        low, high = np.maximum(low, recent_low), np.minimum(high, recent_high)
        begins = np.flatnonzero(np.diff(low, prepend=-2))  # those between the same two are a run
        lengths = np.diff(begins, append=len(low))
        room = (high - low)[begins] - 1
        if (room < lengths).any():
            return None
        usual = max(_DEALT // (4 * max(len(self), 1)), 1)
        shares = np.where(counting[begins], _COUNTING, _OTHERS)
        steps = np.clip(room // (shares * (lengths + 1)), 1, usual)
        turns = np.arange(len(low)) - np.repeat(begins, lengths) + 1
        return (low + np.repeat(steps, lengths) * turns).astype(np.int64, copy=False)

    def _before(self, rows: Rows, places: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = np.full(len(places), -1, dtype=np.int64)
        within = places > 0
        ranks[within] = self.rank[rows[places[within] - 1]]
        return ranks

    def _from(self, rows: Rows, places: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = np.full(len(places), _MOST, dtype=np.int64)
        within = places < len(rows)
        ranks[within] = self.rank[rows[places[within]]]
        return ranks


def _encoding(ids: Terms) -> Callable[[int], bytes]:
    """What gives the bytes of a row's id, as quick as may be."""
    bounds, heap = ids.strings.bounds.data, ids.strings.heap.data
    return lambda row: bytes(heap[bounds[row] : bounds[row + 1]])
