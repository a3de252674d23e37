"""Expand: a walk from seeds, and the best of what it reached."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from passageway_server.authz.callers import Caller
from passageway_server.engine.budget import within_budget
from passageway_server.engine.facets import count_values
from passageway_server.engine.filter import matches
from passageway_server.engine.hits import ArrayHits, can_pack
from passageway_server.engine.metrics import measure
from passageway_server.engine.pagerank import page_rank
from passageway_server.engine.query import first_matches
from passageway_server.engine.ranking import first_of
from passageway_server.engine.rows import node_rows
from passageway_server.engine.sizes import Size
from passageway_server.engine.walk import run_walk
from passageway_server.engine.walked import Walked, walked_edge_rows
from passageway_server.planner.expand import ExpandPlan, plan_expand
from passageway_server.service.embedding import embedded, embedded_seeds
from passageway_server.service.pin import Pinned, own, pin
from passageway_server.service.seeds import resolve, start
from passageway_server.values.answers import (
    EdgeRow,
    ExpandAnswer,
    Hit,
    PackedHits,
    PageRankRun,
    SearchHit,
    SubgraphEdge,
)
from passageway_server.values.collections import Direction
from passageway_server.values.halt import UNHALTED, Halt
from passageway_server.values.requests import ExpandRequest
from passageway_server.version.catalog import Catalog

_Value = TypeVar("_Value")
_Else = TypeVar("_Else")


def expand(
    store: Catalog, caller: Caller, request: ExpandRequest, halt: Halt = UNHALTED
) -> ExpandAnswer:
    """Walk from the seeds of *request* over what *caller* may see.

    Raises NotFound (collection), InvalidRequest, LimitExceeded, DeadlineExceeded, Cancelled.
    """
    halt = own(halt)
    pinned = pin(store, caller, request.collection, request.read, halt)
    version, gates = pinned.version, pinned.gates
    search = request.search and embedded(store, request.search)
    request = replace(request, seeds=embedded_seeds(store, request.seeds), search=search)
    plan = plan_expand(request, version, gates.read)
    resolved = resolve(pinned, plan)
    ranking: PageRankRun | None = None
    with halt.within(plan.timeout_ms):
        started = start(pinned, plan, resolved)
        walked = run_walk(version, plan.walk, started.seeds, scope=gates.scope, read=gates.read)
        if plan.budget is not None:
            walked = within_budget(version, plan.budget, walked, halt=halt)
        if plan.page_rank is not None:
            walked, ranking = page_rank(version, plan.page_rank, walked, halt=halt)
        timed_out = halt.spent()
    shown = _shown(pinned, plan, walked)
    total, rows = len(shown), walked.rows[shown]
    best = first_of(
        walked.scores, walked.hops, walked.rows, version.rank, shown, plan.limit, halt=halt
    )
    size = Size()
    size.add_ids(started.origins)
    size.add_ids(started.unresolved)
    return ExpandAnswer(
        version=version.token,
        hits=_hits(pinned, plan, walked, best, size),
        total=total,
        truncated=total > len(best),
        origins=started.origins,
        unresolved=started.unresolved,
        subgraph=_subgraph(pinned, plan, walked, size),
        applied=plan.applied,
        timed_out=timed_out,
        facets=count_values(version, gates.read, rows, plan.facets, size=size),
        metrics=measure(version, gates.read, rows, plan.metrics),
        search=_search(pinned, plan, rows, size),
        ppr=ranking,
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
    pinned: Pinned, plan: ExpandPlan, walked: Walked, places: NDArray[np.int32], size: Size
) -> list[Hit] | PackedHits:
    version, read, admin = pinned.version, pinned.gates.read, pinned.caller.admin
    if not plan.with_edges and can_pack(plan.fields):
        return ArrayHits(
            version, read, walked, places, plan.fields, plan.max_chars, plan.with_scores, size
        )
    nodes = node_rows(
        version,
        read,
        walked.rows[places],
        selection=plan.fields,
        max_chars=plan.max_chars,
        admin=admin,
        size=size,
    )
    scores = walked.scores[places].tolist() if plan.with_scores else [None] * len(places)
    hops = walked.hops[places].tolist()
    came = walked.hops[places] > 0
    arrived = places[came]
    sources = walked.rows[walked.via[arrived]]
    size.add_texts(version.nodes.ids.strings, sources)
    via = _spread(version.nodes.ids.take(sources), came, "")
    ways = _spread(
        [Direction(way) for way in walked.ways[arrived].tolist()], came, Direction.UNSPECIFIED
    )
    edges: list[EdgeRow | None] = [None] * len(places)
    if plan.with_edges:
        found = walked_edge_rows(
            version,
            read,
            walked,
            walked.edges[arrived],
            selection=plan.edge_fields,
            admin=admin,
            size=size,
        )
        edges = _spread(found, came, None)
    return list(map(Hit, nodes, scores, hops, via, edges, ways))


def _subgraph(pinned: Pinned, plan: ExpandPlan, walked: Walked, size: Size) -> list[SubgraphEdge]:
    if not plan.with_subgraph:
        return []
    traversed = walked.traversed
    edges = walked_edge_rows(
        pinned.version,
        pinned.gates.read,
        walked,
        traversed.stored,
        selection=plan.edge_fields,
        admin=pinned.caller.admin,
        size=size,
    )
    return list(map(SubgraphEdge, edges, traversed.hops.tolist()))


def _search(
    pinned: Pinned, plan: ExpandPlan, rows: NDArray[np.int32], size: Size
) -> list[SearchHit]:
    """What the nested search finds among *rows*."""
    if plan.search is None:
        return []
    version, gates = pinned.version, pinned.gates
    found = first_matches(version, plan.search, scope=gates.scope, read=gates.read, among=rows)
    nodes = node_rows(
        version,
        gates.read,
        found.rows,
        selection=plan.search_fields,
        max_chars=plan.max_chars,
        admin=pinned.caller.admin,
        size=size,
    )
    return list(map(SearchHit, nodes, found.scores.tolist()))


def _spread(
    values: Iterable[_Value], where: NDArray[np.bool_], otherwise: _Else
) -> list[_Value | _Else]:
    """The next of *values* in each place that *where* marks, *otherwise* in the others."""
    following = iter(values)
    return [next(following) if marked else otherwise for marked in where.tolist()]
