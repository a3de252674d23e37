"""What happened to the edges of rows since a base was packed: edges added, and slots of the base that ended.

Each commit leads to a new `Since` of the same base, which shares all but what the commit touched. The one thing written in
place are the stamps of ended slots: each cell once, with the number of a commit that no older version looks for.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import among
from passageway_server.columns.growing import Growing
from passageway_server.columns.ranges import Ranges, side_by_side

_GARBAGE = 1 << 16
"""So many slots of lists that were written anew are left behind before any are left out."""


class Ended:
    """By slot of the base: the number of the commit that ended it, 0 where none did.

    ``latest`` is the last commit that may have written. Memory of slots that nobody looks at is never taken.
    """

    __slots__ = ("_memory", "latest", "stamps")

    def __init__(self, memory: NDArray[np.int32], latest: int = 0) -> None:
        self._memory, self.latest = memory, latest
        self.stamps = memory.view()
        self.stamps.flags.writeable = False

    def following(self, sequence: int) -> "Ended":
        """Where the commit after *sequence* may write: here, or, where another one did that was given up, in a copy."""
        if self.latest == sequence:
            return self
        kept = np.where(self.stamps <= sequence, self.stamps, np.int32(0))
        return Ended(kept, sequence)

    def stamp(self, slots: NDArray[np.int64]) -> None:
        """Let *slots* end with the next commit."""
        self.latest += 1
        self._memory[slots] = self.latest


@dataclass(frozen=True, slots=True)
class Added:
    """Edges added to rows, list behind list: entry i of each array is one slot."""

    others: Growing[np.int32]
    weights: Growing[np.float64]
    classes: Growing[np.int32]
    stored: Growing[np.int32]

    @classmethod
    def none(cls) -> "Added":
        """No slots."""
        none = Growing(np.empty(0, dtype=np.int32))
        return cls(none, Growing(np.empty(0, dtype=np.float64)), none, none)

    def __len__(self) -> int:
        return len(self.stored)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return sum(getattr(self, name).array.nbytes for name in self.__slots__)

    def taken(self, slots: NDArray[np.integer]) -> "Slotted":
        """What stands in *slots*."""
        return Slotted(*(getattr(self, name).array[slots] for name in self.__slots__))

    def extended(self, slotted: "Slotted") -> "Added":
        """These slots with more behind them."""
        return Added(
            self.others.extended(slotted.others),
            self.weights.extended(slotted.weights),
            self.classes.extended(slotted.classes),
            self.stored.extended(slotted.stored),
        )


@dataclass(frozen=True, slots=True)
class Slotted:
    """Edges side by side as slots hold them, whatever row they are of."""

    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    classes: NDArray[np.int32]
    stored: NDArray[np.int32]

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.integer]) -> "Slotted":
        """Some of the edges, in the order that *which* has them."""
        return Slotted(*(getattr(self, name)[which] for name in self.__slots__))

    def before(self, more: "Slotted") -> "Slotted":
        """These edges, and *more* behind them."""
        return Slotted(
            *(np.concatenate((getattr(self, n), getattr(more, n))) for n in self.__slots__)
        )


@dataclass(frozen=True, slots=True)
class Since:
    """The changes of one version since its base.

    The edges added to row ``touched[i]`` are the slots ``firsts[i]:firsts[i] + counts[i]`` of *added*, heaviest first, then
    by key. A slot of the base is no more where ``0 < ended.stamps[slot] <= sequence``.
    """

    sequence: int  # commits since the base
    marks: NDArray[np.uint8]  # a bit a row: it is touched
    touched: NDArray[np.int32]  # rows, ascending
    firsts: NDArray[np.int64]
    counts: NDArray[np.int32]
    added: Added
    ended: Ended
    lost: int  # slots of the base that ended
    offsets: Growing[np.int64]  # of the base, with an entry for each row since

    @classmethod
    def none(cls, offsets: NDArray[np.int64]) -> "Since":
        """Nothing, of a base with *offsets*."""
        return cls(
            sequence=0,
            marks=np.zeros(0, dtype=np.uint8),
            touched=np.empty(0, dtype=np.int32),
            firsts=np.empty(0, dtype=np.int64),
            counts=np.empty(0, dtype=np.int32),
            added=Added.none(),
            ended=Ended(np.zeros(int(offsets[-1]), dtype=np.int32)),
            lost=0,
            offsets=Growing(offsets),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays, stamps for the slots that ended alone."""
        arrays = (self.marks, self.touched, self.firsts, self.counts)
        return sum(array.nbytes for array in arrays) + self.added.nbytes + 4 * self.lost

    def is_marked(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of *rows* are touched."""
        bits = self.marks[rows >> 3] >> (rows & 7).astype(np.uint8)
        marked: NDArray[np.bool_] = (bits & 1) == 1
        return marked

    def is_alive(self, slots: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which *slots* of the base still are."""
        stamps = self.ended.stamps[slots]
        alive: NDArray[np.bool_] = (stamps == 0) | (stamps > self.sequence)
        return alive

    def lists_of(self, rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the edges added to each of *rows* begin, and how many they are."""
        counts, firsts = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        marked = np.flatnonzero(self.is_marked(rows))
        places = np.searchsorted(self.touched, rows[marked])
        firsts[marked], counts[marked] = self.firsts[places], self.counts[places]
        return firsts, counts

    def slots_of(self, rows: NDArray[np.integer]) -> Ranges:
        """The slots of what was added to each of *rows*."""
        return side_by_side(*self.lists_of(rows))

    def following(
        self,
        *,
        rows: int,
        ended: NDArray[np.int64],
        touched: NDArray[np.int32],
        written: NDArray[np.int32],
        near: NDArray[np.int32],
        lists: Slotted,
    ) -> "Since":
        """The changes after one commit more, of *rows* rows in all.

        The slots *ended* of the base are no more, the rows *touched* are so from now on, and the lists of the rows *written*
        among them are now *lists*: edge i is at row ``near[i]``. All but *ended* ascend, the lists by row.
        """
        stamps = self.ended.following(self.sequence)
        stamps.stamp(ended)
        new = touched[~among(touched, self.touched)]
        places = self.touched.searchsorted(new)
        every = np.insert(self.touched, places, new)
        firsts, counts = np.insert(self.firsts, places, 0), np.insert(self.counts, places, 0)
        now = every.searchsorted(written)
        begins = np.searchsorted(near, written, side="left")
        firsts[now] = len(self.added) + begins
        counts[now] = np.searchsorted(near, written, side="right") - begins
        added = self.added.extended(lists)
        live = int(counts.sum())
        if len(added) > 2 * live + _GARBAGE:
            ranges = side_by_side(firsts, counts)
            added = Added.none().extended(added.taken(ranges.positions))
            firsts = ranges.bounds[:-1]
        marks = _marked(self.marks, rows, touched)
        for array in (marks, every, firsts, counts):
            array.flags.writeable = False
        return Since(
            sequence=stamps.latest,
            marks=marks,
            touched=every,
            firsts=firsts,
            counts=counts,
            added=added,
            ended=stamps,
            lost=self.lost + len(ended),
            offsets=self._offsets_for(rows),
        )

    def _offsets_for(self, rows: int) -> Growing[np.int64]:
        new = rows + 1 - len(self.offsets)
        return self.offsets.extended(np.full(new, self.offsets.array[-1], dtype=np.int64))


def _marked(marks: NDArray[np.uint8], rows: int, touched: NDArray[np.int32]) -> NDArray[np.uint8]:
    """A copy of *marks* for *rows* rows, with those of *touched*."""
    longer = np.zeros((rows + 7) >> 3, dtype=np.uint8)
    longer[: len(marks)] = marks
    np.bitwise_or.at(longer, touched >> 3, np.uint8(1) << (touched & 7).astype(np.uint8))
    return longer
