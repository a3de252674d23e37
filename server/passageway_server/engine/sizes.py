"""How large an answer would be, judged part by part, each before it is made.

Lengths stand in the bounds of the heaps, so a part that no channel would carry costs no memory.
Only what the answer shows counts: nothing can be told from it of rows that are hidden.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import lengths_of
from passageway_server.columns.strings import Strings
from passageway_server.errors import LimitExceeded

MOST_BYTES = 64 << 20
"""What a channel carries in one message."""

FRAME = 2
"""What each string and each message of an answer takes beside its content, at the least: its tag and its length."""

DOUBLE = 8
"""The bytes of a double; about those of a time, too."""

WEIGHT = 1 + DOUBLE
"""The bytes of a double that has a tag, such as a weight."""

Rows = NDArray[np.integer]

_VARINTS = np.left_shift(np.uint64(1), np.arange(7, 64, 7, dtype=np.uint64))
"""By length of a varint, from 2 bytes on: the least number that takes as many."""


class Size:
    """How many bytes the parts of one answer take so far; a part is added before it is made."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        self._taken = 0

    def add(self, size: int, *, lower: str = "content_max_chars") -> None:
        """Count *size* bytes more. Raises LimitExceeded where the answer would pass `MOST_BYTES`;
        *lower* is the parameter to lower then.
        """
        self.check(size, lower=lower)
        self._taken += size

    def add_ids(self, ids: Sequence[str]) -> None:
        """Count each of *ids*, which are few or stand there already."""
        self.add(sum(FRAME + len(id if id.isascii() else id.encode()) for id in ids))

    def add_texts(self, strings: Strings, entries: Rows) -> None:
        """Count each of *entries* of *strings*, each a part of the answer by itself."""
        self.add(size_of_texts(strings, entries))

    def check(self, size: int, *, lower: str = "content_max_chars") -> None:
        """Raise LimitExceeded where *size* bytes more would pass `MOST_BYTES`."""
        if self._taken + size > MOST_BYTES:
            raise LimitExceeded(
                "ANSWER_BYTES",
                limit=MOST_BYTES,
                parameter=lower,
                advice="an answer of as many bytes cannot be sent: ask for fewer rows, fewer fields,"
                " fewer buckets or shorter previews",
            )


def size_of_texts(strings: Strings, entries: Rows) -> int:
    """The bytes of *entries* of *strings*, each a part of an answer by itself."""
    return summed(strings, entries) + FRAME * len(entries)


def size_of_readers(sets: Mapping[int, Sequence[str]], numbers: Sequence[int]) -> int:
    """The bytes of the reader sets of *numbers*, each as often as it is there."""
    of_each = {n: sum(len(reader.encode()) + FRAME for reader in set_) for n, set_ in sets.items()}
    return sum(map(of_each.__getitem__, numbers))


def size_of_ints(values: NDArray[np.int64]) -> int:
    """The bytes of *values* as varints: 7 bits each, and 10 of a negative one."""
    longer = np.searchsorted(_VARINTS, values.view(np.uint64), side="right")
    return len(values) + int(longer.sum())


def summed(strings: Strings, entries: Rows) -> int:
    """The bytes of *entries* of *strings*."""
    return int(lengths_of(strings, entries).sum())
