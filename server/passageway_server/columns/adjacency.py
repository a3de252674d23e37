"""The edges of every row, packed into arrays: what does row r lead to, heaviest first?

The edges of row r are the slots ``offsets[r]:offsets[r + 1]`` of a base, heaviest first, then by key; those that ended since
are skipped, and those added since (`Since`) come in between. Dangling edges and self-loops are left out. The arrays are
read-only, so any number of readers may hold them; versions share a base.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import among, united
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.packing import packed
from passageway_server.columns.ranges import counted, in_parts, side_by_side
from passageway_server.columns.since import Since, Slotted
from passageway_server.columns.stored import are_known


@dataclass(frozen=True, slots=True)
class Slots:
    """The edges of some rows, in the base and beside it; those of a row in no order."""

    base: "Adjacency"
    slots: NDArray[np.int64] | slice  # of the base
    since: NDArray[np.int64]  # of what was added
    owners: NDArray[np.int64]  # by edge: the place of its row among those asked for

    def __len__(self) -> int:
        return len(self.owners)

    @property
    def others(self) -> NDArray[np.int32]:
        """The row at the other end of each."""
        return self._of("others")

    @property
    def classes(self) -> NDArray[np.int32]:
        """The edge class of each."""
        return self._of("classes")

    @property
    def stored(self) -> NDArray[np.int32]:
        """The key of each."""
        return self._of("stored")

    def _of(self, name: str) -> NDArray[np.int32]:
        found: NDArray[np.int32] = getattr(self.base, name)[self.slots]
        if self.base.since is None or not len(self.since):
            return found
        return np.concatenate((found, getattr(self.base.since.added, name).array[self.since]))


_ARRAYS = ("offsets", "others", "weights", "classes", "stored")


@dataclass(frozen=True, slots=True)
class Adjacency:
    """One direction of the graph. All arrays but ``offsets`` are by slot of the base."""

    offsets: NDArray[np.int64]
    others: NDArray[np.int32]
    weights: NDArray[np.float64]
    classes: NDArray[np.int32]
    stored: NDArray[np.int32]
    since: Since | None = None

    @classmethod
    def build(cls, edges: EdgeList, *, rows: int, reverse: bool) -> "Adjacency":
        """The adjacency of *edges*, which go by key, by source, or by target where *reverse*."""
        near, slotted = edges.directed(reverse=reverse)
        return cls.of(near, slotted.chosen, rows=rows)

    @classmethod
    def of(
        cls,
        near: NDArray[np.int32],
        taken: Callable[[NDArray[np.int64]], Slotted],
        *,
        rows: int,
    ) -> "Adjacency":
        """The adjacency of the edges at the rows *near*, of which *taken* gives those at some places."""
        return cls._packed(*packed(near, taken, rows=rows))

    def turned(self) -> "Adjacency":
        """The same edges by the row at their other end, of an adjacency that is all base."""
        rows = len(self.offsets) - 1
        near = np.repeat(np.arange(rows, dtype=np.int32), np.diff(self.offsets))

        def taken(slots: NDArray[np.int64]) -> Slotted:
            held = Slotted(*(getattr(self, name)[slots] for name in _ARRAYS[1:]))
            return dataclasses.replace(held, others=near[slots])

        return self.of(self.others, taken, rows=rows)

    @classmethod
    def _packed(cls, degrees: NDArray[np.integer], slotted: Slotted) -> "Adjacency":
        offsets = np.zeros(len(degrees) + 1, dtype=np.int64)
        np.cumsum(degrees, out=offsets[1:])
        arrays: dict[str, Any] = {name: getattr(slotted, name) for name in _ARRAYS[1:]}
        for array in (offsets, *arrays.values()):
            array.flags.writeable = False
        return cls(offsets=offsets, **arrays)

    def changed(
        self, removed: EdgeList, added: EdgeList, *, rows: int, reverse: bool
    ) -> "Adjacency":
        """This adjacency for *rows* rows, without *removed* and with *added*, at the cost of these.

        What is removed is given as it was; one key may be in both. Self-loops are passed over. Raises KeyError where a removed
        edge is not here.
        """
        since = self.since or Since.none(self.offsets)
        gone_from, gone = removed.directed(reverse=reverse)
        slots = self._slots_of(since, gone_from, gone)
        left = slots < 0  # added since
        near, lists = self._rewritten(since, gone_from[left], gone.stored[left], added, reverse)
        written = united(near, gone_from[left])
        since = since.following(
            rows=rows,
            ended=slots[~left],
            touched=united(written, gone_from),
            written=written,
            near=near,
            lists=lists,
        )
        return dataclasses.replace(self, offsets=since.offsets.array, since=since)

    def _slots_of(self, since: Since, near: NDArray[np.int32], edges: Slotted) -> NDArray[np.int64]:
        """The slot of the base of each of *edges*, which are at *near*; -1 where it was added since."""
        slots = self._places(near, edges)
        within = np.flatnonzero(slots < self.offsets[near + 1])
        found = within[self.stored[slots[within]] == edges.stored[within]]
        found = found[since.is_alive(slots[found])]
        of_base = np.full(len(near), -1, dtype=np.int64)
        of_base[found] = slots[found]
        return of_base

    def _places(self, near: NDArray[np.int32], edges: Slotted) -> NDArray[np.int64]:
        """The first slot of the base, among those of its row in *near*, that does not come before each of *edges*."""
        low, high = self.offsets[near], self.offsets[near + 1]
        while len(open_ := np.flatnonzero(low < high)):
            middle = (low[open_] + high[open_]) >> 1
            weights, wanted = self.weights[middle], edges.weights[open_]
            before = weights > wanted
            before |= (weights == wanted) & (self.stored[middle] < edges.stored[open_])
            low[open_[before]] = middle[before] + 1
            high[open_[~before]] = middle[~before]
        return low

    def _rewritten(
        self,
        since: Since,
        gone_from: NDArray[np.int32],
        gone: NDArray[np.int32],
        added: EdgeList,
        reverse: bool,
    ) -> tuple[NDArray[np.int32], Slotted]:
        """The new lists of all rows to which edges are added, or from whose lists the keys *gone* go: by row, in order."""
        near, more = added.directed(reverse=reverse)
        rows = united(near, gone_from)
        known = rows[rows < len(self.offsets) - 1]
        ranges = since.slots_of(known) if len(since.marks) else side_by_side(known[:0], known[:0])
        held, owners = since.added.taken(ranges.positions), known[ranges.owners]
        kept = ~among(_names(owners, held.stored), np.sort(_names(gone_from, gone)))
        if len(kept) - np.count_nonzero(kept) != len(gone):
            raise KeyError("an edge to be removed is not in the adjacency")
        near = np.concatenate((owners[kept], near))
        lists = held.chosen(kept).before(more)
        order = np.lexsort((lists.stored, -lists.weights, near))
        return near[order], lists.chosen(order)

    def merged(self) -> "Adjacency":
        """The same edges as a base of their own: one pass, no sort of them all."""
        since = self.since
        if since is None:
            return self
        alive = since.is_alive(np.arange(len(self.stored)))
        ranges = side_by_side(since.firsts, since.counts)
        near, more = since.touched[ranges.owners], since.added.taken(ranges.positions)
        before = counted(alive)
        places = before[self._places(near, more)]
        base = Slotted(*(getattr(self, name)[alive] for name in _ARRAYS[1:]))
        merged = Slotted(
            *(np.insert(getattr(base, n), places, getattr(more, n)) for n in _ARRAYS[1:])
        )
        degrees = np.diff(before[self.offsets])
        degrees[since.touched] += since.counts
        return self._packed(degrees, merged)

    def most_edges(self, rows: NDArray[np.integer]) -> NDArray[np.int64]:
        """No fewer than each of *rows* has edges; as many where nothing ended."""
        degrees: NDArray[np.int64] = self.offsets[rows + 1] - self.offsets[rows]
        return degrees if self.since is None else degrees + self.since.lists_of(rows)[1]

    def slots_of(self, rows: NDArray[np.integer]) -> Slots:
        """The edges of *rows*."""
        base = side_by_side(self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows])
        since = self.since
        if since is None or not since.is_marked(rows).any():
            return Slots(self, base.positions, base.positions[:0], base.owners)
        alive = since.is_alive(base.positions)
        added = since.slots_of(rows)
        owners = np.concatenate((base.owners[alive], added.owners))
        return Slots(self, base.positions[alive], added.positions, owners)

    def parts_of(self, rows: NDArray[np.integer], most: int) -> Iterator[Slots]:
        """The edges of *rows*, no more than *most* at a time: the cost is of the parts that are asked for."""
        firsts = self.offsets[rows]
        none = np.empty(0, dtype=np.int64)
        for slots, owners in in_parts(firsts, self.offsets[rows + 1] - firsts, most):
            if self.since is None:
                yield Slots(self, slots, none, owners)
            else:
                alive = self.since.is_alive(slots)
                yield Slots(self, slots[alive], none, owners[alive])
        if self.since is not None:
            for slots, owners in in_parts(*self.since.lists_of(rows), most):
                yield Slots(self, none, slots, owners)

    def every_part(self, most: int) -> Iterator[tuple[int, Slots]]:
        """The edges of all rows, some rows at a time, with the first of these: of the base some *most*, or those of one row."""
        rows, first = len(self.offsets) - 1, 0
        while first < rows:
            past = int(self.offsets.searchsorted(int(self.offsets[first]) + most, side="right")) - 1
            last = min(max(past, first + 1), rows)
            yield first, self._slots_between(first, last)
            first = last

    def _slots_between(self, first: int, last: int) -> Slots:
        rows, since = np.arange(first, last, dtype=np.int32), self.since
        if since is not None and since.is_marked(rows).any():
            return self.slots_of(rows)
        offsets = self.offsets[first : last + 1]
        owners = np.repeat(np.arange(len(rows)), np.diff(offsets))
        none = np.empty(0, dtype=np.int64)
        return Slots(self, slice(int(offsets[0]), int(offsets[-1])), none, owners)

    def keys_at(self, rows: NDArray[np.integer]) -> NDArray[np.int32]:
        """The keys of the edges of *rows*, in no order."""
        return self.slots_of(rows).stored

    def check(self, *, rows: int, docs: int, links: int, classes: int) -> None:
        """Raise ValueError unless its numbers are those of so many rows, documents, links and edge classes."""
        slots = {len(getattr(self, name)) for name in _ARRAYS[1:]}
        if len(self.offsets) != rows + 1 or slots != {int(self.offsets[-1])}:
            raise ValueError(f"an adjacency of {len(self.offsets) - 1} rows, not of {rows}")
        if self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            raise ValueError("an adjacency whose rows run backwards")
        bounds = ((self.others, rows), (self.classes, classes))
        documents = self.stored.min(initial=0) >= 0 and self.stored.max(initial=-1) < docs
        known = documents or are_known(self.stored, docs=docs, links=links).all()
        if not known or any(
            a.max(initial=0) >= max(most, 1) or a.min(initial=0) < 0 for a, most in bounds
        ):
            raise ValueError("an adjacency that leads to what is not there")

    @property
    def delta_size(self) -> int:
        """How much stands beside the base: slots of added edges, those left behind too, and slots that ended."""
        return 0 if self.since is None else len(self.since.added) + self.since.lost

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        base: int = sum(getattr(self, name).nbytes for name in _ARRAYS)
        return base + (0 if self.since is None else self.since.nbytes)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a snapshot stores, by name, of an adjacency that is all base."""
        if self.since is not None:
            raise ValueError("an adjacency with changes beside its base has no arrays of its own")
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Adjacency":
        """The inverse of `arrays`."""
        return cls(**{name: arrays[name] for name in _ARRAYS})  # type: ignore[arg-type]


def _names(near: NDArray[np.integer], stored: NDArray[np.int32]) -> NDArray[np.int64]:
    """What tells edges at different rows apart, too."""
    return (near.astype(np.int64) << 32) | (stored.astype(np.int64) & 0xFFFFFFFF)
