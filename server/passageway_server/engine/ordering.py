"""Orders of many candidates, a part at a time: who is first, and who stands beside whom?

What candidates are compared by is a row of parts, arrays of numbers: the first part in which two
differ tells their order. Later parts are worked out for those alone that are still equal, so the
first few of a million rows cost a look at each, and a sort of a few.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.strings import Strings
from passageway_server.engine.kernels import strings as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.values.halt import Halt

Part = NDArray[Any]
Places = NDArray[np.int64]

_BYTES, _PARTS = 7, 8  # of a string in one part; parts, before the rest is ranked


class Comparable(Protocol):
    """What some candidates, numbered from 0, are compared by."""

    def part(self, number: int, among: Places) -> Part | None:
        """The part *number* of the candidates *among*; None where no more parts tell them apart.

        It means something to candidates alone that are equal in all parts before.
        """
        ...


Level = Callable[[Places], Comparable]
"""Makes candidates comparable, of which it is given the places; the next level is for equal ones."""


@dataclass(frozen=True, slots=True)
class ByNumbers:
    """Candidates compared by one array, or by several, one after another."""

    arrays: tuple[Part, ...]

    def part(self, number: int, among: Places) -> Part | None:
        """See `Comparable`."""
        return self.arrays[number][among] if number < len(self.arrays) else None


@dataclass(frozen=True, slots=True)
class ByStrings:
    """Candidates compared by *entries* of *strings*, by code point. *halt* stops what takes long."""

    strings: Strings
    entries: NDArray[np.integer]
    halt: Halt

    def part(self, number: int, among: Places) -> Part | None:
        """See `Comparable`: some bytes at a time, and in the end a rank by all the others."""
        entries = self.entries[among]
        starts, ends = self.strings.ranges(entries)
        starts = starts + number * _BYTES
        if number > _PARTS or not (starts < ends).any():
            return None
        if number < _PARTS:
            return _bytes_at(self.strings.heap, starts, ends, self.halt)
        ranks = np.zeros(len(among), dtype=np.int64)
        order = np.arange(len(among), dtype=np.int64)
        kernel.rank(
            sealed(self.strings.heap),
            sealed(np.minimum(starts, ends)),
            sealed(ends),
            order,
            ranks,
            sealed(self.halt.flag),
        )
        return ranks


def _bytes_at(
    heap: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], halt: Halt
) -> NDArray[np.uint64]:
    """The bytes from *starts* on, as many as a part has, and behind them how many those are.

    So a string comes right before those that it begins.
    """
    there = np.clip(ends - starts, 0, _BYTES)
    part = np.zeros(len(starts), dtype=np.uint64)
    for i in range(_BYTES):
        halt.spent()  # for what it raises
        byte = heap.take(starts + i, mode="clip")
        part <<= np.uint64(8)
        part |= np.where(there > i, byte, np.uint8(0))
    part <<= np.uint64(8)
    part |= there.astype(np.uint64)
    return part


def first(levels: Sequence[Level], candidates: int, limit: int, *, halt: Halt) -> Places:
    """The places of the first *limit* candidates, in order. The last level finds no two equal."""
    if limit < candidates:
        chosen = _narrowed(levels, candidates, limit, halt)
    else:
        chosen = np.arange(candidates, dtype=np.int64)
    within = [_of(level, chosen) for level in levels]
    return chosen[np.argsort(standings(within, len(chosen), halt=halt), kind="stable")]


def standings(levels: Sequence[Level], candidates: int, *, halt: Halt) -> Places:
    """By candidate: how many come before it. Equal ones have the same number."""
    stand = np.zeros(candidates, dtype=np.int64)
    left = np.arange(candidates, dtype=np.int64)
    for level in levels:
        if len(left) < 2:
            break
        comparable, those = level(left), np.arange(len(left), dtype=np.int64)
        for number in _parts(halt):
            part = comparable.part(number, those) if len(those) > 1 else None
            if part is None:
                break
            order = np.lexsort((part, stand[left]))
            left, those, part = left[order], those[order], part[order]
            group = stand[left]
            other = np.append(True, group[1:] != group[:-1])
            starts = np.flatnonzero(other | np.append(True, part[1:] != part[:-1]))
            sizes = np.diff(starts, append=len(left))
            # Where the group of each run begins: groups stand side by side, as their runs do.
            opens = np.maximum.accumulate(np.where(other[starts], starts, 0))
            stand[left] = np.repeat(group[starts] + starts - opens, sizes)
            equal = np.repeat(sizes > 1, sizes)
            left, those = left[equal], those[equal]
    return stand


def _narrowed(levels: Sequence[Level], candidates: int, limit: int, halt: Halt) -> Places:
    """The places of the first *limit* candidates, in any order."""
    chosen: list[Places] = []
    left = np.arange(candidates, dtype=np.int64)
    for level in levels:
        comparable, those = level(left), np.arange(len(left), dtype=np.int64)
        for number in _parts(halt):
            part = comparable.part(number, those) if 0 < limit < len(left) else None
            if part is None:
                break
            last = np.partition(part, limit - 1)[limit - 1]
            before, equal = part < last, part == last
            chosen.append(left[before])
            limit -= len(chosen[-1])
            left, those = left[equal], those[equal]
    return np.concatenate([*chosen, left[:limit]])


def _parts(halt: Halt) -> Iterator[int]:
    """The numbers of parts, for as long as there is time for them."""
    return takewhile(lambda _: not halt.spent(), count())


def _of(level: Level, chosen: Places) -> Level:
    return lambda places: level(chosen[places])
