"""Exact comparisons of many numbers with one: an int and a double meet as the numbers that they
are.

Turning an int into a double rounds it past 2**53, so the number compared with is moved to the
other's side instead.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Sign = Literal["=", "<", "<=", ">", ">="]

_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


def compare(
    bits: NDArray[np.int64], floats: NDArray[np.uint8] | None, sign: Sign, number: float
) -> NDArray[np.bool_]:
    """Which numbers stand in *sign* to *number*.

    ``floats`` says where the bits are a double's (None: nowhere).
    """
    if floats is None:
        return compare_ints(bits, sign, number)
    doubles = compare_doubles(bits.view(np.float64), sign, number)
    if floats.all():
        return doubles
    return np.where(floats == 1, doubles, compare_ints(bits, sign, number))


def compare_ints(values: NDArray[np.int64], sign: Sign, number: float) -> NDArray[np.bool_]:
    """Which ints stand in *sign* to *number*, which is finite."""
    whole = math.floor(number)
    if whole != number:  # between two ints
        if sign == "=":
            return np.zeros(len(values), dtype=np.bool_)
        sign = "<=" if sign in ("<", "<=") else ">"
    if whole > _HIGHEST:
        return np.full(len(values), sign in ("<", "<="))
    if whole < _LOWEST:
        return np.full(len(values), sign in (">", ">="))
    return _by_sign(values, sign, np.int64(whole))


def compare_doubles(values: NDArray[np.float64], sign: Sign, number: float) -> NDArray[np.bool_]:
    """Which doubles stand in *sign* to *number*, which is finite."""
    near = _nearest(number)
    if near != number:  # no double is this int
        if sign == "=":
            return np.zeros(len(values), dtype=np.bool_)
        above = near > number
        if sign in ("<", "<="):
            sign = "<" if above else "<="
        else:
            sign = ">=" if above else ">"
    return _by_sign(values, sign, np.float64(near))


def equal_to_any(
    bits: NDArray[np.int64], floats: NDArray[np.uint8] | None, wanted: Sequence[int | float]
) -> NDArray[np.bool_]:
    """Which numbers are equal to one of *wanted*, which are finite; ``floats`` as in `compare`."""
    if len(wanted) == 1:
        return compare(bits, floats, "=", wanted[0])
    ints = {whole for one in wanted if (whole := int(one)) == one and _LOWEST <= whole <= _HIGHEST}
    found = np.isin(bits, np.fromiter(ints, np.int64, count=len(ints)))
    if floats is None:
        return found
    near = {_nearest(one) for one in wanted if _nearest(one) == one}
    doubles = np.isin(bits.view(np.float64), np.fromiter(near, np.float64, count=len(near)))
    return np.where(floats == 1, doubles, found)


def _nearest(number: float) -> float:
    """The double nearest to *number*; an infinity past the largest."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _by_sign(
    values: NDArray[np.int64] | NDArray[np.float64], sign: Sign, number: np.int64 | np.float64
) -> NDArray[np.bool_]:
    match sign:
        case "=":
            return np.equal(values, number)
        case "<":
            return np.less(values, number)
        case "<=":
            return np.less_equal(values, number)
        case ">":
            return np.greater(values, number)
        case ">=":
            return np.greater_equal(values, number)
