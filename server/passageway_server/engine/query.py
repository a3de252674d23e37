"""Runs a query: which rows meet it, how well does each, and in which order?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.expression import Expression, worked_out
from passageway_server.engine.filter import matches, matching_rows
from passageway_server.engine.found import LEXICAL, Found
from passageway_server.engine.fusion import fused
from passageway_server.engine.held import Rows
from passageway_server.engine.lexical import scored
from passageway_server.engine.predicate import All, Predicate
from passageway_server.engine.ranking import first_of
from passageway_server.engine.searched import FieldPlan
from passageway_server.engine.sorting import SortKey, first_rows
from passageway_server.engine.vectors import VectorPlan, compared, holders
from passageway_server.version.version import Version
from passageway_server.version.wording import searched_types

WordPlan = tuple[FieldPlan, ...]
"""What is looked for in each field: the words of one text."""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The first ``limit`` rows that are in one of ``lists``, meet ``predicate`` and are of one of ``types``.

    Where there is no list, all rows are. They go by ``sort``; without, the best score comes first, which is what ``rescore``
    makes of it.
    """

    predicate: Predicate | None
    types: NDArray[np.uint8] | None  # by type: 1 where it is asked for; None: every type
    lists: tuple[WordPlan | VectorPlan, ...]
    rescore: Expression | None
    sort: tuple[SortKey, ...]
    limit: int

    @property
    def words(self) -> WordPlan | None:
        """What is looked for of the first text; None where there is none."""
        return next((one for one in self.lists if not isinstance(one, VectorPlan)), None)


def run_query(
    version: Version,
    plan: QueryPlan,
    *,
    scope: Gate,
    read: Gate,
    passing: Predicate | None = None,
    among: Rows | None = None,
) -> Found:
    """All rows that meet *plan*, in any order.

    A row's score is that of its words, or of its vector; where there are several lists that of their fusion, and 1 where there is
    none. Rows are taken from those open to *scope*, or from *among*, which are; where *passing* is given they meet it too.
    Links are seen through *read*.
    """
    parts = tuple(part for part in (plan.predicate, passing) if part is not None)
    run = _Run(version, plan, scope, read, All(parts) if parts else None, among)
    if not plan.lists:
        rows = run.of_types(run.eligible(), plan.types)
        return Found(rows, np.ones(len(rows)))
    found: list[Found] = []
    for one in plan.lists:
        found.append(run.by_vector(one) if isinstance(one, VectorPlan) else run.by_words(one))
        if scope.halt.spent():
            break
    return found[0] if len(plan.lists) == 1 else fused(found, scope.halt)


class _Run:
    """One query being run: the rows that may be in its lists are worked out once, where they are asked for."""

    def __init__(
        self,
        version: Version,
        plan: QueryPlan,
        scope: Gate,
        read: Gate,
        predicate: Predicate | None,
        among: Rows | None,
    ) -> None:
        self._version, self._plan, self._scope, self._read = version, plan, scope, read
        self._predicate, self._among = predicate, among
        self._eligible: NDArray[np.int32] | None = None

    def by_words(self, words: WordPlan) -> Found:
        """Those that have one of *words*."""
        found = Found(*scored(self._version, words, self._scope), LEXICAL)
        if self._eligible is not None:
            found = found.at(np.isin(found.rows, self._eligible))
        else:
            if self._among is not None:
                found = found.at(np.isin(found.rows, self._among))
            if self._predicate is not None:
                kept = matches(self._predicate, self._version, found.rows, self._read)
                found = found.at(kept)
        types = self._plan.types
        return found if types is None else found.at(self._typed(found.rows, types))

    def by_vector(self, plan: VectorPlan) -> Found:
        """Those that hold the field of *plan*."""
        every = self._predicate is None and self._among is None
        held = holders(self._version, plan.field, None if every else self.eligible(), self._scope)
        for types in (self._plan.types, searched_types(self._version.contents)):
            if types is not None:
                held = held.at(self._typed(held.rows, types))
        return compared(self._version, plan, held, self._scope.halt)

    def eligible(self) -> NDArray[np.int32]:
        """The rows that the call sees and that meet the filters, of whatever type."""
        if self._eligible is None:
            rows, predicate = self._among, self._predicate
            if rows is None:
                rows = matching_rows(predicate, self._version, read=self._read, scope=self._scope)
            elif predicate is not None:
                rows = rows[matches(predicate, self._version, rows, self._read)]
            self._eligible = rows.astype(np.int32, copy=False)
        return self._eligible

    def of_types(
        self, rows: NDArray[np.int32], types: NDArray[np.uint8] | None
    ) -> NDArray[np.int32]:
        """Those of *rows* that are of one of *types*."""
        return rows if types is None else rows[self._typed(rows, types)]

    def _typed(self, rows: NDArray[np.int32], types: NDArray[np.uint8]) -> NDArray[np.bool_]:
        of: NDArray[np.bool_] = types[self._version.nodes.type[rows]] == 1
        return of


def rescored(version: Version, plan: QueryPlan, found: Found, read: Gate) -> Found:
    """Those *found*, with the scores that *plan* makes of theirs; one whose score is not finite is not found.

    Raises DeadlineExceeded, Cancelled.
    """
    if plan.rescore is None:
        return found
    scores = worked_out(plan.rescore, version, found.rows, found.scores, read)
    return Found(found.rows, scores, found.by).at(np.isfinite(scores))


def first_found(version: Version, plan: QueryPlan, found: Found, read: Gate) -> Found:
    """The first of those *found*, in the order of *plan*. Raises DeadlineExceeded, Cancelled."""
    if plan.sort or (not plan.lists and plan.rescore is None):
        rows = first_rows(version, read, found.rows, plan.sort, plan.limit)
        by_row = np.argsort(found.rows)
        return found.at(by_row[found.rows.searchsorted(rows, sorter=by_row)])
    return found.at(best(version, found, plan.limit, read))


def first_matches(
    version: Version,
    plan: QueryPlan,
    *,
    scope: Gate,
    read: Gate,
    passing: Predicate | None = None,
    among: Rows | None = None,
) -> Found:
    """The first rows that meet *plan*, in its order and with its scores; parameters are those of `run_query`.

    Raises DeadlineExceeded, Cancelled.
    """
    found = run_query(version, plan, scope=scope, read=read, passing=passing, among=among)
    return first_found(version, plan, rescored(version, plan, found, read), read)


def best(version: Version, found: Found, limit: int, gate: Gate) -> NDArray[np.int32]:
    """The places of the first *limit* of those *found*: by score, then by id. Raises DeadlineExceeded, Cancelled."""
    if found.bounds is not None:
        leading = np.flatnonzero(found.leading(limit))
        first = best(version, found.at(leading), limit, gate)
        return leading[first].astype(np.int32, copy=False)
    rows, hops = found.rows, np.zeros(len(found), dtype=np.uint8)
    places = np.arange(len(found), dtype=np.int32)
    return first_of(found.scores, hops, rows, version.rank, places, limit, halt=gate.halt)
