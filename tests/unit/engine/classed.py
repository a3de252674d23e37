"""Edges of small graphs: of a few types, each for anyone or hidden, and the gate of a caller who sees those for anyone."""

import numpy as np

from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.edge_gate import EdgeGate
from passageway_server.columns.gates import Gate
from passageway_server.columns.readers import ANYONE

HIDDEN_SET = 3
TYPES = 4

_EDGES = EdgeClasses.adopted(
    np.repeat(np.arange(TYPES, dtype=np.int32), 2),
    np.tile(np.array([ANYONE, HIDDEN_SET], dtype=np.int32), TYPES),
)

GATE = Gate(
    verdict=np.array([1, 0], dtype=np.uint8),  # rows of class 1 are hidden
    edges=EdgeGate(_EDGES, np.array([0, 0, 1, 0], dtype=np.uint8)),
    now=0,
)


def class_of(type: int, hidden: bool) -> int:
    """The class of such an edge."""
    return 2 * type + hidden
