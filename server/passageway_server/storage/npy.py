"""The head of an array's file: NumPy's .npy format, version 1.0, in the one spelling that is
written here.

A reader does not parse it: it makes the head that the manifest calls for and compares bytes, so
nothing in a file is ever evaluated. The values follow the head in C order, and since a head is a
multiple of 64 bytes, aligned.
"""

import math
import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[np.generic]

_MAGIC: Final = b"\x93NUMPY\x01\x00"
_ALIGNMENT: Final = 64
_DTYPE: Final = re.compile(r"\|b1|\|[iu]1|<[iu][248]|<f[248]")
MOST_DIMENSIONS: Final = 8
_MOST: Final = 1 << 40  # elements of an array that has no file


def is_storable(dtype: str) -> bool:
    """Whether *dtype*, as NumPy spells it, is a bool or a little-endian number."""
    return _DTYPE.fullmatch(dtype) is not None


def storable(array: AnyArray) -> AnyArray:
    """*array* in C order and little-endian; ValueError where it holds no numbers."""
    ordered = np.ascontiguousarray(array).reshape(array.shape)
    if ordered.dtype.byteorder == ">":
        ordered = ordered.astype(ordered.dtype.newbyteorder("<"))
    if not is_storable(ordered.dtype.str) or ordered.ndim > MOST_DIMENSIONS:
        raise ValueError(f"an array of {array.dtype} and {array.ndim} dimensions cannot be stored")
    return ordered


def one_value(array: AnyArray) -> AnyArray | None:
    """The value of which *array* is a view, as `storable`; None where it holds values of its own."""
    if array.ndim != 1 or not len(array) or any(array.strides):
        return None
    return storable(array[:1])


def is_constant(dtype: str, shape: tuple[int, ...], value: bytes) -> bool:
    """Whether such an array can be a view of *value*."""
    return len(shape) == 1 and 0 < shape[0] < _MOST and len(value) == np.dtype(dtype).itemsize


def constant(dtype: str, shape: tuple[int, ...], value: bytes) -> AnyArray:
    """A read-only array that is a view of *value*."""
    return np.broadcast_to(np.frombuffer(value, dtype), shape)


def head(dtype: str, shape: tuple[int, ...]) -> bytes:
    """The bytes before the first value of such an array."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    padding = -(len(_MAGIC) + 2 + len(text) + 1) % _ALIGNMENT
    described = text.encode("ascii") + b" " * padding + b"\n"
    return _MAGIC + len(described).to_bytes(2, "little") + described


def length(dtype: str, shape: tuple[int, ...]) -> int:
    """The bytes of the file of such an array."""
    return len(head(dtype, shape)) + math.prod(shape) * np.dtype(dtype).itemsize
