"""Lookup: the rows that meet a filter, a semi-join, or both, by id."""

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import Caller
from passageway_server.engine.filter import matching_rows
from passageway_server.engine.rows import node_rows
from passageway_server.planner.lookup import plan_lookup
from passageway_server.service.pin import pin
from passageway_server.values.answers import LookupAnswer
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import LookupRequest
from passageway_server.version.store import Store
from passageway_server.version.version import Version


def lookup(
    store: Store, caller: Caller, request: LookupRequest, halt: Halt = UNHALTED
) -> LookupAnswer:
    """The first rows, by id, of those that the call may see and that meet it, with their number."""
    pinned = pin(store, caller, request.collection, request.read, halt)
    version, gates = pinned.version, pinned.gates
    plan = plan_lookup(request, version=version, gate=gates.read)
    rows = matching_rows(plan.predicate, version, read=gates.read, scope=gates.scope)
    shown = node_rows(
        version,
        gates.read,
        _first_by_id(version, rows, plan.page_size),
        selection=plan.selection,
        max_chars=plan.max_chars,
        admin=caller.admin,
    )
    return LookupAnswer(version.token, shown, len(rows), plan.applied)


def _first_by_id(version: Version, rows: NDArray[np.integer], count: int) -> NDArray[np.integer]:
    """The first *count* of *rows* by id."""
    if count == 0:
        return rows[:0]
    ranks = version.rank[rows]
    if count < len(rows):
        first = np.argpartition(ranks, count - 1)[:count]
        rows, ranks = rows[first], ranks[first]
    return rows[np.argsort(ranks)]
