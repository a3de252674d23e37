"""Which nodes of a frontier point at which nodes M, by the `shared` specs of a hop, and who else
points there.

Who points at an M is found once in a hop, and once for a spec, however many nodes are left by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.edge_gate import EdgeGate
from passageway_server.engine.kernels.arrays import Edges, Sight
from passageway_server.engine.kernels.shared import Pairs, pointed_at, pointing_at
from passageway_server.engine.plans import SharedPlan
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class Sharing:
    """The pairs of a frontier, and the rows that their ``begins`` and ``ends`` are of."""

    pairs: Pairs
    members: NDArray[np.int32]


def find_sharing(
    version: Version,
    rows: NDArray[np.int32],
    *,
    shared: Sequence[SharedPlan],
    seen: EdgeGate,
    sight: Sight,
    marks: NDArray[np.uint8],
) -> Sharing:
    """The pairs of *rows*, in the order of `Pairs`, by which some edge is made.

    *marks* is 0 for every row before and after. Halted, it finds some; an M may then have fewer
    members than it has.
    """
    out, into = Edges.of(version.out), Edges.of(version.into)
    rank = version.rank
    found: list[Pairs] = [_NONE]
    members: list[NDArray[np.int32]] = [_NONE.throughs]
    before = 0
    for number, spec in enumerate(shared):
        room = int(out.most_edges(rows).sum())
        entries, throughs = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        walked = seen.of_type(spec.edge_type)
        count = pointed_at(out, sight, marks, rows, walked, entries, throughs)
        fitting = np.flatnonzero(version.nodes.type[throughs[:count]] == spec.through_type)
        entries, throughs = entries[fitting], throughs[fitting]
        distinct, which = np.unique(throughs, return_inverse=True)
        bounds, of_each = _members(into, sight, marks, distinct, walked, most=spec.max_members)
        found.append(
            Pairs(
                entries,
                np.full(len(entries), number, dtype=np.int32),
                throughs,
                bounds[which] + before,
                bounds[which + 1] + before,
            )
        )
        before += len(of_each)
        members.append(_by_id(of_each, bounds, rank))
    pairs = Pairs(*map(np.concatenate, zip(*found, strict=True)))
    # Whoever is being left is a member itself.
    pairs = pairs.chosen(pairs.ends - pairs.begins > 1)
    order = np.lexsort((rank[pairs.throughs], pairs.specs, pairs.entries))
    return Sharing(pairs.chosen(order), np.concatenate(members))


def _members(
    into: Edges,
    sight: Sight,
    marks: NDArray[np.uint8],
    throughs: NDArray[np.int32],
    walked: NDArray[np.uint8],
    *,
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The members of each of *throughs*, side by side, and where those of each begin; none of one
    that has too many.
    """
    room = int(np.minimum(into.most_edges(throughs), most).sum())
    bounds = np.zeros(len(throughs) + 1, dtype=np.int64)
    members = np.empty(room, dtype=np.int32)
    pointing_at(into, sight, marks, throughs, walked, most, bounds, members)
    return bounds, members[: bounds[-1]]


def _by_id(
    members: NDArray[np.int32], bounds: NDArray[np.int64], rank: NDArray[np.int32]
) -> NDArray[np.int32]:
    """*members* with those of each part in the order of their ids."""
    parts = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return members[np.argsort((parts << 32) | rank[members])]


_NONE = Pairs(
    np.empty(0, dtype=np.int32),
    np.empty(0, dtype=np.int32),
    np.empty(0, dtype=np.int32),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int64),
)
