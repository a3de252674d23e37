"""What must hold for a batch to be committed: that nothing came in between, or that its rows are what they were."""

from collections.abc import Callable, Mapping

import numpy as np

from passageway_server.columns.nodes import ABSENT
from passageway_server.errors import Fault, InvalidRequest, RevisionsMoved, VersionMoved
from passageway_server.values.records import Batch, Guard
from passageway_server.version.revisions import revision_of
from passageway_server.version.version import Version

Hidden = Callable[[Version], frozenset[str]]
"""The declared fields that do not exist for a caller in a version."""


def nothing_hidden(_: Version) -> frozenset[str]:
    """For a caller to whom every field is there."""
    return frozenset()


class Guarding:
    """A guard, and the revisions that it asks about in the version that was looked at last.

    To look costs what the rows hold, so it is done before the writer of a collection waits for it. Where nothing came
    in between, to check is to compare. A row counts whoever may read it, and a span without its parent too: a put
    would take its place. Its revision is that without the *hidden* fields.
    """

    def __init__(self, guard: Guard, batch: Batch, hidden: Hidden) -> None:
        self._guard, self._batch, self._hidden = guard, batch, hidden
        self._token = ""
        self._found: Mapping[str, str] = {}

    @property
    def asks_for_revisions(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._guard.if_revisions)

    def look(self, version: Version) -> None:
        """Work out the revisions in *version*, in which the caller's fields can be told."""
        if self._token != version.token:
            hidden = self._hidden(version)
            self._found = _revisions(version, self._guard.if_revisions, hidden)
            self._token = version.token

    def check(self, version: Version) -> None:
        """Raise VersionMoved or RevisionsMoved unless *version* is what is asked for; InvalidRequest for ids of edges."""
        guard = self._guard
        if guard.if_version not in ("", version.token):
            raise VersionMoved(guard.if_version, newest=version.token)
        if not guard.if_revisions:
            return
        self.look(version)
        found, wanted = self._found, guard.if_revisions
        _check_no_edges(version, self._batch, [id for id in wanted if id not in found])
        moved = sorted(id for id in wanted if found.get(id, "") != wanted[id])
        if moved:
            raise RevisionsMoved(moved, newest=version.token)


def _revisions(
    version: Version, wanted: Mapping[str, str], hidden: frozenset[str]
) -> dict[str, str]:
    """The revision of each row among the ids *wanted* that stands."""
    ids = list(wanted)
    rows = version.nodes.ids.find_all(ids)
    places = np.flatnonzero(rows >= 0)
    places = places[version.nodes.kind[rows[places]] != ABSENT]
    there: list[str] = [ids[place] for place in places.tolist()]
    return dict(zip(there, revision_of(version, rows[places], hidden), strict=True))


def _check_no_edges(version: Version, batch: Batch, absent: list[str]) -> None:
    """Raise InvalidRequest for those of the *absent* rows that an edge alone can be meant by.

    An edge has no revision: as the id of a row that must not exist it would guard nothing, without a word.
    """
    if not absent:
        return
    docs, keys = version.docs, version.docs.ids.find_all(absent)
    standing = keys >= 0
    standing[standing] = docs.alive[keys[standing]]
    named = _edges_of(batch)
    meant = [
        id for id, stands in zip(absent, standing.tolist(), strict=True) if stands or id in named
    ]
    rows = _rows_of(batch) if meant else frozenset[str]()
    message = "is the id of an edge, which has no revision; guard an edge by if_version"
    faults = [Fault(f"if_revisions[{id}]", message) for id in sorted(meant) if id not in rows]
    if faults:
        raise InvalidRequest(faults)


def _edges_of(batch: Batch) -> frozenset[str]:
    """The ids of the edges that *batch* names."""
    packed = () if batch.edge_columns is None else batch.edge_columns.ids.strings()
    return frozenset((*batch.delete_edges, *(edge.id for edge in batch.put_edges), *packed))


def _rows_of(batch: Batch) -> frozenset[str]:
    """The ids of the nodes and spans that *batch* names."""
    packed = () if batch.node_columns is None else batch.node_columns.ids.strings()
    nodes = (node.id for node in batch.put_nodes)
    spans = (span.id for span in batch.put_passages)
    return frozenset((*batch.delete_nodes, *batch.recut_parents, *nodes, *spans, *packed))
