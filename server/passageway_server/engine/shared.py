"""One hop that makes edges of two: the node being left and another both point at the same node.

Made edges are followed together with stored ones, in the order of both. A frontier may have far
more of them than the graph has edges, so they are made in pieces, and only those are kept that an
answer may show.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.kernels import listed
from passageway_server.engine.kernels import shared as kernel
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.reach import OUT
from passageway_server.engine.kernels.step import NO_CAP, Listed, Step
from passageway_server.engine.made import Made
from passageway_server.engine.pairs import find_sharing
from passageway_server.engine.plans import SharedPlan
from passageway_server.engine.sieve import Sieve
from passageway_server.errors import LimitExceeded

PIECE = 1 << 16
"""About how many edges are made at a time."""

MOST_NOTED = 10_000_000
"""How many made edges a hop may note."""


def follow_shared(
    sieve: Sieve,
    step: Step,
    frontier: NDArray[np.int32],
    *,
    shared: Sequence[SharedPlan],
    first: int,
    noting: bool,
) -> tuple[Listed, Made]:
    """Follow the edges of the places of *frontier*, in its order, and those made for them.

    *noting*, it gives back all that were followed and the made ones among them; else no edges, and
    the made ones by which places were reached, perhaps with some more. They are numbered from
    *first* on. Out of time, it has followed some. Raises LimitExceeded (MADE_EDGES).
    """
    left = frontier[~sieve.crowded(frontier, step)]
    step = step._replace(max_degree=NO_CAP)
    hop = _Hop(sieve, step, left, shared, first, noting=noting)
    return hop.followed()


class _Candidates(NamedTuple):
    """Edges made for some entries: by entry, then by id of the far end, then by spec."""

    pairs: NDArray[np.int32]  # of which each was made
    others: NDArray[np.int32]


class _Hop:
    """A hop under way. Entry e of ``left`` is the place being left that is ``rows[e]``.

    Until the hop is done numbers are in order among the made edges of one node alone, which are
    all that a walk compares.
    """

    def __init__(
        self,
        sieve: Sieve,
        step: Step,
        left: NDArray[np.int32],
        shared: Sequence[SharedPlan],
        first: int,
        *,
        noting: bool,
    ) -> None:
        self._sieve, self._step, self._left, self._noting = sieve, step, left, noting
        self._shared, self._first, self._next = tuple(shared), first, first
        self._weights = np.array([spec.weight for spec in shared], dtype=np.float64)
        self._rank = sealed(sieve.version.rank)
        self._rows = sieve.reached.rows[left]
        self._begun = int(sieve.reached.total[0])
        sharing = find_sharing(
            sieve.version,
            self._rows,
            shared=shared,
            seen=sieve.seen,
            sight=sieve.sight,
            marks=sieve.marks,
        )
        self._pairs, self._members = sharing.pairs, sharing.members
        # Of far ends that are still to be judged, any may be among the first that pass.
        self._most = NO_CAP if sieve.nodes else step.max_per_node
        self._noted = [Listed.room(0)]
        self._kept = [np.empty((4, 0), dtype=np.int32)]  # sources, targets, throughs, specs

    def followed(self) -> tuple[Listed, Made]:
        """Follow all, piece by piece; the edges noted, and those that were made."""
        sieve, step = self._sieve, self._step
        for entries, pairs, room in self._pieces():
            left = self._left[entries]
            candidates = self._candidates(pairs, room)
            made = sieve.to_fit_rows(self._listed(candidates))
            stored = sieve.passing(left, step)
            edges = Listed.room(len(stored.nears) + len(made.nears))
            count = kernel.merge(left, step.max_per_node, stored, made, edges, sieve.sight.stop)
            edges = edges.chosen(slice(count))
            if sieve.read.halt.spent():
                break  # an M may have had more members, a node more edges
            listed.follow(self._rank, sieve.reached, step, edges, self._begun, sieve.sight.stop)
            self._keep(candidates, edges)
        return self._numbered()

    def _pieces(self) -> Iterator[tuple[slice, slice, int]]:
        """Entries, their pairs, and how many edges those make at most."""
        pairs, entries = self._pairs, len(self._left)
        starts = pairs.entries.searchsorted(np.arange(entries + 1))
        made = np.minimum(pairs.ends - pairs.begins, self._most)
        before = np.concatenate(([0], made.cumsum()))[starts]
        # Whoever shares many M with a node is one far end, by each spec.
        of_one = len(self._shared) * len(self._rank)
        cuts = np.flatnonzero(np.diff(before[1:] // PIECE)) + 1
        for begin, end in pairwise([0, *cuts.tolist(), entries]):
            yield (
                slice(begin, end),
                slice(int(starts[begin]), int(starts[end])),
                min(int(before[end] - before[begin]), of_one * (end - begin)),
            )

    def _candidates(self, pairs: slice, room: int) -> _Candidates:
        found = _Candidates(np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32))
        count = kernel.make(
            self._pairs,
            pairs.start,
            pairs.stop,
            self._rows,
            self._members,
            self._most,
            self._sieve.marks,
            self._sieve.sight.stop,
            *found,
        )
        made, others = found.pairs[:count], found.others[:count]
        turns = self._pairs.entries[made].astype(np.int64)
        keys = (turns << 36) | (self._rank[others].astype(np.int64) << 4) | self._pairs.specs[made]
        if (keys[1:] >= keys[:-1]).all():
            return _Candidates(made, others)
        order = np.argsort(keys, kind="stable")  # of sorted runs: to merge them is fast
        return _Candidates(made[order], others[order])

    def _listed(self, candidates: _Candidates) -> Listed:
        """The candidates as edges, of each entry heaviest first, numbered as they are."""
        pairs, others = candidates
        entries, weights = self._pairs.entries[pairs], self._weights[self._pairs.specs[pairs]]
        edges = Listed(
            nears=self._left[entries],
            others=others,
            weights=weights,
            stored=np.arange(self._next, self._next + len(pairs), dtype=np.int32),
            ways=np.full(len(pairs), OUT, dtype=np.uint8),
        )
        if len(set(self._weights.tolist())) <= 1:
            return edges
        return edges.chosen(np.lexsort((-weights, entries)))

    def _keep(self, candidates: _Candidates, edges: Listed) -> None:
        """Keep those candidates among *edges* that are noted, or by which a place was reached."""
        reached_by = self._reached_by()
        numbers = edges.stored if self._noting else reached_by
        used = np.zeros(len(candidates.pairs), dtype=np.bool_)
        used[numbers[numbers >= self._next] - self._next] = True
        moved = self._next + np.cumsum(used) - 1
        _renumber(reached_by, self._next, moved)
        if self._noting:
            _renumber(edges.stored, self._next, moved)
            self._noted.append(edges)
        pairs, targets = candidates.pairs[used], candidates.others[used]
        sources = self._rows[self._pairs.entries[pairs]]
        self._kept.append(
            np.stack((sources, targets, self._pairs.throughs[pairs], self._pairs.specs[pairs]))
        )
        self._next += len(pairs)
        if self._next - self._first > MOST_NOTED:
            raise LimitExceeded(
                "MADE_EDGES",
                limit=MOST_NOTED,
                parameter="hops.shared",
                advice="lower max_members of a shared spec, or max_per_node of the hop",
            )

    def _numbered(self) -> tuple[Listed, Made]:
        """What was kept, now in the order that numbers have."""
        sources, targets, throughs, by = np.concatenate(self._kept, axis=1)
        # Those of one source stand side by side, in their order.
        order = np.argsort(self._rank[sources], kind="stable")
        moved = np.empty(len(order), dtype=np.int64)
        moved[order] = np.arange(self._first, self._first + len(order))
        noted = Listed.joined(self._noted)
        for numbers in (self._reached_by(), noted.stored):
            _renumber(numbers, self._first, moved)
        made = Made(
            self._first, sources[order], targets[order], throughs[order], by[order], self._shared
        )
        return noted, made

    def _reached_by(self) -> NDArray[np.int32]:
        """The numbers of the edges by which the places of this hop were reached, to be changed."""
        reached = self._sieve.reached
        return reached.edges[self._begun : int(reached.total[0])]


def _renumber(numbers: NDArray[np.int32], first: int, moved: NDArray[np.int64]) -> None:
    """Let each number n from *first* on be ``moved[n - first]``."""
    made = numbers >= first
    numbers[made] = moved[numbers[made] - first]
