"""The checksums of files: CRC-32C (Castagnoli), and in snapshots of formats 1 and 2 CRC-32 (ISO 3309, as in zlib).

CRC-32C keeps other threads of Python waiting, at some 14 GB/s: what is large is summed a piece at a time.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import google_crc32c
import numpy as np
from numpy.typing import NDArray

Part = bytes | NDArray[np.uint8]

_AT_ONCE: Final = 1 << 20


def crc32c(part: Part, before: int = 0) -> int:
    """The CRC-32C of *part*, going on from that of what came *before*."""
    return google_crc32c.extend(before, part)


def _crc32(part: Part, before: int = 0) -> int:
    return zlib.crc32(part if isinstance(part, bytes) else part.data, before)


ALGORITHM: Final = "crc32c"
"""The one that is written."""

_ALGORITHMS: Final[Mapping[str, Callable[[Part, int], int]]] = {
    ALGORITHM: crc32c,
    "crc32": _crc32,
}


def is_algorithm(name: str) -> bool:
    """Whether *name* is that of a checksum which is read."""
    return name in _ALGORITHMS


def checksum(parts: Iterable[Part], algorithm: str = ALGORITHM) -> int:
    """The checksum of *parts*, one behind the other."""
    return checksums(parts, algorithm)[0]


def checksums(parts: Iterable[Part], *algorithms: str) -> list[int]:
    """The checksums of *parts* by several *algorithms*; each part is read once."""
    found = [0] * len(algorithms)
    for part in parts:
        found = [
            _ALGORITHMS[name](part, before) for name, before in zip(algorithms, found, strict=True)
        ]
    return found


def pieces(array: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    """The bytes of *array*, a piece at a time."""
    for start in range(0, len(array), _AT_ONCE):
        yield array[start : start + _AT_ONCE]
