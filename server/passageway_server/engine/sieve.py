"""The edges of one hop of a walk that pass its filters, listed by a kernel and judged between two
passes.

Edges are judged before a node's degree is counted, rows before ``max_per_node`` is. Out of time,
a sieve lets through what was judged so far; none where a degree is not known.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.edge_gate import EdgeGate
from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import edge_matches, matches
from passageway_server.engine.kernels.arrays import Edges, Sight
from passageway_server.engine.kernels.changes import BothMerged
from passageway_server.engine.kernels.listed import Cursors, distinct, gather
from passageway_server.engine.kernels.reach import Reached
from passageway_server.engine.kernels.step import NO_CAP, Listed, Step
from passageway_server.engine.predicate import Predicate
from passageway_server.version.version import Version

_PIECE, _GROWTH = 2, 4  # how much is listed first, of what is asked for, and from piece to piece


@dataclass(frozen=True, slots=True)
class Sieve:
    """What the edges of a hop are judged by; ``merged`` and ``marks`` are scratch, marks 0 for
    every row before and after.
    """

    version: Version
    read: Gate
    out: Edges
    into: Edges
    sight: Sight
    reached: Reached
    merged: BothMerged
    marks: NDArray[np.uint8]
    seen: EdgeGate
    edges: Predicate | None
    nodes: tuple[Predicate, ...]

    def passing(self, frontier: NDArray[np.int32], step: Step) -> Listed:
        """The edges to follow from the places of *frontier*, node by node in its order."""
        whole = step._replace(max_per_node=NO_CAP)
        if step.max_per_node == NO_CAP:
            return self._passing_of_all(frontier, whole)
        if self.edges is not None and step.max_degree != NO_CAP:
            edges = self._passing_of_all(frontier, whole)
            return edges.chosen(_turns(edges) < step.max_per_node)
        return self._first_passing(frontier, step)

    def crowded(self, frontier: NDArray[np.int32], step: Step) -> NDArray[np.bool_]:
        """Which places of *frontier* have more than ``max_degree`` edges.

        Out of time, of some this is not known.
        """
        most = step.max_degree
        if most == NO_CAP:
            return np.zeros(len(frontier), dtype=np.bool_)
        enough = step._replace(
            max_degree=NO_CAP, max_per_node=NO_CAP if self.edges is not None else most + 1
        )
        edges = self._that_fit(self._listed(frontier, enough, self._begun(frontier, enough)))
        degrees = np.bincount(edges.nears, minlength=int(self.reached.total[0]))
        passed: NDArray[np.bool_] = degrees[frontier] > most
        return passed

    def _passing_of_all(self, frontier: NDArray[np.int32], whole: Step) -> Listed:
        cursors = self._begun(frontier, whole)
        if self.edges is None:
            return self.to_fit_rows(self._listed(frontier, whole, cursors))
        edges = self._listed(frontier, whole._replace(max_degree=NO_CAP), cursors)
        edges = self._that_fit(edges)
        if self.read.halt.spent():
            return edges.chosen(slice(0))  # of a node with too many edges some may be judged
        return self.to_fit_rows(edges.chosen(_degrees(edges) <= whole.max_degree))

    def _first_passing(self, frontier: NDArray[np.int32], step: Step) -> Listed:
        """The first ``max_per_node`` of each node, listed in growing pieces: a hub is not listed
        whole.
        """
        most, length = step.max_per_node, _PIECE * step.max_per_node
        turn = np.zeros(int(self.reached.total[0]), dtype=np.int64)
        turn[frontier] = np.arange(len(frontier))
        count = np.zeros_like(turn)
        cursors, waiting, parts = self._begun(frontier, step), frontier, list[Listed]()
        while not parts or (len(waiting) and not self.read.halt.spent()):
            piece = self._listed(waiting, step._replace(max_per_node=length), cursors)
            parts.append(self.to_fit_rows(self._that_fit(piece)))
            count += np.bincount(parts[-1].nears, minlength=len(count))
            left = cursors.left(self.out, self.into, self.reached.rows[waiting])
            on = (left > 0) & (count[waiting] < most)
            waiting, cursors, length = waiting[on], cursors.chosen(on), _GROWTH * length
        edges = Listed.joined(parts)
        if len(parts) > 1:
            edges = edges.chosen(np.argsort(turn[edges.nears], kind="stable"))
        return edges.chosen(_turns(edges) < most)

    def _begun(self, frontier: NDArray[np.int32], step: Step) -> Cursors:
        return Cursors.begun(self.out, self.into, self.reached.rows[frontier], step)

    def _listed(self, frontier: NDArray[np.int32], step: Step, cursors: Cursors) -> Listed:
        left = cursors.left(self.out, self.into, self.reached.rows[frontier])
        edges = Listed.room(int(np.minimum(left, step.max_per_node).sum()))
        count = gather(
            self.out, self.into, self.sight, self.reached, self.merged,
            frontier, step, cursors, edges,
        )  # fmt: skip
        self.read.halt.spent()
        return edges.chosen(slice(count))

    def _that_fit(self, edges: Listed) -> Listed:
        if self.edges is None:
            return edges
        return edges.chosen(edge_matches(self.edges, self.version, edges.stored, self.read.halt))

    def to_fit_rows(self, edges: Listed) -> Listed:
        """Those of *edges* that lead to rows that pass."""
        for predicate in self.nodes:
            edges = edges.chosen(self._lead_to(predicate, edges.others))
        return edges

    def _lead_to(self, predicate: Predicate, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of *rows* meet *predicate*; each distinct one is judged once."""
        marks = self.marks
        found = np.empty(len(rows), dtype=np.int32)
        found = found[: distinct(rows, marks, found, self.sight.stop)]
        # Whatever is raised from here on, the scratch is dropped: its marks are of no concern.
        self.read.halt.spent()
        marks[found] += matches(predicate, self.version, found, self.read)
        passing: NDArray[np.bool_] = marks[rows] == 2
        marks[found] = 0
        return passing


def _runs(edges: Listed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the edges of each node begin, and how many they are."""
    starts = np.flatnonzero(np.diff(edges.nears, prepend=-1)).astype(np.int64)
    return starts, np.diff(starts, append=len(edges.nears))


def _degrees(edges: Listed) -> NDArray[np.int64]:
    """Of each edge, how many edges its near node has."""
    _, lengths = _runs(edges)
    return np.repeat(lengths, lengths)


def _turns(edges: Listed) -> NDArray[np.int64]:
    """Of each edge, how many edges of its near node come before it."""
    starts, lengths = _runs(edges)
    return np.arange(len(edges.nears)) - np.repeat(starts, lengths)
