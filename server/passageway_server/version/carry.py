"""What a new version takes over from an earlier one that is derived in full, and from what was changed since.

A commit of some rows costs what these rows and their edges cost. Where much was changed, everything is derived anew.
Only the writer of a collection calls this: adjacencies and gates grow in place, behind what older versions look at.
"""

import dataclasses
import logging
from dataclasses import dataclass

import numpy as np

from passageway_server.columns.ascending import among
from passageway_server.columns.edge_list import EdgeList
from passageway_server.columns.words.index import Words
from passageway_server.version import derive
from passageway_server.version.changes import NOTHING, Past
from passageway_server.version.contents import Contents
from passageway_server.version.gating import GATING
from passageway_server.version.statistics import Statistics
from passageway_server.version.version import Version
from passageway_server.version.weighted import Ways, Weighted
from passageway_server.version.wording import followed, searched_alike

_LOG = logging.getLogger("passageway.server")


def bring_up(version: Version) -> Version:
    """*version*, prepared for readers."""
    past = version.past
    if past is not None and past.ground.is_derived and not past.since.many:
        ground, rows = past.ground, past.since.rows
        version.remember("gating", lambda: ground.gating.following(version.contents, rows))
        version.remember("ranking", lambda: ground.ranking.extended(version.nodes.ids))
        walked = _Walked.of(past, version)
        version.remember("ways", lambda: walked.changed(ground.ways))
        _bring_up_weighted(walked, ground, version)
    if past is not None and "words" in past.ground.known:
        version.remember("words", lambda: _followed(past, version.contents))
        _bring_up_statistics(past, version)
    version.prepare()
    version.past = None  # now, and not before: readers see by it that nothing is left to work out
    return version


def _followed(past: Past, contents: Contents) -> Words:
    """The words of *contents*: however much was changed, only texts that are others are looked at."""
    ground, since = past.ground, past.since
    every = np.arange(len(contents.nodes), dtype=np.int32)
    return followed(ground.words, ground.contents, contents, every if since.many else since.rows)


def _bring_up_statistics(past: Past, version: Version) -> None:
    """Give *version* the statistics of its searches, where somebody searched before and little was changed since."""
    kept = past.ground.known.get(Statistics)
    if isinstance(kept, Statistics) and not past.since.many:
        version.known[Statistics] = kept.followed(past.ground, version, past.since.rows)


def hand_over(base: Version, new: Version) -> None:
    """Give *new*, of the same rows under other settings, what follows from *base* for it too."""
    names = ["spans", "unjoined", "counts", "ranking"]
    if _gates_hold(base, new):
        names.append("gating")
    if searched_alike(base.settings, new.settings):
        names.append("words")
    if np.array_equal(derive.default_weights(base.contents), derive.default_weights(new.contents)):
        names.append("ways")
    for name in names:
        if name in base.known:
            new.known[name] = base.known[name]
    if new.known.get("gating") is base.gating:
        new.touched = NOTHING


def _gates_hold(base: Version, new: Version) -> bool:
    before, after = base.nodes.properties, new.nodes.properties
    return base.settings.default_readers == new.settings.default_readers and all(
        before.get(name) is after.get(name) for name in GATING
    )


def _bring_up_weighted(walked: "_Walked", ground: Version, version: Version) -> None:
    """Give *version* the adjacencies with a property as weight that somebody asked *ground* for."""
    kept = ground.known.get(Weighted)
    if not isinstance(kept, Weighted) or kept.empty:
        return
    before, after = ground.docs.properties, version.docs.properties

    def bring_up(name: str, ways: Ways) -> Ways:
        removed = derive.reweighted(walked.before, before.get(name))
        added = derive.reweighted(walked.after, after.get(name))
        return dataclasses.replace(walked, before=removed, after=added).changed(ways)

    own = version.out.nbytes + version.into.nbytes
    try:
        version.known[Weighted] = kept.following(bring_up, own=own)
    except Exception:  # they can be built anew: no commit is to fail for them
        _LOG.exception("weighted adjacencies were let go")


@dataclass(frozen=True, slots=True)
class _Walked:
    """The edges in the adjacencies that may have changed since the past, as they were and as they are now."""

    before: EdgeList
    after: EdgeList
    rows: int
    grew: bool  # there are more rows now

    @classmethod
    def of(cls, past: Past, version: Version) -> "_Walked":
        ground, keys = past.ground, past.since.keys
        before, after = past.ends or (
            derive.ends(ground.contents, keys),
            derive.ends(version.contents, keys),
        )
        return cls(
            derive.edge_list(ground.contents, keys[before.walked]),
            derive.edge_list(version.contents, keys[after.walked]),
            rows=len(version.nodes),
            grew=len(version.nodes) > len(ground.nodes),
        )

    def changed(self, ways: Ways) -> Ways:
        """Both adjacencies: *ways*, which are of the past, but for the edges that changed since."""
        removed, added = _differing(self.before, self.after), _differing(self.after, self.before)
        if not len(removed) and not len(added) and not self.grew:
            return ways
        return Ways(
            ways.out.changed(removed, added, rows=self.rows, reverse=False),
            ways.into.changed(removed, added, rows=self.rows, reverse=True),
        )


def _differing(edges: EdgeList, others: EdgeList) -> EdgeList:
    """Those of *edges* that are not the same among *others*; both ascend by key."""
    shared = np.flatnonzero(among(edges.stored, others.stored))
    places = others.stored.searchsorted(edges.stored[shared])
    same = np.ones(len(shared), dtype=np.bool_)
    for name in _COMPARED:
        same &= getattr(edges, name)[shared] == getattr(others, name)[places]
    kept = np.ones(len(edges.stored), dtype=np.bool_)
    kept[shared[same]] = False
    return EdgeList(*(getattr(edges, field.name)[kept] for field in dataclasses.fields(edges)))


_COMPARED = ("sources", "targets", "weights", "classes")
