"""The order in which those that a search found are shown: exact names first, and no type crowds out the others.

Both are one order of all that was found, so that the first k of a larger limit are those of limit k.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.query import Found, best
from passageway_server.version.version import Version

Places = NDArray[np.int32]

NAMED_AMONG: Final = 64
"""So many of the best are looked at for an exact name."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Places among those found, in order, and which of them stand in front for their name."""

    places: Places
    named: NDArray[np.bool_]


def shown(
    version: Version, found: Found, limit: int, *, type_cap: int, names: frozenset[str], gate: Gate
) -> Shown:
    """The first *limit*: those among the best that bear one of *names*, then by score.

    A type past its *type_cap* is held back until no other type is left; 0 holds nothing back. Raises DeadlineExceeded,
    Cancelled.
    """
    ahead = best(version, found, max(limit, NAMED_AMONG if names else 0), gate)
    front = _named(version, found, ahead, names)
    if not type_cap:
        places = _behind(front, ahead)
    else:
        types = version.nodes.type[found.rows]
        kept = _best_of_types(version, found, types, front, type_cap, gate)
        places = _behind(kept, _behind(front, ahead))
    places = places[:limit]
    return Shown(places, np.isin(places, front))


def _named(version: Version, found: Found, ahead: Places, names: frozenset[str]) -> Places:
    if not names:
        return ahead[:0]
    looked_at = ahead[:NAMED_AMONG]
    held = version.texts.take(version.nodes.name[found.rows[looked_at]])
    return looked_at[[name in names for name in held]]


def _best_of_types(
    version: Version,
    found: Found,
    types: NDArray[np.int32],
    front: Places,
    cap: int,
    gate: Gate,
) -> Places:
    """The first *cap* of each type, those in *front* before all others."""
    kept: list[Places] = []
    taken = np.zeros(len(found), dtype=np.bool_)
    taken[front] = True
    for type_ in np.unique(types).tolist():
        of_type = front[types[front] == type_][:cap]
        others = np.flatnonzero((types == type_) & ~taken)
        more = best(version, found.at(others), cap - len(of_type), gate)
        kept.append(np.concatenate((of_type, others[more].astype(np.int32))))
    together = np.concatenate([front[:0], *kept])
    ordered = together[best(version, found.at(together), len(together), gate)]
    chosen = np.zeros(len(found), dtype=np.bool_)
    chosen[together] = True
    return _behind(front[chosen[front]], ordered)


def _behind(first: Places, rest: Places) -> Places:
    """*first*, then those of *rest* that are not among them."""
    return np.concatenate((first, rest[~np.isin(rest, first)])) if len(first) else rest
