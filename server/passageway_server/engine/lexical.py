"""Rows by their words: how well does the text of each row fit the words that are asked for?

The score is BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", 2004) over the rows that
the call may see, and no others: how many there are, how many have a word and how long texts are on average is counted anew for
each call, by the classes of rows that are open to it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.words.index import Words
from passageway_server.engine.kernels import words as kernel
from passageway_server.engine.kernels.arrays import Sight, sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.lending import Pool
from passageway_server.values.halt import Halt
from passageway_server.version.statistics import Statistics
from passageway_server.version.version import Version

K1: Final = 1.2
B: Final = 0.75

_gather, _settle, _taken = direct(kernel.gather), direct(kernel.settle), direct(kernel.taken)


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """A field to search: how much its words count, and the distinct words that are asked for, in its language."""

    name: str
    weight: float
    language: str
    words: tuple[str, ...]


class _Scratch:
    """A tally of which nothing is left between calls."""

    __slots__ = ("rows", "tally")

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.tally = kernel.Tally(
            amounts=np.zeros(rows, dtype=np.float64),
            scores=np.zeros(rows, dtype=np.float64),
            touched=np.empty(rows, dtype=np.int32),
            found=np.empty(rows, dtype=np.int32),
        )

    def clear(self) -> None:
        """Nothing: the last kernel of a call leaves it clear."""


_POOL = Pool(_Scratch)


class Scored(NamedTuple):
    """Rows that have some word, in any order, and the score of each, which is above 0."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float64]


def scored(version: Version, plan: Sequence[FieldPlan], scope: Gate) -> Scored:
    """The rows open to *scope* that have a word of *plan*, in one of its fields.

    Shares of words are added in their order, and of fields in that of *plan*. Raises DeadlineExceeded and Cancelled where the
    call of *scope* is over.
    """
    words, sight = version.words, Sight.of(version.gates, scope)
    known = {field.name: number for number, field in enumerate(words.fields)}
    fields = [(known[field.name], field) for field in plan if field.name in known]
    statistics = version.remember(Statistics, lambda: Statistics.of(version))
    counted = statistics.seen(version, scope)
    asked = list(dict.fromkeys(word for _, field in fields for word in field.words))
    numbers = words.terms.find_all(asked).tolist()
    found = 0
    with _POOL.lent(len(version.nodes)) as scratch:
        tally = scratch.tally
        for word, number in zip(asked, numbers, strict=True):
            touched = 0
            for at, field in fields:
                if number < 0 or word not in field.words:
                    continue
                measure = kernel.Measure(field.weight, B, counted.average(at))
                for postings in _postings(words, at, number):
                    touched = _gather(postings, measure, sight, tally, touched)
            if touched:
                found = _settle(tally, touched, idf(counted.rows, touched), K1, found)
            if scope.halt.spent():
                break
        scores, rows = np.empty(found, dtype=np.float64), np.empty(found, dtype=np.int32)
        _taken(tally, found, scores, rows)
    return Scored(rows, scores)


def words_in(
    version: Version, plan: Sequence[FieldPlan], rows: NDArray[np.int32], halt: Halt
) -> NDArray[np.int64]:
    """How many of the words of *plan* each of *rows* has, in whichever of its fields. Raises DeadlineExceeded, Cancelled."""
    words, counts = version.words, np.zeros(len(rows), dtype=np.int64)
    known = {field.name: number for number, field in enumerate(words.fields)}
    asked = list(dict.fromkeys(word for field in plan for word in field.words))
    for word, number in zip(asked, words.terms.find_all(asked).tolist(), strict=True):
        halt.spent()
        had = np.zeros(len(rows), dtype=np.bool_)
        for field in plan if number >= 0 else ():
            if word in field.words and field.name in known:
                for part in words.parts[known[field.name]]:
                    had |= part.has(number, rows)
        counts += had
    return counts


def idf(rows: int, having: int) -> float:
    """What a word is worth that *having* of *rows* rows have."""
    return math.log(1 + (rows - having + 0.5) / (having + 0.5))


def _postings(words: Words, field: int, number: int) -> Iterator[kernel.Postings]:
    """Those of a word in each part that has it."""
    lengths = sealed(words.lengths[field].array)
    for part in words.parts[field]:
        first, last = part.slots(number)
        if first < last:
            yield kernel.Postings(
                sealed(part.rows), sealed(part.counts), sealed(part.gone), lengths, first, last
            )
