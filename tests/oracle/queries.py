"""Queries, as Search, seed groups and a nested search hold them: which rows, in which order, how many of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from passageway.v1 import query_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Graph, Row
from tests.oracle.refusals import Checks, Refused
from tests.oracle.shown import check_vars
from tests.oracle.sorting import SortKey, check_sort, in_order
from tests.oracle.words import Words

MOST_MATCHES = 10_000


class Match(NamedTuple):
    """A row that meets a query, and how well."""

    row: Row
    score: float


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
    words: Words | None

    @classmethod
    def of(
        cls,
        query: query_pb2.Query,
        path: str,
        graph: Graph,
        binding: Binding,
        checks: Checks,
        *,
        least: int = 1,
        absent: int = 10,
        most: int = MOST_MATCHES,
    ) -> "Selection":
        """The selection that *query* says; its faults go to *checks*, under *path*."""
        checks.need(query.filter.strip() != "" or query.text != "", path)
        check_vars(query.vars, checks, path=f"{path}.vars")
        own = binding.also(query.vars)
        words = Words(query, path, graph, own, checks) if query.text or query.text_fields else None
        return cls(
            keeps=bound_test(own, query.filter, f"{path}.filter", checks),
            types=frozenset(query.types),
            keys=check_sort(query.sort, f"{path}.sort", own, checks),
            limit=checks.number(
                f"{path}.limit",
                query.limit if query.HasField("limit") else absent,
                low=least,
                high=most,
            ),
            words=words,
        )

    def matches(self, rows: Iterable[Row], *, of: Sequence[Row]) -> list[Match]:
        """Those of *rows* that match, in order; *of* are all rows of the call, among which words are counted."""
        kept = [
            row for row in rows if (not self.types or row.type in self.types) and self.keeps(row)
        ]
        if self.words is None:
            return [Match(row, 1.0) for row in in_order(kept, self.keys)]
        scores = self.words.scores(of)
        kept = in_order((row for row in kept if row.id in scores), self.keys)
        if not self.keys:
            kept.sort(key=lambda row: -scores[row.id])
        return [Match(row, scores[row.id]) for row in kept]
