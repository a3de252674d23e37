"""Which edge documents does a caller see that meet a filter?

Documents stand side by side in the stored order, between the links of nodes and the edges of spans, so
they are a range of stored numbers. A document that dangles has no number.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.columns.ranges import side_by_side
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
"""Stored numbers of edges."""

_FEW = 16  # a step through the adjacency costs as much as a look at so many documents


def matching_edges(predicate: Predicate | None, version: Version, gate: Gate) -> Stored:
    """The edge documents visible to *gate* that meet *predicate*, by stored number, ascending."""
    seen = seen_edges(predicate, version, gate)
    return seen if predicate is None else seen[edge_matches(predicate, version, seen, gate.halt)]


def seen_edges(predicate: Predicate | None, version: Version, gate: Gate) -> Stored:
    """Edge documents visible to *gate*, by stored number, ascending: all that may meet *predicate*.

    Visible: the caller holds its own readers, and both its ends are open.
    """
    documents = version.remember(_Documents, lambda: _documents(version))
    found = None if predicate is None else _candidates(predicate, version, documents)
    docs, opened = version.docs, None
    if found is None:
        rows, found = documents.rows, documents.first + np.arange(len(documents.rows))
        opened = version.gates.open_rows(gate)
    else:
        rows = version.codes[found]
    source, target = docs.source[rows], docs.target[rows]
    visible = gate.holds[docs.readers[rows]] == 1
    if opened is None:
        visible &= version.gates.open(gate, source) & version.gates.open(gate, target)
    else:
        visible &= opened[source] & opened[target]
    seen: Stored = found[visible]
    return seen


class _Documents(NamedTuple):
    """The edge documents that do not dangle, in stored order."""

    first: int  # stored number of the first
    rows: NDArray[np.int32]  # their rows, in stored order
    places: NDArray[np.int32]  # by row: its place in ``rows``, -1 where it dangles or is gone
    loops: Stored  # stored numbers of those whose ends are one row


def _documents(version: Version) -> _Documents:
    numbers = np.flatnonzero(version.codes >= 0)
    rows = version.codes[numbers]
    places = np.full(len(version.docs), -1, dtype=np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    loops = numbers[version.docs.source[rows] == version.docs.target[rows]]
    return _Documents(int(numbers[0]) if len(numbers) else 0, rows, places, loops)


def _candidates(predicate: Predicate, version: Version, documents: _Documents) -> Stored | None:
    """Documents among which are all that may meet *predicate*, ascending.

    None where it takes a look at each.
    """
    match predicate:
        case Equals(KnownField("id", Source.BUILT_IN), operands):
            return _of_docs(version.docs.ids.find_all([*map(str, operands)]), documents)
        case Equals(KnownField("source" | "target" as end, Source.BUILT_IN), operands):
            rows = version.nodes.ids.find_all([*map(str, operands)])
            return _at(end, np.unique(rows[rows >= 0]), version, documents)
        case Joined(KnownField("id", Source.BUILT_IN)):
            return _of_docs(predicate.values.numbers_in(version.docs.ids), documents)
        case Joined(KnownField("source" | "target" as end, Source.BUILT_IN)):
            return _at(end, predicate.values.numbers_in(version.nodes.ids), version, documents)
        case All(parts):
            each = [_candidates(part, version, documents) for part in parts]
            return min((few for few in each if few is not None), key=len, default=None)
        case Some(parts):
            each = [_candidates(part, version, documents) for part in parts]
            some = [few for few in each if few is not None]
            return np.unique(np.concatenate(some)) if len(some) == len(each) else None
        case _:
            return None


def _of_docs(rows: NDArray[np.integer], documents: _Documents) -> Stored:
    places = documents.places[rows[rows >= 0]]
    return documents.first + np.unique(places[places >= 0])


def _at(
    end: str, rows: NDArray[np.integer], version: Version, documents: _Documents
) -> Stored | None:
    """The documents whose *end* is one of *rows*, and maybe others; None where they are many."""
    adjacency = version.out if end == "source" else version.into
    starts = adjacency.offsets[rows]
    counts = adjacency.offsets[rows + 1] - starts
    if _FEW * int(counts.sum()) > len(documents.rows):
        return None
    stored = adjacency.stored[side_by_side(starts, counts).positions]
    return np.union1d(stored[version.codes[stored] >= 0], documents.loops)
