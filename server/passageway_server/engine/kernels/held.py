"""What many candidates hold in a field of lists or links, side by side: by owner, in stored order."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, I8, SIGHT, Sight
from passageway_server.engine.kernels.compiling import halted, kernel

_OWNERS = types.int32[::1]
_FOUND = types.int32[::1]
_PLACES = types.int64[::1]


@kernel(types.int64(I4, I8))
def values_of(entries: NDArray[np.int32], bounds: NDArray[np.int64]) -> int:
    """How many values *entries* have: e, none where -1, those in ``bounds[e]:bounds[e + 1]``."""
    count = 0
    for i in range(len(entries)):
        entry = entries[i]
        if entry >= 0:
            count += int(bounds[entry + 1] - bounds[entry])
    return count


@kernel(types.void(I4, I8, _OWNERS, _PLACES))
def spread(
    entries: NDArray[np.int32],
    bounds: NDArray[np.int64],
    owners: NDArray[np.int32],
    places: NDArray[np.int64],
) -> None:
    """Fill *places* with where the values of *entries* are, as many as `values_of` says, and
    *owners* with whose each is, as a place in *entries*.
    """
    at = 0
    for i in range(len(entries)):
        entry = entries[i]
        if entry >= 0:
            for place in range(bounds[entry], bounds[entry + 1]):
                owners[at], places[at] = i, place
                at += 1


@kernel(types.int64(I4, I4, I4, I4, types.int64, SIGHT, _OWNERS, _FOUND))
def visible_links(
    first: NDArray[np.int32],
    counts: NDArray[np.int32],
    fields: NDArray[np.int32],
    targets: NDArray[np.int32],
    field: int,
    sight: Sight,
    owners: NDArray[np.int32],
    found: NDArray[np.int32],
) -> int:
    """How many links of *field* some rows have to rows that *sight* opens.

    *found* has their targets, and *owners* whose each is, as a place among the rows. There is room
    for all links of the rows: those of row i are ``first[i]:first[i] + counts[i]`` of *fields* and
    *targets*.
    """
    classes, expiry, verdict = sight.classes, sight.expiry, sight.verdict
    now, stop = sight.now, sight.stop
    seen = 0
    for i in range(len(first)):
        if i & 0x3FFF == 0 and halted(stop):
            break
        for position in range(first[i], first[i] + counts[i]):
            if fields[position] == field:
                # Written whether it is seen or not: no branch guesses at what nobody can foresee.
                target = targets[position]
                owners[seen], found[seen] = i, target
                answer = verdict[classes[target]]
                if answer == 2:
                    seen += int(expiry[target] > now)
                else:
                    seen += int(answer)
    return seen
