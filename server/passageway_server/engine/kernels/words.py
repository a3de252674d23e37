"""Scores of rows by the words that they have, word by word, after BM25F.

What a word adds to a row is worked out in two steps. `gather` adds up, over the fields, how much of the word the row has; `settle`
makes a share of its score from that, once it is known how many rows have the word. Where several words count as one, `count`
adds them up before, in whole numbers, so that their order has no part in it, and `weigh` does what `gather` does.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, I8, SIGHT, U1, Sight, is_open
from passageway_server.engine.kernels.compiling import abandoned, is_turn, kernel


class Postings(NamedTuple):
    """Those of one word in one part: all of its arrays, and the slots ``first`` to ``last``."""

    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    gone: NDArray[np.uint8]  # a bit for each row, up to the last that is gone
    lengths: NDArray[np.int32]  # by row: words of its field
    first: int
    last: int


class Several(NamedTuple):
    """The postings of several words in one part: all of its arrays, and slots ``firsts[i]`` to ``lasts[i]`` for each."""

    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    gone: NDArray[np.uint8]
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]


class Measure(NamedTuple):
    """How much of a field's words counts: its weight, and what a text's length takes away."""

    weight: float
    b: float
    average: float  # words of a text


class Tally(NamedTuple):
    """Rows while words are gathered and settled: nothing is left of one word for the next."""

    amounts: NDArray[np.float64]  # by row: of the word at hand
    scores: NDArray[np.float64]  # by row
    touched: NDArray[np.int32]  # rows that have the word at hand
    found: NDArray[np.int32]  # rows that have any
    counts: NDArray[np.int32]  # by row: of words that count as one, in the field at hand
    counted: NDArray[np.int32]  # rows that have any of these


POSTINGS = types.NamedTuple((I4, I4, U1, I4, types.int64, types.int64), Postings)
MEASURE = types.NamedTuple((types.float64, types.float64, types.float64), Measure)
SEVERAL = types.NamedTuple((I4, I4, U1, I8, I8), Several)
TALLY = types.NamedTuple((types.float64[::1],) * 2 + (types.int32[::1],) * 4, Tally)


@kernel(types.int64(POSTINGS, MEASURE, SIGHT, TALLY, types.int64))
def gather(postings: Postings, measure: Measure, sight: Sight, tally: Tally, touched: int) -> int:
    """Add what rows that *sight* opens have of a word; how many have it by now, *touched* of them before.

    Of a text with f words in all, c times the word counts ``weight * c / (1 - b + b * f / average)``.
    """
    rows, counts, gone, lengths, first, last = postings
    weight, b, average = measure
    classes, expiry, verdict, now, stop = sight
    amounts, _, places, _, _, _ = tally
    marked = len(gone) << 3
    for slot in range(first, last):
        if is_turn(slot) and abandoned(stop):
            break
        row = rows[slot]
        if row < marked and gone[row >> 3] >> (row & 7) & 1:
            continue
        if not is_open(classes, expiry, verdict, now, row):
            continue
        if amounts[row] == 0.0:
            places[touched] = row
            touched += 1
        amounts[row] += weight * counts[slot] / (1.0 - b + b * lengths[row] / average)
    return touched


@kernel(types.int64(SEVERAL, SIGHT, TALLY, types.int64))
def count(several: Several, sight: Sight, tally: Tally, having: int) -> int:
    """Count what rows that *sight* opens have of several words; how many have any by now, *having* of them before."""
    rows, counts, gone, firsts, lasts = several
    classes, expiry, verdict, now, stop = sight
    _, _, _, _, by_row, places = tally
    marked = len(gone) << 3
    for word in range(len(firsts)):
        for slot in range(firsts[word], lasts[word]):
            if is_turn(slot) and abandoned(stop):
                return having
            row = rows[slot]
            if row < marked and gone[row >> 3] >> (row & 7) & 1:
                continue
            if not is_open(classes, expiry, verdict, now, row):
                continue
            if by_row[row] == 0:
                places[having] = row
                having += 1
            by_row[row] += counts[slot]
    return having


@kernel(types.int64(I4, MEASURE, TALLY, types.int64, types.int64))
def weigh(
    lengths: NDArray[np.int32], measure: Measure, tally: Tally, having: int, touched: int
) -> int:
    """Add what the *having* rows were counted to have, as `gather` does, and leave no counts; how many have it in any field."""
    weight, b, average = measure
    amounts, _, places, _, counts, rows = tally
    for place in range(having):
        row = rows[place]
        if amounts[row] == 0.0:
            places[touched] = row
            touched += 1
        amounts[row] += weight * counts[row] / (1.0 - b + b * lengths[row] / average)
        counts[row] = 0
    return touched


@kernel(types.int64(TALLY, types.int64, types.float64, types.float64, types.int64))
def settle(tally: Tally, touched: int, idf: float, k1: float, found: int) -> int:
    """Give the *touched* rows their share for the word, ``idf * amount / (k1 + amount)``; how many have any word by now."""
    amounts, scores, places, rows, _, _ = tally
    for place in range(touched):
        row = places[place]
        amount = amounts[row]
        amounts[row] = 0.0
        if scores[row] == 0.0:
            rows[found] = row
            found += 1
        scores[row] += idf * amount / (k1 + amount)
    return found


@kernel(types.void(TALLY, types.int64, types.float64[::1], types.int32[::1]))
def taken(tally: Tally, found: int, scores: NDArray[np.float64], rows: NDArray[np.int32]) -> None:
    """Move the scores of the rows that were *found* to *scores* and *rows*, and leave the tally as it was lent."""
    _, by_row, _, places, _, _ = tally
    for place in range(found):
        row = places[place]
        rows[place] = row
        scores[place] = by_row[row]
        by_row[row] = 0.0
