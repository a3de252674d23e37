"""Strings by their first character and length: which may be within a few edits of this one?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import inserted
from passageway_server.columns.ranges import counted
from passageway_server.columns.strings import Numbers, Strings

_LENGTH_BITS = np.uint64(32)
_CHARACTER_BYTES = np.array([1] * 12 + [2] * 2 + [3, 4])  # by the high half of the first byte
_MASKS = np.array([0, 0xFF000000, 0xFFFF0000, 0xFFFFFF00, 0xFFFFFFFF], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All of ``strings`` but empty ones."""

    strings: Strings
    keys: NDArray[np.uint64]  # ascending: bytes of the first character, length in characters
    numbers: Numbers  # of the strings

    @classmethod
    def none(cls) -> "Vocabulary":
        """That of no strings."""
        return cls(Strings.of(), np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int32))

    def extended(self, strings: Strings) -> "Vocabulary":
        """That of *strings*, which begin with those of this one."""
        first, last = len(self.strings), len(strings)
        if first == last:
            return self
        bounds = strings.between(first, last)
        heap = strings.heap[bounds[0] : bounds[-1]]
        keys = _keys(heap, bounds - bounds[0])
        some = (np.diff(bounds) > 0).nonzero()[0]
        order = some[np.argsort(keys[some], kind="stable")]
        keys, numbers = keys[order], (order + first).astype(np.int32)
        places = self.keys.searchsorted(keys, side="right")
        return Vocabulary(
            strings, inserted(self.keys, places, keys), inserted(self.numbers, places, numbers)
        )

    def around(self, string: str, reach: int) -> Numbers:
        """The strings that begin as *string*, which is not empty, and are at most *reach* characters longer or shorter."""
        encoded = string[0].encode()
        first = int.from_bytes(encoded.ljust(4, b"\0"), "big") << int(_LENGTH_BITS)
        ends = [first + max(len(string) - reach, 1), first + len(string) + reach + 1]
        low, high = self.keys.searchsorted(np.array(ends, dtype=np.uint64)).tolist()
        return self.numbers[low:high]


def _keys(heap: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The key of each string of *heap*; of an empty one any."""
    begins = counted((heap & 0xC0) != 0x80)  # bytes that go on a character do not count
    lengths = begins[bounds[1:]] - begins[bounds[:-1]]
    first = np.zeros(len(lengths), dtype=np.uint64)
    for place in range(4):
        byte = heap.take(bounds[:-1] + place, mode="clip").astype(np.uint64)
        first = first << np.uint64(8) | byte
    sizes = _CHARACTER_BYTES[(first >> np.uint64(28)).astype(np.int64)]
    keys: NDArray[np.uint64] = (first & _MASKS[sizes]) << _LENGTH_BITS | lengths.astype(np.uint64)
    return keys
