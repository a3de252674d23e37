"""Where a walk starts: ids that are asked for, and the matches of queries, group by group."""

from dataclasses import dataclass

import numpy as np

from passageway_server.engine.filter import matches
from passageway_server.engine.found import Found
from passageway_server.engine.ids import open_rows
from passageway_server.engine.plans import Seeds
from passageway_server.engine.query import QueryPlan, first_matches
from passageway_server.planner.expand import ExpandPlan
from passageway_server.service.pin import Pinned

Resolved = dict[str, int]
"""Every id asked for, once, in the order asked: its row, -1 where it does not start."""


@dataclass(frozen=True, slots=True)
class Started:
    """Each seed once, in the order of the groups: ``origins`` are the ids of ``seeds``."""

    seeds: Seeds
    origins: list[str]
    unresolved: list[str]


def resolve(pinned: Pinned, plan: ExpandPlan) -> Resolved:
    """An id starts where its row is open and passes the filter: why one does not is not told."""
    version, gates = pinned.version, pinned.gates
    asked = list(dict.fromkeys(id for group in plan.seeds for id in group.ids))
    rows = open_rows(version, gates.scope, asked)
    if plan.walk.nodes is not None:
        opened = np.flatnonzero(rows >= 0)
        rows[opened[~matches(plan.walk.nodes, version, rows[opened], gates.read)]] = -1
    resolved = dict(zip(asked, rows.tolist(), strict=True))
    for group in plan.seeds:  # what is dropped stands behind all that is not
        for id in group.dropped:
            resolved.setdefault(id, -1)
    return resolved


def start(pinned: Pinned, plan: ExpandPlan, resolved: Resolved) -> Started:
    """The seeds of every group; a node in several starts at the sum of their weights.

    Once the time of the request is spent, queries find nothing more.
    """
    rows, scores = dict(resolved), dict[str, float]()
    for group in plan.seeds:
        weights = dict.fromkeys(group.ids, group.weight)
        if group.query is not None:
            found = _matches(pinned, plan, group.query)
            ids = pinned.version.nodes.ids.take(found.rows)
            rows.update(zip(ids, found.rows.tolist(), strict=True))
            by_order = group.query.sort and group.query.rescore is None
            scores_of = np.ones(len(found)) if by_order else found.scores.clip(min=0.0)
            with np.errstate(over="ignore"):  # then a seed starts with an infinite score
                weights = dict(zip(ids, (scores_of * group.weight).tolist(), strict=True))
        for id, weight in weights.items():
            if rows[id] >= 0:
                scores[id] = scores.get(id, 0.0) + weight
    origins = list(scores)
    seeds = Seeds(
        np.array([rows[id] for id in origins], dtype=np.int32),
        np.array(list(scores.values()), dtype=np.float64),
    )
    if len(origins) == len(rows):
        return Started(seeds, origins, [])
    return Started(seeds, origins, [id for id in resolved if id not in scores])


def _matches(pinned: Pinned, plan: ExpandPlan, query: QueryPlan) -> Found:
    """What *query* finds among the rows that pass the filter of the request, in its order."""
    version, gates = pinned.version, pinned.gates
    if gates.scope.halt.spent():
        return Found(np.empty(0, dtype=np.int32), np.empty(0))
    passing = plan.walk.nodes
    return first_matches(version, query, scope=gates.scope, read=gates.read, passing=passing)
