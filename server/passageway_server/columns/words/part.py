"""Words and the rows that have them in one field: the postings of word i are the slots ``offsets[i]:offsets[i + 1]``, by row.

A part is never written. Rows that were put anew since it was made are marked as gone, on a copy of a bit for each row; merging
parts leaves their postings out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import among
from passageway_server.columns.ranges import side_by_side

Rows = NDArray[np.int32]
Pairs = NDArray[np.int64]

_ROW_BITS: Final = 31
_ROW: Final = (1 << _ROW_BITS) - 1
_NO_MARKS = np.empty(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Part:
    """The words of some rows in one field; a row comes once below a word, and ``counts`` says how often."""

    words: NDArray[np.int32]  # ascending
    offsets: NDArray[np.int64]
    rows: Rows
    counts: NDArray[np.int32]
    gone: NDArray[np.uint8] = field(default_factory=lambda: _NO_MARKS)
    """A bit for each row, up to the last that is gone."""

    def __post_init__(self) -> None:
        for array in (self.words, self.offsets, self.rows, self.counts, self.gone):
            array.flags.writeable = False

    @classmethod
    def of(cls, words: NDArray[np.integer], rows: Rows) -> "Part":
        """One of occurrences in any order: ``words[i]`` once more in ``rows[i]``."""
        pairs = np.sort(words.astype(np.int64) << _ROW_BITS | rows)
        first = np.ones(len(pairs), dtype=np.bool_)
        np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
        begins = np.flatnonzero(first)
        counts = np.diff(begins, append=len(pairs)).astype(np.int32)
        return cls._sorted(pairs[begins], counts)

    @classmethod
    def joined(cls, parts: "Sequence[Part]") -> "Part":
        """*parts* of one field as one, without the postings of rows that are gone."""
        pairs = np.concatenate([part.pairs() for part in parts])
        counts = np.concatenate([part.counts for part in parts])
        live = np.concatenate([part.live() for part in parts])
        if not live.all():
            pairs, counts = pairs[live], counts[live]
        if len(parts) > 1:
            order = np.argsort(pairs)
            pairs, counts = pairs[order], counts[order]
        return cls._sorted(pairs, counts)

    @classmethod
    def _sorted(cls, pairs: Pairs, counts: NDArray[np.int32]) -> "Part":
        words = (pairs >> _ROW_BITS).astype(np.int32)
        begins = np.flatnonzero(np.diff(words, prepend=-1))
        return cls(
            words[begins],
            np.append(begins, len(words)),
            (pairs & _ROW).astype(np.int32),
            counts,
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_whole(self) -> bool:
        """Whether no row is gone."""
        return not len(self.gone)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        held = (self.words, self.offsets, self.rows, self.counts, self.gone)
        return sum(array.nbytes for array in held)

    def slots(self, word: int) -> tuple[int, int]:
        """Where the postings of *word* begin and end."""
        place = int(self.words.searchsorted(np.int32(word)))  # of another type all words are copied
        if place == len(self.words) or self.words[place] != word:
            return 0, 0
        return int(self.offsets[place]), int(self.offsets[place + 1])

    def ranges(self, words: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As `slots`, of those of *words* that are here, in their order: where each begins, and where it ends."""
        places = self.words.searchsorted(words)
        places = (
            places[self.words.take(places, mode="clip") == words] if len(self.words) else places[:0]
        )
        return self.offsets[places], self.offsets[places + 1]

    def having(self, words: NDArray[np.int32]) -> Rows:
        """The rows that have one of *words* and are not gone, word by word, each ascending."""
        firsts, lasts = self.ranges(words)
        rows = self.rows[side_by_side(firsts, lasts - firsts).positions]
        return rows if self.is_whole else rows[self._stand(rows)]

    def has(self, word: int, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of *rows*, in any order, have *word* here and are not gone."""
        first, last = self.slots(word)
        found = among(rows, self.rows[first:last])
        return found if self.is_whole else found & self._stand(rows)

    def without(self, rows: Rows) -> "Part":
        """The same with *rows*, which ascend, among those that are gone."""
        if not len(rows):
            return self
        gone = np.zeros(max(len(self.gone), (int(rows[-1]) >> 3) + 1), dtype=np.uint8)
        gone[: len(self.gone)] = self.gone
        np.bitwise_or.at(gone, rows >> 3, np.left_shift(1, rows & 7).astype(np.uint8))
        return replace(self, gone=gone)

    def renamed(self, numbers: NDArray[np.int32]) -> "Part":
        """The same under other numbers of words, which ascend as the old ones do."""
        return replace(self, words=numbers[self.words])

    def pairs(self) -> Pairs:
        """The word and the row of each posting, in one number: they ascend."""
        words = np.repeat(self.words, np.diff(self.offsets))
        return words.astype(np.int64) << _ROW_BITS | self.rows

    def live(self) -> NDArray[np.bool_]:
        """Which postings are of rows that are not gone."""
        return self._stand(self.rows)

    def _stand(self, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of *rows* are not gone."""
        if self.is_whole:
            return np.ones(len(rows), dtype=np.bool_)
        marks = np.zeros(len(self.gone) + 1, dtype=np.uint8)  # the last byte is for rows behind all
        marks[:-1] = self.gone
        found = marks.take(rows >> 3, mode="clip") >> (rows & 7).astype(np.uint8)
        stand: NDArray[np.bool_] = found & 1 == 0
        return stand

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores of one that is whole, by name."""
        return {
            "words": self.words,
            "offsets": self.offsets,
            "rows": self.rows,
            "counts": self.counts,
        }

    def check(self, *, words: int, rows: int) -> "Part":
        """Itself. Raises ValueError unless it is of *words* words and *rows* rows, and in order."""
        ends = self.offsets[:1], self.offsets[-1:]
        if len(self.offsets) != len(self.words) + 1 or len(self.counts) != len(self.rows):
            raise ValueError("arrays of words that do not fit together")
        if ends[0] != 0 or ends[1] != len(self.rows) or (np.diff(self.offsets) <= 0).any():
            raise ValueError("postings that do not lie side by side")
        if (np.diff(self.words) <= 0).any() or self.words.min(initial=0) < 0:
            raise ValueError("words that do not ascend")
        if self.words.max(initial=-1) >= words or self.counts.min(initial=1) < 1:
            raise ValueError("a word that is not there")
        falls = np.diff(self.rows) <= 0
        falls[self.offsets[1:-1] - 1] = False  # between one word and the next
        if falls.any() or self.rows.min(initial=0) < 0 or self.rows.max(initial=-1) >= rows:
            raise ValueError("postings that do not ascend by row")
        return self
