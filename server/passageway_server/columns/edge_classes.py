"""Edge classes: which types and own reader sets do edges have together?

A class stands for all edges of one type and one reader set of their own, so that a slot holds one number in place of two. Classes
are numbered as they come, and never change: versions share the arrays, which grow at their end.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import inserted, united
from passageway_server.columns.growing import Growing
from passageway_server.columns.row_sets import Pairs, numbers_of, pairs_of, rows_of

Numbers = NDArray[np.int32]

_FEW = 65_536
_PART = 64  # of the classes: as many recent ones join the others


class _Sorted(NamedTuple):
    """The pairs of some classes, ascending, and the class of each."""

    pairs: Pairs
    classes: Numbers

    @classmethod
    def of(cls, pairs: Pairs, first: int) -> "_Sorted":
        """The classes from *first* on, which stand for *pairs*."""
        order = np.argsort(pairs)
        return cls(pairs[order], (first + order).astype(np.int32))

    def find(self, pairs: Pairs) -> Numbers:
        """The class of each of *pairs*, -1 where it is not here."""
        if not len(self.pairs):
            return np.full(len(pairs), -1, dtype=np.int32)
        places = self.pairs.searchsorted(pairs)
        found = self.classes.take(places, mode="clip")
        found[self.pairs.take(places, mode="clip") != pairs] = -1
        return found

    def joined(self, more: "_Sorted") -> "_Sorted":
        """These and *more*."""
        places = self.pairs.searchsorted(more.pairs)
        return _Sorted(
            inserted(self.pairs, places, more.pairs), inserted(self.classes, places, more.classes)
        )


_NONE = _Sorted(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))


class EdgeClasses:
    """What each class stands for. New pairs are looked up in a small part of their own, until they are many."""

    __slots__ = ("_base", "_gates", "_recent", "_types")

    def __init__(
        self,
        types: Growing[np.int32],
        gates: Growing[np.int32],
        base: _Sorted | None = None,
        recent: _Sorted = _NONE,
    ) -> None:
        self._types, self._gates = types, gates
        self._base = base  # made when first asked for
        self._recent = recent

    @classmethod
    def none(cls) -> "EdgeClasses":
        """No classes."""
        return cls(Growing.empty(np.int32), Growing.empty(np.int32), _NONE)

    @classmethod
    def adopted(cls, types: Numbers, gates: Numbers) -> "EdgeClasses":
        """Those that stand for these types and reader sets, distinct pairs; they grow apart from any others."""
        return cls(Growing(types), Growing(gates))

    def __len__(self) -> int:
        return len(self._types)

    @property
    def types(self) -> Numbers:
        """By class: the type, a number among the edge types of the version."""
        return self._types.array

    @property
    def gates(self) -> Numbers:
        """By class: the edge's own reader set."""
        return self._gates.array

    def numbers(self, types: Numbers, gates: Numbers) -> Numbers:
        """The class of each pair of type and reader set. Raises KeyError where there is none."""
        found = self._find(pairs_of(types, gates))
        if found.min(initial=0) < 0:
            raise KeyError("an edge of a class that is not there")
        return found

    def interned(self, types: Numbers, gates: Numbers) -> "EdgeClasses":
        """These classes, and new ones for those of the pairs that have none."""
        pairs = pairs_of(types, gates)
        missing = united(pairs[self._find(pairs) < 0])
        if not len(missing):
            return self
        base, recent = self._sorted, self._recent.joined(_Sorted.of(missing, len(self)))
        if len(recent.pairs) > max(_FEW, len(self) // _PART):
            base, recent = base.joined(recent), _NONE
        return EdgeClasses(
            self._types.extended(rows_of(missing)),
            self._gates.extended(numbers_of(missing)),
            base,
            recent,
        )

    def _find(self, pairs: Pairs) -> Numbers:
        found = self._sorted.find(pairs)
        if len(self._recent.pairs):
            left = np.flatnonzero(found < 0)
            found[left] = self._recent.find(pairs[left])
        return found

    @property
    def _sorted(self) -> _Sorted:
        if self._base is None:
            self._base = _Sorted.of(pairs_of(self.types, self.gates), 0)
        return self._base

    def check(self, *, types: int, sets: int) -> None:
        """Raise ValueError unless its numbers are those of so many types and reader sets."""
        if len(self.types) != len(self.gates):
            raise ValueError("edge classes of another number of types than of reader sets")
        for numbers, most in ((self.types, types), (self.gates, sets)):
            if numbers.min(initial=0) < 0 or numbers.max(initial=-1) >= most:
                raise ValueError("an edge class of what is not there")

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {"types": self.types, "gates": self.gates}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "EdgeClasses":
        """The inverse of `arrays`."""
        return cls.adopted(arrays["types"], arrays["gates"])  # type: ignore[arg-type]
