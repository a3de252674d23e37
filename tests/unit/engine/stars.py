"""A star for kernels that halt themselves in the middle of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.gates import NEVER
from passageway_server.engine.kernels import listed, walk
from passageway_server.engine.kernels.arrays import Edges, Sight, sealed
from passageway_server.engine.kernels.compiling import LOOK
from passageway_server.engine.kernels.step import NO_CAP, Listed, Step
from passageway_server.engine.scratch import WalkScratch

MANY = 4 * LOOK
EVERY = sealed(np.ones(1, dtype=np.uint8))
"""By edge class: it is walked."""

STEP = LOOK // 2
"""Where a kernel halts itself; it may take up to LOOK more steps until it looks."""


def stops(state: int) -> NDArray[np.uint8]:
    return sealed(np.array([state], dtype=np.uint8))


def byte_of(array: NDArray[Any], entry: int, byte: int = 0) -> NDArray[np.uint8]:
    """The byte of an entry of *array*, as a kernel polls it."""
    place = entry * array.itemsize + byte
    return sealed(array.reshape(-1).view(np.uint8)[place : place + 1])


def halted_at(steps: int) -> bool:
    return STEP <= steps <= STEP + LOOK


def to_leaves(keys: range, *, weight: float = 1.0) -> EdgeList:
    """Edges from row 0, that of key k to row k + 1."""
    zeros = np.zeros(len(keys), dtype=np.int32)
    stored = np.array(keys, dtype=np.int32)
    return EdgeList(zeros, stored + 1, np.full(len(keys), weight), zeros, stored)


class Star:
    """Row 0 leads to all others, in one direction; *changed*, every second edge was added to a base whose first ones ended."""

    def __init__(
        self, stop: NDArray[np.uint8], *, leaves: int = MANY, changed: bool = False
    ) -> None:
        rows = leaves + 1
        adjacency = Adjacency.build(to_leaves(range(leaves)), rows=rows, reverse=False)
        if changed:
            others, ended = range(0, leaves, 2), to_leaves(range(1, leaves, 2), weight=2.0)
            base = [to_leaves(others), ended]
            names = ("sources", "targets", "weights", "classes", "stored")
            both = (np.concatenate([getattr(part, name) for part in base]) for name in names)
            adjacency = Adjacency.build(EdgeList(*both), rows=rows, reverse=False).changed(
                ended, to_leaves(range(1, leaves, 2)), rows=rows, reverse=False
            )
        self.edges = Edges.of(adjacency)
        self.sight = Sight(
            sealed(np.zeros(rows, dtype=np.int32)),
            sealed(np.full(rows, NEVER)),
            sealed(np.ones(1, dtype=np.uint8)),
            0,
            stop,
        )
        self.rank = sealed(np.arange(rows, dtype=np.int32))
        scratch = WalkScratch(rows)
        self.reached, self.merged = scratch.reached, scratch.merged
        self.reached.rows[0], self.reached.place[0], self.reached.total[0] = 0, 1, 1
        self.reached.scores[0] = 1.0
        self.frontier = np.zeros(1, dtype=np.int32)

    def follow(self, followed: Listed, *, max_degree: int = NO_CAP) -> int:
        return walk.walk(
            self.edges, self.edges, self.sight, self.rank, self.reached, self.merged,
            self.frontier, 1, out_step(max_degree), followed,
        )  # fmt: skip

    def gather(self, edges: Listed, *, max_degree: int = NO_CAP) -> int:
        step = out_step(max_degree)
        cursors = listed.Cursors.begun(self.edges, self.edges, self.frontier, step)
        return listed.gather(
            self.edges, self.edges, self.sight, self.reached, self.merged,
            self.frontier, step, cursors, edges,
        )  # fmt: skip


def out_step(max_degree: int = NO_CAP) -> Step:
    return Step(1, 1.0, True, True, False, EVERY, EVERY, max_degree, NO_CAP)
