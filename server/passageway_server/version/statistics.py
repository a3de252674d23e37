"""How many rows are searched, and how long their texts are, by gate class: what a call may count follows from its verdict alone.

Counts are integers, so that what they add up to depends on no order. A version takes over those of one before it, and the rows that
were changed since; a look at every row is needed but once.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import among, joined
from passageway_server.columns.gates import Gate
from passageway_server.version.version import Version
from passageway_server.version.wording import searched_among

Rows = NDArray[np.int32]
Counts = NDArray[np.int64]


class Counted(NamedTuple):
    """What a call sees of the searched rows: how many there are; by field how many hold it, and the words that these have."""

    rows: int
    held: tuple[int, ...]
    words: tuple[int, ...]

    def average(self, field: int) -> float:
        """Words of a text in *field*; 1 where there is none."""
        return self.words[field] / self.held[field] if self.held[field] else 1.0


@dataclass(frozen=True, slots=True)
class Statistics:
    """By gate class: the searched rows, and by field those that hold it, and their words.

    Rows that expire are counted in none of them: they stand apart, and each of these is looked at.
    """

    rows: Counts
    held: tuple[Counts, ...]
    words: tuple[Counts, ...]
    apart: Rows  # ascending

    @classmethod
    def of(cls, version: Version) -> "Statistics":
        """Those of *version*, by a look at every row."""
        every = np.arange(len(version.nodes), dtype=np.int32)
        return cls._of_rows(version, every, fields=len(version.words.fields))

    def followed(self, before: Version, after: Version, rows: Rows) -> "Statistics":
        """Those of *after*, of which these are *before*, and only *rows*, which ascend, may be others."""
        old = rows[: int(rows.searchsorted(len(before.nodes)))]
        fields = len(after.words.fields)
        gone, come = (
            Statistics._of_rows(version, some, fields=fields)
            for version, some in ((before, old), (after, rows))
        )
        classes = len(come.rows)
        kept = self.apart[~among(self.apart, rows)]
        nothing = (np.zeros(classes, dtype=np.int64),) * (fields - len(self.held))
        return Statistics(
            _moved(self.rows, gone.rows, come.rows),
            tuple(map(_moved, self.held + nothing, gone.held, come.held)),
            tuple(map(_moved, self.words + nothing, gone.words, come.words)),
            joined(kept, come.apart),
        )

    @classmethod
    def _of_rows(cls, version: Version, rows: Rows, *, fields: int) -> "Statistics":
        """Those of *rows* alone, over so many *fields*."""
        gates, count = version.gates, len(version.gates.readers)
        rows = rows[searched_among(version.contents, rows)]
        expire = gates.expires[gates.of[rows]] == 1
        apart, rows = rows[expire], rows[~expire]
        classes = gates.of[rows]
        held: list[Counts] = []
        words: list[Counts] = []
        for lengths in version.words.lengths:
            some = lengths.array[rows]
            held.append(np.bincount(classes[some > 0], minlength=count))
            # Doubles add integers up exactly, below 2^53.
            words.append(np.bincount(classes, weights=some, minlength=count).astype(np.int64))
        nothing = [np.zeros(count, dtype=np.int64)] * (fields - len(held))
        return cls(
            np.bincount(classes, minlength=count),
            (*held, *nothing),
            (*words, *nothing),
            apart,
        )

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        counts = sum(array.nbytes for array in (self.rows, *self.held, *self.words))
        return counts + self.apart.nbytes

    def seen(self, version: Version, gate: Gate) -> Counted:
        """What *gate* opens of them, which are those of *version*."""
        opened = gate.verdict[: len(self.rows)] == 1
        apart = self.apart[version.gates.open(gate, self.apart)]
        lengths = [field.array[apart] for field in version.words.lengths]
        return Counted(
            int(self.rows[opened].sum()) + len(apart),
            tuple(
                int(held[opened].sum()) + int(np.count_nonzero(length))
                for held, length in zip(self.held, lengths, strict=True)
            ),
            tuple(
                int(words[opened].sum()) + int(length.sum(dtype=np.int64))
                for words, length in zip(self.words, lengths, strict=True)
            ),
        )


def _moved(counts: Counts, gone: Counts, come: Counts) -> Counts:
    """*counts* without those that are *gone*, and with those that came; there may be more classes than there were."""
    moved = come.copy()
    moved[: len(counts)] += counts
    moved[: len(gone)] -= gone
    return moved
