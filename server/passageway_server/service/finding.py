"""What a query finds: the best of it in order, and what is told of all of it."""

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.diversity import shown
from passageway_server.engine.found import LEXICAL, VECTOR, Found
from passageway_server.engine.query import QueryPlan, first_found, rescored, run_query
from passageway_server.engine.vectors import VectorPlan
from passageway_server.planner.limits import TYPES_TOLD
from passageway_server.planner.search import Finding
from passageway_server.service.pin import Pinned
from passageway_server.values.answers import Listed, TypeCount
from passageway_server.version.version import Version

Rows = NDArray[np.int32]

_MATCHED: Final[dict[int, tuple[str, ...]]] = {
    0: (),
    LEXICAL: ("lexical",),
    VECTOR: ("vector",),
    LEXICAL | VECTOR: ("lexical", "vector"),
}
"""What found a row, by its bits."""


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found in any order, the best of it, and what found each of these.

    ``excluded`` are the rows that would have been found besides, were it not for the call's evidence.
    """

    every: Found
    best: Found
    matched: list[tuple[str, ...]]
    excluded: Rows


class TypesTold(NamedTuple):
    """How many rows were found by type, and the types asked for that there are none of."""

    hits: list[TypeCount]
    hits_omitted: int
    unknown: Listed


NOTHING_TOLD = TypesTold([], 0, Listed([], 0))
"""Where no query finds anything."""


def find(pinned: Pinned, plan: Finding) -> Findings:
    """What *plan* finds of what the call may see. Raises DeadlineExceeded, Cancelled."""
    version, gates = pinned.version, pinned.gates
    matching = run_query(version, plan.query, scope=gates.scope, read=gates.read)
    found = rescored(version, plan.query, matching, gates.read)
    best, matched = _best(pinned, plan, found)
    return Findings(found, best, matched, _excluded(pinned, plan.query, matching))


def _best(pinned: Pinned, plan: Finding, found: Found) -> tuple[Found, list[tuple[str, ...]]]:
    """Those of *found* that are shown, in order, and what found each."""
    version, read, query = pinned.version, pinned.gates.read, plan.query
    if not query.lists or query.sort:
        best = first_found(version, query, found, read)
        return best, [_MATCHED[by] for by in best.by.tolist()]
    chosen = shown(version, found, query.limit, type_cap=plan.type_cap, names=plan.names, gate=read)
    best = found.at(chosen.places)
    matched = [
        (*_MATCHED[by], "identifier") if named else _MATCHED[by]
        for by, named in zip(best.by.tolist(), chosen.named.tolist(), strict=True)
    ]
    return best, matched


def _excluded(pinned: Pinned, query: QueryPlan, found: Found) -> Rows:
    """The rows that would have been found besides, by words or filter, were it not for the call's evidence."""
    gates = pinned.gates
    if np.array_equal(gates.project.verdict, gates.scope.verdict):
        return found.rows[:0]
    shown = found.rows
    if query.lists and query.predicate is None:
        words = tuple(one for one in query.lists if not isinstance(one, VectorPlan))
        if not words:
            return found.rows[:0]
        query, shown = replace(query, lists=words), shown[found.by & LEXICAL != 0]
    every = run_query(pinned.version, query, scope=gates.project, read=gates.read)
    return every.rows[~np.isin(every.rows, shown)]


def types_told(version: Version, plan: Finding, found: Found, read: Gate) -> TypesTold:
    """Of *found* by type: those asked for, then the others; both by how many were found, then by name."""
    counts = np.bincount(version.nodes.type[found.rows])
    present = np.flatnonzero(counts)
    names = version.types.take(present)
    known = dict.fromkeys(plan.types, 0) | dict(zip(names, counts[present].tolist(), strict=True))
    asked = set(plan.types)
    in_order = sorted(known.items(), key=lambda one: (one[0] not in asked, -one[1], one[0]))
    hits = [TypeCount(*one) for one in in_order]
    return TypesTold(
        hits[:TYPES_TOLD], max(len(hits) - TYPES_TOLD, 0), _unknown(version, plan, read)
    )


def _unknown(version: Version, plan: Finding, read: Gate) -> Listed:
    """The types that were asked for, and that the ontology does not declare, nor has a row that may be read."""
    declared = {one.name for one in version.settings.ontology.node_types}
    asked = [name for name in plan.types if name not in declared]
    numbers = version.types.find_all(asked)
    held = _held(version, numbers[numbers >= 0], read)
    unknown = sorted(
        name for name, number in zip(asked, numbers.tolist(), strict=True) if number not in held
    )
    return Listed(unknown[:TYPES_TOLD], max(len(unknown) - TYPES_TOLD, 0))


def _held(version: Version, numbers: NDArray[np.int32], read: Gate) -> set[int]:
    """Those of the types *numbers* of which a row may be read, by one look at all rows."""
    if not len(numbers):
        return set()
    types = version.nodes.type.whole
    rows = np.flatnonzero(np.isin(types, numbers))
    return set(np.unique(types[rows[version.gates.open(read, rows)]]).tolist())
