"""What commits changed since a version that is derived in full, so that the next need not look at the rest.

Rows and edges are named that may have changed; what became of them follows from the contents before and after.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united

if TYPE_CHECKING:
    from passageway_server.version.derive import Ends
    from passageway_server.version.version import Version

Rows = NDArray[np.int32]
Keys = NDArray[np.int32]

_FEW = 65_536
_PART = 4  # of the rows or edges: past so many, deriving anew is no dearer


class Touched(NamedTuple):
    """What one draft wrote: rows and edge documents, new ones included, ascending."""

    rows: Rows
    docs: Rows


NOTHING = Touched(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))


@dataclass(frozen=True, slots=True)
class Changes:
    """Rows of which another gate, span or standing may have come, and edges that may have come, gone or changed.

    They are kept as the commits named them, one part each, and no more once they are many.
    """

    _rows: tuple[Rows, ...] = ()
    _keys: tuple[Keys, ...] = ()
    many: bool = False  # more than what is worth following

    def then(self, rows: Rows, keys: Keys, *, version: "Version") -> "Changes":
        """These and those of a commit that made *version*."""
        if self.many:
            return self
        together = Changes((*self._rows, rows), (*self._keys, keys))
        edges = len(version.docs) + len(version.links)
        if _count(together._rows) > max(_FEW, len(version.nodes) // _PART):
            return Changes(many=True)
        return (
            Changes(many=True) if _count(together._keys) > max(_FEW, edges // _PART) else together
        )

    @property
    def rows(self) -> Rows:
        """The rows, each once, ascending."""
        return _united(self._rows)

    @property
    def keys(self) -> Keys:
        """The keys of the edges, each once, ascending."""
        return _united(self._keys)


@dataclass(frozen=True, slots=True)
class Past:
    """The latest version before this one that is derived in full, and what was changed since."""

    ground: "Version"
    since: Changes
    ends: "tuple[Ends, Ends] | None" = (
        None  # of ``since.keys``, there and here, where they are known
    )


def _count(parts: tuple[NDArray[np.int32], ...]) -> int:
    return sum(map(len, parts))


def _united(parts: tuple[NDArray[np.int32], ...]) -> NDArray[np.int32]:
    if len(parts) == 1:
        return parts[0]
    return united(np.empty(0, dtype=np.int32), *parts)
