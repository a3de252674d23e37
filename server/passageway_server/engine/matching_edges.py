"""Which edge documents does a caller see that meet a filter?

The key of a document is its row, and rows are in stored order.
"""

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.ascending import united
from passageway_server.columns.gates import Gate
from passageway_server.columns.ranges import AT_ONCE
from passageway_server.columns.stored import are_docs
from passageway_server.engine.filter import edge_matches
from passageway_server.engine.predicate import (
    All,
    Equals,
    Joined,
    KnownField,
    Predicate,
    Some,
    Source,
)
from passageway_server.version.version import Version

Stored = NDArray[np.integer]
"""Keys of edge documents, which are their rows."""

_FEW = 16  # a step through the adjacency costs as much as a look at so many documents


def matching_edges(predicate: Predicate | None, version: Version, gate: Gate) -> Stored:
    """The edge documents visible to *gate* that meet *predicate*, by key, ascending."""
    seen = seen_edges(predicate, version, gate)
    return seen if predicate is None else seen[edge_matches(predicate, version, seen, gate.halt)]


def seen_edges(predicate: Predicate | None, version: Version, gate: Gate) -> Stored:
    """Edge documents visible to *gate*, by key, ascending: all that may meet *predicate*.

    Visible: the caller holds its own readers, and both its ends are open.
    """
    found = None if predicate is None else _candidates(predicate, version)
    if found is None:
        return _every_seen(version, gate)
    found = found[version.docs.alive[found]]
    seen: Stored = found[_are_visible(found, version, gate)]
    return seen


def _are_visible(found: Stored, version: Version, gate: Gate) -> NDArray[np.bool_]:
    """Which of the documents *found*, none of which is dead, are visible."""
    docs, gates = version.docs, version.gates
    visible: NDArray[np.bool_] = gate.holds[docs.readers[found]] == 1
    return visible & gates.open(gate, docs.source[found]) & gates.open(gate, docs.target[found])


def _every_seen(version: Version, gate: Gate) -> Stored:
    """All edge documents that are visible: those that are walked by their slots, in which they stand, and self-loops."""
    opened = version.gates.open_rows(gate)
    seen, held = np.zeros(len(version.docs), dtype=np.bool_), gate.edges.held
    for first, edges in version.out.every_part(AT_ONCE):
        gate.halt.check()
        visible = opened[first + edges.owners] & opened[edges.others]
        visible &= held[edges.classes] == 1
        keys = edges.stored[visible]
        seen[keys[are_docs(keys)]] = True
    loops = version.loops[are_docs(version.loops)]
    seen[loops[_are_visible(loops, version, gate)]] = True
    return np.flatnonzero(seen)


def _candidates(predicate: Predicate, version: Version) -> Stored | None:
    """Documents among which are all that may meet *predicate*, ascending, dead ones too.

    None where it takes a look at each.
    """
    match predicate:
        case Equals(KnownField("id", Source.BUILT_IN), operands):
            rows = version.docs.ids.find_all([*map(str, operands)])
            return united(rows[rows >= 0])
        case Equals(KnownField("source" | "target" as end, Source.BUILT_IN), operands):
            rows = version.nodes.ids.find_all([*map(str, operands)])
            return _at(end, united(rows[rows >= 0]), version)
        case Joined(KnownField("id", Source.BUILT_IN)):
            return predicate.values.numbers_in(version.docs.ids)
        case Joined(KnownField("source" | "target" as end, Source.BUILT_IN)):
            return _at(end, predicate.values.numbers_in(version.nodes.ids), version)
        case All(parts):
            each = [_candidates(part, version) for part in parts]
            return min((few for few in each if few is not None), key=len, default=None)
        case Some(parts):
            each = [_candidates(part, version) for part in parts]
            some = [few for few in each if few is not None]
            return united(*some) if len(some) == len(each) else None
        case _:
            return None


def _at(end: str, rows: NDArray[np.integer], version: Version) -> Stored | None:
    """The documents whose *end* is one of *rows*, and maybe others; None where they are many."""
    adjacency = version.out if end == "source" else version.into
    if _FEW * int(adjacency.most_edges(rows).sum()) > len(version.docs):
        return None
    keys = united(adjacency.keys_at(rows), version.loops)
    return keys[are_docs(keys)]
