"""What a walk comes back with: the nodes that it reached, and edges between them, stored or made.

A node is a place in arrays that stand side by side; an edge is a number, past those of the version where the walk made it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.kernels.step import Listed
from passageway_server.engine.made import NOTHING_MADE, Made
from passageway_server.engine.rows import edge_rows
from passageway_server.engine.selection import Selection
from passageway_server.engine.sizes import Size
from passageway_server.values.answers import EdgeRow
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class Traversed:
    """Edges that were followed between nodes that were reached, each once.

    They go by hop, then in stored order. Ends are places among what was reached.
    """

    stored: NDArray[np.int32]
    hops: NDArray[np.uint8]  # the first that followed it
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float64]  # in use in that hop

    def __len__(self) -> int:
        return len(self.stored)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> "Traversed":
        """Some of the edges, in the order that *which* has them."""
        return Traversed(
            self.stored[which],
            self.hops[which],
            self.sources[which],
            self.targets[which],
            self.weights[which],
        )


_NO_EDGES = Listed.room(0)
NOT_TRAVERSED = Traversed(
    stored=_NO_EDGES.stored,
    hops=_NO_EDGES.ways,
    sources=_NO_EDGES.nears,
    targets=_NO_EDGES.others,
    weights=_NO_EDGES.weights,
)
"""Of a walk that keeps no edges."""


@dataclass(frozen=True, slots=True)
class Walked:
    """The nodes reached, in no order but by hop; the arrays stand side by side."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float64]
    hops: NDArray[np.uint8]
    via: NDArray[np.int32]  # the place here of the node whose one edge gave most; -1 on a seed
    edges: NDArray[np.int32]  # the number of that edge, stored or made; unset on a seed
    ways: NDArray[np.uint8]  # reach.OUT or reach.IN: how it runs, seen from via; unset on a seed
    traversed: Traversed
    timed_out: bool = False  # the time of the request was spent before the last hop was done
    made: Made = NOTHING_MADE  # the edges whose numbers are past those of the version

    def __len__(self) -> int:
        return len(self.rows)


def walked_edge_rows(
    version: Version,
    gate: Gate,
    walked: Walked,
    stored: Sequence[int] | NDArray[np.integer],
    *,
    selection: Selection,
    admin: bool,
    size: Size,
) -> list[EdgeRow]:
    """The edges of numbers *stored*, in their order, each in its stored direction: those that the
    version holds as `edge_rows` shows them, those that *walked* made without id or readers. *size* is that of the whole answer.
    """
    which, made = np.asarray(stored, dtype=np.int64), walked.made
    if not len(made):
        return edge_rows(version, gate, which, selection=selection, admin=admin, size=size)
    is_made = which >= made.first
    of_version = edge_rows(
        version, gate, which[~is_made], selection=selection, admin=admin, size=size
    )
    of_walk = made.rows(version, which[is_made], selection=selection, size=size)
    held, new = iter(of_version), iter(of_walk)
    return [next(new) if one else next(held) for one in is_made.tolist()]
