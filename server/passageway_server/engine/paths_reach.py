"""Two sides that grow towards each other: from the sources, and from the targets, backwards.

A level is the nodes that a side reached first at that many edges. Expanding all levels below a on
one side and below b on the other makes every edge known that a path of at most a + b edges can
hold. Caps thin a level; what a side has reached can still be joined by the other. All choices
(which side, which nodes) look at visible rows alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels.arrays import Edges
from passageway_server.engine.kernels.paths_reach import FAR, Listed, Step, list_edges, take_in
from passageway_server.engine.paths_caps import Places, best_of, drop_busy, drop_late
from passageway_server.engine.paths_ground import Ground, Specs
from passageway_server.engine.paths_plan import NO_CAP, PathPlan
from passageway_server.engine.paths_scratch import Scratch
from passageway_server.values.halt import OutOfTime


@dataclass(slots=True)
class Side:
    """One of the two searches."""

    ways: tuple[tuple[Edges, Specs], ...]
    frontier: Places  # the places to be expanded next
    never: int  # the place that it need not expand, -1
    depth: int = 0  # levels expanded
    whole: int = 0  # levels expanded before a cap was met
    capped: bool = False

    @property
    def covered(self) -> int:
        """How many edges from its ends on are known without exception; FAR: all that there are."""
        return FAR if not self.capped and not len(self.frontier) else self.whole


@dataclass(frozen=True, slots=True)
class Chunk:
    """Known edges of one level of a side: the entries ``first`` up to ``last``."""

    forward: bool
    level: int
    first: int
    last: int


class Reach:
    """What both sides have reached so far, in *scratch*."""

    def __init__(
        self,
        ground: Ground,
        plan: PathPlan,
        scratch: Scratch,
        *,
        sources: NDArray[np.int32],
        targets: NDArray[np.int32],
    ) -> None:
        """*sources* and *targets* are rows that are open and fit, each once."""
        self._ground, self._plan, self.scratch = ground, plan, scratch
        self.halt = ground.halt
        self.places = 0
        self.edges = 0
        self.chunks: list[Chunk] = []
        self.sources = self._start(sources)
        self.targets = self._start(targets)
        scratch.levels[self.sources] = 0
        scratch.back_levels[self.targets] = 0
        scratch.spent[self.sources] = 0.0
        scratch.back_spent[self.targets] = 0.0
        self.only_source = int(self.sources[0]) if len(sources) == 1 else -1
        self.only_target = int(self.targets[0]) if len(targets) == 1 else -1
        leaving = tuple(way for weighing in ground.weighings for way in weighing.leaving())
        entering = tuple(way for weighing in ground.weighings for way in weighing.entering())
        self.forward = Side(leaving, _without(self.sources, self.only_target), self.only_target)
        self.backward = Side(entering, _without(self.targets, self.only_source), self.only_source)
        self.met = bool(np.intersect1d(self.sources, self.targets).size)

    def _start(self, rows: NDArray[np.int32]) -> Places:
        scratch = self.scratch
        scratch.hold_places(self.places, self.places + len(rows))
        old = self.places
        for row in rows.tolist():
            if not scratch.place[row]:
                scratch.rows[self.places] = row
                self.places += 1
                scratch.place[row] = self.places
        self._open(old)
        return scratch.place[rows] - np.int32(1)

    def _open(self, old: int) -> None:
        """Prepare the places from *old* on: reached by no side."""
        scratch, new = self.scratch, slice(old, self.places)
        scratch.levels[new] = FAR
        scratch.back_levels[new] = FAR
        scratch.fits[new] = 1

    def clear(self) -> None:
        """Leave the scratch as it was."""
        self.scratch.place[self.scratch.rows[: self.places]] = 0

    @property
    def covered(self) -> int:
        """Every path of at most so many edges is known; FAR: every path."""
        return min(FAR, self.forward.covered + self.backward.covered)

    @property
    def capped(self) -> bool:
        """Whether a cap was met."""
        return self.forward.capped or self.backward.capped

    @property
    def explored(self) -> int:
        """Distinct nodes that either side reached."""
        nearest = np.minimum(
            self.scratch.levels[: self.places], self.scratch.back_levels[: self.places]
        )
        return int(np.count_nonzero(nearest != FAR))

    def grow(self) -> bool:
        """Expand the next level of the side with fewer nodes to expand; whether there was one.

        Raises OutOfTime, and is as it was before; DeadlineExceeded, Cancelled.
        """
        ready = [
            (min(len(side.frontier), self._plan.max_frontier), not forward, side)
            for forward, side in ((True, self.forward), (False, self.backward))
            if len(side.frontier) and side.depth < self._plan.max_depth
        ]
        if not ready:
            return False
        _, backward, side = min(ready, key=lambda choice: choice[:2])
        known = self.edges
        try:
            self._expand(side, forward=not backward)
        except OutOfTime:
            self.edges = known
            raise
        return True

    def _expand(self, side: Side, *, forward: bool) -> None:
        scratch = self.scratch
        spent = scratch.spent if forward else scratch.back_spent
        frontier = self._best(side, spent)
        first, old = self.edges, self.places
        for edges, specs in side.ways:
            self._list(edges, specs, frontier, forward=forward)
        self._open(old)
        self.halt.check()
        fits = self._ground.fits
        if fits is not None and self.places > old:
            scratch.fits[old : self.places] = fits(scratch.rows[old : self.places])
        listed = self._listed(forward=forward)
        self._filter(listed, first)
        self.halt.check()
        levels, others = scratch.levels, scratch.back_levels
        spent, ends = scratch.spent, self.targets
        if not forward:
            levels, others = others, levels
            spent, ends = scratch.back_spent, self.sources
        side.capped |= self._drop(listed, first, levels=levels, spent=spent, ends=ends)
        arrived = np.empty(self.places, dtype=np.int32)
        self.edges, new = take_in(
            listed, first, self.edges, scratch.fits, levels, spent, side.depth + 1, arrived,
            self.halt.flag,
        )  # fmt: skip
        self.halt.spent()
        self.met = self.met or bool((others[arrived[:new]] != FAR).any())
        self.chunks.append(Chunk(forward, side.depth, first, self.edges))
        side.frontier = _without(arrived[:new].copy(), side.never)
        side.depth += 1
        if not side.capped:
            side.whole = side.depth

    def _best(self, side: Side, spent: NDArray[np.float64]) -> Places:
        """What ``max_frontier`` leaves of the frontier, best first by (cost so far, id)."""
        frontier = side.frontier
        if len(frontier) <= self._plan.max_frontier:
            return frontier
        side.capped = True
        ids = self._ground.rank[self.scratch.rows[frontier]]
        best: Places = frontier[best_of(spent[frontier], ids, self._plan.max_frontier)]
        return best

    def _list(self, edges: Edges, specs: Specs, frontier: Places, *, forward: bool) -> None:
        """List the visible edges of *frontier* behind the known ones."""
        scratch = self.scratch
        rows = scratch.rows[frontier]
        room = int(edges.most_edges(rows).sum())
        scratch.hold_edges(self.edges, self.edges + room)
        scratch.hold_places(self.places, min(self.places + room, len(self._ground.rank)))
        surely = 0xFFFF
        for bit in self._ground.usable:
            surely &= ~(1 << bit)
        step = Step(specs, self._plan.weighted, surely, self._plan.max_degree)
        self.places, self.edges = list_edges(
            edges,
            self._ground.sight,
            step,
            frontier,
            scratch.place,
            scratch.rows,
            self.places,
            self._listed(forward=forward),
            self.edges,
        )

    def _listed(self, *, forward: bool) -> Listed:
        """The known edges as a side lists them: from its own ends on."""
        scratch = self.scratch
        ends = (scratch.sources, scratch.targets)
        near, far = ends if forward else ends[::-1]
        return Listed(near, far, scratch.costs, scratch.stored, scratch.specs)

    def _filter(self, listed: Listed, first: int) -> None:
        """Take from each edge the specs whose filter it fails."""
        specs = listed.specs[first : self.edges]
        for bit, usable in self._ground.usable.items():
            asked = np.flatnonzero(specs & (1 << bit))
            failed = asked[~usable(listed.stored[first : self.edges][asked])]
            specs[failed] &= np.uint16(0xFFFF ^ (1 << bit))

    def _drop(
        self,
        listed: Listed,
        first: int,
        *,
        levels: NDArray[np.uint8],
        spent: NDArray[np.float64],
        ends: Places,
    ) -> bool:
        """Drop what ``max_degree`` and the specs' own caps leave out; whether there was any."""
        added = slice(first, self.edges)
        near, far, specs = listed.near[added], listed.far[added], listed.specs[added]
        capped = drop_busy(
            near,
            listed.stored[added],
            specs,
            max_degree=self._plan.max_degree,
            several=len(self._ground.weighings) > 1,
            halt=self.halt,
        )
        if any(spec.max_frontier != NO_CAP for spec in self._plan.edges):
            fits = self.scratch.fits[far] == 1
            capped |= drop_late(
                far,
                specs,
                edges=self._plan.edges,
                addable=(levels[far] == FAR) & fits & ~np.isin(far, ends),
                costs=spent[near] + listed.costs[added],
                ids=self._ground.rank[self.scratch.rows[far]],
            )
            self.halt.check()
        return capped


def _without(places: Places, place: int) -> Places:
    return places[places != place] if place >= 0 else places
