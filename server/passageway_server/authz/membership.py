"""Principals that come from the graph itself: the rows that certain edges lead to from a caller's own node.

They are looked up in the version that a call reads. Nobody's gates stand in the way of the look-up: an edge counts whoever
may read it, a node retired or not. How many a call may reach is bounded, and found out before an id is read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import ADMIN, Caller
from passageway_server.columns.ascending import united
from passageway_server.columns.remembered import Remembered
from passageway_server.errors import LimitExceeded
from passageway_server.values.collections import Membership
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.principals import PUBLIC, bytes_of, principal_fault, user
from passageway_server.version.settings import SUB
from passageway_server.version.version import Version

DEPTH = 3
"""How many steps are taken where the collection does not say."""

MOST_REACHED = 65_536
"""How many nodes a call may reach, for its caller and its audiences together."""

_ENTRIES, _BYTES = 256, 32 << 20  # of one version, for what is added and for what is held with it
_EDGES, _IDS = 1 << 18, 4096  # looked at between two looks at the halt

Starts = tuple[str, ...]
"""Ids of the nodes to start from, sorted."""

Rows = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class _Added:
    """What some nodes are members of; past `MOST_REACHED` only that they are too many is known."""

    reached: int  # nodes, those that grant nothing too
    principals: frozenset[str]


class _Kept:
    """What a version remembers: what is added, by the nodes to start from, and what is held together with it.

    The second are the same objects from call to call: that they are equal need not be found out again.
    """

    def __init__(self) -> None:
        self.added = Remembered[Starts, _Added](entries=_ENTRIES, bytes=_BYTES)
        self.held = Remembered[tuple[frozenset[str], Starts], frozenset[str]](
            entries=_ENTRIES, bytes=_BYTES
        )

    @property
    def nbytes(self) -> int:
        """Bytes of both."""
        return self.added.nbytes + self.held.nbytes


def with_membership(version: Version, caller: Caller, halt: Halt = UNHALTED) -> Caller:
    """*caller* with what membership adds in *version*, to itself and to each of its audiences.

    It starts from the node that bears its name; without a name, as one that is acted for, and an audience, from each
    listed principal that is such a node's id. Raises LimitExceeded (MEMBERSHIP), DeadlineExceeded, Cancelled.
    """
    membership = version.settings.membership
    if membership is None:
        return caller
    template, own = membership.node_id_template, caller.principals
    starts = (template.replace(SUB, caller.sub),) if caller.sub else _matching(template, own)
    if ADMIN in caller.roles:  # who reads every row needs no principals
        starts = ()
    asked = [(own, starts), *((held, _matching(template, held)) for held in caller.audiences)]
    kept, reached = version.remember(with_membership, _Kept), 0
    added: dict[Starts, _Added] = {}
    for _, starts in asked:
        if starts not in added:
            added[starts] = _added(kept, version, membership, starts, halt)
        reached += added[starts].reached  # of each audience: each holds them all
        _check(reached)
    principals, *audiences = (_together(kept, held, by, added[by].principals) for held, by in asked)
    return replace(caller, principals=principals, audiences=tuple(audiences))


def _check(reached: int) -> None:
    if reached > MOST_REACHED:
        raise LimitExceeded(
            "MEMBERSHIP",
            limit=MOST_REACHED,
            parameter="membership",
            advice="name fewer edge types or a lower max_depth in it, or answer fewer audiences at once",
        )


def _matching(template: str, principals: Iterable[str]) -> Starts:
    """Those of *principals* that the template makes of some name; everybody's is nobody's name."""
    before, _, after = template.partition(SUB)
    shortest = len(before) + len(after) + 1
    found = (
        one
        for one in principals
        if one != PUBLIC and len(one) >= shortest and one.startswith(before) and one.endswith(after)
    )
    return tuple(sorted(found))


def _added(
    kept: _Kept, version: Version, membership: Membership, starts: Starts, halt: Halt
) -> _Added:
    """The principals that the nodes *starts* are members of, directly or through others."""
    known = kept.added.get(starts)
    if known is None:
        rows = _reached(version, membership, starts, halt)
        few = rows if len(rows) <= MOST_REACHED else rows[:0]
        known = _Added(len(rows), frozenset(_granted(version, few, halt)))
        kept.added.put(starts, known, size=bytes_of(starts) + bytes_of(known.principals))
    return known


def _together(
    kept: _Kept, held: frozenset[str], starts: Starts, added: frozenset[str]
) -> frozenset[str]:
    """What is *held* and what was *added* from *starts*: the same object as before, where it is remembered."""
    if not added:
        return held
    known = kept.held.get((held, starts))
    if known is None:
        known = held | added
        size = bytes_of(held) + bytes_of(starts) + bytes_of(known)
        kept.held.put((held, starts), known, size=size)
    return known


def _granted(version: Version, rows: Rows, halt: Halt) -> Iterator[str]:
    """Those ids of *rows* that are principals for their members."""
    for start in range(0, len(rows), _IDS):
        halt.spent()  # for what it raises: with half of its principals a call is another one
        yield from filter(_is_granted, version.nodes.ids.take(rows[start : start + _IDS]))


def _is_granted(id: str) -> bool:
    """Whether a node of this id is a principal for its members: nobody becomes another user, or everybody."""
    return not id.startswith(user("")) and id != PUBLIC and principal_fault(id) is None


def _reached(version: Version, membership: Membership, starts: Starts, halt: Halt) -> Rows:
    """The rows that edges of the named types lead to, out of *starts*, within the depth: each once, no start.

    More than `MOST_REACHED` where there are more, but not all of them.
    """
    out, types = version.out, version.edge_types.find_all(membership.edge_types)
    of_class = version.edge_classes.types
    named = np.zeros(len(version.edge_types), dtype=np.bool_)
    named[types[types >= 0]] = True
    rows = version.nodes.ids.find_all(starts)
    frontier: Rows = rows[rows >= 0]
    seen = np.zeros(len(version.nodes), dtype=np.bool_)
    seen[frontier] = True
    found: Rows = np.empty(0, dtype=np.int32)
    for _ in range(membership.max_depth or DEPTH):
        before = len(found)
        for slots in out.parts_of(frontier, _EDGES):
            halt.spent()
            others = slots.others[named[of_class[slots.classes]]]
            others = united(others[~seen[others]])
            seen[others] = True
            found = np.concatenate([found, others])
            if len(found) > MOST_REACHED:
                return found
        frontier = found[before:]
    return found
