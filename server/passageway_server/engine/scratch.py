"""What a walk writes to: as long as the graph has rows, and lent to one walk at a time."""

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels.changes import BothMerged
from passageway_server.engine.kernels.reach import Reached, forget


class WalkScratch:
    """One set: ``reached`` is empty and ``marks`` are 0 between walks; what ``merged`` holds is of no concern."""

    __slots__ = ("marks", "merged", "reached", "rows")

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.marks: NDArray[np.uint8] = np.zeros(rows, dtype=np.uint8)
        self.merged = BothMerged.room()
        self.reached = Reached(
            place=np.zeros(rows, dtype=np.int32),
            rows=np.empty(rows, dtype=np.int32),
            scores=np.empty(rows, dtype=np.float64),
            hops=np.empty(rows, dtype=np.uint8),
            shares=np.empty(rows, dtype=np.float64),
            via=np.empty(rows, dtype=np.int32),
            edges=np.empty(rows, dtype=np.int32),
            ways=np.empty(rows, dtype=np.uint8),
            order=np.empty(rows, dtype=np.int32),
            total=np.zeros(1, dtype=np.int64),
        )

    def clear(self) -> None:
        """Forget what the walk reached."""
        forget(self.reached)
