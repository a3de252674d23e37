"""Which nodes, or edge documents, does a call see that meet a filter? As far as its time goes.

With little time they are judged a part at a time: each part is judged whole, or not at all.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import edge_matches, matches, matching_rows, seen_rows
from passageway_server.engine.matching_edges import matching_edges, seen_edges
from passageway_server.engine.predicate import Over, Predicate
from passageway_server.version.version import Version

_AT_ONCE = 16_384  # that are judged between two looks at the time


def matching(
    predicate: Predicate | None, version: Version, *, over: Over, read: Gate, scope: Gate
) -> NDArray[np.integer]:
    """All that *scope* lets see and that meet *predicate*: rows, or keys, ascending.

    Links are seen through *read*.
    """
    if over == "edges":
        return matching_edges(predicate, version, scope)
    return matching_rows(predicate, version, read=read, scope=scope)


def matching_in_time(
    predicate: Predicate | None, version: Version, *, over: Over, read: Gate, scope: Gate
) -> NDArray[np.integer]:
    """As `matching`, of those that were judged before the call's time was spent.

    Which ones that are may differ from call to call.
    """
    seen = (seen_edges if over == "edges" else seen_rows)(predicate, version, scope)
    found = [seen[:0]]
    for start in range(0, len(seen), _AT_ONCE):
        part = seen[start : start + _AT_ONCE]
        if predicate is not None and over == "edges":
            part = part[edge_matches(predicate, version, part, read.halt)]
        elif predicate is not None:
            part = part[matches(predicate, version, part, read)]
        if read.halt.spent():  # this part may have been cut short
            break
        found.append(part)
    return np.concatenate(found)
