"""From texts to postings: the words of many texts, counted by row."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.growing import Growing
from passageway_server.columns.ranges import side_by_side
from passageway_server.columns.terms import Terms
from passageway_server.columns.words.analysis import Analysis, folded
from passageway_server.columns.words.part import Part

Rows = NDArray[np.int32]

_AT_ONCE: Final = 4096  # texts that are taken apart before their words are numbered
_SORTED_AT_ONCE: Final = 1 << 22  # occurrences


class Found(NamedTuple):
    """What texts of one field hold: their postings, and how many words each text has."""

    part: Part
    lengths: NDArray[np.int32]


class Gathering:
    """Numbers the words of texts, in one language, by ``terms``, which grow."""

    def __init__(self, analysis: Analysis, terms: Terms) -> None:
        self.terms = terms
        self._analysis = analysis
        self._numbers = defaultdict[str, int]()  # of pieces: the next one for each that is new
        self._numbers.default_factory = self._numbers.__len__
        # The words of piece i are words[bounds[i]:bounds[i + 1]].
        self._words = Growing.empty(np.int32)
        self._bounds = Growing(np.zeros(1, dtype=np.int64))

    def found(self, rows: Rows, texts: Sequence[str]) -> Found:
        """What *texts*, those of *rows* in one field, hold."""
        lengths = np.zeros(len(rows), dtype=np.int32)
        parts: list[Part] = []
        waiting: list[tuple[NDArray[np.int32], Rows]] = []
        held = 0
        for start in range(0, len(rows), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            words, counts = self._taken_apart(texts[some])
            lengths[some] = counts
            waiting.append((words, np.repeat(rows[some], counts)))
            held += len(words)
            if held >= _SORTED_AT_ONCE:
                parts.append(_part(waiting))
                waiting, held = [], 0
        parts.append(_part(waiting))
        return Found(Part.joined(parts) if len(parts) > 1 else parts[0], lengths)

    def _taken_apart(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The words of *texts*, one behind the other, and how many each has."""
        pieces = [folded(text).split() for text in texts]
        several = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        coded = np.fromiter(
            map(self._numbers.__getitem__, chain.from_iterable(pieces)),
            dtype=np.int64,
            count=int(several.sum()),
        )
        self._learn()
        starts, ends = self._bounds.array[coded], self._bounds.array[coded + 1]
        spread = side_by_side(starts, ends - starts)
        bounds = spread.bounds[np.append(0, np.cumsum(several))]
        return self._words.array[spread.positions], np.diff(bounds)

    def _learn(self) -> None:
        """Number the words of pieces that came for the first time."""
        known = len(self._bounds) - 1
        if known == len(self._numbers):
            return
        words = [self._analysis.of_piece(piece) for piece in islice(self._numbers, known, None)]
        self.terms, numbers = self.terms.interned([*chain.from_iterable(words)])
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        bounds = self._bounds
        self._bounds = bounds.extended(np.cumsum(lengths) + bounds.array[-1])
        self._words = self._words.extended(numbers)


def _part(occurrences: Sequence[tuple[NDArray[np.int32], Rows]]) -> Part:
    nothing = np.empty(0, dtype=np.int32)
    words = np.concatenate([nothing, *(one[0] for one in occurrences)])
    return Part.of(words, np.concatenate([nothing, *(one[1] for one in occurrences)]))
