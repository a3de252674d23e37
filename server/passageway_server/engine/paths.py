"""How two sets of nodes are connected: the shortest or cheapest simple paths, or all of them.

Two sides grow towards each other (`paths_reach`) until the edges of every path that counts are
known; then paths are listed over the known edges in their final order. Without a cap met, the
answer is that of brute force. Out of time, it is what the edges known by then hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.kernels.paths_cheapest import Suffixes, cheapest
from passageway_server.engine.kernels.paths_search import of_length
from passageway_server.engine.paths_ground import Ground, ground
from passageway_server.engine.paths_lists import Choices, Lists, lists_of
from passageway_server.engine.paths_plan import PathPlan
from passageway_server.engine.paths_reach import Reach
from passageway_server.engine.paths_scratch import lent
from passageway_server.values.halt import OutOfTime
from passageway_server.values.requests import PathMode
from passageway_server.version.version import Version

_LAST_PREFIXES = 50_000
"""Looked at to answer with what is known once time is spent."""
_AT_ONCE = 500  # paths that become values between two looks at the halt


class FoundPath(NamedTuple):
    """One path: its rows, the keys of the edges between them, and what it costs."""

    rows: tuple[int, ...]
    edges: tuple[int, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """Paths in their order; ``explored`` counts the distinct nodes that either side reached.

    ``timed_out``: more might be known with more time. ``truncated`` tells of caps alone.
    """

    paths: list[FoundPath]
    truncated: bool
    explored: int
    timed_out: bool = False


def find_paths(
    version: Version,
    plan: PathPlan,
    *,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    scope: Gate,
    read: Gate,
) -> FoundPaths:
    """The paths of *plan* between rows that *scope* may see.

    *sources* and *targets* may hold any rows, -1 too. Raises DeadlineExceeded, Cancelled.
    """
    return paths_on(
        ground(version, plan, scope=scope, read=read),
        plan,
        sources=_open_rows(version, scope, sources),
        targets=_open_rows(version, scope, targets),
    )


def paths_on(
    ground: Ground, plan: PathPlan, *, sources: NDArray[np.int32], targets: NDArray[np.int32]
) -> FoundPaths:
    """The paths of *plan* on *ground*, between open rows."""
    if ground.fits is not None:
        sources, targets = sources[ground.fits(sources)], targets[ground.fits(targets)]
    if not len(sources) or not len(targets):
        return FoundPaths([], False, len(sources) + len(targets))
    with lent(len(ground.rank)) as scratch:
        reach = Reach(ground, plan, scratch, sources=sources, targets=targets)
        search = _Search(reach, ground, plan)
        timed_out = False
        try:
            with ground.halt.within(plan.timeout_ms):
                paths, complete = search.all()
        except OutOfTime:
            timed_out = True
            paths, complete = search.known()
        found = FoundPaths(paths, not complete, reach.explored, timed_out)
        reach.clear()
    return found


def _open_rows(version: Version, scope: Gate, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Those of *rows* that exist and are open, each once, as asked."""
    found = np.array(list(dict.fromkeys(rows[rows >= 0].tolist())), dtype=np.int32)
    return found[version.gates.open(scope, found)]


class _Search:
    """Paths over what a reach knows, with one budget of prefixes for the call.

    Raises OutOfTime where time is spent; what the reach knows can then be asked for.
    """

    def __init__(self, reach: Reach, ground: Ground, plan: PathPlan) -> None:
        self._reach, self._ground, self._plan = reach, ground, plan
        self._halt = ground.halt
        self._left = plan.max_prefixes

    def all(self) -> tuple[list[FoundPath], bool]:
        """The paths of the plan, and whether no cap can have hidden another."""
        if self._plan.mode is PathMode.ALL_SIMPLE:
            return self._all_simple()
        return self._cheapest() if self._plan.weighted else self._shortest()

    def known(self) -> tuple[list[FoundPath], bool]:
        """Those of them over the edges known by now, and whether no cap was met."""
        plan, self._left = self._plan, _LAST_PREFIXES
        if plan.mode is PathMode.ALL_SIMPLE:
            paths = self._by_length(plan.min_depth, plan.max_depth, plan.most + 1)
        elif plan.weighted:
            paths = self._known_cheapest()
        else:
            paths = self._by_length(0, plan.max_depth, plan.most)
        return paths[: plan.most], not self._reach.capped and len(paths) <= plan.most

    def _shortest(self) -> tuple[list[FoundPath], bool]:
        """The best k by (length, ids), and whether no cap can have hidden a better one.

        Levels are added until k paths are known: those of a + b edges at most, once a + b levels
        are expanded.
        """
        reach, plan = self._reach, self._plan
        while True:
            last = reach.covered >= plan.max_depth
            longest = min(reach.forward.depth + reach.backward.depth, plan.max_depth)
            paths = self._by_length(0, plan.max_depth if last else longest, plan.most)
            enough = len(paths) == plan.most
            if enough or last or self._left < 0 or not reach.grow():
                break
        if not enough and not last and self._left >= 0:
            paths = self._by_length(0, plan.max_depth, plan.most)
            enough = len(paths) == plan.most
        needed = len(paths[-1].edges) if enough else plan.max_depth
        return paths, reach.covered >= needed and self._left >= 0

    def _all_simple(self) -> tuple[list[FoundPath], bool]:
        """The first ``most`` by (length, ids), and whether these are all there are."""
        plan = self._plan
        self._reach_all()
        paths = self._by_length(plan.min_depth, plan.max_depth, plan.most + 1)
        complete = self._reach.covered >= plan.max_depth and self._left >= 0
        return paths[: plan.most], complete and len(paths) <= plan.most

    def _cheapest(self) -> tuple[list[FoundPath], bool]:
        """The best k by (cost, length, ids), and whether no cap can have hidden a better one."""
        self._reach_all()
        complete = self._reach.covered >= self._plan.max_depth
        paths = self._known_cheapest()
        return paths, complete and self._left >= 0

    def _known_cheapest(self) -> list[FoundPath]:
        """The best k known paths by (cost, length, ids)."""
        plan = self._plan
        if not self._reach.met:
            return []
        lists = lists_of(self._reach, self._ground.rank, longest=plan.max_depth)
        ranked = self._ranked(lists)
        if len(ranked) == plan.most and self._left >= 0:
            worst = ranked[-1]
            better = [path for path in ranked if _value(path) < _value(worst)]
            length = len(worst.edges)
            begun = lists.so_far(length)
            ties = self._of_length(
                lists,
                lists.choices(length, high=worst.cost, begun=begun),
                length,
                low=worst.cost,
                high=worst.cost,
                most=plan.most - len(better),
            )
            if self._left >= 0:
                ranked = better + ties
        ids = self._ground.rank
        ranked.sort(key=lambda path: (*_value(path), ids[list(path.rows)].tolist()))
        return ranked

    def _reach_all(self) -> None:
        """Grow until every path of ``max_depth`` edges is known, or nothing is left to expand."""
        while self._reach.covered < self._plan.max_depth and self._reach.grow():
            pass

    def _by_length(self, shortest: int, longest: int, most: int) -> list[FoundPath]:
        """The first *most* known paths of *shortest* to *longest* edges by (length, ids)."""
        if not self._reach.met:
            return []
        lists = lists_of(self._reach, self._ground.rank, longest=longest)
        choices = lists.choices(longest)
        paths: list[FoundPath] = []
        for length in range(shortest, longest + 1):
            wanted = most - len(paths)
            if not wanted or self._left < 0:
                break
            paths += self._of_length(lists, choices, length, low=0.0, high=np.inf, most=wanted)
        return paths

    def _of_length(
        self,
        lists: Lists,
        choices: Choices,
        length: int,
        *,
        low: float,
        high: float,
        most: int,
    ) -> list[FoundPath]:
        if np.isinf(choices.least[length, lists.sources]).all():
            return []
        nodes = np.empty((most, length + 1), dtype=np.int32)
        entries = np.empty((most, length), dtype=np.int32)
        totals = np.empty(most, dtype=np.float64)
        found, looked = of_length(
            choices.begins,
            choices.entries,
            lists.ends,
            lists.costs,
            choices.least,
            lists.sources,
            length,
            low,
            high,
            most,
            self._left,
            nodes,
            entries,
            totals,
            self._halt.flag,
        )
        self._left -= looked
        paths: list[FoundPath] = []
        for i in range(found):
            if i % _AT_ONCE == 0:
                self._halt.check()
            paths.append(_path(lists, nodes[i], entries[i], float(totals[i])))
        self._halt.check()
        return paths

    def _ranked(self, lists: Lists) -> list[FoundPath]:
        """The best k by (cost, length); which of those equal to the last is left open."""
        depth, most = self._plan.max_depth, self._plan.most
        begins, backs, entry_of = lists.by_target()
        nodes = np.empty((most, depth + 1), dtype=np.int32)
        entries = np.empty((most, depth), dtype=np.int32)
        lengths = np.empty(most, dtype=np.int32)
        totals = np.empty(most, dtype=np.float64)
        found, looked = cheapest(
            begins,
            backs,
            entry_of,
            lists.costs,
            lists.so_far(depth),
            lists.targets,
            Suffixes.within(self._left),
            most,
            self._left,
            nodes,
            entries,
            lengths,
            totals,
            self._halt.flag,
        )
        self._left -= looked
        self._halt.check()
        return [
            _path(lists, nodes[i, : n + 1], entries[i, :n], float(totals[i]))
            for i, n in enumerate(lengths[:found].tolist())
        ]


def _path(
    lists: Lists, nodes: NDArray[np.int32], entries: NDArray[np.int32], cost: float
) -> FoundPath:
    rows: Sequence[int] = lists.rows[nodes].tolist()
    edges: Sequence[int] = lists.evidence[entries].tolist()
    return FoundPath(tuple(rows), tuple(edges), cost)


def _value(path: FoundPath) -> tuple[float, int]:
    return path.cost, len(path.edges)
