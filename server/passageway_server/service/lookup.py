"""Lookup: the nodes, or edge documents, that meet a filter, a semi-join, or both, page by page."""

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import Caller
from passageway_server.engine.facets import count_values
from passageway_server.engine.matching import matching, matching_in_time
from passageway_server.engine.metrics import measure
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.sizes import Size
from passageway_server.engine.sorting import after, first_rows, sort_values
from passageway_server.errors import InvalidRequest
from passageway_server.planner.lookup import LookupPlan, plan_lookup
from passageway_server.service.pages import FOREIGN, Position, Seal, check_length
from passageway_server.service.pin import Pinned, own, pin
from passageway_server.values.answers import EdgeRow, LookupAnswer, NodeRow
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import LookupRequest
from passageway_server.version.catalog import Catalog

_Numbers = NDArray[np.integer]
"""Rows, or keys of edges."""


def lookup(
    store: Catalog, caller: Caller, request: LookupRequest, halt: Halt = UNHALTED
) -> LookupAnswer:
    """One page of what the call may see and that meets *request*, and counts and measures of all of it.

    Raises NotFound (collection), InvalidRequest, LimitExceeded.
    """
    halt = own(halt)
    with halt.within(request.timeout_ms):
        pinned = pin(store, caller, request.collection, request.read, halt)
        seal = Seal(store.page_key, version=pinned.version, caller=caller, request=request)
        begun = seal.opened(request.page_token) if request.page_token else None
        foreign = bool(request.page_token) and begun is None
        if begun is not None:
            pinned = pinned.at(begun.now)
        plan = plan_lookup(
            request,
            version=pinned.version,
            gate=pinned.gates.read,
            faults=[FOREIGN] if foreign else [],
        )
        if begun is not None and not begun.fits(plan.sort):
            raise InvalidRequest([FOREIGN])
        found = _found(pinned, plan, in_time=bool(request.timeout_ms))
        timed_out = halt.spent()
    return _answer(pinned, plan, found, begun=begun, seal=None if timed_out else seal)


def _found(pinned: Pinned, plan: LookupPlan, *, in_time: bool) -> _Numbers:
    find = matching_in_time if in_time else matching
    gates = pinned.gates
    return find(plan.predicate, pinned.version, over=plan.over, read=gates.read, scope=gates.scope)


def _answer(
    pinned: Pinned,
    plan: LookupPlan,
    found: _Numbers,
    *,
    begun: Position | None,
    seal: Seal | None,
) -> LookupAnswer:
    """The page of *found* after *begun*; without a *seal* they are not all, and no page follows."""
    version, read, over = pinned.version, pinned.gates.read, plan.over
    rest = found
    if begun is not None:
        rest = found[after(version, read, found, plan.sort, begun.values, begun.id, over=over)]
    page = first_rows(version, read, rest, plan.sort, plan.page_size, over=over)
    size = Size()
    nodes, edges = _rows(pinned, plan, page, size)
    token = ""
    if seal is not None and 0 < len(page) < len(rest):
        values = sort_values(version, read, int(page[-1]), plan.sort, over=over)
        check_length(values, plan.sort)
        token = seal.token(Position(pinned.now, (nodes or edges)[-1].id, values))
        size.add(len(token))
    return LookupAnswer(
        version.token,
        nodes,
        total=len(found),
        applied=plan.applied,
        edges=edges,
        next_page_token=token,
        facets=count_values(version, read, found, plan.facets, over=over, size=size),
        metrics=measure(version, read, found, plan.metrics, over=over),
        timed_out=seal is None,
    )


def _rows(
    pinned: Pinned, plan: LookupPlan, page: _Numbers, size: Size
) -> tuple[list[NodeRow], list[EdgeRow]]:
    version, read, admin = pinned.version, pinned.gates.read, pinned.caller.admin
    if plan.over == "edges":
        edges = edge_rows(version, read, page, selection=plan.selection, admin=admin, size=size)
        return [], edges
    nodes = node_rows(
        version,
        read,
        page,
        selection=plan.selection,
        max_chars=plan.max_chars,
        admin=admin,
        size=size,
    )
    return nodes, []
