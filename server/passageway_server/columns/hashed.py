"""Numbers of strings by their hashes: which strings have this hash, and is this string one of them?

Of each hash its upper half is kept, sorted; those that collide are told apart by the bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import inserted
from passageway_server.columns.comparing import same_strings
from passageway_server.columns.strings import Numbers, Strings

Short = NDArray[np.uint32]
"""Upper halves of hashes."""

SHORT: Final = 32
"""The bits of a hash that are not kept."""


def short(hashes: NDArray[np.uint64]) -> Short:
    """What is kept of *hashes*."""
    return (hashes >> np.uint64(SHORT)).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Hashed:
    """Some strings of a list, each once: their hashes, ascending, and the number of the string behind each."""

    hashes: Short
    order: NDArray[np.int32]

    def __post_init__(self) -> None:
        self.hashes.flags.writeable = self.order.flags.writeable = False

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], numbers: Numbers) -> "Hashed":
        """The strings of *numbers*, which have these *hashes*."""
        kept = short(hashes)
        by_hash = np.argsort(kept, kind="stable")
        return cls(kept[by_hash], numbers[by_hash])

    def __len__(self) -> int:
        return len(self.hashes)

    def find(
        self, encoded: Sequence[bytes], wanted: Short, strings: Strings, *, found: Numbers
    ) -> None:
        """Put the numbers of strings into *found* where that is -1 and they are here.

        The strings are given by their bytes, and by what is kept of their hashes.
        """
        places = self.hashes.searchsorted(wanted)
        agree = self.hashes.take(places, mode="clip") == wanted
        likely = np.flatnonzero(agree & (found < 0))
        if not len(likely):
            return
        places = places[likely]
        numbers = self.order[places]
        heap, (starts, ends) = strings.heap.data, strings.ranges(numbers)
        for i, at, number, start, end in zip(
            likely.tolist(),
            places.tolist(),
            numbers.tolist(),
            starts.tolist(),
            ends.tolist(),
            strict=True,
        ):
            same = bytes(heap[start:end]) == encoded[i]
            found[i] = number if same else self._find_from(at + 1, encoded[i], wanted[i], strings)

    def _find_from(self, place: int, encoded: bytes, wanted: np.uint32, strings: Strings) -> int:
        """The number of *encoded*, or -1: it is at *place* or behind it, among those of its hash."""
        while place < len(self) and self.hashes[place] == wanted:
            number = int(self.order[place])
            if bytes(strings.encoded(number)) == encoded:
                return number
            place += 1
        return -1

    def find_packed(self, sought: Strings, hashes: NDArray[np.uint64], strings: Strings) -> Numbers:
        """As `find`, of the strings *sought*: none becomes a Python object."""
        found = np.full(len(sought), -1, dtype=np.int32)
        left, wanted = np.arange(len(sought)), short(hashes)
        places = self.hashes.searchsorted(wanted)
        while True:  # once, but for strings whose hashes collide
            agree = places < len(self)
            agree[agree] = self.hashes[places[agree]] == wanted[left[agree]]
            left, places = left[agree], places[agree]
            if not len(left):
                return found
            there = self.order[places]
            same = same_strings(sought, left, strings, there)
            found[left[same]] = there[same]
            left, places = left[~same], places[~same] + 1

    def under(self, above: "Hashed", strings: Strings) -> "Hashed":
        """These and those of *above*, which take the place of the same strings here."""
        if not len(self) or not len(above):
            return above if len(above) else self
        kept = self._but_for(above, strings)
        places = kept.hashes.searchsorted(above.hashes)
        return Hashed(
            inserted(kept.hashes, places, above.hashes),
            inserted(kept.order, places, above.order),
        )

    def _but_for(self, above: "Hashed", strings: Strings) -> "Hashed":
        there: list[NDArray[np.int64]] = []
        left, places = np.arange(len(above)), self.hashes.searchsorted(above.hashes)
        while True:  # once, but for strings whose hashes collide
            agree = places < len(self)
            agree[agree] = self.hashes[places[agree]] == above.hashes[left[agree]]
            left, places = left[agree], places[agree]
            if not len(left):
                break
            same = same_strings(strings, above.order[left], strings, self.order[places])
            there.append(places[same])
            left, places = left[~same], places[~same] + 1
        if not there:
            return self
        gone = np.concatenate(there)
        return Hashed(np.delete(self.hashes, gone), np.delete(self.order, gone))


NO_HASHES = Hashed(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.int32))
"""No strings."""
