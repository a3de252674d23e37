"""Tests of many strings against one, on their bytes: no string becomes a Python object.

UTF-8 sorts as code points do and no character's bytes lie inside another's, so that order,
equality, prefix, suffix and part by bytes are those by code point.
"""

import re

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ranges import side_by_side
from passageway_server.columns.strings import Strings

Entries = NDArray[np.integer]
Verdicts = NDArray[np.bool_]

_BYTES_PER_LOOK = 500  # a pass over so many takes as long as a look at one string


def lengths_of(strings: Strings, entries: Entries) -> NDArray[np.int64]:
    """How many bytes each of *entries* has: int64[entries]."""
    return _places(strings, entries)[1]


def equal(strings: Strings, entries: Entries, text: str) -> Verdicts:
    """Which of *entries* are *text*: bool[entries]."""
    encoded = text.encode()
    starts, lengths = _places(strings, entries)
    return _same(strings, starts, lengths == len(encoded), encoded)


def starting(strings: Strings, entries: Entries, text: str) -> Verdicts:
    """Which of *entries* begin with *text*: bool[entries]."""
    encoded = text.encode()
    starts, lengths = _places(strings, entries)
    return _same(strings, starts, lengths >= len(encoded), encoded)


def ending(strings: Strings, entries: Entries, text: str) -> Verdicts:
    """Which of *entries* end with *text*: bool[entries]."""
    encoded = text.encode()
    starts, lengths = _places(strings, entries)
    return _same(strings, starts + lengths - len(encoded), lengths >= len(encoded), encoded)


def containing(strings: Strings, entries: Entries, text: str) -> Verdicts:
    """Which of *entries* have *text* in them: bool[entries]."""
    if not text:
        return np.ones(len(entries), dtype=np.bool_)
    encoded = text.encode()
    if len(entries) * _BYTES_PER_LOOK < len(strings.heap):
        found = [text in string for string in strings.take(entries)]
        return np.array(found, dtype=np.bool_)
    verdicts = np.zeros(len(strings), dtype=np.bool_)
    verdicts[_entries_with(strings, encoded)] = True
    return verdicts[entries]


def order(strings: Strings, entries: Entries, text: str) -> NDArray[np.int8]:
    """-1, 0 or 1 where each of *entries* is before, equal to or after *text*: int8[entries]."""
    encoded = text.encode()
    starts, lengths = _places(strings, entries)
    # Those that agree to the shorter's end are in the order of their lengths.
    result = np.sign(lengths - len(encoded)).astype(np.int8)
    undecided = np.arange(len(entries))
    for offset, byte in enumerate(encoded):
        undecided = undecided[lengths[undecided] > offset]
        if not len(undecided):
            break
        found = strings.heap[starts[undecided] + offset]
        result[undecided[found < byte]] = -1
        result[undecided[found > byte]] = 1
        undecided = undecided[found == byte]
    return result


def same_strings(
    strings: Strings, entries: Entries, others: Strings, their_entries: Entries
) -> Verdicts:
    """Which of *entries* are the same strings as those of *others*, one by one: bool[entries]."""
    starts, lengths = _places(strings, entries)
    their_starts, their_lengths = _places(others, their_entries)
    verdicts: Verdicts = lengths == their_lengths
    left = np.flatnonzero(verdicts)
    offset = 0
    while True:
        left = left[lengths[left] > offset]
        if not len(left):
            return verdicts
        agree = strings.heap[starts[left] + offset] == others.heap[their_starts[left] + offset]
        verdicts[left[~agree]] = False
        left = left[agree]
        offset += 1


def _places(strings: Strings, entries: Entries) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = strings.bounds[entries]
    return starts, strings.bounds[entries + 1] - starts


def _same(
    strings: Strings, starts: NDArray[np.int64], possible: Verdicts, encoded: bytes
) -> Verdicts:
    """Which of *possible* have the bytes *encoded* at *starts*."""
    left = np.flatnonzero(possible)
    for offset, byte in enumerate(encoded):
        if not len(left):
            break
        left = left[strings.heap[starts[left] + offset] == byte]
    verdicts = np.zeros(len(starts), dtype=np.bool_)
    verdicts[left] = True
    return verdicts


def _entries_with(strings: Strings, encoded: bytes) -> NDArray[np.int64]:
    """Entries that have *encoded* in them, each at least once, by one pass over the heap."""
    bounds, size = strings.bounds, len(encoded)
    starts = _occurrences(strings.heap, encoded)
    entries = np.searchsorted(bounds, starts, side="right") - 1
    over = starts + size > bounds[entries + 1]  # these run on into the next string
    # Such a match hides those that begin within it. One of them lies in a string only where that
    # string begins within it too, and does not end there: the last that begins within it.
    ends = starts[over] + size
    last = np.searchsorted(bounds, ends, side="left") - 1
    lengths = np.minimum(bounds[last + 1], ends + size - 1) - bounds[last]
    possible = (bounds[last + 1] > ends) & (lengths >= size)
    last, lengths = last[possible], lengths[possible]
    # Their beginnings are looked through again, with a byte between them that UTF-8 never has.
    windows = side_by_side(bounds[last], lengths + 1)
    apart = strings.heap.take(windows.positions, mode="clip")
    apart[windows.bounds[1:] - 1] = 0xFF
    places = np.searchsorted(windows.bounds, _occurrences(apart, encoded), side="right") - 1
    return np.concatenate([entries[~over], last[places]])


def _occurrences(heap: NDArray[np.uint8], encoded: bytes) -> NDArray[np.int64]:
    """Where *encoded* is in *heap*; one that begins within another does not count."""
    matches = re.finditer(re.escape(encoded), heap.data)
    return np.fromiter((match.start() for match in matches), dtype=np.int64)
