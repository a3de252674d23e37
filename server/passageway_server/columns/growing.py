"""Arrays that only ever grow at their end, shared by the versions that see a prefix of them.

A version holds a length and a buffer; the next version may write behind that length into the same buffer, since
no older version looks there. Only the single writer of a collection extends, and only from the newest state;
extending an older one copies.
"""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Scalar = TypeVar("_Scalar", bound=np.generic)


class _Buffer(Generic[_Scalar]):
    """Memory with room at its end; ``filled`` is how much the newest state has written."""

    __slots__ = ("filled", "memory")

    def __init__(self, memory: NDArray[_Scalar], filled: int) -> None:
        self.memory = memory
        self.filled = filled


class Growing(Generic[_Scalar]):
    """A read-only array of fixed content that can be extended into a longer one.

    ``array`` is what it holds. Extending costs the added part alone, but for an occasional move to half as much room again.
    """

    __slots__ = ("_buffer", "array")

    def __init__(self, array: NDArray[_Scalar], buffer: _Buffer[_Scalar] | None = None) -> None:
        self.array = array
        self.array.flags.writeable = False
        self._buffer = buffer if buffer is not None else _Buffer(array, len(array))

    @classmethod
    def empty(cls, dtype: DTypeLike) -> "Growing[_Scalar]":
        """An array of no elements."""
        return cls(np.empty(0, dtype=dtype))

    def __len__(self) -> int:
        return len(self.array)

    def extended(self, added: NDArray[_Scalar]) -> "Growing[_Scalar]":
        """This array with *added* behind it; self is unchanged."""
        if not len(added):
            return self
        length = len(self.array)
        total = length + len(added)
        buffer = self._buffer
        if buffer.filled != length or total > len(buffer.memory):
            room = total + max(total // 2, 64)
            memory = np.empty(room, dtype=self.array.dtype)
            memory[:length] = self.array
            buffer = _Buffer(memory, length)
        buffer.memory[length:total] = added
        buffer.filled = total
        return Growing(buffer.memory[:total], buffer)
