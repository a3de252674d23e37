"""How much memory a version takes: the bytes of its arrays, each counted once; and what is free, given back."""

import ctypes
import os
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.remembered import Followed
from passageway_server.version.version import Version
from passageway_server.version.weighted import Weighted

_UNUSED = {"_buffer"}  # the room behind an array that grows
_MEANS = {"array", "head", "place", "tail"}
_OURS = ("passageway_server.columns.", "passageway_server.version.")


def memory_bytes(version: Version) -> int:
    """Bytes of all arrays: what was put, and what was derived so far. Mapped ones count too."""
    return sum(memory_shares(version).values())


def give_back() -> None:
    """Let the system have the memory that is free, where the C library keeps it for later: glibc does."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def memory_shares(version: Version) -> dict[str, int]:
    """The same by array, such as ``docs.ids.strings.heap``."""
    contents = version.contents
    values = {name: getattr(contents, name) for name in contents.__slots__}
    shares: dict[str, int] = {}
    seen: set[int] = set()
    for name, array in chain(_arrays(version.known, ""), _arrays(values, "")):
        if id(array) not in seen:
            seen.add(id(array))
            shares[name] = shares.get(name, 0) + array.nbytes
    kept = [one for one in list(version.known.values()) if isinstance(one, Weighted)]
    return shares | ({"weighted": sum(one.nbytes for one in kept)} if kept else {})


def _arrays(value: object, name: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays in *value*, and in what it is made of, with their names in it; some come twice."""
    if isinstance(value, np.ndarray):
        yield name, value
        return
    for part, inside in _parts(value):
        # What is private, or one of several things that hold the same, says nothing to a reader.
        known = "" if part.startswith("_") or part in _MEANS else part
        yield from _arrays(inside, ".".join(filter(None, (name, known))))


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        several = cast("dict[object, object]", value)
        yield from [(str(key), part) for key, part in several.items()]  # others may write meanwhile
    elif isinstance(value, tuple):
        fields = cast("tuple[object, ...]", value)
        numbers = tuple(str(number) for number in range(len(fields)))
        names = cast("tuple[str, ...]", getattr(fields, "_fields", numbers))
        yield from zip(names, fields, strict=True)
    else:
        for name in _slots(type(value)):  # type: ignore[arg-type]
            yield name, getattr(value, name, None)


@cache
def _slots(kind: type[Any]) -> tuple[str, ...]:
    """Where a value of *kind* may have arrays; nowhere but in what columns and versions are made of."""
    if not kind.__module__.startswith(_OURS) or issubclass(kind, Followed):
        return ()
    slots = {name for each in kind.__mro__ for name in getattr(each, "__slots__", ())}
    return tuple(sorted(slots - _UNUSED))
