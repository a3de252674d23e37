"""Scores of rows by the words that they have, word by word, after BM25F.

What a word adds to a row is worked out in two steps. `gather` adds up, over the fields, how much of the word the row has; `settle`
makes a share of its score from that, once it is known how many rows have the word.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, SIGHT, U1, Sight, is_open
from passageway_server.engine.kernels.compiling import abandoned, is_turn, kernel


class Postings(NamedTuple):
    """Those of one word in one part: all of its arrays, and the slots ``first`` to ``last``."""

    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    gone: NDArray[np.uint8]  # a bit for each row, up to the last that is gone
    lengths: NDArray[np.int32]  # by row: words of its field
    first: int
    last: int


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


POSTINGS = types.NamedTuple((I4, I4, U1, I4, types.int64, types.int64), Postings)
MEASURE = types.NamedTuple((types.float64, types.float64, types.float64), Measure)
TALLY = types.NamedTuple(
    (types.float64[::1], types.float64[::1], types.int32[::1], types.int32[::1]), Tally
)


@kernel(types.int64(POSTINGS, MEASURE, SIGHT, TALLY, types.int64))
def gather(postings: Postings, measure: Measure, sight: Sight, tally: Tally, touched: int) -> int:
    """Add what rows that *sight* opens have of a word; how many have it by now, *touched* of them before.

    Of a text with f words in all, c times the word counts ``weight * c / (1 - b + b * f / average)``.
    """
    rows, counts, gone, lengths, first, last = postings
    weight, b, average = measure
    classes, expiry, verdict, now, stop = sight
    amounts, _, places, _ = tally
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


@kernel(types.int64(TALLY, types.int64, types.float64, types.float64, types.int64))
def settle(tally: Tally, touched: int, idf: float, k1: float, found: int) -> int:
    """Give the *touched* rows their share for the word, ``idf * amount / (k1 + amount)``; how many have any word by now."""
    amounts, scores, places, rows = tally
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
    _, by_row, _, places = tally
    for place in range(found):
        row = places[place]
        rows[place] = row
        scores[place] = by_row[row]
        by_row[row] = 0.0
