"""Runs a walk, hop by hop: which nodes it reached, with what score, and by which edge.

All state stands in a lent set of scratch arrays; what comes back are copies, as long as the walk
reached.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.stored import MADE
from passageway_server.engine.kernels import listed, order, reach
from passageway_server.engine.kernels import walk as kernel
from passageway_server.engine.kernels.arrays import Edges, Sight, sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.kernels.reach import OUT
from passageway_server.engine.kernels.step import Listed, Step
from passageway_server.engine.kernels.traversed import DIGITS, first_followed
from passageway_server.engine.lending import Pool
from passageway_server.engine.made import Made
from passageway_server.engine.plans import HopPlan, Seeds, WalkPlan
from passageway_server.engine.scratch import WalkScratch
from passageway_server.engine.shared import follow_shared
from passageway_server.engine.sieve import Sieve
from passageway_server.engine.walked import NOT_TRAVERSED, Traversed, Walked
from passageway_server.errors import LimitExceeded
from passageway_server.version.version import Version

_POOL = Pool(WalkScratch)
_NOTHING = Listed.room(0)
# A walk of one hop runs for less time than numba takes to look at the arguments of its kernels.
_sort, _best = direct(order.sort), direct(order.best)
_walk, _keep = direct(kernel.walk), direct(reach.keep)


def run_walk(version: Version, plan: WalkPlan, seeds: Seeds, *, scope: Gate, read: Gate) -> Walked:
    """Walk *plan* from *seeds* over what *scope* opens; filters see links through *read*.

    Where the time of the request is spent, the walk ends in the middle of a hop, by which it has
    reached what it has. Raises LimitExceeded (MAX_NODES, MAX_EDGES, MADE_EDGES), DeadlineExceeded,
    Cancelled.
    """
    with _POOL.lent(len(version.nodes)) as scratch:
        walk = _Walk(version, plan, scope, read, scratch)
        walk.start(seeds)
        for number, hop in enumerate(plan.hops, start=1):
            if walk.is_out_of_time():
                break
            walk.expand(number, hop)
        return walk.walked()


class _Walk:
    """A walk under way. The places of the latest hop are those from ``_latest`` on."""

    def __init__(
        self, version: Version, plan: WalkPlan, scope: Gate, read: Gate, scratch: WalkScratch
    ) -> None:
        self._version, self._plan, self._read = version, plan, read
        self._sight, self._halt = Sight.of(version.gates, scope), scope.halt
        self._edges = scope.edges
        self._rank = sealed(version.rank)
        self._scratch, self._reached = scratch, scratch.reached
        self._latest = 0
        self._followed: list[tuple[Listed, int]] = []
        self._made: list[Made] = []
        self._timed_out = False
        self._ways: dict[str, tuple[Edges, Edges]] = {}

    def start(self, seeds: Seeds) -> None:
        """Reach the seeds, at hop 0."""
        reached, count = self._reached, len(seeds.rows)
        reached.rows[:count] = seeds.rows
        reached.scores[:count] = seeds.scores
        reached.hops[:count] = 0
        reached.via[:count] = -1
        reached.place[seeds.rows] = np.arange(1, count + 1, dtype=np.int32)
        reached.total[0] = count
        self._check_nodes()

    def is_out_of_time(self) -> bool:
        """Whether the walk is to end here; raises DeadlineExceeded, Cancelled."""
        self._timed_out |= self._halt.spent()
        return self._timed_out

    def expand(self, number: int, hop: HopPlan) -> None:
        """Expand what the latest hop reached, in the total order."""
        out, into = self._adjacency(hop.weight_property)
        size = self._order_latest()
        self._latest = int(self._reached.total[0])
        out_walked, in_walked = self._walked_classes(hop)
        step = Step(
            hop=number,
            decay=hop.decay,
            summing=self._plan.summing,
            outward=hop.outward,
            inward=hop.inward,
            out_walked=out_walked,
            in_walked=in_walked,
            max_degree=hop.max_degree,
            max_per_node=hop.max_per_node,
        )
        if hop.shared:
            followed = self._follow_shared(out, into, step, size, hop)
        elif hop.edges is None and hop.nodes is None and self._plan.nodes is None:
            followed = self._follow_all(out, into, step, size)
        else:
            followed = self._follow_matching(out, into, step, size, hop)
        if self._plan.with_traversed:
            self._followed.append((followed, number))
        self.is_out_of_time()
        self._cut(hop.max_frontier)
        self._check_nodes()

    def _walked_classes(self, hop: HopPlan) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """By edge class: 1 where it is walked out, and in."""
        passing = self._edges.passing
        if not (hop.outward and hop.inward) or hop.out_types is hop.in_types:
            alike = passing(hop.out_types if hop.outward else hop.in_types)
            return alike, alike
        return passing(hop.out_types), passing(hop.in_types)

    def walked(self) -> Walked:
        """Copies of what was reached."""
        reached, count = self._reached, int(self._reached.total[0])
        return Walked(
            rows=reached.rows[:count].copy(),
            scores=reached.scores[:count].copy(),
            hops=reached.hops[:count].copy(),
            via=reached.via[:count].copy(),
            edges=reached.edges[:count].copy(),
            ways=reached.ways[:count].copy(),
            traversed=self._traversed(),
            timed_out=self._timed_out,
            made=Made.joined(self._made),
        )

    def _adjacency(self, weight_property: str) -> tuple[Edges, Edges]:
        ways = self._ways.get(weight_property)
        if ways is None:
            version = self._version
            out, into = version.out, version.into
            if weight_property:
                out, into = version.weighted(weight_property, self._halt)
            ways = self._ways[weight_property] = Edges.of(out), Edges.of(into)
        return ways

    def _order_latest(self) -> int:
        """Bring the places of the latest hop into ``order``, sorted; how many they are."""
        reached = self._reached
        count = int(reached.total[0])
        size = count - self._latest
        reached.order[:size] = np.arange(self._latest, count, dtype=np.int32)
        _sort(
            reached.scores, reached.hops, reached.rows, self._rank, reached.order, 0, size,
            self._sight.stop,
        )  # fmt: skip
        return size

    def _follow_all(self, out: Edges, into: Edges, step: Step, size: int) -> Listed:
        reached = self._reached
        followed = _NOTHING
        if self._plan.with_traversed:
            room = kernel.most_edges(out, into, reached, reached.order, size, step)
            followed = Listed.room(room)
        noted = _walk(
            out, into, self._sight, self._rank, reached, self._scratch.merged, reached.order, size,
            step, followed,
        )  # fmt: skip
        return followed.chosen(slice(noted))

    def _follow_matching(
        self, out: Edges, into: Edges, step: Step, size: int, hop: HopPlan
    ) -> Listed:
        edges = self._sieve(out, into, hop).passing(self._reached.order[:size], step)
        listed.follow(self._rank, self._reached, step, edges, self._latest, self._sight.stop)
        return edges

    def _follow_shared(
        self, out: Edges, into: Edges, step: Step, size: int, hop: HopPlan
    ) -> Listed:
        followed, made = follow_shared(
            self._sieve(out, into, hop),
            step,
            self._reached.order[:size],
            shared=hop.shared,
            first=MADE + sum(map(len, self._made)),
            noting=self._plan.with_traversed,
        )
        self._made.append(made)
        return followed

    def _sieve(self, out: Edges, into: Edges, hop: HopPlan) -> Sieve:
        return Sieve(
            self._version,
            self._read,
            out,
            into,
            self._sight,
            self._reached,
            self._scratch.merged,
            self._scratch.marks,
            seen=self._edges,
            edges=hop.edges,
            nodes=tuple(one for one in (self._plan.nodes, hop.nodes) if one is not None),
        )

    def _cut(self, most: int) -> None:
        """Keep the best *most* places of the latest hop."""
        reached = self._reached
        count = int(reached.total[0])
        size = count - self._latest
        if size <= most:
            return
        reached.order[:size] = np.arange(self._latest, count, dtype=np.int32)
        _best(
            reached.scores, reached.hops, reached.rows, self._rank, reached.order, size, most,
            self._sight.stop,
        )  # fmt: skip
        _keep(reached, self._rank, self._latest, reached.order[0], self._sight.stop)
        self._halt.spent()

    def _check_nodes(self) -> None:
        most = self._plan.max_nodes
        if self._reached.total[0] > most:
            raise LimitExceeded(
                "MAX_NODES",
                limit=most,
                parameter="max_nodes",
                advice="lower max_frontier or max_per_node of a hop, or narrow its filter",
            )

    def _traversed(self) -> Traversed:
        """The followed edges whose far end was reached in the end: the near end always was."""
        if not self._followed:
            return NOT_TRAVERSED
        parts = [followed for followed, _ in self._followed]
        followed = Listed.joined(parts)
        hops = np.repeat(
            np.array([number for _, number in self._followed], dtype=np.uint8),
            [len(part.stored) for part, _ in self._followed],
        )
        chosen = self._first_followed(followed, hops)
        most = self._plan.max_edges
        if len(chosen) > most:
            raise LimitExceeded(
                "MAX_EDGES",
                limit=most,
                parameter="max_edges",
                advice="lower max_frontier or max_per_node of a hop, or leave with_subgraph out",
            )
        nears, outward = followed.nears[chosen], followed.ways[chosen] == OUT
        self._halt.spent()  # for what it raises, as below: there may be millions
        fars = self._reached.place[followed.others[chosen]] - 1
        self._halt.spent()
        sources, targets = np.where(outward, nears, fars), np.where(outward, fars, nears)
        self._halt.spent()
        return Traversed(
            stored=followed.stored[chosen],
            hops=hops[chosen],
            sources=sources,
            targets=targets,
            weights=followed.weights[chosen],
        )

    def _first_followed(self, followed: Listed, hops: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The entries of *followed*, which go by hop, that are the first of their edge."""
        chosen, spare = np.empty((2, len(hops)), dtype=np.int32)
        count = first_followed(
            followed.stored,
            followed.others,
            hops,
            self._reached.place,
            chosen,
            spare,
            np.empty(DIGITS, dtype=np.int64),
            self._sight.stop,
        )
        self._halt.spent()
        return chosen[:count]
