"""Sets of numbers as ascending arrays: membership, and sets that are a little larger or smaller.

The cost is that of the small side, but for a copy of the large one.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", bound=np.integer)
_Scalar = TypeVar("_Scalar", bound=np.generic)


def united(*parts: NDArray[_Number]) -> NDArray[_Number]:
    """What is in any of *parts*, which are in any order."""
    together = np.sort(np.concatenate(parts))
    first = np.ones(len(together), dtype=np.bool_)
    np.not_equal(together[1:], together[:-1], out=first[1:])
    return together[first]


def among(numbers: NDArray[np.integer], several: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which of *numbers*, in any order, are among *several*."""
    if not len(several):
        return np.zeros(len(numbers), dtype=np.bool_)
    places = several.searchsorted(numbers)
    found: NDArray[np.bool_] = several.take(places, mode="clip") == numbers
    return found


def without(several: NDArray[_Number], gone: NDArray[_Number]) -> NDArray[_Number]:
    """*several* but for those *gone*, all of which are among them."""
    return np.delete(several, several.searchsorted(gone)) if len(gone) else several


def inserted(
    several: NDArray[_Scalar], places: NDArray[np.integer], more: NDArray[_Scalar]
) -> NDArray[_Scalar]:
    """*several* with ``more[i]`` before what stands at ``places[i]``; the places ascend."""
    together = np.empty(len(several) + len(more), dtype=several.dtype)
    old = np.ones(len(together), dtype=np.bool_)
    new = places + np.arange(len(more))
    old[new] = False
    together[old] = several
    together[new] = more
    return together


def joined(several: NDArray[_Number], more: NDArray[_Number]) -> NDArray[_Number]:
    """*several* and *more*, which ascends, and none of which is among them."""
    if not len(several):
        return more
    return inserted(several, several.searchsorted(more), more) if len(more) else several
