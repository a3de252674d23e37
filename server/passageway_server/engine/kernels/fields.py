"""Fields of protobuf's wire format: how many bytes they take, and how they are written.

What a message may leave out, an empty text or a 0, takes no bytes and is not written.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels.compiling import Int, inlined

_VARINT, _FIXED64, _BYTES = 0, 1, 2  # wire types


@inlined
def varint_size(value: Int) -> int:
    """How many bytes a varint takes."""
    size = 1
    while value > 0x7F:
        value >>= 7
        size += 1
    return size


@inlined
def bytes_size(number: Int, length: Int) -> int:
    """How many bytes field *number* takes with *length* bytes in it."""
    return int(varint_size(number << 3) + varint_size(length) + length)


@inlined
def double_size(number: Int) -> int:
    """How many bytes a double takes as field *number*."""
    return varint_size(number << 3) + 8


@inlined
def text_size(number: Int, length: Int) -> int:
    """How many bytes a text of *length* bytes takes as field *number*: none where it is empty."""
    return bytes_size(number, length) if length else 0


@inlined
def varint_field_size(number: Int, value: Int) -> int:
    """How many bytes the varint *value* takes as field *number*, be it 0."""
    return varint_size(number << 3) + varint_size(value)


@inlined
def number_size(number: Int, value: Int) -> int:
    """How many bytes the varint *value* takes as field *number*: none where it is 0."""
    return varint_field_size(number, value) if value else 0


@inlined
def put_varint(out: NDArray[np.uint8], at: Int, value: Int) -> int:
    """Write *value* at *at*; where it ends."""
    while value > 0x7F:
        out[at] = value & 0x7F | 0x80
        value >>= 7
        at += 1
    out[at] = value
    return int(at + 1)


@inlined
def put_bytes(
    out: NDArray[np.uint8], at: Int, heap: NDArray[np.uint8], start: Int, end: Int
) -> int:
    """Write the bytes ``start:end`` of *heap* at *at*; where they end."""
    source, target = heap[start:end], out[at : at + end - start]
    for i in range(len(source)):
        target[i] = source[i]
    return int(at + end - start)


@inlined
def put_head(out: NDArray[np.uint8], at: Int, number: Int, length: Int) -> int:
    """Write what comes before the *length* bytes of field *number*; where it ends."""
    return put_varint(out, put_varint(out, at, number << 3 | _BYTES), length)


@inlined
def put_text(
    out: NDArray[np.uint8], at: Int, number: Int, heap: NDArray[np.uint8], start: Int, end: Int
) -> int:
    """Write a text as field *number*, if it is not empty; where it ends."""
    if start == end:
        return int(at)
    return put_bytes(out, put_head(out, at, number, end - start), heap, start, end)


@inlined
def put_varint_field(out: NDArray[np.uint8], at: Int, number: Int, value: Int) -> int:
    """Write *value* as a varint of field *number*, be it 0; where it ends."""
    return put_varint(out, put_varint(out, at, number << 3 | _VARINT), value)


@inlined
def put_number(out: NDArray[np.uint8], at: Int, number: Int, value: Int) -> int:
    """Write *value* as a varint of field *number*, if it is not 0; where it ends."""
    if value == 0:
        return int(at)
    return put_varint_field(out, at, number, value)


@inlined
def put_double(out: NDArray[np.uint8], at: Int, number: Int, bits: Int) -> int:
    """Write the double of *bits* as field *number*, be it 0; where it ends."""
    at = put_varint(out, at, number << 3 | _FIXED64)
    for i in range(8):
        out[at + i] = bits >> 8 * i & 0xFF
    return int(at + 8)
