"""The graph that a search for paths walks on: what is visible, less what specs and filters refuse."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import edge_matches, matches
from passageway_server.engine.kernels.arrays import Edges, Sight
from passageway_server.engine.paths_plan import PathEdges, PathPlan
from passageway_server.values.collections import Direction
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.version import Version

Judge = Callable[[NDArray[np.int32]], NDArray[np.bool_]]
"""Which of these rows, or keys, pass a filter."""

Specs = NDArray[np.uint16]
"""By edge class: a bit for each spec that walks it, none where the caller does not."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """The edges under one choice of weight, and the specs that walk them either way."""

    out: Edges
    into: Edges
    along: Specs
    against: Specs

    def leaving(self) -> tuple[tuple[Edges, Specs], ...]:
        """Where the edges are that a path may leave a node by."""
        return _walked((self.out, self.along), (self.into, self.against))

    def entering(self) -> tuple[tuple[Edges, Specs], ...]:
        """Where the edges are that a path may enter a node by."""
        return _walked((self.into, self.along), (self.out, self.against))


def _walked(*ways: tuple[Edges, Specs]) -> tuple[tuple[Edges, Specs], ...]:
    return tuple(way for way in ways if way[1].any())


@dataclass(frozen=True, slots=True)
class Ground:
    """What a search sees of a version."""

    weighings: tuple[Weighing, ...]
    sight: Sight
    rank: NDArray[np.int32]
    fits: Judge | None  # nodes
    usable: dict[int, Judge]  # by spec with a filter: its edges
    halt: Halt = UNHALTED  # whose flag ``sight`` has


def ground(version: Version, plan: PathPlan, *, scope: Gate, read: Gate) -> Ground:
    """The ground of *plan*: rows open to *scope*, filters judged by what *read* shows."""
    by_property: dict[str, list[tuple[int, PathEdges]]] = {}
    for bit, spec in enumerate(plan.edges):
        by_property.setdefault(spec.weight_property, []).append((bit, spec))
    weighings: list[Weighing] = []
    for name, specs in by_property.items():
        out, into = version.weighted(name, scope.halt) if name else (version.out, version.into)
        along = np.zeros(len(version.edge_types), dtype=np.uint16)
        against = np.zeros_like(along)
        for bit, spec in specs:
            types = slice(None) if spec.types is None else list(spec.types)
            if spec.direction is not Direction.IN:
                along[types] |= np.uint16(1 << bit)
            if spec.direction is not Direction.OUT:
                against[types] |= np.uint16(1 << bit)
        both = (scope.edges.passing(along), scope.edges.passing(against))
        weighings.append(Weighing(Edges.of(out), Edges.of(into), *both))

    node_filter = plan.filter

    def fits(rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        assert node_filter is not None
        return matches(node_filter, version, rows, read)

    return Ground(
        weighings=tuple(weighings),
        sight=Sight.of(version.gates, scope),
        rank=version.rank,
        fits=None if node_filter is None else fits,
        usable={
            bit: _judge(version, spec, scope.halt)
            for bit, spec in enumerate(plan.edges)
            if spec.filter is not None
        },
        halt=scope.halt,
    )


def _judge(version: Version, spec: PathEdges, halt: Halt) -> Judge:
    predicate = spec.filter
    assert predicate is not None

    def usable(stored: NDArray[np.int32]) -> NDArray[np.bool_]:
        return edge_matches(predicate, version, stored, halt)

    return usable
