"""Reader sets, each interned once: does this caller hold set s?

A set is a choice of readers, each one principal or several joined by ``&``. Two sets may also be joined (a span's: the
parent's and its own). The verdict on a set depends on its content and the principals alone, never on a version,
so it is remembered by principal set and grows with new sets.
"""

import threading
from bisect import bisect_left
from collections.abc import Mapping
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.remembered import Remembered
from passageway_server.columns.strings import Strings
from passageway_server.columns.terms import Terms
from passageway_server.values.principals import bytes_of

NOBODY, EMPTY, ANYONE = 0, 1, 2
"""Never readable; readable by an admin alone; readable by all who may read the ends."""

# Verdicts of the latest callers: a byte for each set, and the principals themselves.
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
        # Readers of several principals, by the first of them.
        self._together: dict[str, list[tuple[int, frozenset[str]]]] = {}
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
        """The number of the set that is held when *first* and *second* are. Raises ValueError where one is no set."""
        if min(first, second) < NOBODY:
            raise ValueError("a reader set that is not there")
        if NOBODY in (first, second):
            return NOBODY
        if second == ANYONE or first == second:
            return first
        with self._lock:
            return self._numbers.get((first, second)) or self._add_joined(first, second)

    def taken_over(self, other: "ReaderSets", number: int) -> int:
        """The number here of the set that *other* knows under *number*."""
        if number <= ANYONE:
            return number
        joined = other.joined(number)
        if joined is None:
            return self.intern(other.readers(number))
        first, second = (self.taken_over(other, each) for each in joined)
        return self.both(first, second)

    def joined(self, number: int) -> tuple[int, int] | None:
        """The two sets that a set joins, None for one that joins none."""
        with self._lock:
            place = bisect_left(self._joined, number, key=itemgetter(0))
            if place == len(self._joined) or self._joined[place][0] != number:
                return None
            return self._joined[place][1:]

    def readers(self, number: int) -> tuple[str, ...]:
        """The readers of a set, as they were put; () for the built-in and the joined ones."""
        return self._sets[number]

    def held(self, principals: frozenset[str], *, admin: bool) -> NDArray[np.uint8]:
        """For each set, 1 where a caller with *principals* holds it: uint8[len(self)], read-only."""
        key = (principals, admin)
        known = self._held.get(key)
        with self._lock:
            sets = len(self._sets)  # those that are there in full; others may come meanwhile
        if known is None or len(known) < sets:
            known = self._judge(principals, sets, admin=admin, judged=known)
            self._held.put(key, known, size=known.nbytes + bytes_of(principals))
        return known

    def _add_set(self, readers: tuple[str, ...]) -> int:
        number = len(self._sets)
        self._sets.append(readers)
        for reader in readers:
            principals = parts(reader)
            if len(principals) == 1:
                self._alone.setdefault(principals[0], []).append(number)
            else:
                self._together.setdefault(principals[0], []).append((number, frozenset(principals)))
        self._numbers[readers] = number
        return number

    def _add_joined(self, first: int, second: int) -> int:
        number = len(self._sets)
        self._sets.append(())
        self._joined.append((number, first, second))
        self._numbers[first, second] = number
        return number

    def _judge(
        self,
        principals: frozenset[str],
        sets: int,
        *,
        admin: bool,
        judged: NDArray[np.uint8] | None,
    ) -> NDArray[np.uint8]:
        """The verdict on the first *sets* sets; *judged* has it on some of them already."""
        first = ANYONE + 1 if judged is None else len(judged)
        held = np.full(sets, 1 if admin else 0, dtype=np.uint8)
        held[NOBODY], held[ANYONE] = 0, 1
        if judged is not None:
            held[:first] = judged
        if not admin:
            held[self._named(principals, first, sets)] = 1
            of_new = slice(
                *(bisect_left(self._joined, n, key=itemgetter(0)) for n in (first, sets))
            )
            for number, one, other in self._joined[of_new]:  # it comes after its parts
                held[number] = held[one] & held[other]
        held.flags.writeable = False
        return held

    def _named(self, principals: frozenset[str], first: int, sets: int) -> NDArray[np.int64]:
        """Those from set *first* on, up to *sets*, with a reader that *principals* hold: some may stand twice."""
        alone = filter(None, map(self._alone.get, principals))
        together = filter(None, map(self._together.get, principals))
        numbers = chain(
            chain.from_iterable(
                each if each[0] >= first else each[bisect_left(each, first) :] for each in alone
            ),
            (n for n, all_of in chain.from_iterable(together) if all_of <= principals),
        )
        named = np.fromiter(numbers, dtype=np.int64)
        return named[(named >= first) & (named < sets)]

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
        """The inverse of `arrays`. Raises ValueError where a set joins what does not come before it."""
        strings = Strings.from_arrays(
            {name: arrays[f"texts.{name}"] for name in ("heap", "bounds")}
        )
        members = strings.take(arrays["members"])
        bounds = arrays["bounds"].tolist()
        joined = {number: (first, second) for number, first, second in arrays["joined"].tolist()}
        sets = cls()
        for number in range(ANYONE + 1, len(bounds) - 1):
            if number in joined:
                if not NOBODY < min(joined[number]) <= max(joined[number]) < number:
                    raise ValueError("a reader set that joins what is not there")
                sets._add_joined(*joined[number])
            else:
                sets._add_set(tuple(members[bounds[number] : bounds[number + 1]]))
        return sets
