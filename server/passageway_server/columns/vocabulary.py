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
        heap, bounds = strings.heap[bounds[0] : bounds[-1]], bounds - bounds[0]
        some = (np.diff(bounds) > 0).nonzero()[0]
        keys = _keys(heap, bounds[some], bounds[some + 1])
        order = np.argsort(keys, kind="stable")
        keys, numbers = keys[order], (some[order] + first).astype(np.int32)
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


def _keys(
    heap: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """The key of each of the strings in *heap*, none of which is empty."""
    begins = counted((heap & 0xC0) != 0x80)  # bytes that go on a character do not count
    lengths = begins[ends] - begins[starts]
    first = np.zeros(len(starts), dtype=np.uint64)
    for place in range(4):
        byte = heap.take(starts + place, mode="clip").astype(np.uint64)
        first = first << np.uint64(8) | byte
    masks = _MASKS[_CHARACTER_BYTES[(first >> np.uint64(28)).astype(np.int64)]]
    keys: NDArray[np.uint64] = (first & masks) << _LENGTH_BITS | lengths.astype(np.uint64)
    return keys
