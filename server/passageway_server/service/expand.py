"""Expand: a walk from seeds, and the best of what it reached."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import Caller
from passageway_server.engine.filter import matches
from passageway_server.engine.hits import ArrayHits, can_pack
from passageway_server.engine.ids import open_rows
from passageway_server.engine.plans import Seeds
from passageway_server.engine.ranking import first_of
from passageway_server.engine.rows import edge_rows, node_rows
from passageway_server.engine.walk import Walked, run_walk
from passageway_server.planner.expand import ExpandPlan, plan_expand
from passageway_server.service.pin import Pinned, pin
from passageway_server.values.answers import EdgeRow, ExpandAnswer, Hit, PackedHits, SubgraphEdge
from passageway_server.values.collections import Direction
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import ExpandRequest
from passageway_server.version.store import Store

_Value = TypeVar("_Value")
_Else = TypeVar("_Else")


def expand(
    store: Store, caller: Caller, request: ExpandRequest, halt: Halt = UNHALTED
) -> ExpandAnswer:
    """Walk from the seeds of *request* over what *caller* may see.

    Raises NotFound (collection), InvalidRequest, LimitExceeded.
    """
    pinned = pin(store, caller, request.collection, request.read, halt)
    plan = plan_expand(request, pinned.version, pinned.gates.read)
    resolved = _resolve(pinned, plan)
    walked = run_walk(
        pinned.version,
        plan.walk,
        resolved.seeds,
        scope=pinned.gates.scope,
        read=pinned.gates.read,
    )
    shown = _shown(pinned, plan, walked)
    total = len(shown)
    best = first_of(walked.scores, walked.hops, walked.rows, pinned.version.rank, shown, plan.limit)
    return ExpandAnswer(
        version=pinned.version.token,
        hits=_hits(pinned, plan, walked, best),
        total=total,
        truncated=total > len(best),
        origins=resolved.origins,
        unresolved=resolved.unresolved,
        subgraph=_subgraph(pinned, plan, walked),
        applied=plan.applied,
    )


@dataclass(frozen=True, slots=True)
class _Resolved:
    """Seed ids, each once in the order asked: ``origins`` start, and are the rows of ``seeds``."""

    seeds: Seeds
    origins: list[str]
    unresolved: list[str]


def _resolve(pinned: Pinned, plan: ExpandPlan) -> _Resolved:
    """An id starts where its row is open and passes the filter: why one does not is not told."""
    version, gates = pinned.version, pinned.gates
    weights: dict[str, float] = {}  # 0 of an id that is nothing but dropped
    for group in plan.seeds:
        for id in dict.fromkeys(group.ids):
            weights[id] = weights.get(id, 0.0) + group.weight
        for id in group.dropped:
            weights.setdefault(id, 0.0)
    asked, scores = list(weights), np.array(list(weights.values()), dtype=np.float64)
    rows = open_rows(version, gates.scope, asked)
    if any(group.dropped for group in plan.seeds):
        rows[scores == 0.0] = -1
    if plan.walk.nodes is not None:
        opened = np.flatnonzero(rows >= 0)
        rows[opened[~matches(plan.walk.nodes, version, rows[opened], gates.read)]] = -1
    started = rows.tolist()
    if min(started, default=0) >= 0:
        return _Resolved(Seeds(rows, scores), asked, [])
    return _Resolved(
        Seeds(rows[rows >= 0], scores[rows >= 0]),
        [id for id, row in zip(asked, started, strict=True) if row >= 0],
        [id for id, row in zip(asked, started, strict=True) if row < 0],
    )


def _shown(pinned: Pinned, plan: ExpandPlan, walked: Walked) -> NDArray[np.int32]:
    """The places of the nodes that are not hidden; the hidden ones have walked and scored."""
    nearest = max(plan.min_hop, 0 if plan.include_seeds else 1)
    # Hops ascend: the nodes from one hop on are the last ones.
    first = int(walked.hops.searchsorted(nearest)) if nearest else 0
    shown = np.arange(first, len(walked), dtype=np.int32)
    if plan.returned is None:
        return shown
    passing = matches(plan.returned, pinned.version, walked.rows[first:], pinned.gates.read)
    return shown[passing]


def _hits(
    pinned: Pinned, plan: ExpandPlan, walked: Walked, places: NDArray[np.int32]
) -> list[Hit] | PackedHits:
    version, admin = pinned.version, pinned.caller.admin
    if not plan.with_edges and can_pack(plan.fields):
        return ArrayHits(version, walked, places, plan.fields, plan.max_chars, plan.with_scores)
    nodes = node_rows(
        version,
        pinned.gates.read,
        walked.rows[places],
        selection=plan.fields,
        max_chars=plan.max_chars,
        admin=admin,
    )
    scores = walked.scores[places].tolist() if plan.with_scores else [None] * len(places)
    hops = walked.hops[places].tolist()
    came = walked.hops[places] > 0
    arrived = places[came]
    via = _spread(version.nodes.ids.take(walked.rows[walked.via[arrived]]), came, "")
    ways = _spread(
        [Direction(way) for way in walked.ways[arrived].tolist()], came, Direction.UNSPECIFIED
    )
    edges: list[EdgeRow | None] = [None] * len(places)
    if plan.with_edges:
        found = edge_rows(version, walked.edges[arrived], selection=plan.edge_fields, admin=admin)
        edges = _spread(found, came, None)
    return list(map(Hit, nodes, scores, hops, via, edges, ways))


def _subgraph(pinned: Pinned, plan: ExpandPlan, walked: Walked) -> list[SubgraphEdge]:
    if not plan.walk.with_traversed:
        return []
    traversed = walked.traversed
    edges = edge_rows(
        pinned.version,
        traversed.stored,
        selection=plan.edge_fields,
        admin=pinned.caller.admin,
    )
    return list(map(SubgraphEdge, edges, traversed.hops.tolist()))


def _spread(
    values: Iterable[_Value], where: NDArray[np.bool_], otherwise: _Else
) -> list[_Value | _Else]:
    """The next of *values* in each place that *where* marks, *otherwise* in the others."""
    following = iter(values)
    return [next(following) if marked else otherwise for marked in where.tolist()]
