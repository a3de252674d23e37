"""Ranges of one array, side by side: the slots of many rows become one list of positions."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1 << 18
"""Elements of a step that lets no other thread run: some are made of parts, so that readers do not wait."""


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


def in_parts(
    starts: NDArray[np.integer], lengths: NDArray[np.integer], most: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """As `side_by_side`, *most* positions at a time: each part, and the number of the range that each position is of."""
    ends = np.cumsum(lengths, dtype=np.int64)
    shifts = starts + lengths - ends  # from a place among all of them to its position
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, most):
        places = np.arange(start, min(start + most, total))
        owners = np.searchsorted(ends, places, side="right")
        yield places + shifts[owners], owners


def counted(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of *mask* are set before each place, the one behind the last included."""
    counts = np.zeros(len(mask) + 1, dtype=np.int64)
    for start in range(0, len(mask), AT_ONCE):
        part = counts[start + 1 : start + 1 + AT_ONCE]
        part[:] = mask[start : start + AT_ONCE]  # first: to add up bools takes thirty times as long
        np.cumsum(part, out=part)
        part += counts[start]
    return counts
