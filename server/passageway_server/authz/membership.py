"""Principals that come from the graph itself: the rows that certain edges lead to from a caller's own node.

They are looked up in the version that a call reads. Nobody's gates stand in the way of the look-up: an edge counts whoever
may read it, a node retired or not.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import ADMIN, Caller, bytes_of
from passageway_server.columns.ranges import side_by_side
from passageway_server.columns.remembered import Remembered
from passageway_server.values.collections import Membership
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.principals import PUBLIC, principal_fault, user
from passageway_server.version.settings import SUB
from passageway_server.version.version import Version

DEPTH = 3
"""How many steps are taken where the collection does not say."""

_ENTRIES, _BYTES = 256, 16 << 20  # of one version

_Kept = Remembered[tuple[str, ...], frozenset[str]]
"""By the ids of the nodes to start from, as asked."""


def with_membership(version: Version, caller: Caller, halt: Halt = UNHALTED) -> Caller:
    """*caller* with what membership adds in *version*, to itself and to each of its audiences.

    It starts from the node that bears its name; without a name, as one that is acted for, and an audience, from each
    listed principal that is such a node's id. Raises DeadlineExceeded, Cancelled.
    """
    membership = version.settings.membership
    if membership is None:
        return caller
    template, principals = membership.node_id_template, caller.principals
    if caller.sub:
        starts: Iterable[str] = (template.replace(SUB, caller.sub),)
    else:
        starts = _matching(template, principals)
    if ADMIN not in caller.roles:  # who reads every row needs no principals
        principals |= _added(version, membership, starts, halt)
    audiences = tuple(
        held | _added(version, membership, _matching(template, held), halt)
        for held in caller.audiences
    )
    return replace(caller, principals=principals, audiences=audiences)


def _matching(template: str, principals: Iterable[str]) -> Iterable[str]:
    """Those of *principals* that the template makes of some name; everybody's is nobody's name."""
    before, _, after = template.partition(SUB)
    shortest = len(before) + len(after) + 1
    return (
        one
        for one in principals
        if one != PUBLIC and len(one) >= shortest and one.startswith(before) and one.endswith(after)
    )


def _added(
    version: Version, membership: Membership, starts: Iterable[str], halt: Halt
) -> frozenset[str]:
    """The principals that the nodes *starts* are members of, directly or through others."""
    key = tuple(sorted(starts))
    known: _Kept = version.remember(with_membership, _room)
    added = known.get(key)
    if added is None:
        ids = version.nodes.ids.take(_reached(version, membership, key, halt))
        added = frozenset(filter(_is_granted, ids))
        known.put(key, added, size=bytes_of(key) + bytes_of(added))
    return added


def _is_granted(id: str) -> bool:
    """Whether a node of this id is a principal for its members: nobody becomes another user, or everybody."""
    return not id.startswith(user("")) and id != PUBLIC and principal_fault(id) is None


def _reached(
    version: Version, membership: Membership, starts: tuple[str, ...], halt: Halt
) -> NDArray[np.int64]:
    """The rows that edges of the named types lead to, out of *starts*, within the depth: each once, no start."""
    out, depth = version.out, membership.max_depth or DEPTH
    types = version.edge_types.find_all(membership.edge_types)
    rows = version.nodes.ids.find_all(starts)
    frontier = rows[rows >= 0].astype(np.int64)
    seen = np.zeros(len(version.nodes), dtype=np.bool_)
    seen[frontier] = True
    parts = [np.empty(0, dtype=np.int64)]
    for _ in range(depth):
        if not len(frontier):
            break
        halt.spent()  # for what it raises: with half of its principals a call is another one
        first = out.offsets[frontier]
        slots = side_by_side(first, out.offsets[frontier + 1] - first).positions
        slots = slots[np.isin(out.types[slots], types)]
        others = out.others[slots]
        frontier = np.unique(others[~seen[others]]).astype(np.int64)
        seen[frontier] = True
        parts.append(frontier)
    return np.concatenate(parts)


def _room() -> _Kept:
    return Remembered(entries=_ENTRIES, bytes=_BYTES)
