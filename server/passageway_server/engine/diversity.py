"""The order in which those that a search found are shown: exact names first, and no type crowds out the others.

Both are one order of all that was found, so that the first k of a larger limit are those of limit k.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.found import Found, Mask, largest
from passageway_server.engine.kernels import order
from passageway_server.engine.kernels.arrays import sealed
from passageway_server.engine.kernels.compiling import direct
from passageway_server.engine.query import best
from passageway_server.version.version import Version

Places = NDArray[np.int32]

NAMED_AMONG: Final = 64
"""So many of the best are looked at for an exact name."""

_MOST_KEPT: Final = 1 << 16  # places of all types: past them all that were found are sorted

_of_types = direct(order.best_of_types)


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
    most = max(limit, NAMED_AMONG if names else 0)
    if found.bounds is not None:
        leading = found.leading(most)
        if type_cap:
            leading |= _leading_of_types(version, found, type_cap, limit, gate)
        some = np.flatnonzero(leading).astype(np.int32)
        first = shown(version, found.at(some), limit, type_cap=type_cap, names=names, gate=gate)
        return Shown(some[first.places], first.named)
    ahead = best(version, found, most, gate)
    front = _named(version, found, ahead, names)
    if not type_cap:
        places = _behind(front, ahead)
    else:
        kept = _best_of_types(version, found, front, type_cap, gate)
        places = _behind(kept, _behind(front, ahead))
    places = places[:limit]
    return Shown(places, np.isin(places, front))


def _named(version: Version, found: Found, ahead: Places, names: frozenset[str]) -> Places:
    if not names:
        return ahead[:0]
    looked_at = ahead[:NAMED_AMONG]
    held = version.texts.take(version.nodes.name[found.rows[looked_at]])
    return looked_at[[name in names for name in held]]


def _best_of_types(version: Version, found: Found, front: Places, cap: int, gate: Gate) -> Places:
    """The first *cap* of each type, those in *front* before all others."""
    types = version.nodes.type[found.rows]
    if len(version.types) * cap > _MOST_KEPT:
        return _ranked_by_type(types, _behind(front, best(version, found, len(found), gate)), cap)
    first, _ = _first_of_types(version, found.rows, types, found.scores, cap, gate)
    ordered = first[best(version, found.at(first), len(first), gate)]
    return _ranked_by_type(types, _behind(front, ordered), cap) if len(front) else ordered


def _leading_of_types(version: Version, found: Found, cap: int, limit: int, gate: Gate) -> Mask:
    """Which may be among the first *cap* of their type, and with these among the first *limit*."""
    assert found.bounds is not None
    low, high, _ = found.bounds
    if len(version.types) * cap > _MOST_KEPT:
        return np.ones(len(found), dtype=np.bool_)
    types = version.nodes.type[found.rows]
    first, counts = _first_of_types(version, found.rows, types, low, cap, gate)
    least, full = np.full(len(counts), -np.inf), np.flatnonzero(counts == cap)
    least[full] = low[first[counts.cumsum()[full] - 1]]
    least = np.maximum(least, largest(low[first], limit))
    leading: Mask = high >= least[types]
    return leading


def _first_of_types(
    version: Version,
    rows: NDArray[np.int32],
    types: NDArray[np.int32],
    scores: NDArray[np.float64],
    cap: int,
    gate: Gate,
) -> tuple[Places, NDArray[np.int32]]:
    """The first *cap* of each type by *scores*, type by type, and how many there are of each. Raises DeadlineExceeded, Cancelled."""
    kinds = len(version.types)
    counts, kept = np.zeros(kinds, dtype=np.int32), np.empty(kinds * cap, dtype=np.int32)
    hops, rank = np.zeros(len(rows), dtype=np.uint8), sealed(version.rank)
    stop = sealed(gate.halt.flag)
    count = _of_types(scores, hops, rows, rank, types, cap, counts, kept, stop)
    gate.halt.spent()
    return kept[:count], counts


def _ranked_by_type(types: NDArray[np.int32], places: Places, cap: int) -> Places:
    """Of *places*, which are in order, the first *cap* of each type."""
    by_type = np.argsort(types[places], kind="stable")
    of_type = types[places][by_type]
    begins = np.flatnonzero(np.diff(of_type, prepend=-1))
    turns = np.arange(len(of_type)) - np.repeat(begins, np.diff(begins, append=len(of_type)))
    return places[np.sort(by_type[turns < cap])]


def _behind(first: Places, rest: Places) -> Places:
    """*first*, then those of *rest* that are not among them."""
    return np.concatenate((first, rest[~np.isin(rest, first)])) if len(first) else rest
