"""The edges that a walk made of two stored ones.

A made edge has a key like a stored one. It is past all stored ones (`columns.stored.MADE`), and goes
by hop, then id of the source, id of the target, order of the specs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from passageway_server.engine.plans import SharedPlan
from passageway_server.engine.selection import Selection
from passageway_server.engine.sizes import FRAME, WEIGHT, Size, size_of_texts
from passageway_server.values.answers import EdgeRow
from passageway_server.values.records import Properties
from passageway_server.version.version import Version

THROUGH = "through"
"""The property of a made edge that holds the id of the node to which both its ends lead."""


@dataclass(frozen=True, slots=True)
class Made:
    """Made edges side by side, in the order of their numbers: entry i has ``first + i``."""

    first: int
    sources: NDArray[np.int32]  # rows, like the next two
    targets: NDArray[np.int32]
    throughs: NDArray[np.int32]
    by: NDArray[np.int32]  # which of the specs made it
    specs: tuple[SharedPlan, ...]

    def __len__(self) -> int:
        return len(self.sources)

    @classmethod
    def joined(cls, hops: "Sequence[Made]") -> "Made":
        """The edges of all *hops*, each of which goes on with the numbers after the last one's."""
        if not hops:
            return NOTHING_MADE
        specs = tuple(spec for hop in hops for spec in hop.specs)
        before = np.cumsum([0, *(len(hop.specs) for hop in hops[:-1])]).astype(np.int32)
        return cls(
            hops[0].first,
            np.concatenate([hop.sources for hop in hops]),
            np.concatenate([hop.targets for hop in hops]),
            np.concatenate([hop.throughs for hop in hops]),
            np.concatenate([hop.by + start for hop, start in zip(hops, before, strict=True)]),
            specs,
        )

    def rows(
        self, version: Version, numbers: NDArray[np.int64], *, selection: Selection, size: Size
    ) -> list[EdgeRow]:
        """The edges of *numbers*, in their order. *size* is that of the whole answer.

        Raises LimitExceeded.
        """
        which = numbers - self.first
        by, ids = self.by[which], version.nodes.ids
        lengths = np.array([len(spec.name.encode()) for spec in self.specs], dtype=np.int64)
        size.add(int(lengths[by].sum()) + (2 * FRAME + WEIGHT) * len(by))
        shown = [self.sources, self.targets, *[self.throughs] * selection.asks(THROUGH)]
        size.add(sum(size_of_texts(ids.strings, rows[which]) for rows in shown))
        listed: list[int] = by.tolist()
        specs = [self.specs[number] for number in listed]
        properties: list[Properties] = [{} for _ in specs]
        if selection.asks(THROUGH):
            properties = [{THROUGH: id} for id in ids.take(self.throughs[which])]
        return list(
            map(
                EdgeRow,
                repeat(""),
                ids.take(self.sources[which]),
                ids.take(self.targets[which]),
                [spec.name for spec in specs],
                [spec.weight for spec in specs],
                properties,
            )
        )


_NONE = np.empty(0, dtype=np.int32)
NOTHING_MADE = Made(int(np.iinfo(np.int32).max), _NONE, _NONE, _NONE, _NONE, ())
"""Of a walk that made no edges."""
