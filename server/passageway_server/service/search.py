"""Search: the rows of the caller that fit a query best."""

from dataclasses import replace

from passageway_server.authz.callers import Caller
from passageway_server.engine.excerpts import excerpts
from passageway_server.engine.facets import count_values
from passageway_server.engine.found import Found
from passageway_server.engine.metrics import measure
from passageway_server.engine.rows import node_rows
from passageway_server.engine.sizes import FRAME, Size
from passageway_server.planner.search import SearchPlan, plan_search
from passageway_server.service.embedding import embedded
from passageway_server.service.finding import find, types_told
from passageway_server.service.pin import Pinned, own, pin
from passageway_server.values.answers import Excerpt, SearchAnswer, SearchHit
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import SearchRequest
from passageway_server.version.catalog import Catalog


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
    size = Size()
    with halt.within(request.timeout_ms):
        findings = find(pinned, plan.finding)
        found, best = findings.every, findings.best
        pieces = _excerpts(pinned, plan, best, size)
        timed_out = halt.spent()
    types = types_told(version, plan.finding, found, gates.read)
    size.add(sum(len(one.type.encode()) + 2 * FRAME for one in types.hits))
    nodes = node_rows(
        version,
        gates.read,
        best.rows,
        selection=plan.selection,
        max_chars=plan.max_chars,
        admin=pinned.caller.admin,
        size=size,
    )
    return SearchAnswer(
        version=version.token,
        hits=list(map(SearchHit, nodes, best.scores.tolist(), findings.matched, pieces)),
        total=len(found),
        applied=plan.applied,
        type_hits=types.hits,
        type_hits_omitted=types.hits_omitted,
        unknown_types=types.unknown,
        current=request.read.current,
        excluded_evidence=len(findings.excluded),
        facets=count_values(version, gates.read, found.rows, plan.facets, size=size),
        metrics=measure(version, gates.read, found.rows, plan.metrics),
        timed_out=timed_out,
    )


def _excerpts(pinned: Pinned, plan: SearchPlan, best: Found, size: Size) -> list[Excerpt | None]:
    """Pieces of the contents that are shown and cut, where words of them are looked for."""
    asked = plan.selection
    if asked.everything or "content" in asked.builtins:
        for field in plan.finding.query.words or ():
            if field.name == "content":
                version, gate = pinned.version, pinned.gates.read
                return excerpts(version, best.rows, field, plan.max_chars, gate, size=size)
    return [None] * len(best)
