"""Many strings at once, packed: the terms that hold them, and their numbers there.

Strings whose hashes are known need not become Python objects, one by one and under the interpreter's lock.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import same_strings
from passageway_server.columns.strings import Numbers, Strings
from passageway_server.columns.terms import Terms


def interned(
    terms: Terms, strings: Strings, *, hashes: NDArray[np.uint64]
) -> tuple[Terms, Numbers]:
    """*terms* with the missing ones of *strings*, which are distinct, and the number of each of *strings*.

    *hashes* are theirs, as `hashes_of` gives them.
    """
    numbers = found(terms, strings, hashes=hashes)
    missing = np.flatnonzero(numbers < 0)
    if not len(missing):
        return terms, numbers
    numbers[missing] = np.arange(len(terms), len(terms) + len(missing), dtype=np.int32)
    added = strings if len(missing) == len(strings) else strings.chosen(missing)
    by_hash = missing[np.argsort(hashes[missing], kind="stable")]
    places = np.searchsorted(terms.hashes, hashes[by_hash])
    extended = Terms(
        terms.strings.extended_by(added.heap, np.diff(added.bounds)),
        np.insert(terms.hashes, places, hashes[by_hash]),
        np.insert(terms.order, places, numbers[by_hash]),
    )
    return extended, numbers


def found(terms: Terms, strings: Strings, *, hashes: NDArray[np.uint64]) -> Numbers:
    """The number of each of *strings* among *terms*, -1 where there is none."""
    numbers = np.full(len(strings), -1, dtype=np.int32)
    left = np.arange(len(strings))
    places = np.searchsorted(terms.hashes, hashes)
    while True:  # once, but for strings whose hashes collide
        agree = places < len(terms.hashes)
        agree[agree] = terms.hashes[places[agree]] == hashes[left[agree]]
        left, places = left[agree], places[agree]
        if not len(left):
            return numbers
        there = terms.order[places]
        same = same_strings(strings, left, terms.strings, there)
        numbers[left[same]] = there[same]
        left, places = left[~same], places[~same] + 1
