"""Runs a query: which rows meet it, and in which order?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from passageway_server.columns.gates import Gate
from passageway_server.engine.filter import matches, matching_rows
from passageway_server.engine.held import Rows
from passageway_server.engine.predicate import All, Predicate
from passageway_server.engine.sorting import SortKey, first_rows
from passageway_server.version.version import Version


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The first ``limit`` rows, by ``sort``, that meet ``predicate`` and are of one of ``types``."""

    predicate: Predicate | None
    types: NDArray[np.uint8] | None  # by type: 1 where it is asked for; None: every type
    sort: tuple[SortKey, ...]
    limit: int


def run_query(
    version: Version,
    plan: QueryPlan,
    *,
    scope: Gate,
    read: Gate,
    passing: Predicate | None = None,
    among: Rows | None = None,
) -> Rows:
    """The rows of *plan*, in order.

    They are taken from the rows open to *scope*, or from *among*, which are; where *passing* is
    given they meet it too. Links are seen through *read*.
    """
    parts = tuple(part for part in (plan.predicate, passing) if part is not None)
    predicate = All(parts) if parts else None
    if among is None:
        rows = matching_rows(predicate, version, read=read, scope=scope)
    elif predicate is None:
        rows = among
    else:
        rows = among[matches(predicate, version, among, read)]
    if plan.types is not None:
        rows = rows[plan.types[version.nodes.type[rows]] == 1]
    return first_rows(version, read, rows, plan.sort, plan.limit)
