"""Edge documents that stand in the slots of an adjacency: what does document d hold?

An edge that is walked has its ends, its type, its readers and its weight in a slot of its source. So its document has one
number alone, of that slot. Documents that no walk takes, those that dangle and self-loops, stand aside; one that is dead is
nowhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.adjacency import Adjacency
from passageway_server.columns.by_row import ByRow
from passageway_server.columns.edge_classes import EdgeClasses
from passageway_server.columns.headed import Headed
from passageway_server.columns.nodes import DOC_FILL, Docs
from passageway_server.columns.ranges import AT_ONCE
from passageway_server.columns.stored import are_docs

BARE = 1 << 30
"""Set in the number of a slot: the document has no weight, and the slot holds that of its type. There are fewer slots."""

DEAD = ~0
"""In place of a slot: nothing stands there. A document that stands aside has ~i where it is the i-th there, from 1 on."""

_ASIDE = ("source", "target", "type", "weight", "readers")
_MANY = 16  # of so many slots one is read: then the sources of all of them are worked out at once


class Found(NamedTuple):
    """Documents, looked up."""

    slots: NDArray[np.integer]  # of those that stand in slots, BARE or not
    outside: NDArray[np.bool_] | None  # which do not; None where all do
    # Of those: which they are aside, from 1 on; 0 where they are dead.
    beside: NDArray[np.integer] | None


@dataclass(frozen=True, slots=True, eq=False)
class InSlots:
    """Documents in slots of ``base``, the edges by source with nothing beside them.

    ``classes`` says what the slots are of, ``aside`` has the columns of those that stand in none, but for ``alive``.
    """

    slot: NDArray[np.int32]  # by document
    base: Adjacency
    classes: EdgeClasses
    aside: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        docs: Docs,
        base: Adjacency,
        classes: EdgeClasses,
        rows: NDArray[np.integer] | None = None,
    ) -> "InSlots":
        """The *rows* of *docs* (None: all), numbered from 0, all of which that are walked stand in *base*."""
        count = len(docs) if rows is None else len(rows)
        slot = np.full(count, DEAD, dtype=np.int32)
        for part in _parts(len(base.stored)):
            keys = base.stored[part]
            places = np.flatnonzero(are_docs(keys))
            slot[keys[places]] = places + part.start
        for part in _parts(count):
            some: NDArray[np.integer] = _numbers(part) if rows is None else rows[part]
            slots, bare = slot[part], np.isnan(docs.weight[some])
            slots[bare & (slots >= 0)] |= BARE
        outside = np.flatnonzero(slot == DEAD)
        held = outside if rows is None else rows[outside]
        alive = docs.alive[held]
        slot[outside[alive]] = ~np.arange(1, 1 + np.count_nonzero(alive), dtype=np.int32)
        values = ByRow.read_all((getattr(docs, name) for name in _ASIDE), held[alive])
        for array in (slot, *values):
            array.flags.writeable = False
        return cls(slot, base, classes, dict(zip(_ASIDE, values, strict=True)))

    def __len__(self) -> int:
        return len(self.slot)

    def columns(self) -> dict[str, ByRow[Any]]:
        """The documents as arrays by row."""
        return {name: ByRow(Headed(SlotColumn(self, name))) for name in DOC_FILL}

    def find(self, docs: NDArray[np.integer]) -> Found:
        """Where *docs* stand."""
        slots = self.slot[docs]
        if slots.min(initial=0) >= 0:
            return Found(slots, None, None)
        outside = slots < 0
        return Found(slots[~outside], outside, ~slots[outside])

    def read(self, name: str, found: Found) -> NDArray[Any]:
        """What the documents that were *found* hold in a column."""
        return self._joined(name, found, self._inside(name, found.slots))

    def whole(self, name: str) -> NDArray[Any]:
        """A column, all of it, in an array of its own."""
        if name == "alive":
            return cast(NDArray[Any], self.slot != DEAD)
        values = np.empty(len(self), dtype=DOC_FILL[name][0])
        sources = self._every_source() if name == "source" else None
        for part in _parts(len(self)):
            found = self.find(_numbers(part))
            inside = (
                self._inside(name, found.slots) if sources is None else sources[found.slots & ~BARE]
            )
            values[part] = self._joined(name, found, inside)
        return values

    def _joined(self, name: str, found: Found, inside: NDArray[Any]) -> NDArray[Any]:
        """*inside*, and what those of *found* hold that stand in no slot."""
        if found.outside is None or found.beside is None:
            return inside
        values = np.empty(len(found.outside), dtype=inside.dtype)
        values[~found.outside] = inside
        values[found.outside] = self._outside(name, found.beside)
        return values

    def _outside(self, name: str, beside: NDArray[np.integer]) -> NDArray[Any]:
        """What those hold that are the so-manieth aside, or dead."""
        there = beside > 0
        if name == "alive":
            return there
        kind, nothing = DOC_FILL[name]
        values = np.full(len(beside), nothing, dtype=kind)
        values[there] = self.aside[name][beside[there] - 1]
        return values

    def _inside(self, name: str, found: NDArray[np.integer]) -> NDArray[Any]:
        """What stands in the slots *found*, BARE or not."""
        base, slots = self.base, found & ~BARE
        values: NDArray[Any]
        match name:
            case "alive":
                values = np.ones(len(found), dtype=np.bool_)
            case "source":
                values = self._sources(slots)
            case "target":
                values = base.others[slots]
            case "type":
                values = self.classes.types[base.classes[slots]]
            case "readers":
                values = self.classes.gates[base.classes[slots]]
            case _:
                values = base.weights[slots]
                values[slots != found] = np.nan
        return values

    def _sources(self, slots: NDArray[np.integer]) -> NDArray[np.int32]:
        if _MANY * len(slots) > len(self.base.others):
            sources: NDArray[np.int32] = self._every_source()[slots]
            return sources
        # In order: searches that follow each other through the offsets take a sixth of the time.
        order = slots.argsort()
        sources = np.empty(len(slots), dtype=np.int32)
        sources[order] = self.base.offsets.searchsorted(slots[order], side="right") - 1
        return sources

    def _every_source(self) -> NDArray[np.int32]:
        """By slot: the row that it is of."""
        offsets = self.base.offsets
        return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))

    def check(self, *, rows: int, types: int, sets: int) -> None:
        """Raise ValueError unless each document is the one in its slot, or has an entry aside, of so many rows, types and reader sets.

        Where the edge of a document stands in a slot, the document does.
        """
        entries = {len(array) for array in self.aside.values()}
        if len(entries) != 1 or ~int(self.slot.min(initial=DEAD)) > entries.pop():
            raise ValueError("a document that stands nowhere")
        edges = 0  # those of documents that do not stand there
        for part in _parts(len(self.base.stored)):
            edges += int(np.count_nonzero(are_docs(self.base.stored[part])))
        for part in _parts(len(self)):
            slots = self.slot[part]
            inside = slots >= 0
            slots = slots[inside] & ~BARE
            edges -= len(slots)
            if slots.max(initial=-1) >= len(self.base.stored):
                raise ValueError("a document in a slot that is not there")
            if not np.array_equal(self.base.stored[slots], _numbers(part)[inside]):
                raise ValueError("a document in the slot of another edge")
        if edges:
            raise ValueError("a document that does not stand in the slot of its edge")
        for name, count in (("source", rows), ("target", rows), ("type", types), ("readers", sets)):
            aside = self.aside[name]
            if aside.min(initial=0) < 0 or aside.max(initial=-1) >= count:
                raise ValueError("a document that leads to what is not there")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a snapshot stores, by name."""
        return {"slot": self.slot} | {f"aside.{name}": self.aside[name] for name in _ASIDE}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], base: Adjacency, classes: EdgeClasses
    ) -> "InSlots":
        """The inverse of `arrays`."""
        return cls(
            arrays["slot"], base, classes, {name: arrays[f"aside.{name}"] for name in _ASIDE}
        )


@dataclass(frozen=True, slots=True, eq=False)
class SlotColumn:
    """One column of documents that stand in slots, as a head."""

    place: InSlots
    name: str

    def __len__(self) -> int:
        return len(self.place)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its values."""
        return np.dtype(DOC_FILL[self.name][0])

    def find(self, rows: NDArray[np.integer]) -> Found:
        """What `read` needs of *rows*."""
        return self.place.find(rows)

    def read(self, found: Found) -> NDArray[Any]:
        """What stands at the rows that were *found*."""
        return self.place.read(self.name, found)

    def whole(self) -> NDArray[Any]:
        """What all rows hold."""
        return self.place.whole(self.name)


def _numbers(part: slice) -> NDArray[np.int64]:
    first, last = int(part.start), int(part.stop)
    return np.arange(first, last, dtype=np.int64)


def _parts(count: int) -> Iterator[slice]:
    """Slices of an array, one after the other."""
    for start in range(0, count, AT_ONCE):
        yield slice(start, min(start + AT_ONCE, count))
