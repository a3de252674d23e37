"""What a walk is to do, bound to a version: types are tables, filters predicates, caps numbers."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels.step import NO_CAP
from passageway_server.engine.predicate import Predicate

TypeTable = NDArray[np.uint8]
"""By edge type: 1 where it is walked. An empty table walks every type."""

EVERY_TYPE: TypeTable = np.empty(0, dtype=np.uint8)
EVERY_TYPE.flags.writeable = False


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """Edges to make for a hop: to each node that leads to the same node as the one being left.

    Types are numbers, -1 for one that there is not.
    """

    name: str  # the type that they bear
    edge_type: int  # of the two edges that one is made of
    through_type: int  # of the node between them
    weight: float = 1.0
    max_members: int = 1000  # a node to which more lead makes none


@dataclass(frozen=True, slots=True)
class HopPlan:
    """One hop.

    ``out_types`` and ``in_types`` say which types are left by, along and against their direction.
    """

    outward: bool = True
    inward: bool = False
    out_types: TypeTable = field(default_factory=lambda: EVERY_TYPE)
    in_types: TypeTable = field(default_factory=lambda: EVERY_TYPE)
    weight_property: str = ""  # "": the effective weight
    decay: float = 1.0
    edges: Predicate | None = None
    nodes: Predicate | None = None
    max_degree: int = NO_CAP
    max_per_node: int = NO_CAP
    max_frontier: int = NO_CAP
    shared: tuple[SharedPlan, ...] = ()


@dataclass(frozen=True, slots=True)
class WalkPlan:
    """All hops, and what holds for each.

    ``nodes`` is judged on every node reached, but not on the seeds given.
    """

    hops: tuple[HopPlan, ...] = ()
    summing: bool = True  # else the best share counts
    nodes: Predicate | None = None
    max_nodes: int = 100_000
    with_traversed: bool = False
    max_edges: int = 100_000


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk starts: distinct open rows, and the score of each."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float64]
