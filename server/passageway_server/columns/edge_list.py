"""Edges side by side, as what changes an adjacency is given to it: rows at both ends, weights, classes and keys."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.since import Slotted


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Edges side by side."""

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float64]  # effective
    classes: NDArray[np.int32]  # its type and own reader set, as one number of `EdgeClasses`
    stored: NDArray[np.int32]  # its key, which gives the stored order

    def __len__(self) -> int:
        return len(self.stored)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(getattr(self, name).nbytes for name in self.__slots__)

    def directed(self, *, reverse: bool) -> tuple[NDArray[np.int32], Slotted]:
        """The rows at which the edges but self-loops stand (by target where *reverse*), and what a slot holds of each."""
        near, far = (self.targets, self.sources) if reverse else (self.sources, self.targets)
        walked = np.flatnonzero(near != far)
        slotted = Slotted(far, self.weights, self.classes, self.stored)
        return near[walked], slotted.chosen(walked)
