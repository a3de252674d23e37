"""The arrays that kernels take, in groups, and their types as signatures write them.

What a version holds is read-only, and numba tells read-only arrays from others: `sealed` makes sure
of it. A kernel takes the groups apart once, at its top: an array fetched from a group inside a loop
is counted as a new reference.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numba import types
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.gates import Gate, Gates
from passageway_server.columns.since import Since
from passageway_server.engine.kernels.compiling import Int, Real, inlined

_Scalar = TypeVar("_Scalar", bound=np.generic)


class Changes(NamedTuple):
    """What stands beside the base of an adjacency: the fields of `Since`, those of its slots side by side.

    Where nothing does, ``marks`` is empty.
    """

    marks: NDArray[np.uint8]
    touched: NDArray[np.int32]
    firsts: NDArray[np.int64]
    counts: NDArray[np.int32]
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    classes: NDArray[np.int32]
    stored: NDArray[np.int32]
    ended: NDArray[np.int32]
    sequence: int

    @classmethod
    def of(cls, since: Since) -> "Changes":
        """The arrays of *since*."""
        added = since.added
        return cls(
            sealed(since.marks),
            sealed(since.touched),
            sealed(since.firsts),
            sealed(since.counts),
            sealed(added.others.array),
            sealed(added.weights.array),
            sealed(added.classes.array),
            sealed(added.stored.array),
            sealed(since.ended.stamps),
            since.sequence,
        )


class Edges(NamedTuple):
    """One direction of the graph: the fields of `Adjacency`."""

    offsets: NDArray[np.int64]
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    classes: NDArray[np.int32]
    stored: NDArray[np.int32]
    changes: Changes

    @classmethod
    def of(cls, adjacency: Adjacency) -> "Edges":
        """The arrays of *adjacency*."""
        return cls(
            sealed(adjacency.offsets),
            sealed(adjacency.others),
            sealed(adjacency.weights),
            sealed(adjacency.classes),
            sealed(adjacency.stored),
            NO_CHANGES if adjacency.since is None else Changes.of(adjacency.since),
        )

    def most_edges(self, rows: NDArray[np.integer]) -> NDArray[np.int64]:
        """No fewer than each of *rows* has edges."""
        degrees: NDArray[np.int64] = self.offsets[rows + 1] - self.offsets[rows]
        marks, touched, counts = self.changes.marks, self.changes.touched, self.changes.counts
        if len(marks):
            marked = np.flatnonzero(marks[rows >> 3] >> (rows & 7).astype(np.uint8) & 1)
            degrees[marked] += counts[np.searchsorted(touched, rows[marked])]
        return degrees


class Sight(NamedTuple):
    """Which rows one call may see, by their gate class and expiry."""

    classes: NDArray[np.int32]  # by row: its gate class
    expiry: NDArray[np.int64]  # by row
    verdict: NDArray[np.uint8]  # by class
    now: int
    stop: NDArray[np.uint8]  # one byte, not 0 when the call is to stop

    @classmethod
    def of(cls, gates: Gates, gate: Gate) -> "Sight":
        """The rows of *gates* as *gate* judges them."""
        return cls(
            sealed(gates.of),
            sealed(gates.expiry),
            sealed(gate.verdict),
            gate.now,
            sealed(gate.halt.flag),
        )


def sealed(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """*array* as a plain array that cannot be written: itself, or a view of it."""
    if type(array) is np.ndarray and not array.flags.writeable:
        return array
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


NO_CHANGES = Changes.of(Since.none(np.zeros(1, dtype=np.int64)))
"""Of an adjacency that is all base."""

U1 = types.Array(types.uint8, 1, "C", readonly=True)
I4 = types.Array(types.int32, 1, "C", readonly=True)
I8 = types.Array(types.int64, 1, "C", readonly=True)
F8 = types.Array(types.float64, 1, "C", readonly=True)
CHANGES = types.NamedTuple((U1, I4, I8, I4, I4, F8, I4, I4, I4, types.int64), Changes)
EDGES = types.NamedTuple((I8, I4, F8, I4, I4, CHANGES), Edges)
SIGHT = types.NamedTuple((I4, I8, U1, types.int64, U1), Sight)


@inlined
def is_open(
    classes: NDArray[np.int32],
    expiry: NDArray[np.int64],
    verdict: NDArray[np.uint8],
    now: Int,
    row: Int,
) -> bool:
    """Whether the call may step on *row*."""
    answer = verdict[classes[row]]
    return bool(answer == 1 or (answer == 2 and expiry[row] > now))


@inlined
def comes_first(weight: Real, stored: Int, other_weight: Real, other_stored: Int) -> bool:
    """Whether an edge comes before another of its node: the heavier, then the earlier."""
    return bool(weight > other_weight or (weight == other_weight and stored < other_stored))
