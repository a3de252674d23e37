"""What is at a row of a version: the spans that were cut from it, and the edges that it is an end of.

Asked for what a deletion takes along, so nothing is looked through: answers come from what is derived, and from what was
changed since. They may hold more than what is asked for, and never less.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.stored import are_docs
from passageway_server.version.carry import bring_up
from passageway_server.version.changes import Changes
from passageway_server.version.version import Version

Rows = NDArray[np.int32]
Keys = NDArray[np.int32]


class Around:
    """The surroundings of rows in one version."""

    def __init__(self, version: Version) -> None:
        self._version = version

    def spans_of(self, rows: Rows) -> Rows:
        """The spans of each of *rows*."""
        return self._version.spans.at(rows[rows < len(self._version.nodes)])

    def edges_at(self, rows: Rows) -> Keys:
        """The keys of all edges at *rows*, dangling ones too, and of some more; some stand twice."""
        version = self._version
        rows = rows[rows < len(version.nodes)]
        if not len(rows):
            return np.empty(0, dtype=np.int32)
        ground, since = self._ground()
        derived = rows[rows < len(ground.nodes)]
        return np.concatenate(
            (
                ground.out.keys_at(derived),
                ground.into.keys_at(derived),
                version.loose.at(rows),
                since.keys,
            )
        )

    def docs_at(self, rows: Rows) -> Rows:
        """The edge documents at *rows*, as `edges_at` gives them."""
        keys = self.edges_at(rows)
        return keys[are_docs(keys)]

    def loose_at(self, rows: Rows) -> Keys:
        """The keys of the edges at *rows* that lack an end, or are self-loops; some stand twice."""
        return self._version.loose.at(rows[rows < len(self._version.nodes)])

    def _ground(self) -> tuple[Version, Changes]:
        """A version that is derived, and what was changed from it to this one."""
        version = self._version
        if version.past is not None and version.past.since.many:
            bring_up(version)  # the versions after it go on from there
        past = version.past
        return (version, Changes()) if past is None else (past.ground, past.since)
