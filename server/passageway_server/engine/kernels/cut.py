"""Where a text is cut for a preview, on its UTF-8: `engine.previews.cut` does the same to a str."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, I8, U1
from passageway_server.engine.kernels.compiling import Int, inlined, kernel

SIGN = 3
"""Bytes of ``…``."""


@inlined
def begins(byte: Int) -> bool:
    """Whether *byte* is the first of a character's."""
    return bool(byte & 0xC0 != 0x80)


@inlined
def is_space(heap: NDArray[np.uint8], at: Int) -> bool:
    """Whether the character that begins at *at* is white space, as `str.isspace` has it."""
    first = heap[at]
    if first < 0x80:
        return bool(first == 0x20 or 0x09 <= first <= 0x0D or 0x1C <= first <= 0x1F)
    if first == 0xC2:  # U+0085, U+00A0
        return bool(heap[at + 1] == 0x85 or heap[at + 1] == 0xA0)
    if first == 0xE1:  # U+1680
        return bool(heap[at + 1] == 0x9A and heap[at + 2] == 0x80)
    if first == 0xE2:  # U+2000 to U+200A, U+2028, U+2029, U+202F; U+205F
        last = heap[at + 2]
        if heap[at + 1] == 0x80:
            return bool(last <= 0x8A or last == 0xA8 or last == 0xA9 or last == 0xAF)
        return bool(heap[at + 1] == 0x81 and last == 0x9F)
    if first == 0xE3:  # U+3000
        return bool(heap[at + 1] == 0x80 and heap[at + 2] == 0x80)
    return False


@inlined
def preview_end(heap: NDArray[np.uint8], start: Int, end: Int, budget: Int) -> int:
    """Where the bytes to show of the text ``start:end`` end, for a preview of *budget* characters.

    Short of *end* the text was cut, and ``…`` stands for the rest, where the budget is not 0.
    """
    if end - start <= budget:
        return int(end)
    if budget == 0:
        return int(start)
    at = start + budget
    seen = 0
    for i in range(start, at):
        seen += begins(heap[i])
    while at < end and (seen < budget or not begins(heap[at])):
        seen += begins(heap[at])
        at += 1
    if at == end:
        return int(end)
    at -= 1  # the last character that would fit makes way for the sign
    while not begins(heap[at]):
        at -= 1
    kept = budget - 1
    space = at
    for _ in range(kept - kept // 2):  # back to the middle
        space -= 1
        while not begins(heap[space]):
            space -= 1
        if is_space(heap, space):
            return int(space)
    return int(at)


@kernel(types.int64(U1, I8, I4, types.int64, types.int64))
def previews_size(
    heap: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    entries: NDArray[np.int32],
    budget: int,
    most: int,
) -> int:
    """How many bytes previews of *entries* take together, each of *budget* characters.

    Where those are more than *most*, of some of them, more than that: no more texts are read.
    """
    total = 0
    for i in range(len(entries)):
        if total > most:
            break
        start, whole = bounds[entries[i]], bounds[entries[i] + 1]
        end = preview_end(heap, start, whole, budget)
        total += end - start
        if end < whole and budget > 0:
            total += SIGN
    return int(total)
