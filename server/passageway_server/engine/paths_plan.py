"""What a search for paths was asked, bound to a version: types are numbers, filters predicates."""

from dataclasses import dataclass

from passageway_server.engine.predicate import Predicate
from passageway_server.values.collections import Direction
from passageway_server.values.requests import PathMode

NO_CAP = 2**31 - 1


@dataclass(frozen=True, slots=True)
class PathEdges:
    """Edges that a path may use: a compiled edge spec."""

    types: tuple[int, ...] | None = None  # numbers of edge types; None: every one
    direction: Direction = Direction.BOTH
    filter: Predicate | None = None
    weight_property: str = ""
    max_frontier: int = NO_CAP  # new nodes that it may add to one level


@dataclass(frozen=True, slots=True)
class PathPlan:
    """A checked request. ``most`` is k, or max_paths in ALL_SIMPLE."""

    mode: PathMode = PathMode.SHORTEST
    edges: tuple[PathEdges, ...] = (PathEdges(),)
    most: int = 1
    min_depth: int = 0
    max_depth: int = 4
    weighted: bool = False
    max_frontier: int = 1000
    max_degree: int = NO_CAP
    max_prefixes: int = 1_000_000
    timeout_ms: int = 0  # 0: none
    filter: Predicate | None = None
