"""Queries, as Search, seed groups and a nested search hold them: which rows, in which order, how many of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from passageway.v1 import query_pb2
from tests.oracle.filters import Binding, Test
from tests.oracle.graph import Graph, Row
from tests.oracle.refusals import Checks, Refused
from tests.oracle.rescore import Rescore
from tests.oracle.shown import check_vars
from tests.oracle.sorting import SortKey, check_sort, in_order
from tests.oracle.vectors import Nearest
from tests.oracle.words import Words

MOST_MATCHES, MOST_BESIDE = 10_000, 4
OF_LISTS = {"text", "text_fields", "max_edits", "vector", "vector_field"}


class Match(NamedTuple):
    """A row that meets a query, how well, and what found it: "lexical", "vector"."""

    row: Row
    score: float
    by: tuple[str, ...] = ()


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
    filtered: bool
    types: frozenset[str]
    keys: list[SortKey]
    limit: int
    lists: list[Words | Nearest]
    rescore: Rescore | None

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
        asks = query.filter.strip() != "" or query.text != "" or len(query.vector) > 0
        checks.need(asks, path)
        check_vars(query.vars, checks, path=f"{path}.vars")
        own = binding.also(query.vars)
        lists = _lists(query, path, graph, own, checks)
        checks.need(len(query.also) <= MOST_BESIDE, f"{path}.also")
        for place, one in enumerate(query.also if len(query.also) <= MOST_BESIDE else ()):
            inner = f"{path}.also[{place}]"
            checks.need(one.text != "" or len(one.vector) > 0, inner)
            for field, _ in one.ListFields():
                checks.need(field.name in OF_LISTS, f"{inner}.{field.name}")
            lists += _lists(one, inner, graph, own, checks)
        return cls(
            keeps=bound_test(own, query.filter, f"{path}.filter", checks),
            filtered=query.filter.strip() != "",
            types=frozenset(query.types),
            keys=check_sort(query.sort, f"{path}.sort", own, checks),
            limit=checks.number(
                f"{path}.limit",
                query.limit if query.HasField("limit") else absent,
                low=least,
                high=most,
            ),
            lists=lists,
            rescore=_rescore(query.rescore, f"{path}.rescore", own, checks),
        )

    @property
    def is_ordered(self) -> bool:
        """Whether fields give the order and no score is asked for."""
        return bool(self.keys) and self.rescore is None

    @property
    def words(self) -> Words | None:
        """Those of the first text."""
        return next((one for one in self.lists if isinstance(one, Words)), None)

    def matches(self, rows: Iterable[Row], *, of: Sequence[Row]) -> list[Match]:
        """Those of *rows* that match, in order; *of* are all rows of the call, among which words are counted."""
        kept = [
            row for row in rows if (not self.types or row.type in self.types) and self.keeps(row)
        ]
        if not self.lists:
            return [Match(row, 1.0) for row in in_order(kept, self.keys)]
        among = {row.id for row in kept}
        scored = [
            {row_id: score for row_id, score in one.scores(of).items() if row_id in among}
            for one in self.lists
        ]
        scores = scored[0] if len(scored) == 1 else fused(scored)
        kept = in_order((row for row in kept if row.id in scores), self.keys)
        if not self.keys:
            kept.sort(key=lambda row: -scores[row.id])
        return [Match(row, scores[row.id], self._by(row.id, scored)) for row in kept]

    def rescored(self, matches: list[Match]) -> list[Match]:
        """Those with the scores that are asked for, in order; without those that have none."""
        if self.rescore is None:
            return matches
        found: list[Match] = []
        for match in matches:
            score = self.rescore.score(match.row, match.score)
            if score is not None:
                found.append(match._replace(score=score))
        if not self.keys:
            found.sort(key=lambda match: (-match.score, match.row.id))
        return found

    def left_out(self, matches: Sequence[Match], wider: Sequence[Row]) -> set[str]:
        """The ids of *wider* rows that match by words or filter, and are not among *matches*."""
        alone = not self.filtered and self.lists
        more, there = (
            {match.row.id for match in some if not alone or "lexical" in match.by}
            for some in (self.matches(wider, of=wider), matches)
        )
        return more - there

    def _by(self, row_id: str, scored: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
        found = {
            type(one) for one, scores in zip(self.lists, scored, strict=True) if row_id in scores
        }
        names = {Words: "lexical", Nearest: "vector"}
        return tuple(name for kind, name in names.items() if kind in found)


def fused(lists: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The sum of ``1 / (60 + rank)`` of each row over the lists that hold it; equal scores share a rank: 1, 1, 3."""
    scores: dict[str, float] = {}
    for one in lists:
        for row_id, score in one.items():
            rank = 1 + sum(other > score for other in one.values())
            scores[row_id] = scores.get(row_id, 0.0) + 1 / (60 + rank)
    return scores


def _rescore(text: str, path: str, binding: Binding, checks: Checks) -> Rescore | None:
    if not text.strip():
        return None
    try:
        return Rescore.of(text, path, binding)
    except Refused as refused:
        checks.absorb(refused)
        return None


def _lists(
    query: query_pb2.Query, path: str, graph: Graph, binding: Binding, checks: Checks
) -> list[Words | Nearest]:
    """The text of a query, and then its vector."""
    lists: list[Words | Nearest] = []
    if query.text or query.text_fields or query.max_edits:
        lists.append(Words(query, path, graph, binding, checks))
    if query.vector or query.vector_field:
        lists.append(Nearest(query, path, graph, binding, checks))
    return lists
