"""Many strings at once, packed: the terms that hold them, and their numbers there.

Strings whose hashes are known need not become Python objects, one by one and under the interpreter's lock.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.comparing import same_strings
from passageway_server.columns.hashing import hashes
from passageway_server.columns.strings import Numbers, Strings
from passageway_server.columns.terms import Terms


def hashes_of(strings: Strings) -> NDArray[np.uint64]:
    """The hashes by which *strings* are found."""
    return hashes(strings.heap, strings.lengths)


def are_distinct(strings: Strings, hashes: NDArray[np.uint64]) -> bool:
    """Whether no string stands twice; *hashes* are theirs. Hashes that collide may make it False."""
    in_order = np.sort(hashes)
    return not (in_order[1:] == in_order[:-1]).any() or len(
        set(strings.take(range(len(strings))))
    ) == len(strings)


def distinct(
    strings: Strings, hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places at which a string stands first, ascending, and for each string which of these is the same."""
    _, first, named = np.unique(hashes, return_index=True, return_inverse=True)
    if not same_strings(strings, np.arange(len(strings)), strings, first[named]).all():
        return _told_apart(strings)
    ascending = np.argsort(first)
    places = np.empty(len(first), dtype=np.int64)
    places[ascending] = np.arange(len(first))
    return first[ascending], places[named]


def _told_apart(strings: Strings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """As `distinct`, where hashes collide."""
    numbers: dict[str, int] = {}
    named = [numbers.setdefault(one, len(numbers)) for one in strings.take(range(len(strings)))]
    _, first = np.unique(named, return_index=True)
    return first, np.array(named, dtype=np.int64)


def interned(
    terms: Terms, strings: Strings, *, hashes: NDArray[np.uint64]
) -> tuple[Terms, Numbers]:
    """*terms* with the missing ones of *strings*, which are distinct, and the number of each of *strings*."""
    numbers = found(terms, strings, hashes=hashes)
    missing = np.flatnonzero(numbers < 0)
    if len(missing):
        terms, numbers[missing] = anew(terms, strings.chosen(missing), hashes=hashes[missing])
    return terms, numbers


def found(terms: Terms, strings: Strings, *, hashes: NDArray[np.uint64]) -> Numbers:
    """The number of each of *strings* among *terms*, -1 where there is none.

    *hashes* are theirs, as `hashes_of` gives them.
    """
    numbers = np.full(len(strings), -1, dtype=np.int32)
    for part in reversed(terms.parts):
        if len(part):
            there = part.find_packed(strings, hashes, terms.strings)
            numbers = np.where(there >= 0, there, numbers)
    return numbers


def anew(terms: Terms, strings: Strings, *, hashes: NDArray[np.uint64]) -> tuple[Terms, Numbers]:
    """*terms* with a new number for each of *strings*, which are distinct, as `Terms.anew` gives them."""
    numbers = np.arange(len(terms), len(terms) + len(strings), dtype=np.int32)
    together = terms.strings.extended_by(strings.heap, strings.lengths)
    return terms.extended(together, hashes), numbers
