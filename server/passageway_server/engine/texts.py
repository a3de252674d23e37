"""Strings tested by one string, and sets of strings, by kernels: no string becomes a Python object.

UTF-8 sorts as code points do, so that order and equality by bytes are those by code point. What may
take long raises what *halt* says.
"""

import secrets
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.strings import Strings
from passageway_server.engine.kernels import texts as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.values.halt import UNHALTED, Halt

Entries = NDArray[np.integer]
Verdicts = NDArray[np.bool_]


def equal(strings: Strings, entries: Entries, text: str, halt: Halt = UNHALTED) -> Verdicts:
    """Which of *entries* are *text*: bool[entries]."""
    return _affixed(strings, entries, text, at_start=True, at_end=True, halt=halt)


def starting(strings: Strings, entries: Entries, text: str, halt: Halt = UNHALTED) -> Verdicts:
    """Which of *entries* begin with *text*: bool[entries]."""
    return _affixed(strings, entries, text, at_start=True, at_end=False, halt=halt)


def ending(strings: Strings, entries: Entries, text: str, halt: Halt = UNHALTED) -> Verdicts:
    """Which of *entries* end with *text*: bool[entries]."""
    return _affixed(strings, entries, text, at_start=False, at_end=True, halt=halt)


def order(strings: Strings, entries: Entries, text: str, halt: Halt = UNHALTED) -> NDArray[np.int8]:
    """-1, 0 or 1 where each of *entries* is before, equal to or after *text*: int8[entries]."""
    signs = np.empty(len(entries), dtype=np.int8)
    kernel.compare(*_arrays(strings, entries), _bytes(text), signs, sealed(halt.flag))
    halt.check()
    return signs


def _affixed(
    strings: Strings, entries: Entries, text: str, *, at_start: bool, at_end: bool, halt: Halt
) -> Verdicts:
    met = np.empty(len(entries), dtype=np.bool_)
    arrays = _arrays(strings, entries)
    kernel.affixed(*arrays, _bytes(text), at_start, at_end, met, sealed(halt.flag))
    halt.check()
    return met


@dataclass(frozen=True, slots=True)
class TextSet:
    """A set of strings of one heap: is this string of another among them?"""

    strings: Strings
    entries: NDArray[np.int32]  # the first of each string, in the order in which they came
    places: NDArray[np.int64]
    weights: NDArray[np.uint64]  # of the hashes; nobody knows them who could choose the strings

    @classmethod
    def of(
        cls, strings: Strings, entries: Entries, *, halt: Halt = UNHALTED, most: int | None = None
    ) -> "TextSet | None":
        """The distinct strings of *entries*; None where they are more than *most*."""
        room = len(entries) if most is None else min(len(entries), most)
        places = np.full(1 << (2 * room).bit_length(), kernel.FREE, dtype=np.int64)
        distinct = np.empty(room, dtype=np.int32)
        weights = _weights()
        arrays = _arrays(strings, entries)
        found = kernel.fill(*arrays, sealed(weights), places, distinct, sealed(halt.flag))
        halt.check()
        if found > room:
            return None
        first = distinct[:found]
        if strings.are_narrow:
            first = np.asarray(entries, dtype=np.int32)[first >> 1]
        return cls(strings, sealed(first), sealed(places), sealed(weights))

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def nbytes(self) -> int:
        """Bytes that nothing else holds."""
        return self.entries.nbytes + self.places.nbytes

    def holds(self, strings: Strings, entries: Entries, halt: Halt = UNHALTED) -> Verdicts:
        """Which of *entries* of *strings* are in the set: bool[entries]."""
        met = np.empty(len(entries), dtype=np.bool_)
        kernel.find(
            *_arrays(strings, entries),
            *_arrays(self.strings, self.entries),
            self.weights,
            self.places,
            met,
            sealed(halt.flag),
        )
        halt.check()
        return met


def _weights() -> NDArray[np.uint64]:
    """The powers of a point that is drawn, from `kernel.BLOCK` down to 0."""
    point = 2 + secrets.randbelow(kernel.PRIME - 2)
    exponents = range(kernel.BLOCK, -1, -1)
    return np.array(list(map(pow, repeat(point), exponents, repeat(kernel.PRIME))), dtype=np.uint64)


def _arrays(
    strings: Strings, entries: Entries
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]:
    if strings.are_narrow:  # kernels take bounds of 64 bits: those of *entries* alone, pair by pair
        bounds = np.stack(strings.ranges(np.asarray(entries)), axis=1).reshape(-1)
        numbers = np.arange(0, len(bounds), 2, dtype=np.int32)
        return sealed(strings.heap), sealed(bounds), sealed(numbers)
    numbers = np.ascontiguousarray(entries, dtype=np.int32)
    return sealed(strings.heap), sealed(strings.bounds), sealed(numbers)


def _bytes(text: str) -> NDArray[np.uint8]:
    return sealed(np.frombuffer(text.encode(), dtype=np.uint8))
