"""Context: a search or ids, expanded, as cited text under a budget."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import Caller
from passageway_server.engine.ids import open_rows
from passageway_server.engine.neighborhood import around
from passageway_server.engine.packing.answer import answer_of
from passageway_server.engine.packing.packing import pack
from passageway_server.engine.searched import FieldPlan
from passageway_server.planner.context import ContextPlan, plan_context
from passageway_server.planner.search import Finding
from passageway_server.service.embedding import embedded
from passageway_server.service.finding import NOTHING_TOLD, TypesTold, find, types_told
from passageway_server.service.pin import Pinned, own, pin
from passageway_server.values.context import ContextAnswer, ContextRequest, Seed, Told
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.version.catalog import Catalog

Rows = NDArray[np.int32]


class _Started(NamedTuple):
    """Distinct rows in the order of the seeds, and what is told of how they were found."""

    rows: Rows
    seeds: list[Seed]
    unresolved: list[str]
    excluded: Rows
    types: TypesTold
    words: tuple[FieldPlan, ...]


def context(
    store: Catalog, caller: Caller, request: ContextRequest, halt: Halt = UNHALTED
) -> ContextAnswer:
    """What *caller* may see of the seeds of *request* and around them, best first, as far as the budget goes.

    Raises NotFound (collection), InvalidRequest, DeadlineExceeded, Cancelled.
    """
    halt = own(halt)
    pinned = pin(store, caller, request.collection, request.read, halt)
    version, gates = pinned.version, pinned.gates
    request = replace(request, query=request.query and embedded(store, request.query))
    plan = plan_context(request, version=version, gate=gates.read)
    with halt.within(request.timeout_ms):
        started = _started(pinned, plan)
        near = around(
            version,
            started.rows,
            plan.hops,
            types=plan.types,
            scope=gates.scope,
            project=gates.project,
        )
        timed_out = halt.spent()
    told = Told(
        version=version.token,
        unresolved=started.unresolved,
        expansion_limited=near.limited,
        current=request.read.current,
        excluded_evidence=len(np.union1d(started.excluded, near.passed_over)),
        timed_out=timed_out,
        applied=plan.applied,
        type_hits=started.types.hits,
        type_hits_omitted=started.types.hits_omitted,
        unknown_types=started.types.unknown,
    )
    words = () if timed_out else started.words  # what they meet may not have been looked for
    packed = pack(version, near, started.seeds, told, plan.budget, words=words, read=gates.read)
    return answer_of(packed, told)


def _started(pinned: Pinned, plan: ContextPlan) -> _Started:
    return _by_ids(pinned, plan) if plan.finding is None else _by_query(pinned, plan.finding)


def _by_query(pinned: Pinned, finding: Finding) -> _Started:
    version, found = pinned.version, find(pinned, finding)
    ids = version.nodes.ids.take(found.best.rows)
    seeds = list(map(Seed, ids, found.best.scores.tolist(), found.matched))
    types = types_told(version, finding, found.every, pinned.gates.read)
    words = finding.query.words or ()
    return _Started(found.best.rows, seeds, [], found.excluded, types, words)


def _by_ids(pinned: Pinned, plan: ContextPlan) -> _Started:
    """Why an id does not start is not told: a retired row counts among what the evidence leaves out."""
    version, gates = pinned.version, pinned.gates
    rows = open_rows(version, gates.scope, plan.ids)
    readable = open_rows(version, gates.project, plan.ids)
    opened = rows >= 0
    seeds = [Seed(id, 1.0) for id, one in zip(plan.ids, opened.tolist(), strict=True) if one]
    unresolved = [id for id, one in zip(plan.ids, opened.tolist(), strict=True) if not one]
    unresolved += [id for id in dict.fromkeys(plan.dropped) if id not in plan.ids]
    excluded = readable[(readable >= 0) & ~opened]
    return _Started(rows[opened], seeds, unresolved, excluded, NOTHING_TOLD, ())
