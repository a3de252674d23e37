"""Arrays that only ever grow at their end, shared by the versions that see a prefix of them.

A version holds a length and a buffer; the next version may write behind that length into the same buffer, since
no older version looks there. Extending an older one copies, unless what is added stands there already: so the same commits,
made again on an older version, share what was made the first time. Any number of threads may extend.
"""

import threading
import weakref
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.storage.mapping import with_room

_Scalar = TypeVar("_Scalar", bound=np.generic)
_Value = TypeVar("_Value", bound=np.generic)

_PART = 8  # of the length: so much room stands behind an array that was copied


class _Buffer(Generic[_Scalar]):
    """Memory with room at its end; ``filled`` is how much the newest state has written."""

    __slots__ = ("__weakref__", "_longer", "_writing", "filled", "memory")

    def __init__(self, memory: NDArray[_Scalar], filled: int) -> None:
        self.memory = memory
        self.filled = filled
        self._writing = threading.Lock()
        self._longer: weakref.ref[_Buffer[_Scalar]] | None = None

    def write(self, start: int, added: NDArray[_Scalar]) -> "_Buffer[_Scalar] | None":
        """Where *added* stands behind the first *start* elements of this buffer; None where nothing else may follow there."""
        end = start + len(added)
        with self._writing:
            if end <= self.filled:
                same = self.memory[start:end].tobytes() == added.tobytes()
                return self if same else None
            if self.filled != start:
                return None
            # One that has moved is written no more while the other is there: both begin with the same elements.
            longer = None if self._longer is None else self._longer()
            if longer is None:
                if end <= len(self.memory):
                    self.memory[start:end] = added
                    self.filled = end
                    return self
                longer = self._moved(end)
                self._longer = weakref.ref(longer)
        return longer.write(start, added)

    def _moved(self, end: int) -> "_Buffer[_Scalar]":
        roomy = with_room(self.memory)
        if roomy is not None and end <= len(roomy):
            return _Buffer(roomy, self.filled)
        memory = np.empty(end + max(end // 2, 64), dtype=self.memory.dtype)
        memory[: self.filled] = self.memory[: self.filled]
        return _Buffer(memory, self.filled)


class Growing(Generic[_Scalar]):
    """A read-only array of fixed content that can be extended into a longer one.

    ``array`` is what it holds. Extending costs the added part alone, but for an occasional move to half as much room again.
    """

    __slots__ = ("_buffer", "array")

    def __init__(self, array: NDArray[_Scalar], buffer: _Buffer[_Scalar] | None = None) -> None:
        self.array = array
        self.array.flags.writeable = False
        self._buffer = buffer if buffer is not None else _Buffer(array, len(array))

    @staticmethod
    def empty(dtype: type[_Value]) -> "Growing[_Value]":
        """An array of no elements."""
        return Growing(np.empty(0, dtype=dtype))

    def __len__(self) -> int:
        return len(self.array)

    @property
    def dtype(self) -> np.dtype[_Scalar]:
        """The type of its values."""
        return self.array.dtype

    def take(self, places: NDArray[np.integer]) -> NDArray[_Scalar]:
        """What stands at *places*, in an array of its own."""
        taken: NDArray[_Scalar] = self.array[places]
        return taken

    def extended(self, added: NDArray[_Scalar]) -> "Growing[_Scalar]":
        """This array with *added* behind it; self is unchanged."""
        if not len(added):
            return self
        length, dtype = len(self.array), self.array.dtype
        added = np.ascontiguousarray(added, dtype=dtype)
        buffer = self._buffer.write(length, added)
        if buffer is None:
            buffer = self._copied(len(added))
            buffer.write(length, added)
        return Growing(buffer.memory[: length + len(added)], buffer)

    def begins(self, other: "Growing[_Scalar]") -> bool:
        """Whether *other* has these elements first."""
        if len(self) > len(other):
            return False
        if self.array.ctypes.data == other.array.ctypes.data:
            return True
        first = other.array[: len(self)]
        return np.array_equal(self.array.view(np.uint8), first.view(np.uint8))

    def rewritten(
        self, places: NDArray[np.integer], values: NDArray[_Scalar]
    ) -> "Growing[_Scalar]":
        """A copy with *values* at *places*, and with room at its end."""
        buffer = self._copied(0)
        buffer.memory[places] = values
        return Growing(buffer.memory[: len(self.array)], buffer)

    def _copied(self, added: int) -> _Buffer[_Scalar]:
        length = len(self.array)
        room = length + added + max((length + added) // _PART, 64)
        memory = np.empty(room, dtype=self.array.dtype)
        memory[:length] = self.array
        return _Buffer(memory, length)
