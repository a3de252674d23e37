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
from passageway_server.engine.kernels.compiling import Int, inlined

_Scalar = TypeVar("_Scalar", bound=np.generic)


class Edges(NamedTuple):
    """One direction of the graph: the fields of `Adjacency`."""

    offsets: NDArray[np.int64]
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    types: NDArray[np.int32]
    gates: NDArray[np.int32]
    stored: NDArray[np.int32]

    @classmethod
    def of(cls, adjacency: Adjacency) -> "Edges":
        """The arrays of *adjacency*."""
        return cls(
            sealed(adjacency.offsets),
            sealed(adjacency.others),
            sealed(adjacency.weights),
            sealed(adjacency.types),
            sealed(adjacency.gates),
            sealed(adjacency.stored),
        )


class Sight(NamedTuple):
    """What one call may see: a row by its class and expiry, an edge by its own reader set too."""

    classes: NDArray[np.int32]  # by row
    expiry: NDArray[np.int64]  # by row
    verdict: NDArray[np.uint8]  # by class
    holds: NDArray[np.uint8]  # by reader set
    now: int
    stop: NDArray[np.uint8]  # one byte, not 0 when the call is to stop

    @classmethod
    def of(cls, gates: Gates, gate: Gate) -> "Sight":
        """The rows of *gates* as *gate* judges them."""
        return cls(
            sealed(gates.of),
            sealed(gates.expiry),
            sealed(gate.verdict),
            sealed(gate.holds),
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


U1 = types.Array(types.uint8, 1, "C", readonly=True)
I4 = types.Array(types.int32, 1, "C", readonly=True)
I8 = types.Array(types.int64, 1, "C", readonly=True)
F8 = types.Array(types.float64, 1, "C", readonly=True)
EDGES = types.NamedTuple((I8, I4, F8, I4, I4, I4), Edges)
SIGHT = types.NamedTuple((I4, I8, U1, U1, types.int64, U1), Sight)


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
def is_walked(
    walked: NDArray[np.uint8],
    edge_types: NDArray[np.int32],
    holds: NDArray[np.uint8],
    gates: NDArray[np.int32],
    slot: Int,
) -> bool:
    """Whether the edge in *slot* is of a type to walk, and for this caller, whatever its ends.

    *walked* holds 1 for each type to walk; empty, it allows every type.
    """
    return bool((len(walked) == 0 or walked[edge_types[slot]] == 1) and holds[gates[slot]] == 1)
