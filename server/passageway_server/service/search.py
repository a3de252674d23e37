"""Search: the rows of the caller that fit a query best."""

from dataclasses import replace
from typing import Final

import numpy as np

from passageway_server.authz.callers import Caller
from passageway_server.columns.gates import Gate
from passageway_server.engine.diversity import shown
from passageway_server.engine.excerpts import excerpts
from passageway_server.engine.facets import count_values
from passageway_server.engine.found import LEXICAL, VECTOR, Found
from passageway_server.engine.metrics import measure
from passageway_server.engine.query import QueryPlan, first_found, rescored, run_query
from passageway_server.engine.rows import node_rows
from passageway_server.engine.sizes import FRAME, Size
from passageway_server.engine.vectors import VectorPlan
from passageway_server.planner.limits import TYPES_TOLD
from passageway_server.planner.search import SearchPlan, plan_search
from passageway_server.service.embedding import embedded
from passageway_server.service.pin import Pinned, own, pin
from passageway_server.values.answers import Excerpt, Listed, SearchAnswer, SearchHit, TypeCount
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import SearchRequest
from passageway_server.version.catalog import Catalog
from passageway_server.version.version import Version

_MATCHED: Final[dict[int, tuple[str, ...]]] = {
    0: (),
    LEXICAL: ("lexical",),
    VECTOR: ("vector",),
    LEXICAL | VECTOR: ("lexical", "vector"),
}
"""What found a row, by its bits."""


def search(
    store: Catalog, caller: Caller, request: SearchRequest, halt: Halt = UNHALTED
) -> SearchAnswer:
    """The best of what *caller* may see and that meets the query, and counts and measures of all of it.

    Raises NotFound (collection), InvalidRequest, LimitExceeded, DeadlineExceeded, Cancelled.
    """
    halt = own(halt)
    pinned = pin(store, caller, request.collection, request.read, halt)
    version, gates = pinned.version, pinned.gates
    request = replace(request, query=embedded(store, request.query))
    plan = plan_search(request, version=version, gate=gates.read)
    with halt.within(request.timeout_ms):
        matching = run_query(version, plan.query, scope=gates.scope, read=gates.read)
        found = rescored(version, plan.query, matching, gates.read)
        best, matched = _best(pinned, plan, found)
        excluded = _excluded(pinned, plan.query, matching)
        timed_out = halt.spent()
    types = _types(version, plan, found)
    size = Size()
    size.add(sum(len(one.type.encode()) + 2 * FRAME for one in types))
    nodes = node_rows(
        version,
        gates.read,
        best.rows,
        selection=plan.selection,
        max_chars=plan.max_chars,
        admin=pinned.caller.admin,
        size=size,
    )
    pieces = _excerpts(pinned, plan, best)
    size.add(sum(len(piece.text.encode()) for piece in pieces if piece is not None))
    return SearchAnswer(
        version=version.token,
        hits=list(map(SearchHit, nodes, best.scores.tolist(), matched, pieces)),
        total=len(found),
        applied=plan.applied,
        type_hits=types[:TYPES_TOLD],
        type_hits_omitted=max(len(types) - TYPES_TOLD, 0),
        unknown_types=_unknown(version, plan, gates.read),
        current=request.read.current,
        excluded_evidence=excluded,
        facets=count_values(version, gates.read, found.rows, plan.facets, size=size),
        metrics=measure(version, gates.read, found.rows, plan.metrics),
        timed_out=timed_out,
    )


def _best(pinned: Pinned, plan: SearchPlan, found: Found) -> tuple[Found, list[tuple[str, ...]]]:
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


def _excerpts(pinned: Pinned, plan: SearchPlan, best: Found) -> list[Excerpt | None]:
    """Pieces of the contents that are shown and cut, where words of them are looked for."""
    asked = plan.selection
    if asked.everything or "content" in asked.builtins:
        for field in plan.query.words or ():
            if field.name == "content":
                gate = pinned.gates.read
                return excerpts(pinned.version, best.rows, field, plan.max_chars, gate)
    return [None] * len(best)


def _excluded(pinned: Pinned, query: QueryPlan, found: Found) -> int:
    """How many rows would have been found besides, by words or filter, were it not for the call's evidence."""
    gates = pinned.gates
    if np.array_equal(gates.project.verdict, gates.scope.verdict):
        return 0
    shown = len(found)
    if query.lists and query.predicate is None:
        words = tuple(one for one in query.lists if not isinstance(one, VectorPlan))
        if not words:
            return 0
        query, shown = replace(query, lists=words), int(np.count_nonzero(found.by & LEXICAL))
    every = run_query(pinned.version, query, scope=gates.project, read=gates.read)
    return len(every) - shown


def _types(version: Version, plan: SearchPlan, found: Found) -> list[TypeCount]:
    """Those that were asked for, then the others; both by how many were found, then by name."""
    counts = np.bincount(version.nodes.type[found.rows])
    present = np.flatnonzero(counts)
    names = version.types.take(present)
    known = dict.fromkeys(plan.types, 0) | dict(zip(names, counts[present].tolist(), strict=True))
    asked = set(plan.types)
    in_order = sorted(known.items(), key=lambda one: (one[0] not in asked, -one[1], one[0]))
    return [TypeCount(*one) for one in in_order]


def _unknown(version: Version, plan: SearchPlan, read: Gate) -> Listed:
    """The types that were asked for, and that the ontology does not declare, nor has a row that may be read."""
    declared = {one.name for one in version.settings.ontology.node_types}
    asked = [name for name in plan.types if name not in declared]
    numbers = version.types.find_all(asked).tolist()
    unknown = sorted(
        name
        for name, number in zip(asked, numbers, strict=True)
        if not _held(version, number, read)
    )
    return Listed(unknown[:TYPES_TOLD], max(len(unknown) - TYPES_TOLD, 0))


def _held(version: Version, number: int, read: Gate) -> bool:
    """Whether a row of type *number* may be read."""
    rows = np.flatnonzero(version.nodes.type.whole == number) if number >= 0 else np.empty(0, int)
    return bool(version.gates.open(read, rows).any())
