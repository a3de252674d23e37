"""Rows by their words: how well does the text of each row fit the words that are asked for?

The score is BM25F (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple weighted fields", 2004) over the rows that
the call may see, and no others: how many there are, how many have a word and how long texts are on average is counted anew for
each call, by the classes of rows that are open to it.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.kernels import words as kernel
from passageway_server.engine.kernels.arrays import Sight
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.lending import Pool
from passageway_server.engine.searched import FieldPlan, searched
from passageway_server.version.statistics import Counted, Statistics
from passageway_server.version.version import Version

K1: Final = 1.2

_settle, _taken = direct(kernel.settle), direct(kernel.taken)


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
            counts=np.zeros(rows, dtype=np.int32),
            counted=np.empty(rows, dtype=np.int32),
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
    sight = Sight.of(version.gates, scope)
    counted = _counted(version, scope)
    fields = searched(version, plan, counted, scope)
    asked = list(dict.fromkeys(word for field in fields for word in field.plan.words))
    found = 0
    with _POOL.lent(len(version.nodes)) as scratch:
        tally = scratch.tally
        for word in asked:
            touched = 0
            for field in fields:
                if word in field.plan.words:
                    touched = field.gather(word, sight, tally, touched)
            if touched:
                found = _settle(tally, touched, idf(counted.rows, touched), K1, found)
            if scope.halt.spent():
                break
        scores, rows = np.empty(found, dtype=np.float64), np.empty(found, dtype=np.int32)
        _taken(tally, found, scores, rows)
    return Scored(rows, scores)


def shared_words(
    version: Version, plan: Sequence[FieldPlan], rows: NDArray[np.int32], gate: Gate
) -> NDArray[np.int64]:
    """How many of the words of *plan* each of *rows*, which *gate* opens, has, in whichever of its fields.

    Raises DeadlineExceeded, Cancelled.
    """
    counts = np.zeros(len(rows), dtype=np.int64)
    fields = searched(version, plan, _counted(version, gate), gate)
    for word in dict.fromkeys(word for field in fields for word in field.plan.words):
        gate.halt.spent()
        had = np.zeros(len(rows), dtype=np.bool_)
        for field in fields:
            if word in field.plan.words:
                had |= field.having(word, rows)
        counts += had
    return counts


def _counted(version: Version, gate: Gate) -> Counted:
    statistics = version.remember(Statistics, lambda: Statistics.of(version))
    return statistics.seen(version, gate)


def idf(rows: int, having: int) -> float:
    """What a word is worth that *having* of *rows* rows have."""
    return math.log(1 + (rows - having + 0.5) / (having + 0.5))
