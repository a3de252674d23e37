"""Which edges a caller may walk, by class: one look-up for an edge, whatever its type and readers.

A call decides about classes, of which there may be as many as edges have reader sets. What was decided is kept, so that the next call
of the same caller does not look at them all.
"""

from collections.abc import Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.remembered import Remembered

_Scalar = TypeVar("_Scalar", bound=np.generic)

_ENTRIES, _BYTES = 1024, 64 << 20

Tables = Remembered[Hashable, NDArray[Any]]
"""Arrays by class: by edge gate, and what was asked."""


def tables() -> Tables:
    """Room for the arrays of the latest callers of one version."""
    return Remembered(entries=_ENTRIES, bytes=_BYTES)


class EdgeGate:
    """What one caller sees of the edges of a version, whatever their ends. All arrays are read-only.

    ``holds[set]`` is 1 where the caller holds an edge's own reader set.
    """

    __slots__ = ("_classes", "_held", "_kept", "_key", "holds")

    def __init__(
        self, classes: EdgeClasses, holds: NDArray[np.uint8], kept: Tables | None = None
    ) -> None:
        self._classes, self.holds = classes, holds
        self._held: NDArray[np.uint8] | None = None  # made when first asked for
        self._kept = tables() if kept is None else kept
        self._key = object()  # not this object, which would then be held by what it holds

    @property
    def nbytes(self) -> int:
        """Bytes of what it holds by itself."""
        return self.holds.nbytes + len(self._classes)

    @property
    def held(self) -> NDArray[np.uint8]:
        """By class: 1 where the caller holds the reader set."""
        if self._held is None:
            self._held = _sealed(self.holds[self._classes.gates])
        return self._held

    def passing(self, by_type: NDArray[_Scalar]) -> NDArray[_Scalar]:
        """By class: what *by_type* has for its type, 0 where the caller does not hold the reader set.

        An empty *by_type* has 1 for every type.
        """
        if not len(by_type):
            return self.held  # type: ignore[return-value]
        key = (self._key, by_type.dtype.char, by_type.tobytes())
        found = self._kept.get(key)
        if found is None:
            found = by_type[self._classes.types]
            found[self.held == 0] = 0
            found = _sealed(found)
            self._kept.put(key, found, size=found.nbytes + by_type.nbytes)
        return found

    def of_type(self, type: int) -> NDArray[np.uint8]:
        """By class: 1 where it is of *type* and the caller holds the reader set."""
        found = self._kept.get((self._key, type))
        if found is None:
            found = _sealed(self.held * (self._classes.types == type))
            self._kept.put((self._key, type), found, size=found.nbytes)
        return found


def _sealed(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """*array*, read-only, and not of another class, as one made of a mapped array may be: kernels take none."""
    plain = np.asarray(array)
    plain.flags.writeable = False
    return plain
