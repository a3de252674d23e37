"""Functions of numbers, one at a time as the system's library has them: those of numpy give other last bits for other places in an array."""

import math

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.compiling import kernel

_F8 = types.float64[::1]


@kernel(types.void(_F8, _F8))
def ln(numbers: NDArray[np.float64], found: NDArray[np.float64]) -> None:
    """The natural logarithm of each."""
    for place in range(len(numbers)):
        found[place] = math.log(numbers[place])


@kernel(types.void(_F8, _F8))
def log1p(numbers: NDArray[np.float64], found: NDArray[np.float64]) -> None:
    """The natural logarithm of 1 and each."""
    for place in range(len(numbers)):
        found[place] = math.log1p(numbers[place])


@kernel(types.void(_F8, _F8, _F8))
def power(
    bases: NDArray[np.float64], exponents: NDArray[np.float64], found: NDArray[np.float64]
) -> None:
    """Each base raised to its exponent."""
    for place in range(len(bases)):
        found[place] = math.pow(bases[place], exponents[place])
