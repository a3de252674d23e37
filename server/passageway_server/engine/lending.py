"""Memory that calls write to, lent to one at a time and used again.

A set is as long as the graph has rows, but untouched memory is never fetched: a call pays for what it visits, and leaves its
set as it found it.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

_KEPT = 16


class Lent(Protocol):
    """A set of arrays for graphs of up to so many rows."""

    rows: int

    def clear(self) -> None:
        """Make it ready for the next call, at the cost of what the last one visited."""
        ...


_Set = TypeVar("_Set", bound=Lent)


class Pool(Generic[_Set]):
    """Sets that are not in use. Any number of threads may borrow at once."""

    def __init__(self, make: Callable[[int], _Set]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._idle: list[_Set] = []

    @contextmanager
    def lent(self, rows: int) -> Generator[_Set]:
        """A set for a graph of *rows* rows. After an error it is dropped, whatever it holds."""
        scratch = self._take(rows)
        yield scratch
        scratch.clear()
        with self._lock:
            if len(self._idle) < _KEPT:
                self._idle.append(scratch)

    def _take(self, rows: int) -> _Set:
        with self._lock:
            for i in range(len(self._idle) - 1, -1, -1):
                if self._idle[i].rows >= rows:
                    return self._idle.pop(i)
            # Rows only ever grow: what is too short now would stay so for this graph.
            self._idle.clear()
        return self._make(rows + rows // 4 + 64)
