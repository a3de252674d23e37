"""What every version knows from the one before it: spans by parent, edges that lack an end, counts.

A commit of some rows changes these by what the rows say before and after it. The rest (gates, adjacency, ranks) is derived
when a version is prepared; what was changed until then is noted.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.nodes import NODE, SPAN, Nodes
from passageway_server.columns.row_sets import Pairs, pairs_of
from passageway_server.version import derive
from passageway_server.version.around import Around
from passageway_server.version.carry import bring_up, hand_over
from passageway_server.version.changes import Changes, Past, Touched
from passageway_server.version.contents import Contents
from passageway_server.version.derive import Ends
from passageway_server.version.draft import Draft
from passageway_server.version.tallies import Counts, Unjoined
from passageway_server.version.version import Identity, Version

Rows = NDArray[np.int32]
Keys = NDArray[np.int32]


def following(base: Version, made: Draft | Contents, identity: Identity) -> Version:
    """The version after *base* that was *made* of it: by a draft, or under other settings."""
    if isinstance(made, Draft):
        version = Version(identity, made.contents())
        keep_up(base, version, made.touched())
    else:
        version = Version(identity, made)
        hand_over(bring_up(base), version)
    return version


def keep_up(base: Version, new: Version, touched: Touched) -> None:
    """Give *new*, which a draft made of *base*, what follows from what it *touched*."""
    rows = touched.rows
    old = rows[: int(rows.searchsorted(len(base.nodes)))]
    followers = base.spans.at(old)
    affected = united(rows, followers) if len(followers) else rows
    new.touched = Touched(affected, touched.docs)
    keys = _edges(base, new, touched, affected)
    before, after = derive.ends(base.contents, keys), derive.ends(new.contents, keys)
    known = new.known
    known["spans"] = base.spans.changed(_spans(base.nodes, old), _spans(new.nodes, rows))
    known["unjoined"] = Unjoined(
        base.loose.changed(_loose(keys, before), _loose(keys, after)),
        base.dangling + after.dangling - before.dangling,
    )
    counts = base.counts
    known["counts"] = Counts(
        nodes=counts.nodes + _difference(base.nodes, new.nodes, old, rows, NODE),
        edges=counts.edges + _alive(new, touched.docs) - _alive(base, touched.docs),
        passages=counts.passages + _difference(base.nodes, new.nodes, old, rows, SPAN),
    )
    if base.past is None:
        since = Changes().then(affected, keys, version=new)
        new.past = Past(base, since, ends=(before, after))
    else:
        new.past = Past(base.past.ground, base.past.since.then(affected, keys, version=new))


def _edges(base: Version, new: Version, touched: Touched, affected: Rows) -> Keys:
    """The keys of edges that *new* may have otherwise than *base*, ascending."""
    old = affected[affected < len(base.nodes)]
    there = derive.standing(new.nodes, affected)
    was_there = np.zeros(len(affected), dtype=np.bool_)
    was_there[: len(old)] = derive.standing(base.nodes, old)
    parts: list[Keys] = [touched.docs, *_links(base, new, touched.rows)]
    around = Around(base)
    fell, rose = affected[was_there & ~there], affected[there & ~was_there]
    if len(fell):
        parts.append(around.edges_at(fell))
    if len(rose):
        parts.append(around.loose_at(rose))
    return united(*parts)


def _links(base: Version, new: Version, rows: Rows) -> tuple[Keys, Keys]:
    """The links of those of *rows* that have others now: those before, and those by now."""
    old = rows[: int(rows.searchsorted(len(base.nodes)))]
    same = np.zeros(len(rows), dtype=np.bool_)
    same[: len(old)] = (base.nodes.first_link[old] == new.nodes.first_link[old]) & (
        base.nodes.link_count[old] == new.nodes.link_count[old]
    )
    return (
        derive.keys_of_rows(base.nodes, old[~same[: len(old)]]),
        derive.keys_of_rows(new.nodes, rows[~same]),
    )


def _spans(nodes: Nodes, rows: Rows) -> Pairs:
    """The pairs of parent and span of those of *rows* that are spans."""
    spans = rows[nodes.kind[rows] == SPAN]
    parents = nodes.parent[spans]
    return pairs_of(parents[parents >= 0], spans[parents >= 0])


def _loose(keys: Keys, found: Ends) -> Pairs:
    """The pairs of an end and a key of those edges that are in no adjacency."""
    which = found.loose
    ends = np.concatenate((found.sources[which], found.targets[which]))
    return pairs_of(ends, np.tile(keys[which], 2))


def _difference(base: Nodes, new: Nodes, old: Rows, rows: Rows, kind: int) -> int:
    """How many more of a *kind* there are."""
    return int(np.count_nonzero(new.kind[rows] == kind)) - int(
        np.count_nonzero(base.kind[old] == kind)
    )


def _alive(version: Version, docs: Rows) -> int:
    return int(np.count_nonzero(version.docs.alive[docs[docs < len(version.docs)]]))
