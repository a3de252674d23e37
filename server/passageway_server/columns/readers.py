"""Reader sets, each interned once: does this caller hold set s?

A set is a choice of readers, each one principal or several joined by ``&``. Two sets may also be joined (a span's: the
parent's and its own). The verdict on a set depends on its content and the principals alone, never on a version,
so it is remembered by principal set and grows with new sets.
"""

import threading
from bisect import bisect_left
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.remembered import Remembered
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms

NOBODY, EMPTY, ANYONE = 0, 1, 2
"""Never readable; readable by an admin alone; readable by all who may read the ends."""

# Verdicts of the latest callers: a byte for each set.
_ENTRIES, _BYTES = 256, 64 << 20


def parts(reader: str) -> tuple[str, ...]:
    """The principals that a reader joins: all of them must be held."""
    return tuple(part.strip() for part in reader.split("&"))


class ReaderSets:
    """The reader sets of one collection, numbered from 0 in order of first appearance. It only grows."""

    def __init__(self) -> None:
        self._sets: list[tuple[str, ...]] = [(), (), ()]  # () also where two sets are joined
        self._numbers: dict[tuple[str, ...] | tuple[int, int], int] = {(): EMPTY}
        self._alone: dict[str, list[int]] = {}  # principal -> sets with it as a reader
        self._together: list[tuple[int, tuple[str, ...]]] = []  # readers of several principals
        self._joined: list[tuple[int, int, int]] = []  # a set, and the two that it joins
        self._lock = threading.Lock()
        self._held = Remembered[tuple[frozenset[str], bool], NDArray[np.uint8]](
            entries=_ENTRIES, bytes=_BYTES
        )

    def __len__(self) -> int:
        return len(self._sets)

    def intern(self, readers: tuple[str, ...]) -> int:
        """The number of the set of *readers*; () is EMPTY."""
        number = self._numbers.get(readers)
        if number is not None:
            return number
        with self._lock:
            return self._numbers.get(readers) or self._add_set(readers)

    def both(self, first: int, second: int) -> int:
        """The number of the set that is held when *first* and *second* are."""
        if NOBODY in (first, second):
            return NOBODY
        if second == ANYONE or first == second:
            return first
        with self._lock:
            return self._numbers.get((first, second)) or self._add_joined(first, second)

    def readers(self, number: int) -> tuple[str, ...]:
        """The readers of a set, as they were put; () for the built-in and the joined ones."""
        return self._sets[number]

    def held(self, principals: frozenset[str], *, admin: bool) -> NDArray[np.uint8]:
        """For each set, 1 where a caller with *principals* holds it: uint8[len(self)], read-only."""
        key = (principals, admin)
        with self._lock:
            known = self._held.get(key)
            if known is None or len(known) < len(self._sets):
                known = self._judge(principals, admin=admin, judged=known)
                self._held.put(key, known, size=known.nbytes)
            return known

    def _add_set(self, readers: tuple[str, ...]) -> int:
        number = len(self._sets)
        self._sets.append(readers)
        for reader in readers:
            principals = parts(reader)
            if len(principals) == 1:
                self._alone.setdefault(principals[0], []).append(number)
            else:
                self._together.append((number, principals))
        self._numbers[readers] = number
        return number

    def _add_joined(self, first: int, second: int) -> int:
        number = len(self._sets)
        self._sets.append(())
        self._joined.append((number, first, second))
        self._numbers[first, second] = number
        return number

    def _judge(
        self, principals: frozenset[str], *, admin: bool, judged: NDArray[np.uint8] | None
    ) -> NDArray[np.uint8]:
        """The verdict on every set; *judged* has it on the first ones already."""
        first = ANYONE + 1 if judged is None else len(judged)
        held = np.full(len(self._sets), 1 if admin else 0, dtype=np.uint8)
        held[NOBODY], held[ANYONE] = 0, 1
        if judged is not None:
            held[:first] = judged
        if not admin:
            for principal in principals:
                sets = self._alone.get(principal, [])
                for number in sets[bisect_left(sets, first) :]:
                    held[number] = 1
            newest = bisect_left(self._together, first, key=itemgetter(0))
            for number, together in self._together[newest:]:
                if principals.issuperset(together):
                    held[number] = 1
            newest = bisect_left(self._joined, first, key=itemgetter(0))
            for number, one, other in self._joined[newest:]:  # it comes after its parts
                held[number] = held[one] & held[other]
        held.flags.writeable = False
        return held

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores: set n is ``members[bounds[n]:bounds[n + 1]]`` of the reader texts.

        ``joined`` holds a row (set, its first, its second) for each joined set. The built-in sets are empty.
        """
        with self._lock:  # a writer may be interning
            sets, joined = list(self._sets), list(self._joined)
        texts, numbers = Terms.of().interned([reader for readers in sets for reader in readers])
        lengths = [0, *map(len, sets)]
        return {
            **{f"texts.{name}": array for name, array in texts.strings.arrays().items()},
            "members": numbers,
            "bounds": np.cumsum(np.array(lengths, dtype=np.int64)),
            "joined": np.array(joined, dtype=np.int32).reshape(-1, 3),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "ReaderSets":
        """The inverse of `arrays`."""
        strings = Strings.from_arrays(
            {name: arrays[f"texts.{name}"] for name in ("heap", "bounds")}
        )
        members = strings.take(arrays["members"])
        bounds = arrays["bounds"].tolist()
        joined = {number: (first, second) for number, first, second in arrays["joined"].tolist()}
        sets = cls()
        for number in range(ANYONE + 1, len(bounds) - 1):
            if number in joined:
                sets._add_joined(*joined[number])
            else:
                sets._add_set(tuple(members[bounds[number] : bounds[number + 1]]))
        return sets
