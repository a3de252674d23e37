"""Strings within a few edits of a word, that begin as it does."""

from collections.abc import Callable

import numpy as np

from passageway_server.columns.strings import Numbers
from passageway_server.columns.vocabulary import Vocabulary
from passageway_server.engine.kernels import edits as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.values.halt import UNHALTED, Halt


def near(vocabulary: Vocabulary, word: str, edits: int, halt: Halt = UNHALTED) -> Numbers:
    """The numbers of the strings at most *edits* edits from *word*, which is not empty.

    Out of time, some of them. Raises DeadlineExceeded, Cancelled.
    """
    strings, numbers = vocabulary.strings, vocabulary.around(word, edits)
    met = np.zeros(len(numbers), dtype=np.bool_)
    starts, ends = strings.ranges(numbers)
    kernel.near(
        sealed(strings.heap),
        sealed(starts),
        sealed(ends),
        sealed(np.frombuffer(word.encode("utf-32-le"), dtype=np.int32)),
        edits,
        np.empty(len(word) + edits, dtype=np.int32),
        np.empty(3 * (2 * edits + 3), dtype=np.int64),
        met,
        sealed(halt.flag),
    )
    halt.spent()
    return numbers[met]


class Met:
    """The words of one vocabulary that those of a call meet: each is looked for once."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[str, int], Numbers] = {}

    def by(
        self, vocabulary: Callable[[], Vocabulary], word: str, edits: int, halt: Halt
    ) -> Numbers:
        """As `near`, in the vocabulary that is asked for where *word* was not looked for before."""
        key = word, edits
        if key not in self._found:
            self._found[key] = near(vocabulary(), word, edits, halt)
        return self._found[key]
