"""Distinct strings with numbers: what number does this string have, and what string this number?

Numbers are given in the order of first appearance and never change. A look-up goes by hashes, sorted; those
that collide are told apart by the bytes. There is no Python object for each string. New strings are looked up in a small
part of their own, so that they cost nothing of what is there, until they are many; then in a larger one, so that a stream of
them copies all of it but a few times.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.hashed import NO_HASHES, Hashed, Short, short
from passageway_server.columns.hashing import hashes_of
from passageway_server.columns.strings import Numbers, Strings
from passageway_server.columns.vocabulary import Vocabulary
from passageway_server.columns.words.analysis import folded
from passageway_server.values.halt import Halt

_FEW = 65_536
_PART = 64  # of the strings: as many recent ones join those before
_LARGE_PART = 4  # and as many of those join the others
_FOLDED_AT_ONCE = 4_096


class Vocabularies(NamedTuple):
    """What is worked out from terms for those who ask, and taken over by terms that these grow into."""

    plain: Vocabulary
    folded: Vocabulary


_NO_VOCABULARIES = Vocabularies(Vocabulary.none(), Vocabulary.none())


class Terms:
    """A growing set of strings, each with its number.

    Of `anew` alone the same string may have several: then the latest is the one that is found.
    """

    __slots__ = ("_whole", "base", "before", "recent", "strings", "vocabularies")

    def __init__(
        self,
        strings: Strings,
        base: Hashed,
        recent: Hashed = NO_HASHES,
        *,
        before: Hashed = NO_HASHES,
        vocabularies: Vocabularies = _NO_VOCABULARIES,
    ) -> None:
        self.strings = strings
        self.base = base
        self.before = before  # asked before it
        self.recent = recent  # asked first
        self._whole: Hashed | None = None if len(recent) or len(before) else base
        self.vocabularies = vocabularies  # of the strings so far, or of the first of them

    @classmethod
    def of(cls, strings: Sequence[str] = ()) -> "Terms":
        """The given strings, numbered in order of first appearance."""
        return cls(Strings.of(), NO_HASHES).interned(strings)[0]

    def __len__(self) -> int:
        return len(self.strings)

    def __getitem__(self, number: int) -> str:
        return self.strings[number]

    @property
    def parts(self) -> tuple[Hashed, ...]:
        """Where strings are looked up, in this order."""
        return self.recent, self.before, self.base

    @property
    def is_whole(self) -> bool:
        """Whether all strings are looked up in one place."""
        return not len(self.recent) and not len(self.before)

    @property
    def whole(self) -> Hashed:
        """All that is looked up, as one: made when first asked for, and kept."""
        if self._whole is None:
            before = self.before.under(self.recent, self.strings)
            self._whole = self.base.under(before, self.strings)
        return self._whole

    @property
    def hashes(self) -> Short:
        """The hashes of all strings, sorted."""
        return self.whole.hashes

    @property
    def order(self) -> NDArray[np.int32]:
        """The number of the string behind each of `hashes`."""
        return self.whole.order

    @property
    def vocabulary(self) -> Vocabulary:
        """The strings by first character and length: made when first asked for, and kept."""
        known = self.vocabularies.plain
        if len(known.strings) < len(self):
            known = known.extended(self.strings)
            self.vocabularies = self.vocabularies._replace(plain=known)
        return known

    def folded(self, halt: Halt) -> Vocabulary:
        """The same of the strings as they are compared, by the same numbers.

        Out of time, of the first of them. Raises DeadlineExceeded, Cancelled; what is done by then is kept.
        """
        known = self.vocabularies.folded
        more: list[str] = []
        try:
            for first in range(len(known.strings), len(self), _FOLDED_AT_ONCE):
                if halt.spent():
                    break
                last = min(first + _FOLDED_AT_ONCE, len(self))
                more += map(folded, self.strings.take(range(first, last)))
        finally:
            if more:
                known = known.extended(known.strings.extended(more))
                self.vocabularies = self.vocabularies._replace(folded=known)
        return known

    def take(self, numbers: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The strings of *numbers*, in their order."""
        return self.strings.take(numbers)

    def chosen(self, numbers: NDArray[np.integer]) -> "Terms":
        """The terms of *numbers*, which ascend, numbered from 0: those of them that are found."""
        whole = self.whole
        new = np.full(len(self), -1, dtype=np.int32)
        new[numbers] = np.arange(len(numbers), dtype=np.int32)
        there = np.flatnonzero(new[whole.order] >= 0)
        hashed = Hashed(whole.hashes[there], new[whole.order[there]])
        return Terms(self.strings.chosen(numbers), hashed)

    def find(self, string: str) -> int:
        """The number of *string*, or -1."""
        return int(self.find_all([string])[0])

    def find_all(self, strings: Sequence[str]) -> Numbers:
        """The number of each string, -1 where there is none: int32[len(strings)]."""
        if not strings:
            return np.empty(0, dtype=np.int32)
        encoded = [string.encode() for string in strings]
        return self._find(encoded, hashes_of(encoded))

    def interned(self, strings: Sequence[str]) -> tuple["Terms", Numbers]:
        """These terms with the missing ones of *strings* added, and the number of each of *strings*."""
        distinct = list(dict.fromkeys(strings))
        encoded = [string.encode() for string in distinct]
        hashes = hashes_of(encoded)
        numbers = self._find(encoded, hashes)
        missing = (numbers < 0).nonzero()[0]
        terms = self
        if len(missing):
            numbers[missing] = self._next_numbers(len(missing))
            added = self.strings.extended([distinct[i] for i in missing.tolist()])
            terms = self.extended(added, hashes[missing])
        if len(distinct) == len(strings):
            return terms, numbers
        number_of = dict(zip(distinct, numbers.tolist(), strict=True))
        return terms, np.fromiter(
            map(number_of.__getitem__, strings), dtype=np.int32, count=len(strings)
        )

    def anew(self, strings: Sequence[str]) -> tuple["Terms", Numbers]:
        """These terms with a new number for each of *strings*, which are distinct; older numbers are found no more."""
        hashes = hashes_of([string.encode() for string in strings])
        return self.extended(self.strings.extended(strings), hashes), self._next_numbers(
            len(strings)
        )

    def extended(self, strings: Strings, hashes: NDArray[np.uint64]) -> "Terms":
        """These terms with the strings behind them that *strings* has more, with their *hashes*."""
        known = self.vocabularies
        numbers = np.arange(len(self), len(strings), dtype=np.int32)
        recent = self.recent.under(Hashed.of(hashes, numbers), strings)
        if len(recent) <= max(_FEW, len(self) // _PART):
            return Terms(strings, self.base, recent, before=self.before, vocabularies=known)
        before = self.before.under(recent, strings)
        if len(before) <= len(self) // _LARGE_PART:
            return Terms(strings, self.base, before=before, vocabularies=known)
        return Terms(strings, self.base.under(before, strings), vocabularies=known)

    def _find(self, encoded: Sequence[bytes], hashes: NDArray[np.uint64]) -> Numbers:
        found, wanted = np.full(len(encoded), -1, dtype=np.int32), short(hashes)
        for part in self.parts:
            if len(part):
                part.find(encoded, wanted, self.strings, found=found)
        return found

    def _next_numbers(self, count: int) -> Numbers:
        return np.arange(len(self), len(self) + count, dtype=np.int32)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name."""
        return {**self.strings.arrays(), "hashes": self.hashes, "order": self.order}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Terms":
        """The inverse of `arrays`."""
        return cls(Strings.from_arrays(arrays), Hashed(arrays["hashes"], arrays["order"]))  # type: ignore[arg-type]
