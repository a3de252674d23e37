"""The hashes by which strings are found: 64 bits of the bytes of each, many strings at once.

Eight bytes at a time are mixed in by multiplying and shifting, as splitmix64 does (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", 2014). The hashes are no secret and no proof: strings that collide are told apart by
their bytes. A kernel (engine/kernels/ids.py) gives the same ones, of a few strings that are looked for.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

WORD: Final = 8
GOLDEN: Final = 0x9E3779B97F4A7C15
FIRST: Final = 0xBF58476D1CE4E5B9
SECOND: Final = 0x94D049BB133111EB
EARLY: Final = 29
LATE: Final = 32
_MASKS: Final = np.array([(1 << WORD * size) - 1 for size in range(WORD + 1)], dtype=np.uint64)
"""What a word of so many bytes keeps."""


def hashes(heap: NDArray[np.uint8], lengths: NDArray[np.int64]) -> Hashes:
    """The hash of each string of *lengths*, which stand one behind the other in *heap*."""
    if len(lengths) and (lengths == lengths[0]).all():
        return _of_one_length(heap, len(lengths), int(lengths[0]))
    found = _begun(lengths.astype(np.uint64))
    words = _words(heap)
    live = lengths.nonzero()[0]
    at, left = (lengths.cumsum() - lengths)[live], lengths[live]
    while len(live):
        found[live] = _mixed(found[live], words[at] & _MASKS[np.minimum(left, WORD)])
        more = left > WORD
        live, at, left = live[more], at[more] + WORD, left[more] - WORD
    return found


def hashes_of(encoded: Sequence[bytes]) -> Hashes:
    """The hash of each of some strings in UTF-8."""
    lengths = np.fromiter(map(len, encoded), np.int64, count=len(encoded))
    return hashes(np.frombuffer(b"".join(encoded), np.uint8), lengths)


def _begun(lengths: Hashes) -> Hashes:
    """The hashes before the first word: strings that differ in zeros at their ends differ in length."""
    return (lengths + np.uint64(1)) * np.uint64(GOLDEN)


def _mixed(found: Hashes, words: Hashes) -> Hashes:
    mixed = (found ^ words) * np.uint64(FIRST)
    mixed ^= mixed >> np.uint64(EARLY)
    mixed *= np.uint64(SECOND)
    mixed ^= mixed >> np.uint64(LATE)
    return mixed


def _words(heap: NDArray[np.uint8]) -> Hashes:
    """The eight bytes from each place of *heap* on, with zeros behind its end."""
    padded = np.zeros(len(heap) + WORD, dtype=np.uint8)
    padded[: len(heap)] = heap
    return np.ndarray((len(heap) + 1,), dtype="<u8", buffer=padded.data, strides=(1,))


def _of_one_length(heap: NDArray[np.uint8], count: int, length: int) -> Hashes:
    """Strings of one length lie in a table: whole words are read from its columns."""
    found = _begun(np.full(count, length, dtype=np.uint64))
    words = -(-length // WORD)
    table = np.zeros((count, words), dtype="<u8")
    table.view(np.uint8)[:, :length] = heap.reshape(count, length)
    for word in table.T:
        found = _mixed(found, word)
    return found
