"""The edges of every row, packed into arrays: what does row r lead to, heaviest first?

The edges of row r are the slots ``offsets[r]:offsets[r + 1]``, heaviest first, then in stored order. Dangling edges
and self-loops are left out. The arrays are read-only, so any number of readers may hold them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Edges side by side, in stored order: the same edge is entry ``stored`` of each array."""

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float64]  # effective
    types: NDArray[np.int32]
    gates: NDArray[np.int32]  # the edge's own reader set
    stored: NDArray[np.int32]  # its place in the stored order over all edges


@dataclass(frozen=True, slots=True)
class Adjacency:
    """One direction of the graph. All arrays but ``offsets`` are by slot."""

    offsets: NDArray[np.int64]
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    types: NDArray[np.int32]
    gates: NDArray[np.int32]
    stored: NDArray[np.int32]

    @classmethod
    def build(cls, edges: EdgeList, *, rows: int, reverse: bool) -> "Adjacency":
        """The adjacency of *edges* by source, or by target where *reverse*."""
        near, far = (edges.targets, edges.sources) if reverse else (edges.sources, edges.targets)
        walked = np.flatnonzero(near != far)
        order = walked[_order(near[walked], edges.weights[walked])]
        offsets = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(near[walked], minlength=rows), out=offsets[1:])
        adjacency = cls(
            offsets=offsets,
            others=far[order],
            weights=edges.weights[order],
            types=edges.types[order],
            gates=edges.gates[order],
            stored=edges.stored[order],
        )
        for array in adjacency.arrays().values():
            array.flags.writeable = False
        return adjacency

    def check(self, *, rows: int, edges: int, sets: int) -> None:
        """Raise ValueError unless its numbers are those of *rows* rows, *edges* edges and *sets* reader sets."""
        slots = {len(getattr(self, name)) for name in self.__slots__ if name != "offsets"}
        if len(self.offsets) != rows + 1 or slots != {int(self.offsets[-1])}:
            raise ValueError(f"an adjacency of {len(self.offsets) - 1} rows, not of {rows}")
        if self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            raise ValueError("an adjacency whose rows run backwards")
        bounds = ((self.others, rows), (self.stored, edges), (self.gates, sets))
        if any(a.max(initial=0) >= max(most, 1) or a.min(initial=0) < 0 for a, most in bounds):
            raise ValueError("an adjacency that leads to what is not there")

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Adjacency":
        """The inverse of `arrays`."""
        return cls(**{name: arrays[name] for name in cls.__slots__})  # type: ignore[arg-type]


def _order(near: NDArray[np.int32], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Slots by row, then weight descending, then as they came (both sorts are stable)."""
    by_weight = np.argsort(-weights, kind="stable")
    return by_weight[np.argsort(near[by_weight], kind="stable")]
