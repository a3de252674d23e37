"""Memory that searches for paths write into, one search at a time, lent and taken back.

``place`` is as long as the graph has rows and is zero between searches: it is cleared by what was
visited, so that a search costs what it visits. The other arrays grow with the visit and keep their
size.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Scalar = TypeVar("_Scalar", bound=np.generic)

_KEPT = 8
_KEPT_EDGES = 1 << 22  # a search that knew more gives its memory back


class Scratch:
    """Nodes by place (see `kernels/paths_reach`) and known edges, in the direction of a path."""

    __slots__ = (
        "back_levels",
        "back_spent",
        "costs",
        "fits",
        "levels",
        "place",
        "rows",
        "sources",
        "specs",
        "spent",
        "stored",
        "targets",
    )

    def __init__(self) -> None:
        self.place = np.zeros(0, dtype=np.int32)
        self.rows = np.empty(0, dtype=np.int32)
        self.fits = np.empty(0, dtype=np.uint8)
        self.levels = np.empty(0, dtype=np.uint8)
        self.back_levels = np.empty(0, dtype=np.uint8)
        self.spent = np.empty(0, dtype=np.float64)
        self.back_spent = np.empty(0, dtype=np.float64)
        self.sources = np.empty(0, dtype=np.int32)
        self.targets = np.empty(0, dtype=np.int32)
        self.costs = np.empty(0, dtype=np.float64)
        self.stored = np.empty(0, dtype=np.int32)
        self.specs = np.empty(0, dtype=np.uint16)

    def hold_places(self, filled: int, room: int) -> None:
        """Make room for *room* places; the first *filled* stay as they are."""
        if room <= len(self.rows):
            return
        room = max(room, 2 * len(self.rows), 1 << 14)
        self.rows = _longer(self.rows, filled, room)
        self.fits = _longer(self.fits, filled, room)
        self.levels = _longer(self.levels, filled, room)
        self.back_levels = _longer(self.back_levels, filled, room)
        self.spent = _longer(self.spent, filled, room)
        self.back_spent = _longer(self.back_spent, filled, room)

    def hold_edges(self, filled: int, room: int) -> None:
        """Make room for *room* known edges; the first *filled* stay as they are."""
        if room <= len(self.sources):
            return
        room = max(room, 2 * len(self.sources), 1 << 16)
        self.sources = _longer(self.sources, filled, room)
        self.targets = _longer(self.targets, filled, room)
        self.costs = _longer(self.costs, filled, room)
        self.stored = _longer(self.stored, filled, room)
        self.specs = _longer(self.specs, filled, room)


def _longer(array: NDArray[_Scalar], filled: int, room: int) -> NDArray[_Scalar]:
    longer = np.empty(room, dtype=array.dtype)
    longer[:filled] = array[:filled]
    return longer


class _Shelf:
    """Scratch that waits for its next search."""

    def __init__(self) -> None:
        self._waiting: list[Scratch] = []
        self._lock = threading.Lock()

    def take(self, rows: int) -> Scratch:
        with self._lock:
            scratch = self._waiting.pop() if self._waiting else Scratch()
        if len(scratch.place) < rows:
            scratch.place = np.zeros(rows + rows // 8, dtype=np.int32)
        return scratch

    def put_back(self, scratch: Scratch) -> None:
        with self._lock:
            if len(self._waiting) < _KEPT and len(scratch.sources) <= _KEPT_EDGES:
                self._waiting.append(scratch)


_SHELF = _Shelf()


@contextmanager
def lent(rows: int) -> Generator[Scratch]:
    """Scratch for a search over a graph of *rows* rows; whoever borrows it clears ``place``.

    Where the search fails, the scratch is dropped.
    """
    scratch = _SHELF.take(rows)
    yield scratch
    _SHELF.put_back(scratch)
