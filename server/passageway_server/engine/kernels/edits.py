"""Strings within a few edits of one: characters inserted, dropped, changed, or two neighbors swapped.

The distance is the optimal string alignment: nothing is edited twice (Boytsov, "Indexing methods for approximate dictionary
searching", 2011, section 2). Of its table only the band is filled that a few edits can reach.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import I4, I8, U1
from passageway_server.engine.kernels.compiling import Int, halted, kernel

_FAR = 1 << 20


@kernel(types.int64(U1, types.int64, types.int64, types.int32[::1]))
def decode(heap: NDArray[np.uint8], start: Int, end: Int, characters: NDArray[np.int32]) -> int:
    """The code points of the UTF-8 in ``heap[start:end]``, into *characters*; how many they are."""
    count = 0
    while start < end:
        byte = np.int32(heap[start])
        more = (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)
        character = byte if more == 0 else byte & (0x3F >> more)
        for place in range(start + 1, start + 1 + more):
            character = character << 6 | np.int32(heap[place]) & 0x3F
        characters[count] = character
        count += 1
        start += more + 1
    return count


@kernel(types.boolean(I4, types.int32[::1], types.int64, types.int64, types.int64[::1]))
def is_near(
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    length: Int,
    most: Int,
    band: NDArray[np.int64],
) -> bool:
    """Whether *one* and the first *length* characters of *other* are at most *most* edits apart.

    Their lengths differ by no more than that. *band* has room for three rows of ``2 * most + 3``.
    """
    width = 2 * most + 3
    for place in range(3 * width):
        band[place] = _FAR
    for j in range(most + 1):
        band[j + most + 1] = j
    least_before = 0
    for i in range(1, len(one) + 1):
        row, before, earlier = i % 3 * width, (i + 2) % 3 * width, (i + 1) % 3 * width
        least = _FAR
        for shift in range(-most, most + 1):
            j, k = i + shift, shift + most + 1
            if j < 0 or j > length:
                band[row + k] = _FAR
                continue
            edits = i
            if j > 0:
                edits = band[before + k] + (one[i - 1] != other[j - 1])
                edits = min(edits, band[before + k + 1] + 1, band[row + k - 1] + 1)
                crossed = i > 1 and j > 1 and one[i - 1] == other[j - 2]
                if crossed and one[i - 2] == other[j - 1]:
                    edits = min(edits, band[earlier + k] + 1)
            band[row + k] = edits
            least = min(least, edits)
        if least > most and least_before > most:  # a swap goes two rows back
            return False
        least_before = least
    return bool(band[len(one) % 3 * width + length - len(one) + most + 1] <= most)


@kernel(
    types.void(
        U1, I8, I8, I4, types.int64, types.int32[::1], types.int64[::1], types.boolean[::1], U1
    )
)
def near(
    heap: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    word: NDArray[np.int32],
    most: int,
    characters: NDArray[np.int32],
    band: NDArray[np.int64],
    met: NDArray[np.bool_],
    stop: NDArray[np.uint8],
) -> None:
    """Fill *met*: which of the strings in *heap* are at most *most* edits from *word*.

    Their lengths differ by no more than that, and *characters* has room for the longest.
    """
    for i in range(len(starts)):
        if halted(stop):
            return
        length = decode(heap, starts[i], ends[i], characters)
        met[i] = is_near(word, characters, length, most, band)
