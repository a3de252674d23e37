"""What a version tells of all its records, and each commit brings up: how many there are, and edges that join nothing."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.row_sets import RowSets
from passageway_server.version import derive


@dataclass(frozen=True, slots=True)
class Counts:
    """Records of a version."""

    nodes: int
    edges: int  # documents
    passages: int


class Unjoined(NamedTuple):
    """Edges that are alive, and in no adjacency."""

    loose: RowSets  # by row: the keys of those at it
    dangling: int  # how many lack an end; the others are self-loops

    @classmethod
    def of(cls, keys: NDArray[np.int32], ends: derive.Ends) -> "Unjoined":
        """Those among *keys*, among which are all of them."""
        return cls(derive.loose(keys, ends), ends.dangling)
