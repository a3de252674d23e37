"""Runs a query: which rows meet it, how well does each, and in which order?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import matches, matching_rows
from passageway_server.engine.held import Rows
from passageway_server.engine.lexical import scored
from passageway_server.engine.predicate import All, Predicate
from passageway_server.engine.ranking import first_of
from passageway_server.engine.searched import FieldPlan
from passageway_server.engine.sorting import SortKey, first_rows
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The first ``limit`` rows that have one of ``words``, meet ``predicate`` and are of one of ``types``.

    They go by ``sort``; without, the best score comes first.
    """

    predicate: Predicate | None
    types: NDArray[np.uint8] | None  # by type: 1 where it is asked for; None: every type
    words: tuple[FieldPlan, ...] | None  # None: whatever words there are
    sort: tuple[SortKey, ...]
    limit: int


class Found(NamedTuple):
    """Rows that meet a query, each once, and their scores."""

    rows: NDArray[np.int32]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> "Found":
        """Those at *places*, in their order."""
        return Found(self.rows[places], self.scores[places])


def run_query(
    version: Version,
    plan: QueryPlan,
    *,
    scope: Gate,
    read: Gate,
    passing: Predicate | None = None,
    among: Rows | None = None,
) -> Found:
    """All rows that meet *plan*, in any order: a row's score is that of its words, else 1.

    They are taken from the rows open to *scope*, or from *among*, which are; where *passing* is
    given they meet it too. Links are seen through *read*.
    """
    parts = tuple(part for part in (plan.predicate, passing) if part is not None)
    predicate = All(parts) if parts else None
    if plan.words is not None:
        found = Found(*scored(version, plan.words, scope))
        if among is not None:
            found = found.at(np.isin(found.rows, among))
        if predicate is not None:
            found = found.at(matches(predicate, version, found.rows, read))
    else:
        rows = among
        if rows is None:
            rows = matching_rows(predicate, version, read=read, scope=scope)
        elif predicate is not None:
            rows = rows[matches(predicate, version, rows, read)]
        found = Found(rows.astype(np.int32, copy=False), np.ones(len(rows)))
    if plan.types is not None:
        found = found.at(plan.types[version.nodes.type[found.rows]] == 1)
    return found


def first_found(version: Version, plan: QueryPlan, found: Found, read: Gate) -> Found:
    """The first of those *found*, in the order of *plan*. Raises DeadlineExceeded, Cancelled."""
    if plan.sort or plan.words is None:
        rows = first_rows(version, read, found.rows, plan.sort, plan.limit)
        by_row = np.argsort(found.rows)
        return found.at(by_row[found.rows.searchsorted(rows, sorter=by_row)])
    return found.at(best(version, found, plan.limit, read))


def best(version: Version, found: Found, limit: int, gate: Gate) -> NDArray[np.int32]:
    """The places of the first *limit* of those *found*: by score, then by id. Raises DeadlineExceeded, Cancelled."""
    rows, hops = found.rows, np.zeros(len(found), dtype=np.uint8)
    places = np.arange(len(found), dtype=np.int32)
    return first_of(found.scores, hops, rows, version.rank, places, limit, halt=gate.halt)
