"""Distinct strings with numbers: what number does this string have, and what string this number?

Numbers are given in the order of first appearance and never change. A look-up goes by a 64-bit hash, sorted; hashes
that collide are told apart by the bytes. There is no Python object for each string.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.strings import Numbers, Strings


def _hash(encoded: bytes) -> int:
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "little")


class Terms:
    """A growing set of strings, each with its number."""

    __slots__ = ("hashes", "order", "strings")

    def __init__(
        self, strings: Strings, hashes: NDArray[np.uint64], order: NDArray[np.int32]
    ) -> None:
        self.strings = strings
        self.hashes = hashes  # sorted
        self.order = order  # the number of the string behind each hash

    @classmethod
    def of(cls, strings: Sequence[str] = ()) -> "Terms":
        """The given strings, numbered in order of first appearance."""
        empty = cls(Strings.of(), np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int32))
        return empty.interned(strings)[0]

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, number: int) -> str:
        return self.strings[number]

    def take(self, numbers: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The strings of *numbers*, in their order."""
        return self.strings.take(numbers)

    def find(self, string: str) -> int:
        """The number of *string*, or -1."""
        encoded = string.encode()
        place = self.hashes.searchsorted(np.uint64(_hash(encoded)))
        return self._find_from(int(place), encoded)

    def find_all(self, strings: Sequence[str]) -> Numbers:
        """The number of each string, -1 where there is none: int32[len(strings)]."""
        encoded = [string.encode() for string in strings]
        return self._find_encoded(encoded, hashes_of(encoded))

    def interned(self, strings: Sequence[str]) -> tuple["Terms", Numbers]:
        """These terms with the missing ones of *strings* added, and the number of each of *strings*."""
        distinct = list(dict.fromkeys(strings))
        encoded = [string.encode() for string in distinct]
        hashes = hashes_of(encoded)
        numbers = self._find_encoded(encoded, hashes)
        missing = np.flatnonzero(numbers < 0)
        terms = self
        if len(missing):
            numbers[missing] = np.arange(len(self), len(self) + len(missing), dtype=np.int32)
            terms = self._extended([distinct[i] for i in missing], hashes[missing])
        if len(distinct) == len(strings):
            return terms, numbers
        number_of = dict(zip(distinct, numbers.tolist(), strict=True))
        return terms, np.fromiter(
            map(number_of.__getitem__, strings), dtype=np.int32, count=len(strings)
        )

    def _find_encoded(self, encoded: Sequence[bytes], hashes: NDArray[np.uint64]) -> Numbers:
        found = np.full(len(encoded), -1, dtype=np.int32)
        if not len(self.hashes):
            return found
        places = np.minimum(self.hashes.searchsorted(hashes), len(self.hashes) - 1)
        likely = np.flatnonzero(self.hashes[places] == hashes)
        numbers = self.order[places[likely]]
        bounds, heap = self.strings.bounds, self.strings.heap.data
        starts, ends = bounds[numbers].tolist(), bounds[numbers + 1].tolist()
        for i, number, start, end in zip(
            likely.tolist(), numbers.tolist(), starts, ends, strict=True
        ):
            same = bytes(heap[start:end]) == encoded[i]
            found[i] = number if same else self._find_from(int(places[i]) + 1, encoded[i])
        return found

    def _find_from(self, place: int, encoded: bytes) -> int:
        """The number of *encoded*, or -1: it is at *place* or behind it, among those of its hash."""
        wanted = _hash(encoded)
        while place < len(self.hashes) and int(self.hashes[place]) == wanted:
            number = int(self.order[place])
            if bytes(self.strings.encoded(number)) == encoded:
                return number
            place += 1
        return -1

    def _extended(self, strings: Sequence[str], hashes: NDArray[np.uint64]) -> "Terms":
        numbers = np.arange(len(self), len(self) + len(strings), dtype=np.int32)
        by_hash = np.argsort(hashes, kind="stable")
        places = np.searchsorted(self.hashes, hashes[by_hash])
        return Terms(
            self.strings.extended(strings),
            np.insert(self.hashes, places, hashes[by_hash]),
            np.insert(self.order, places, numbers[by_hash]),
        )

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {**self.strings.arrays(), "hashes": self.hashes, "order": self.order}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Terms":
        """The inverse of `arrays`."""
        return cls(Strings.from_arrays(arrays), arrays["hashes"], arrays["order"])  # type: ignore[arg-type]


def hashes_of(encoded: Sequence[bytes]) -> NDArray[np.uint64]:
    """The hashes by which strings of these bytes are found."""
    digests = b"".join([blake2b(part, digest_size=8).digest() for part in encoded])
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64, copy=False)
