"""How much memory a version takes: the bytes of its arrays, each counted once."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.remembered import Followed
from passageway_server.version.version import Version
from passageway_server.version.weighted import Weighted

_UNUSED = {"_buffer"}  # the room behind an array that grows
_OURS = ("passageway_server.columns.", "passageway_server.version.")


def memory_bytes(version: Version) -> int:
    """Bytes of all arrays: what was put, and what was derived so far. Mapped ones count too."""
    contents = version.contents
    values = [getattr(contents, name) for name in contents.__slots__]
    kept = list(version.known.values())
    arrays = {id(array): array.nbytes for array in _arrays((*values, *kept))}
    return sum(arrays.values()) + sum(one.size for one in kept if isinstance(one, Weighted))


def _arrays(value: object) -> Iterator[NDArray[Any]]:
    """The arrays in *value*, and in what it is made of; some come twice."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for part in cast(tuple[object, ...], value):
            yield from _arrays(part)
    elif isinstance(value, dict):
        yield from _arrays(tuple(cast(dict[str, object], value).values()))
    elif type(value).__module__.startswith(_OURS) and not isinstance(value, Followed):
        slots = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
        yield from _arrays(tuple(getattr(value, name, None) for name in slots - _UNUSED))
