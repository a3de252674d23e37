"""Files mapped into memory, with room behind them: an array of a file grows without a copy of it.

The pages of a file are read-only, and shared with all who map it. The room is memory of this process alone, which costs
addresses and nothing else until it is written. One array has it at a time: the first that asks, until nothing of that array
is left. So a file costs half as many addresses again, and no more memory, however many take the room in turn.
"""

import ctypes
import errno
import mmap
import os
import threading
import weakref
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

_Scalar = TypeVar("_Scalar", bound=np.generic)

_FIXED = 0x10  # MAP_FIXED of Linux and macOS, for which `mmap` has no name
_UNBACKED = getattr(mmap, "MAP_NORESERVE", 0)
_FROM = 1 << 20  # bytes of a file from which on it gets room: less is copied in no time
_PART = 2  # of the file: as much room

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


def mapped(file: int, length: int) -> NDArray[np.uint8]:
    """The first *length* bytes of an open *file*, read-only, as long as somebody holds them. OSError."""
    if length >= _FROM:
        try:
            return _Mapping(file, length).values
        except MemoryError:  # no such range of addresses is left, or none may be promised
            pass
    try:
        found = mmap.mmap(file, length, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
    except ValueError as error:
        raise _ended_early() from error
    return np.frombuffer(found, np.uint8)


def with_room(array: NDArray[_Scalar]) -> NDArray[_Scalar] | None:
    """*array* and the room behind it, to be written there alone; None where it has none, or another one took it."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner.taken_by(array) if isinstance(owner, _Mapping) else None


class _Mapping:
    """A mapped file, and the room behind it; unmapped when no array of it is left."""

    def __init__(self, file: int, length: int) -> None:
        """Raises MemoryError where there is no room; OSError."""
        self._length, self._size = length, length + length // _PART
        self._taken = threading.Lock()  # by the one who has the room
        writable = mmap.PROT_READ | mmap.PROT_WRITE
        anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _UNBACKED
        self._address = _map(None, self._size, writable, anonymous, -1)
        weakref.finalize(self, _libc.munmap, self._address, self._size).atexit = False
        whole = length - length % mmap.PAGESIZE
        _map(self._address, whole, mmap.PROT_READ, mmap.MAP_SHARED | _FIXED, file)
        # The room begins within the last page of the file, so that one is a copy.
        end = os.pread(file, length - whole, whole)
        if len(end) != length - whole:
            raise _ended_early()
        self._memory()[whole:length] = np.frombuffer(end, np.uint8)

    @property
    def __array_interface__(self) -> dict[str, object]:
        return _interface(self._address, self._size)

    @property
    def values(self) -> NDArray[np.uint8]:
        """What the file holds."""
        values = self._memory()[: self._length]
        values.flags.writeable = False
        return values

    def taken_by(self, array: NDArray[_Scalar]) -> NDArray[_Scalar] | None:
        """*array*, one of the file, with the room behind it, where it ends with the file and nobody has the room."""
        begin = int(array.__array_interface__["data"][0]) - self._address
        at_end = array.flags.c_contiguous and begin + array.nbytes == self._length
        if array.ndim != 1 or not at_end or not self._taken.acquire(blocking=False):
            return None
        size = (self._size - begin) // array.itemsize * array.itemsize
        taken = _Taken(self, _interface(self._address + begin, size))
        weakref.finalize(taken, self._taken.release).atexit = False
        return np.asarray(taken).view(array.dtype)

    def _memory(self) -> NDArray[np.uint8]:
        return np.asarray(self)


class _Taken:
    """An array of a mapped file with the room behind it, which another may take when nobody holds a part of this one."""

    def __init__(self, mapping: _Mapping, interface: dict[str, object]) -> None:
        self._mapping = mapping  # for as long as it is held
        self.__array_interface__ = interface


def _interface(address: int, size: int) -> dict[str, object]:
    """What numpy asks of so many bytes that may be written."""
    return {"version": 3, "typestr": "|u1", "shape": (size,), "data": (address, False)}


def _ended_early() -> OSError:
    """Of a file that is shorter than it was a moment ago."""
    return OSError(errno.EIO, os.strerror(errno.EIO))


def _map(address: int | None, size: int, protection: int, flags: int, file: int) -> int:
    found = _libc.mmap(address, size, protection, flags, file, 0)
    if found in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(os.strerror(ctypes.get_errno()))
    return cast(int, found)
