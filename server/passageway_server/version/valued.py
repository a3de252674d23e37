"""How many rows that are searched hold a keyword field, and how many values, by gate class: as `Statistics` has it of texts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.version.version import Version
from passageway_server.version.wording import searched_among

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Valued:
    """By gate class: the searched rows that hold the field, and their values. Rows that expire stand apart."""

    held: Counts
    values: Counts
    apart: NDArray[np.integer]
    lengths: NDArray[np.int64]  # of those apart: how many values each has

    @classmethod
    def of(cls, version: Version, name: str) -> "Valued":
        """Those of the property *name* of nodes and spans, by a look at every row."""
        gates, count = version.gates, len(version.gates.readers)
        rows, lengths = _lengths(version, name)
        expire = gates.expires[gates.of[rows]] == 1
        classes = gates.of[rows[~expire]]
        return cls(
            np.bincount(classes, minlength=count),
            # Doubles add integers up exactly, below 2^53.
            np.bincount(classes, weights=lengths[~expire], minlength=count).astype(np.int64),
            rows[expire],
            lengths[expire],
        )

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return sum(array.nbytes for array in (self.held, self.values, self.apart, self.lengths))

    def average(self, version: Version, gate: Gate) -> float:
        """Values of a row that *gate* opens and that has some; 1 where there is none. They are those of *version*."""
        opened = gate.verdict[: len(self.held)] == 1
        apart = version.gates.open(gate, self.apart)
        held = int(self.held[opened].sum()) + int(np.count_nonzero(apart))
        values = int(self.values[opened].sum()) + int(self.lengths[apart].sum())
        return values / held if held else 1.0


def _lengths(version: Version, name: str) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """The searched rows that hold the property *name*, and how many values each has."""
    column = version.nodes.properties.get(name)
    if column is None:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    rows = (column.at.whole >= 0).nonzero()[0].astype(np.int32)
    rows = rows[searched_among(version.contents, rows)]
    return rows, column.extents(column.at[rows])[1]
