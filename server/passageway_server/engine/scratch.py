"""Memory that walks write to, lent to one walk at a time and used again.

A set is as long as the graph has rows, but untouched memory is never fetched: a walk pays for what
it visits, and leaves its set as it found it.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels.changes import BothMerged
from passageway_server.engine.kernels.reach import Reached, forget

_KEPT = 16


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


class ScratchPool:
    """Sets that are not in use. Any number of threads may borrow at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[WalkScratch] = []

    @contextmanager
    def lent(self, rows: int) -> Generator[WalkScratch, None, None]:
        """A set for a graph of *rows* rows. After an error it is dropped, whatever it holds."""
        scratch = self._take(rows)
        yield scratch
        forget(scratch.reached)
        with self._lock:
            if len(self._idle) < _KEPT:
                self._idle.append(scratch)

    def _take(self, rows: int) -> WalkScratch:
        with self._lock:
            for i in range(len(self._idle) - 1, -1, -1):
                if self._idle[i].rows >= rows:
                    return self._idle.pop(i)
            # Rows only ever grow: what is too short now would stay so for this graph.
            self._idle.clear()
        return WalkScratch(rows + rows // 4 + 64)
