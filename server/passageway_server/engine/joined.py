"""The distinct values that the inner query of a semi-join gave, ready to be met by any field.

They are strings, held as numbers of some terms, or integers (times are microseconds). What other
terms make of the strings is worked out for the latest that asked, and kept. Many strings may
take long: it raises what *halt* says.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import in_pieces, lengths_of
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.columns.translation import translated
from passageway_server.engine.kernels.sets import Table, among, table_of
from passageway_server.values.halt import UNHALTED, Halt

_ROOM = 5  # times the numbers: with a table of theirs, or a translation
_FEW = 256  # candidates are searched for, not marked in a table of all terms, where they are fewer


class JoinedValues:
    """Distinct values: strings, the *numbers* of *terms*; or the integers *numbers*, without terms.

    *numbers* ascend. *owned* are the bytes of terms that nothing else holds.
    """

    __slots__ = ("_table", "_translation", "numbers", "size", "terms")

    def __init__(self, terms: Terms | None, numbers: NDArray[np.int64], *, owned: int = 0) -> None:
        self.terms = terms
        self.numbers = numbers
        self.size = owned + _ROOM * numbers.nbytes  # bytes, with what is made of them
        self._translation: tuple[Terms, NDArray[np.integer]] | None = None
        self._table: Table | None = None

    @classmethod
    def of_texts(cls, texts: list[str]) -> "JoinedValues":
        """Distinct *texts*, that are no terms of the version."""
        terms = Terms.of(texts)
        owned = sum(array.nbytes for array in terms.arrays().values())
        return cls(terms, np.arange(len(texts), dtype=np.int64), owned=owned)

    def __len__(self) -> int:
        return len(self.numbers)

    def numbers_in(self, target: Terms, halt: Halt = UNHALTED) -> NDArray[np.integer]:
        """The numbers of the values in *target*, ascending; those that it lacks are left out."""
        known = self._translation
        if known is None or known[0] is not target:
            assert self.terms is not None
            known = target, np.sort(translated(self.terms, self.numbers, target, halt))
            self._translation = known  # twice, if two calls meet here: no harm
        return known[1]

    def meets_terms(
        self, target: Terms, numbers: NDArray[np.integer], halt: Halt = UNHALTED
    ) -> NDArray[np.bool_]:
        """Which of *numbers* of *target* are of strings among the values: bool[numbers]."""
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
        assert self.terms is not None
        own = lengths_of(self.terms.strings, self.numbers)
        met = np.isin(lengths_of(texts, entries), own)
        likely = np.flatnonzero(met)
        for some in in_pieces(texts, entries[likely], halt):
            found = self.terms.find_all(texts.take(entries[likely[some]]))
            met[likely[some]] = _among(found, self.numbers)
        return met

    def meets_integers(self, values: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of *values* are among them: bool[values]."""
        if not len(self.numbers):
            return np.zeros(len(values), dtype=np.bool_)
        if self._table is None:
            self._table = table_of(self.numbers)  # twice, if two calls meet here: no harm
        return among(values, self._table)


def _among(values: NDArray[np.integer], wanted: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which of *values* are among *wanted*, which ascend."""
    if not len(wanted):
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    found: NDArray[np.bool_] = wanted[places] == values
    return found
