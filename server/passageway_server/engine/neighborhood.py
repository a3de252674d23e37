"""The rows around some seeds: where do the walks lead that start at each, and along which edges?

A walk is the list of its nodes, which may come again; it steps on open rows alone. Of the walks of one seed the first `WALKS` are
taken, by length, then by ids, compared as a list. Each edge along which a taken walk may step is part of the answer, so
edges side by side come together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.gates import Gate
from passageway_server.columns.ranges import side_by_side
from passageway_server.engine.plans import TypeTable
from passageway_server.version.version import Version

WALKS: Final = 512
"""So many of the walks of one seed are taken."""

_AT_ONCE = 1 << 18  # edges that are looked at together, or those of one row

Rows = NDArray[np.int32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Distinct rows, the seeds first, in their order, and the edges between them, in stored order.

    ``passed_over`` are the rows that walks would have stepped on, were it not for the call's evidence.
    """

    rows: Rows
    distances: NDArray[np.uint8]  # steps from the nearest seed
    keys: Rows
    sources: Places  # of each edge, places among the rows
    targets: Places
    limited: bool  # a seed had more walks than were taken
    passed_over: Rows


class _Steps(NamedTuple):
    """Where one may go from some rows: to each neighbor once, by id, at most one more than `WALKS` from each row."""

    firsts: Places  # by row: its first step
    counts: Places
    others: Rows  # by step
    first_key: Places
    key_counts: Places
    keys: Rows


def around(
    version: Version,
    seeds: Rows,
    hops: int,
    *,
    types: tuple[TypeTable, TypeTable],
    scope: Gate,
    project: Gate,
) -> Neighborhood:
    """What lies within *hops* steps of *seeds*, distinct open rows; *types* are walked along, and against, their direction.

    Once the call's time is spent no step follows. Raises DeadlineExceeded, Cancelled.
    """
    walking = _Walking(version, types, scope, project)
    levels, keys, limited = [seeds], [np.empty(0, dtype=np.int32)], False
    ends, owners = seeds, np.arange(len(seeds))
    left = np.full(len(seeds), WALKS)
    for _ in range(hops):
        if not len(ends) or scope.halt.spent():
            break
        distinct, which = np.unique(ends, return_inverse=True)
        steps = walking.steps(distinct)
        counts = steps.counts[which]
        most = np.zeros(len(seeds), dtype=np.int64)
        np.add.at(most, owners, counts)
        limited |= bool((most > left).any())
        ranges = side_by_side(steps.firsts[which], counts)
        after, by = ranges.positions, owners[ranges.owners]
        begins = np.concatenate(([0], np.cumsum(most)[:-1]))
        taken = np.arange(len(after)) - begins[by] < left[by]
        after, owners = after[taken], by[taken]
        left -= np.minimum(most, left)
        used = np.unique(after)
        keys.append(steps.keys[side_by_side(steps.first_key[used], steps.key_counts[used])[0]])
        ends = steps.others[after]
        levels.append(ends)
    return _gathered(version, levels, np.unique(np.concatenate(keys)), limited, walking.passed_over)


def _gathered(
    version: Version, levels: list[Rows], keys: Rows, limited: bool, passed_over: Rows
) -> Neighborhood:
    every = np.concatenate(levels)
    distances = np.repeat(np.arange(len(levels), dtype=np.uint8), list(map(len, levels)))
    _, first = np.unique(every, return_index=True)
    first.sort()  # the seeds come first, then what is nearest
    rows = every[first]
    edges = version.edges_at(keys)
    order = np.argsort(rows)
    ascending = rows[order]
    return Neighborhood(
        rows,
        distances[first],
        keys,
        order[ascending.searchsorted(edges.sources)],
        order[ascending.searchsorted(edges.targets)],
        limited,
        passed_over,
    )


def _nowhere(rows: int) -> _Steps:
    none, rows_of_none = np.zeros(rows, dtype=np.int64), np.empty(0, dtype=np.int32)
    return _Steps(none, none, rows_of_none, none[:0], none[:0], rows_of_none)


class _Walking:
    """Steps of one call, and the rows that it met and passes over."""

    def __init__(
        self, version: Version, types: tuple[TypeTable, TypeTable], scope: Gate, project: Gate
    ) -> None:
        self._version, self._scope, self._project = version, scope, project
        self._ways = [
            (adjacency, scope.edges.passing(table))
            for adjacency, table in zip((version.out, version.into), types, strict=True)
        ]
        self._passes = not np.array_equal(scope.verdict, project.verdict)
        self._passed: list[Rows] = []

    @property
    def passed_over(self) -> Rows:
        """Each row once that was met, and that the call's evidence leaves out."""
        none = np.empty(0, dtype=np.int32)
        return np.unique(np.concatenate([none, *self._passed]))

    def steps(self, rows: Rows) -> _Steps:
        """The steps from *rows*, which are distinct."""
        parts = [
            _nowhere(len(part)) if self._scope.halt.spent() else self._part(part)
            for part in self._parts(rows)
        ]
        firsts = np.cumsum([0, *(len(part.others) for part in parts)])
        key_firsts = np.cumsum([0, *(len(part.keys) for part in parts)])
        return _Steps(
            np.concatenate([p.firsts + at for p, at in zip(parts, firsts, strict=False)]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.others for part in parts]),
            np.concatenate([p.first_key + at for p, at in zip(parts, key_firsts, strict=False)]),
            np.concatenate([part.key_counts for part in parts]),
            np.concatenate([part.keys for part in parts]),
        )

    def _parts(self, rows: Rows) -> Iterator[Rows]:
        """*rows*, some at a time."""
        ends = np.cumsum(sum(adjacency.most_edges(rows) for adjacency, _ in self._ways))
        start = 0
        while start < len(rows):
            before = int(ends[start - 1]) if start else 0
            end = max(int(ends.searchsorted(before + _AT_ONCE, side="right")), start + 1)
            yield rows[start:end]
            start = end

    def _part(self, rows: Rows) -> _Steps:
        found = [self._along(adjacency, passing, rows) for adjacency, passing in self._ways]
        owners, others, keys = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        order = np.argsort(owners.astype(np.int64) << 32 | self._version.rank[others])
        owners, others, keys = owners[order], others[order], keys[order]
        is_first = np.ones(len(owners), dtype=np.bool_)
        is_first[1:] = (owners[1:] != owners[:-1]) | (others[1:] != others[:-1])
        first_key = np.flatnonzero(is_first)
        key_counts = np.diff(first_key, append=len(owners))
        by = owners[first_key]
        counts = np.bincount(by, minlength=len(rows))
        kept = np.arange(len(by)) - (np.cumsum(counts) - counts)[by] <= WALKS
        counts = np.minimum(counts, WALKS + 1)
        return _Steps(
            np.cumsum(counts) - counts,
            counts,
            others[first_key[kept]],
            first_key[kept],
            key_counts[kept],
            keys,
        )

    def _along(
        self, adjacency: Adjacency, passing: NDArray[np.uint8], rows: Rows
    ) -> tuple[Places, Rows, Rows]:
        """The edges of *rows* one way, by the place of its row: the row at the other end, and the key."""
        gates, slots = self._version.gates, adjacency.slots_of(rows)
        owners, others, keys = slots.owners, slots.others, slots.stored
        seen = passing[slots.classes] == 1
        opened = seen & gates.open(self._scope, others)
        if self._passes:
            shut = others[seen & ~opened]
            self._passed.append(np.unique(shut[gates.open(self._project, shut)]))
        return owners[opened], others[opened], keys[opened]
