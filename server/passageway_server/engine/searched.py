"""The fields of a search: which rows have a word that is asked for, and how often?

A text field has the words of its texts. A keyword field has its values as words, as they are compared. Where edits are allowed, all
words that one meets count as it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.properties import Column
from passageway_server.columns.ranges import counted
from passageway_server.columns.words.index import Words
from passageway_server.engine.kernels import words as kernel
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.near import Met
from passageway_server.values.halt import Halt
from passageway_server.version.statistics import Counted
from passageway_server.version.valued import Valued
from passageway_server.version.version import Version
from passageway_server.version.wording import searched_among

B: Final = 0.75

_gather, _count, _weigh = direct(kernel.gather), direct(kernel.count), direct(kernel.weigh)
_NONE_GONE: Final = sealed(np.empty(0, dtype=np.uint8))


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """A field to search: how much its words count, and the distinct words that are asked for.

    A text field has a language, and these are words in it; a keyword field has none, and they are whole values, folded. They
    meet words within so many ``edits``, which fields of one kind look for in ``met`` together.
    """

    name: str
    weight: float
    language: str
    words: tuple[str, ...]
    edits: int = 0
    met: Met = field(default_factory=Met, compare=False)


class Searched(Protocol):
    """A field of a version, as one call searches it."""

    plan: FieldPlan

    def gather(self, word: str, sight: Sight, tally: kernel.Tally, touched: int) -> int:
        """Add to *tally* what rows have of *word* here; how many have it by now, *touched* of them before.

        Raises DeadlineExceeded, Cancelled.
        """
        ...

    def having(self, word: str, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of *rows* have *word* here. Raises DeadlineExceeded, Cancelled."""
        ...


def searched(
    version: Version, plan: Sequence[FieldPlan], seen: Counted, scope: Gate
) -> list[Searched]:
    """The fields of *plan*, of which the call of *scope* sees what was counted."""
    known = {one.name: number for number, one in enumerate(version.words.fields)}
    found: list[Searched] = []
    for one in plan:
        if not one.language:
            kept = version.remember((Valued, one.name), partial(Valued.of, version, one.name))
            measure = kernel.Measure(one.weight, B, kept.average(version, scope))
            found.append(_Keywords(one, measure, version, scope.halt))
        elif one.name in known:
            at = known[one.name]
            measure = kernel.Measure(one.weight, B, seen.average(at))
            found.append(_Texts(one, measure, version.words, at, scope.halt))
    return found


@dataclass(slots=True)
class _Texts:
    """A field of texts."""

    plan: FieldPlan
    measure: kernel.Measure
    words: Words
    at: int  # the number of the field
    halt: Halt
    numbers: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        asked = self.plan.words
        found = self.words.terms.find_all(asked).tolist()
        self.numbers = dict(zip(asked, found, strict=True))

    def gather(self, word: str, sight: Sight, tally: kernel.Tally, touched: int) -> int:
        lengths = sealed(self.words.lengths[self.at].array)
        if self.plan.edits:
            return self._gather_near(word, lengths, sight, tally, touched)
        number = self.numbers[word]
        for part in self.words.parts[self.at] if number >= 0 else ():
            first, last = part.slots(number)
            if first < last:
                postings = kernel.Postings(
                    sealed(part.rows), sealed(part.counts), sealed(part.gone), lengths, first, last
                )
                touched = _gather(postings, self.measure, sight, tally, touched)
        return touched

    def having(self, word: str, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        number, edits = self.numbers[word], self.plan.edits
        numbers = self._met(word).tolist() if edits else [number] if number >= 0 else []
        had = np.zeros(len(rows), dtype=np.bool_)
        for part in self.words.parts[self.at]:
            for one in numbers:
                had |= part.has(one, rows)
        return had

    def _met(self, word: str) -> NDArray[np.int32]:
        terms, plan = self.words.terms, self.plan
        return plan.met.by(lambda: terms.vocabulary, word, plan.edits, self.halt)

    def _gather_near(
        self,
        word: str,
        lengths: NDArray[np.int32],
        sight: Sight,
        tally: kernel.Tally,
        touched: int,
    ) -> int:
        having = 0
        numbers = self._met(word)
        for part in self.words.parts[self.at]:
            firsts, lasts = part.ranges(numbers)
            several = kernel.Several(
                sealed(part.rows),
                sealed(part.counts),
                sealed(part.gone),
                sealed(firsts),
                sealed(lasts),
            )
            having = _count(several, sight, tally, having)
        return _weigh(lengths, self.measure, tally, having, touched)


@dataclass(slots=True)
class _Keywords:
    """A keyword field, whose values are its words."""

    plan: FieldPlan
    measure: kernel.Measure
    version: Version
    halt: Halt

    def gather(self, word: str, sight: Sight, tally: kernel.Tally, touched: int) -> int:
        version = self.version
        column = version.nodes.properties.get(self.plan.name)
        if column is None:
            return touched
        by_entry = self._equal(column, word)
        entries = column.at.whole
        having = np.append(by_entry > 0, False)  # for rows without an entry, -1
        rows = having[entries].nonzero()[0].astype(np.int32)
        rows = rows[searched_among(version.contents, rows)]
        entries = entries[rows]
        lengths = np.zeros(len(version.nodes), dtype=np.int32)
        lengths[rows] = column.extents(entries)[1]
        postings = kernel.Postings(
            sealed(rows),
            sealed(by_entry[entries].astype(np.int32)),
            _NONE_GONE,
            sealed(lengths),
            0,
            len(rows),
        )
        return _gather(postings, self.measure, sight, tally, touched)

    def having(self, word: str, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        column = self.version.nodes.properties.get(self.plan.name)
        had = np.zeros(len(rows), dtype=np.bool_)
        if column is not None:
            held = column.holding(rows)
            had[held.places] = self._equal(column, word)[held.entries] > 0
            had &= searched_among(self.version.contents, rows)
        return had

    def _equal(self, column: Column, word: str) -> NDArray[np.int64]:
        """By entry of *column*: how many of its values are *word*."""
        terms, plan = self.version.keywords, self.plan
        met = plan.met.by(lambda: terms.folded(self.halt), word, plan.edits, self.halt)
        equal = counted(np.isin(column.values, met))
        return equal[column.bounds[1:]] - equal[column.bounds[:-1]]
