"""The known edges that short enough paths can hold, as lists by node in the order of ids."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.engine.kernels.paths_bounds import (
    group,
    so_far,
    spread,
    to_go,
    turned,
    useful,
)
from passageway_server.engine.paths_reach import Reach
from passageway_server.values.halt import Halt

_PLACE = (1 << 32) - 1  # the bits of one


@dataclass(frozen=True, slots=True)
class Lists:
    """Nodes are numbers in the order of their ids; ``rows`` says which they are.

    The entries ``starts[n]:stops[n]`` lead from n to ``ends`` (ascending, each once) by the edge
    ``evidence``. What is worked out from them raises OutOfTime, DeadlineExceeded and Cancelled where
    ``halt`` says so.
    """

    rows: NDArray[np.int32]
    sources: NDArray[np.int32]  # numbers, ascending
    targets: NDArray[np.int32]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    ends: NDArray[np.int32]
    costs: NDArray[np.float64]
    evidence: NDArray[np.int32]  # keys
    halt: Halt

    def by_target(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """The lists turned round: where each begins, what leads there, and their entries."""
        begins = np.zeros(len(self.rows) + 1, dtype=np.int64)
        backs = np.empty(len(self.ends), dtype=np.int32)
        entry_of = np.empty(len(self.ends), dtype=np.int32)
        turned(self.starts, self.stops, self.ends, begins, backs, entry_of, self.halt.flag)
        self.halt.check()
        return begins, backs, entry_of

    def so_far(self, longest: int) -> NDArray[np.float64]:
        """By edges (0 to *longest*) and number: the least cost of such a walk from a source."""
        least = self._unwalked(self.sources, longest)
        so_far(self.starts, self.stops, self.ends, self.costs, least, self.halt.flag)
        self.halt.check()
        return least

    def choices(
        self, longest: int, *, high: float = np.inf, begun: NDArray[np.float64] | None = None
    ) -> "Choices":
        """The steps that lead to a target in at most *longest* edges.

        With *high*, those of walks of just *longest* edges that cost no more; *begun* is `so_far`.
        """
        nodes = len(self.rows)
        choices = Choices(
            begins=np.empty((longest + 1) * nodes + 1, dtype=np.int64),
            entries=np.empty(longest * len(self.ends), dtype=np.int32),
            least=self._unwalked(self.targets, longest),
        )
        to_go(
            self.starts,
            self.stops,
            self.ends,
            self.costs,
            np.zeros((longest + 1, nodes)) if begun is None else begun,
            high,
            choices.least,
            choices.begins,
            choices.entries,
            self.halt.flag,
        )
        self.halt.check()
        return choices

    def _unwalked(self, ends: NDArray[np.int32], longest: int) -> NDArray[np.float64]:
        least = np.empty((longest + 1, len(self.rows)), dtype=np.float64)
        least[0] = np.inf
        least[0, ends] = 0.0
        return least


@dataclass(frozen=True, slots=True)
class Choices:
    """The steps that a walk may take, by edges left: see `kernels/paths_bounds.to_go`."""

    begins: NDArray[np.int64]
    entries: NDArray[np.int32]
    least: NDArray[np.float64]


def lists_of(reach: Reach, rank: NDArray[np.int32], *, longest: int) -> Lists:
    """What *reach* knows, as far as paths of at most *longest* edges can hold it.

    Raises OutOfTime, DeadlineExceeded and Cancelled.
    """
    scratch, places, known, halt = reach.scratch, reach.places, reach.edges, reach.halt
    before, after = _distances(reach, longest)
    number = np.zeros(places, dtype=np.int32)
    ends = united(reach.sources, reach.targets)
    number[ends] = 1
    edges = np.empty(known, dtype=np.int32)
    nodes = np.empty(places, dtype=np.int32)
    nodes[: len(ends)] = ends
    chosen, met = useful(
        scratch.sources,
        scratch.targets,
        known,
        before,
        after,
        longest,
        reach.only_source,
        reach.only_target,
        number,
        edges,
        nodes[len(ends) :],
        halt.flag,
    )
    halt.check()
    nodes = nodes[: len(ends) + met]
    nodes = _by_id(nodes, rank[scratch.rows[nodes]])
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    lists = Lists(
        rows=scratch.rows[nodes],
        sources=np.sort(number[reach.sources]),
        targets=np.sort(number[reach.targets]),
        starts=np.empty(len(nodes), dtype=np.int64),
        stops=np.empty(len(nodes), dtype=np.int64),
        ends=np.empty(chosen, dtype=np.int32),
        costs=np.empty(chosen, dtype=np.float64),
        evidence=np.empty(chosen, dtype=np.int32),
        halt=halt,
    )
    group(
        scratch.sources,
        scratch.targets,
        scratch.costs,
        scratch.stored,
        edges[:chosen],
        number,
        lists.starts,
        lists.stops,
        lists.ends,
        lists.costs,
        lists.evidence,
        halt.flag,
    )
    halt.check()
    return lists


def _by_id(nodes: NDArray[np.int32], ranks: NDArray[np.int32]) -> NDArray[np.int32]:
    """*nodes* in the order of their distinct *ranks*."""
    # To sort values takes a fraction of what it takes to sort what leads to them.
    pairs = np.sort(ranks.astype(np.int64) << 32 | nodes)
    return (pairs & _PLACE).astype(np.int32)


def _distances(reach: Reach, longest: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """By place: edges from a source, and edges to a target, over what is known.

    A side's own levels are these distances up to where it is whole. Beyond, only edges that the
    other side found add something; past a cap any may.
    """
    scratch, places, capped = reach.scratch, reach.places, reach.capped
    before = scratch.levels[:places].copy()
    after = scratch.back_levels[:places].copy()
    for forward, side, distances in (
        (True, reach.forward, before),
        (False, reach.backward, after),
    ):
        chunks = [
            bound
            for chunk in reach.chunks
            if capped or chunk.forward != forward
            for bound in (chunk.first, chunk.last, 0 if capped else chunk.level)
        ]
        near, far = scratch.sources, scratch.targets
        if not forward:
            near, far = far, near
        spread(
            near,
            far,
            np.array(chunks, dtype=np.int64),
            distances,
            side.whole + 1,
            longest,
            longest,
            reach.halt.flag,
        )
        reach.halt.check()
    return before, after
