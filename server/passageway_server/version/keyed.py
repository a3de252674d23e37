"""Idempotency keys in a block: side by side in arrays, and found by their digests.

An entry takes 98 bytes, whatever its key looks like: 90 in columns, and two slots of a table. The table is probed from the
slot that a digest names up to one that is empty. A slot holds the number of an entry, and above it 16 bits of its digest that
are never 0, so that few entries are looked at in vain.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.version.tokens import LINE_BYTES

BLOCK: Final = 65_536
"""Entries of a block."""

DIGEST: Final = 16
"""Bytes of a digest: what it names is told apart from all else by half of a SHA-256."""

KEY, BATCH, LOAD = slice(0, DIGEST), slice(DIGEST, 2 * DIGEST), slice(2 * DIGEST, 3 * DIGEST)
"""What the columns of ``digests`` hold: of the writer and the key, of the batch, and of the writer and the load."""

NUMBER, DANGLING, AT, PLACE = range(4)
"""What the columns of ``numbers`` hold: the commit, edges that dangled, when it was made, and its place in its load or -1."""

_HOMES = 2 * BLOCK
_SLOTS = _HOMES + BLOCK  # the last ones are for what finds no room further up; nothing wraps around


class Block:
    """Entries in the order in which they came, `BLOCK` at most; arrays of the system take memory as they fill."""

    def __init__(self) -> None:
        self.digests = np.zeros((BLOCK, 3 * DIGEST), np.uint8)
        self.lines = np.zeros((BLOCK, LINE_BYTES), np.uint8)
        self.numbers = np.zeros((BLOCK, 4), np.int64)
        self.length = 0
        self._slots = np.zeros(_SLOTS, np.uint32)  # 0 for none

    @property
    def full(self) -> bool:
        """Whether it takes no more."""
        return self.length == BLOCK

    @property
    def nbytes(self) -> int:
        """What it takes once it is full, but for what is kept free at the end of its table."""
        columns = (self.digests, self.lines, self.numbers, self._slots[:_HOMES])
        return sum(array.nbytes for array in columns)

    @property
    def latest(self) -> int:
        """When its last entry was made, in microseconds since 1970; it has one."""
        return int(self.numbers[self.length - 1, AT])

    def add(self, digests: bytes, line: bytes, numbers: tuple[int, int, int, int]) -> None:
        """Put an entry at the end, of a key that is not here yet."""
        place = self.length
        self.digests[place] = np.frombuffer(digests, np.uint8)
        self.lines[place] = np.frombuffer(line, np.uint8)
        self.numbers[place] = numbers
        slot = _home(digests)
        while self._slots.item(slot):
            slot += 1
        self._slots[slot] = _mark(digests) << 16 | place
        self.length = place + 1

    def find(self, key: bytes) -> int:
        """The entry of the *key* with this digest, -1 where there is none."""
        slot, mark = _home(key), _mark(key)
        while found := self._slots.item(slot):
            if found >> 16 == mark and self.digests[found & 0xFFFF, KEY].tobytes() == key:
                return found & 0xFFFF
            slot += 1
        return -1

    def arrays(self, *, through: int) -> dict[str, NDArray[Any]]:
        """What a snapshot stores of the entries of commits up to *through*; the very arrays, where that is all and it is full."""
        length = int(self.numbers[: self.length, NUMBER].searchsorted(through, side="right"))
        columns: dict[str, NDArray[Any]] = {
            "digests": self.digests,
            "lines": self.lines,
            "numbers": self.numbers,
        }
        if length == BLOCK:
            return columns
        return {name: column[:length] for name, column in columns.items()}

    def _take(
        self, digests: NDArray[np.uint8], lines: NDArray[np.uint8], numbers: NDArray[np.int64]
    ) -> None:
        for name, array in (("digests", digests), ("lines", lines), ("numbers", numbers)):
            own: NDArray[np.generic] = getattr(self, name)
            if array.shape != own.shape or array.dtype != own.dtype:
                raise ValueError(f"{name} of keys of another form")
            setattr(self, name, array)

    @classmethod
    def of(
        cls, digests: NDArray[np.uint8], lines: NDArray[np.uint8], numbers: NDArray[np.int64]
    ) -> "Block":
        """The block of entries that stand side by side, `BLOCK` at most. ValueError where they do not fit together."""
        block, length = cls(), len(digests)
        if length == BLOCK:
            # Nothing will be added: so they are the very arrays that are stored again.
            block._take(digests, lines, numbers)
        else:
            block.digests[:length] = digests
            block.lines[:length] = lines
            block.numbers[:length] = numbers
        block.length = length
        # In the order of their homes each is at home, or right behind the one before it.
        homes = (digests[:, :8].copy().view("<u8").reshape(-1) % _HOMES).astype(np.int64)
        marks = np.maximum(digests[:, 8:10].copy().view("<u2").reshape(-1), 1).astype(np.int64)
        order, places = np.argsort(homes, kind="stable"), np.arange(length)
        slots = np.maximum.accumulate(homes[order] - places) + places
        block._slots[slots] = marks[order] << 16 | order
        return block


def _home(digest: bytes) -> int:
    """Where a digest is looked for first."""
    return int.from_bytes(digest[:8], "little") % _HOMES


def _mark(digest: bytes) -> int:
    """What a slot says of a digest, 1 to 65,535."""
    return int.from_bytes(digest[8:10], "little") or 1
