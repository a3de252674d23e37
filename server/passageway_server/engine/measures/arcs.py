"""Steps from vertex to vertex, as a measure takes them: side by side, or joined where their ends are the same.

What is joined is sorted first, so that sums do not depend on the order in which edges were put.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_FAINT = 1e-200  # a share of the heaviest weight below which one counts as 0: its inverse must be a number


@dataclass(frozen=True, slots=True)
class Arcs:
    """Steps from vertex to vertex, side by side: one for each way in which an edge takes part."""

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float64]

    def degrees(self, vertices: int) -> NDArray[np.int64]:
        """By vertex: how many steps leave it."""
        return np.bincount(self.sources, minlength=vertices)

    def directed(self) -> "Arcs":
        """One step between two vertices, with their weights summed; those of one source are scaled together."""
        order = np.lexsort((self.weights, self.targets, self.sources))
        arcs = Arcs(self.sources[order], self.targets[order], self.weights[order])
        return _joined(arcs, scales=arcs.sources)

    def undirected(self) -> "Arcs":
        """One step between two vertices whichever way, from the lower one, with their weights summed."""
        low, high = np.minimum(self.sources, self.targets), np.maximum(self.sources, self.targets)
        order = np.lexsort((self.weights, high, low))
        arcs = Arcs(low[order], high[order], self.weights[order])
        return _joined(arcs, scales=np.zeros_like(arcs.sources))


def _joined(arcs: Arcs, *, scales: NDArray[np.int32]) -> Arcs:
    """Sorted steps, those of the same ends as one, without those whose weight is nothing beside that of others.

    Only weights of equal *scales*, which stand side by side, are compared: they are scaled by a power of two, which
    loses nothing, so that no sum is infinite.
    """
    if not len(scales):
        return arcs
    starts, pairs = _starts(scales), _starts(arcs.sources, arcs.targets)
    _, exponents = np.frexp(np.maximum.reduceat(arcs.weights, starts))
    scaled = np.ldexp(arcs.weights, -np.repeat(exponents, np.diff(starts, append=len(scales))))
    owners = np.repeat(np.arange(len(pairs)), np.diff(pairs, append=len(scales)))
    summed: NDArray[np.float64] = np.bincount(owners, weights=scaled).astype(np.float64, copy=False)
    kept = summed > _FAINT
    return Arcs(arcs.sources[pairs[kept]], arcs.targets[pairs[kept]], summed[kept])


def _starts(*keys: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where runs of equal *keys* begin; there is at least one."""
    new = np.zeros(len(keys[0]), dtype=np.bool_)
    new[0] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)
