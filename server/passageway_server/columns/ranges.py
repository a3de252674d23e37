"""Ranges of one array, side by side: the slots of many rows become one list of positions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Ranges(NamedTuple):
    """``positions[bounds[i]:bounds[i + 1]]`` are those of range i, ascending."""

    positions: NDArray[np.int64]
    bounds: NDArray[np.int64]

    @property
    def owners(self) -> NDArray[np.int64]:
        """By position: the number of its range."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


def side_by_side(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> Ranges:
    """The positions from ``starts[i]`` on, ``lengths[i]`` of them, for each i."""
    bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    shifts = np.repeat(starts - bounds[:-1], lengths)
    return Ranges(np.arange(int(bounds[-1]), dtype=np.int64) + shifts, bounds)
