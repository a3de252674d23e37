"""The distinct values that the inner query of a semi-join gave, ready to be met by any field.

They are strings, held as numbers of some terms or as texts, or integers (times are microseconds).
What other terms make of the strings, and which of other strings are among them, is worked out for
the latest that asked, and kept. Many strings may take long: it raises what *halt* says.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.columns.translation import translated
from passageway_server.engine.kernels.sets import Table, among, table_of
from passageway_server.engine.texts import TextSet
from passageway_server.values.halt import UNHALTED, Halt

_ROOM = 7  # times the numbers: with a table of theirs, or a set and a translation
_FEW = 256  # candidates are searched for, not marked in a table of all terms, where they are fewer
_OUTNUMBERED = 8  # a set of texts meets all terms, where those are not so many times more

_UNKNOWN, _OUTSIDE, _INSIDE = 0, 1, 2


class JoinedValues:
    """Distinct values: strings, the *numbers* of *terms*; or the integers *numbers*, without terms.

    *numbers* ascend. *beside* are the bytes of what else is held, or may be made.
    """

    __slots__ = ("_met", "_table", "_texts", "_translation", "numbers", "size", "terms")

    def __init__(self, terms: Terms | None, numbers: NDArray[np.int64], *, beside: int = 0) -> None:
        self.terms = terms
        self.numbers = numbers
        self.size = beside + _ROOM * numbers.nbytes  # bytes, with what is made of them
        # Each of these is made twice, if two calls meet there: no harm.
        self._translation: tuple[Terms, NDArray[np.integer]] | None = None
        self._table: Table | None = None
        self._texts: TextSet | None = None
        self._met: tuple[Strings, NDArray[np.uint8]] | None = None

    @classmethod
    def of_texts(cls, texts: TextSet, *, beside: int = 0) -> "JoinedValues":
        """The strings of *texts*, that are no terms of the version; the numbers are their entries."""
        values = cls(None, texts.entries.astype(np.int64), beside=beside + texts.nbytes)
        values._texts = texts
        return values

    def __len__(self) -> int:
        return len(self.numbers)

    def numbers_in(self, target: Terms, halt: Halt = UNHALTED) -> NDArray[np.integer]:
        """The numbers of the values in *target*, ascending; those that it lacks are left out."""
        known = self._translation
        if known is None or known[0] is not target:
            known = target, self._translated(target, halt)
            self._translation = known
        return known[1]

    def _translated(self, target: Terms, halt: Halt) -> NDArray[np.integer]:
        if self.terms is not None:
            return np.sort(translated(self.terms, self.numbers, target, halt))
        texts = self._set(halt)
        if len(target) <= _OUTNUMBERED * len(texts):
            every = np.arange(len(target), dtype=np.int32)
            return np.flatnonzero(texts.holds(target.strings, every, halt))
        longest = int(target.strings.lengths.max(initial=0))  # ids have no long texts
        likely = texts.entries[lengths_of(texts.strings, texts.entries) <= longest]
        found = target.find_all(texts.strings.take(likely))
        return np.sort(found[found >= 0])

    def meets_terms(
        self, target: Terms, numbers: NDArray[np.integer], halt: Halt = UNHALTED
    ) -> NDArray[np.bool_]:
        """Which of *numbers* of *target* are of strings among the values: bool[numbers]."""
        if self.terms is None:
            return self.meets_texts(target.strings, numbers, halt)
        wanted = self.numbers_in(target, halt)
        if _FEW * len(numbers) < len(target):
            return _among(numbers, wanted)
        table = np.zeros(len(target), dtype=np.bool_)
        table[wanted] = True
        met: NDArray[np.bool_] = table[numbers]
        return met

    def meets_texts(
        self, texts: Strings, entries: NDArray[np.integer], halt: Halt = UNHALTED
    ) -> NDArray[np.bool_]:
        """Which of *entries* of *texts* are among the values: bool[entries]."""
        values = self._set(halt)
        if _FEW * len(entries) < len(texts):
            return values.holds(texts, entries, halt)
        known = self._met
        if known is None or known[0] is not texts:
            known = self._met = texts, np.zeros(len(texts), dtype=np.uint8)
        found = known[1][entries]
        if not found.all():
            asked = np.zeros(len(texts), dtype=np.bool_)
            asked[entries[found == _UNKNOWN]] = True
            those = np.flatnonzero(asked)
            known[1][those] = np.where(values.holds(texts, those, halt), _INSIDE, _OUTSIDE)
            found = known[1][entries]
        met: NDArray[np.bool_] = found == _INSIDE
        return met

    def meets_integers(self, values: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of *values* are among them: bool[values]."""
        if not len(self.numbers):
            return np.zeros(len(values), dtype=np.bool_)
        if self._table is None:
            self._table = table_of(self.numbers)
        return among(values, self._table)

    def _set(self, halt: Halt) -> TextSet:
        """The values, which are strings, as a set."""
        if self._texts is None:
            assert self.terms is not None
            self._texts = TextSet.of(self.terms.strings, self.numbers, halt=halt)
            assert self._texts is not None  # no bound was set
        return self._texts


def _among(values: NDArray[np.integer], wanted: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which of *values* are among *wanted*, which ascend."""
    if not len(wanted):
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    found: NDArray[np.bool_] = wanted[places] == values
    return found
