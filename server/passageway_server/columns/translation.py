"""The same strings in two sets of terms: what numbers do these terms have over there?

Many go by the hashes that both sides keep, and by the bytes of those that agree: no string
becomes a Python object. Few are looked up one by one.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import same_strings
from passageway_server.columns.hashed import Short
from passageway_server.columns.terms import Terms
from passageway_server.values.halt import UNHALTED, Halt

_FEW = 1000


def translated(
    terms: Terms, numbers: NDArray[np.integer], target: Terms, halt: Halt = UNHALTED
) -> NDArray[np.integer]:
    """The numbers that *numbers* of *terms* have in *target*, in any order.

    Those that it lacks are left out. Raises what *halt* says.
    """
    if terms is target:
        return numbers
    if len(numbers) <= _FEW:
        found = target.find_all(terms.take(numbers))
        return found[found >= 0]
    return _by_hash(terms, numbers, target, halt)


def _by_hash(
    terms: Terms, numbers: NDArray[np.integer], target: Terms, halt: Halt
) -> NDArray[np.integer]:
    theirs, order = target.hashes, target.order
    wanted = _hashes_by_number(terms)[numbers]
    by_hash = np.argsort(wanted)  # searched in their order, so that memory is read forward
    wanted, left = wanted[by_hash], numbers[by_hash]
    places = np.searchsorted(theirs, wanted)
    found: list[NDArray[np.integer]] = []
    while len(places):  # once, but for strings whose hashes collide
        agree = places < len(theirs)
        agree[agree] = theirs[places[agree]] == wanted[agree]
        by_number = np.flatnonzero(agree)
        by_number = by_number[
            np.argsort(left[by_number])
        ]  # and their bytes in the order of the heap
        wanted, left, places = wanted[by_number], left[by_number], places[by_number]
        there = order[places].astype(np.int64)
        same = same_strings(terms.strings, left, target.strings, there, halt)
        found.append(there[same])
        wanted, left, places = wanted[~same], left[~same], places[~same] + 1
    return np.concatenate(found)


def _hashes_by_number(terms: Terms) -> Short:
    hashes = np.zeros(len(terms), dtype=np.uint32)
    hashes[terms.order] = terms.hashes
    return hashes
