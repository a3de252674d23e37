"""Which edges a caller may walk, by class: one look-up for an edge, whatever its type and readers.

A call decides about classes, of which there may be as many as edges have reader sets. What was decided is kept, so that the next call
of the same caller does not look at them all.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.remembered import Remembered

_Scalar = TypeVar("_Scalar", bound=np.generic)

_ENTRIES, _BYTES = 1024, 64 << 20

Tables = Remembered[tuple[object, Hashable], NDArray[np.generic]]
"""Arrays by class: by edge gate, and what was asked."""


def tables() -> Tables:
    """Room for the arrays of the latest callers of one version."""
    return Remembered(entries=_ENTRIES, bytes=_BYTES)


class EdgeGate:
    """What one caller sees of the edges of a version, whatever their ends. All arrays are read-only.

    ``holds[set]`` is 1 where the caller holds an edge's own reader set.
    """

    __slots__ = ("_classes", "_kept", "_key", "holds")

    def __init__(
        self, classes: EdgeClasses, holds: NDArray[np.uint8], kept: Tables | None = None
    ) -> None:
        self._classes, self.holds = classes, holds
        self._kept = tables() if kept is None else kept
        self._key = object()  # not this object, which would then be held by what it holds

    @property
    def held(self) -> NDArray[np.uint8]:
        """By class: 1 where the caller holds the reader set."""
        return self._known(None, lambda: self.holds[self._classes.gates])

    def passing(self, by_type: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """By class: what *by_type* has for its type, 0 where the caller does not hold the reader set.

        An empty *by_type* has 1 for every type.
        """
        if not len(by_type):
            return cast(NDArray[_Scalar], self.held)
        key = (by_type.dtype.char, by_type.tobytes())
        return self._known(key, lambda: self._passing(by_type))

    def of_type(self, type: int) -> NDArray[np.uint8]:
        """By class: 1 where it is of *type* and the caller holds the reader set."""
        return self._known(type, lambda: self.held * (self._classes.types == type))

    def _passing(self, by_type: NDArray[_Scalar]) -> NDArray[_Scalar]:
        found = by_type[self._classes.types]
        found[self.held == 0] = 0
        return found

    def _known(self, asked: Hashable, make: Callable[[], NDArray[_Scalar]]) -> NDArray[_Scalar]:
        key = (self._key, asked)
        found = self._kept.get(key)
        if found is None:
            # Kernels take no arrays of another class, such as mapped ones.
            found = np.asarray(make())
            found.flags.writeable = False
            self._kept.put(key, found, size=found.nbytes + _size_of(asked))
        return cast(NDArray[_Scalar], found)


def _size_of(asked: Hashable) -> int:
    return len(asked[1]) if isinstance(asked, tuple) else 0
