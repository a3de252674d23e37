"""Queries, as seed groups and a nested search hold them: which rows, in which order, how many of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from passageway.v1 import query_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Row
from tests.oracle.refusals import Checks, Refused
from tests.oracle.shown import check_vars
from tests.oracle.sorting import SortKey, check_sort, in_order

MOST_MATCHES = 10_000


def bound_test(binding: Binding, text: str, path: str, checks: Checks) -> Test:
    """The test that a filter over nodes is; its faults go to *checks*, and then it is true of everything."""
    try:
        return binding.over_nodes(text, path)
    except Refused as refused:
        checks.absorb(refused)
        return bool


@dataclass(frozen=True, slots=True)
class Selection:
    """A query, bound to what the caller knows."""

    keeps: Test
    types: frozenset[str]
    keys: list[SortKey]
    limit: int

    @classmethod
    def of(cls, query: query_pb2.Query, path: str, binding: Binding, checks: Checks) -> "Selection":
        """The selection that *query* says; its faults go to *checks*, under *path*."""
        checks.need(query.filter.strip() != "", path)
        check_vars(query.vars, checks, path=f"{path}.vars")
        own = binding.also(query.vars)
        return cls(
            keeps=bound_test(own, query.filter, f"{path}.filter", checks),
            types=frozenset(query.types),
            keys=check_sort(query.sort, f"{path}.sort", own, checks),
            limit=checks.number(
                f"{path}.limit",
                query.limit if query.HasField("limit") else 10,
                low=1,
                high=MOST_MATCHES,
            ),
        )

    def among(self, rows: Iterable[Row]) -> list[Row]:
        """The first of the *rows* that match."""
        matches = [
            row for row in rows if (not self.types or row.type in self.types) and self.keeps(row)
        ]
        return in_order(matches, self.keys)[: self.limit]
