"""Tests of many strings on their bytes: are they one of some, is this a part, are they the same?

In UTF-8 no character's bytes lie inside another's, so that a part by bytes is one by code point. A
test of many bytes is made a piece at a time: between two, it raises what *halt* says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ranges import side_by_side
from passageway_server.columns.strings import Strings
from passageway_server.values.halt import UNHALTED, Halt

Entries = NDArray[np.integer]
Verdicts = NDArray[np.bool_]

_WORD = 8  # bytes that are compared at once where strings are as long
_SIDE_BY_SIDE = 1 << 10  # bytes that are compared of all strings at once; then each by itself
_BYTES_PER_LOOK = 500  # a pass over so many takes as long as a look at one string
_PIECE = 1 << 20  # bytes that are looked at between two looks at the halt
_STRINGS = 1 << 12  # and how many strings, one by one


def lengths_of(strings: Strings, entries: Entries) -> NDArray[np.int64]:
    """How many bytes each of *entries* has: int64[entries]."""
    return _places(strings, entries)[1]


def in_pieces(strings: Strings, entries: Entries, halt: Halt) -> Iterator[slice]:
    """Slices of *entries* whose strings are few, and not long together, or one; all of them."""
    ends = np.cumsum(lengths_of(strings, entries))
    start = 0
    while start < len(entries):
        halt.check()
        before = int(ends[start - 1]) if start else 0
        end = int(np.searchsorted(ends, before + _PIECE, side="right"))
        end = min(max(end, start + 1), start + _STRINGS)
        yield slice(start, end)
        start = end


def among(
    strings: Strings, entries: Entries, texts: Iterable[str], halt: Halt = UNHALTED
) -> Verdicts:
    """Which of *entries* are one of *texts*: bool[entries]."""
    wanted = frozenset(text.encode() for text in texts)
    lengths = lengths_of(strings, entries)
    verdicts = np.isin(lengths, [len(text) for text in wanted])
    likely = np.flatnonzero(verdicts)
    for some in in_pieces(strings, entries[likely], halt):
        found = [text in wanted for text in _bytes_of(strings, entries[likely[some]])]
        verdicts[likely[some]] = found
    return verdicts


def containing(strings: Strings, entries: Entries, text: str, halt: Halt = UNHALTED) -> Verdicts:
    """Which of *entries* have *text* in them: bool[entries]."""
    if not text or not len(entries):
        return np.ones(len(entries), dtype=np.bool_)
    encoded = text.encode()
    first, last = int(entries.min()), int(entries.max()) + 1
    bounds = strings.between(first, last)
    span = int(bounds[-1] - bounds[0])
    if len(entries) * _BYTES_PER_LOOK < span:
        verdicts = np.zeros(len(entries), dtype=np.bool_)
        for some in in_pieces(strings, entries, halt):
            verdicts[some] = [encoded in string for string in _bytes_of(strings, entries[some])]
        return verdicts
    found: Verdicts = _with(strings, first, last, encoded, halt)[entries - first]
    return found


def same_strings(
    strings: Strings,
    entries: Entries,
    others: Strings,
    their_entries: Entries,
    halt: Halt = UNHALTED,
) -> Verdicts:
    """Which of *entries* are the same strings as those of *others*, one by one: bool[entries]."""
    starts, lengths = _places(strings, entries)
    their_starts, their_lengths = _places(others, their_entries)
    verdicts: Verdicts = lengths == their_lengths
    for size in (1, _WORD):
        heap, theirs = _windows(strings.heap, size), _windows(others.heap, size)
        left = np.flatnonzero(verdicts & ((lengths >= _WORD) == (size == _WORD)))
        offset = 0
        while True:
            halt.check()
            left = left[lengths[left] > offset]
            if not len(left):
                break
            if offset >= _SIDE_BY_SIDE:
                rest = lengths[left] - offset
                here, there = starts[left] + offset, their_starts[left] + offset
                verdicts[left] = _each_same(strings, here, others, there, rest, halt)
                break
            # The last word ends with the string, and may begin in the one before it.
            at = np.minimum(offset, lengths[left] - size)
            agree = heap[starts[left] + at] == theirs[their_starts[left] + at]
            verdicts[left[~agree]] = False
            left = left[agree]
            offset += size
    return verdicts


def _each_same(
    strings: Strings,
    starts: NDArray[np.int64],
    others: Strings,
    their_starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    halt: Halt,
) -> list[bool]:
    """Whether the bytes from *starts* on are those of *others* from *their_starts* on."""
    same: list[bool] = []
    places = zip(starts.tolist(), their_starts.tolist(), lengths.tolist(), strict=True)
    for number, (at, there, length) in enumerate(places):
        if number % _STRINGS == 0 or length > _PIECE:
            halt.check()
        ours, theirs = strings.heap[at : at + length], others.heap[there : there + length]
        same.append(bool(np.array_equal(ours, theirs)))
    return same


def _windows(heap: NDArray[np.uint8], size: int) -> NDArray[np.unsignedinteger]:
    """By place: the *size* bytes of *heap* from there on, as one number."""
    if size == 1 or len(heap) < size:
        return heap
    return np.ndarray(
        shape=(len(heap) - size + 1,), dtype=np.uint64, buffer=heap.data, strides=(1,)
    )


def _places(strings: Strings, entries: Entries) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts, ends = strings.ranges(entries)
    return starts, ends - starts


def _bytes_of(strings: Strings, entries: Entries) -> Sequence[bytes]:
    starts, lengths = _places(strings, entries)
    heap = strings.heap.data
    ends = (starts + lengths).tolist()
    return [bytes(heap[start:end]) for start, end in zip(starts.tolist(), ends, strict=True)]


def _with(strings: Strings, first: int, last: int, encoded: bytes, halt: Halt) -> Verdicts:
    """Which of all entries from *first* up to *last* have *encoded* in them, piece by piece."""
    verdicts = np.zeros(last - first, dtype=np.bool_)
    start = first
    while start < last:
        halt.check()
        end = min(strings.up_to(start, _PIECE), last)
        if end == start + 1:
            verdicts[start - first] = encoded in bytes(strings.encoded(start))
        else:
            verdicts[_entries_with(strings, start, end, encoded) - first] = True
        start = end
    return verdicts


def _entries_with(strings: Strings, first: int, last: int, encoded: bytes) -> NDArray[np.int64]:
    """Entries from *first* up to *last* that have *encoded* in them, each at least once, by one
    pass over their part of the heap.
    """
    bounds, size = strings.between(first, last), len(encoded)
    starts = _occurrences(strings.heap, int(bounds[0]), int(bounds[-1]), encoded)
    entries = np.searchsorted(bounds, starts, side="right") - 1
    over = starts + size > bounds[entries + 1]  # these run on into the next string
    # Such a match hides those that begin within it. One of them lies in a string only where that
    # string begins within it too, and does not end there: the last that begins within it.
    ends = starts[over] + size
    next_ = np.searchsorted(bounds, ends, side="left") - 1
    lengths = np.minimum(bounds[next_ + 1], ends + size - 1) - bounds[next_]
    possible = (bounds[next_ + 1] > ends) & (lengths >= size)
    next_, lengths = next_[possible], lengths[possible]
    # Their beginnings are looked through again, with a byte between them that UTF-8 never has.
    windows = side_by_side(bounds[next_], lengths + 1)
    apart = strings.heap.take(windows.positions, mode="clip")
    apart[windows.bounds[1:] - 1] = 0xFF
    places = _occurrences(apart, 0, len(apart), encoded)
    places = np.searchsorted(windows.bounds, places, side="right") - 1
    return first + np.concatenate([entries[~over], next_[places]])


def _occurrences(
    heap: NDArray[np.uint8], first: int, last: int, encoded: bytes
) -> NDArray[np.int64]:
    """Where *encoded* is in ``heap[first:last]``; one that begins within another does not count."""
    matches = re.compile(re.escape(encoded)).finditer(heap.data, first, last)
    return np.fromiter((match.start() for match in matches), dtype=np.int64)
