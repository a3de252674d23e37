"""Who may read a row of an older version by now, worked out for what the commits since have touched, and for nothing else.

Every version says what its commit touched: the rows whose readers may be others by it, and edge documents. So an older
version costs what was touched since, and not a look at each row; the answer is that of latest.py, which looks at all.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.nodes import ABSENT, SPAN
from passageway_server.version.changes import Touched
from passageway_server.version.latest import Numbers, held_with, of_docs_by_id
from passageway_server.version.version import Version

_NEVER = -1
_PART = 4  # of the rows or edge documents: past so many, looking at all is no dearer


def touched_since(chain: Sequence[Version]) -> Touched | None:
    """What stands in ``chain[0]`` and was touched by the commits after it, ascending.

    None where that is not known, where numbers changed their meaning since, or where it is much.
    """
    version = chain[0]
    parts: list[Touched] = []
    for later in chain[1:]:
        if later.touched is None or later.readers is not version.readers:
            return None
        parts.append(later.touched)
    nodes, docs = version.nodes, version.docs
    if sum(len(part.rows) for part in parts) > len(nodes) // _PART + len(chain):
        return None
    if sum(len(part.docs) for part in parts) > len(docs) // _PART + len(chain):
        return None
    rows = _united([part.rows[part.rows < len(nodes)] for part in parts])
    keys = _united([part.docs[part.docs < len(docs)] for part in parts])
    return Touched(rows[nodes.kind[rows] != ABSENT], keys[docs.alive[keys]])


def readers_now_of(chain: Sequence[Version], touched: Touched) -> tuple[Numbers, Numbers]:
    """By row, and by edge document, of those *touched* since ``chain[0]``: the readers in the last version that has it."""
    version, newest = chain[0], chain[-1]
    nodes, rows = version.nodes, touched.rows
    spans = np.flatnonzero((nodes.kind[rows] == SPAN) & (nodes.parent[rows] >= 0))
    parents = nodes.parent[rows[spans]]
    # A span that is no longer one of its parent is for those alone who may read that parent now.
    still = newest.nodes.kind[rows[spans]] == SPAN
    still &= newest.nodes.parent[rows[spans]] == parents
    left = ~still & (nodes.kind[parents] != ABSENT)
    spans, parents = spans[left], parents[left]
    now = _of_rows(chain, rows)
    now[spans] = held_with(version.readers, now[spans], _of_rows(chain, parents))
    return now, _of_docs(chain, touched.docs)


def _of_rows(chain: Sequence[Version], rows: NDArray[np.int32]) -> Numbers:
    """The effective readers of each of *rows* in the last version where it stands; it stands in the first."""
    found = np.full(len(rows), _NEVER, dtype=np.int32)
    for version in reversed(chain):
        left = np.flatnonzero(found == _NEVER)
        if not len(left):
            break
        left = left[version.nodes.kind[rows[left]] != ABSENT]
        if len(left):
            gates = version.gates
            found[left] = gates.readers[gates.of[rows[left]]]
    return found


def _of_docs(chain: Sequence[Version], docs: NDArray[np.int32]) -> Numbers:
    """The own readers of each of *docs* in the last version where it is alive, at whatever row; it is in the first."""
    newest = chain[-1].docs
    found = newest.readers[docs]
    gone = np.flatnonzero(~newest.alive[docs])  # or at another row: put again after it was deleted
    found[gone] = of_docs_by_id(chain, docs[gone])
    return found


def _united(parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    return united(np.empty(0, dtype=np.int32), *parts)
