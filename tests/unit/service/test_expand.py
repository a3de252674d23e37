"""Expand as a caller gets it: seeds of queries, a part within a budget, ranks, and what is asked of the whole."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from passageway_server.authz.callers import Caller
from passageway_server.errors import LimitExceeded
from passageway_server.service.expand import expand
from passageway_server.values.answers import ExpandAnswer, Hit, PageRankRun
from passageway_server.values.collections import CollectionSettings, Direction
from passageway_server.values.halt import Halt
from passageway_server.values.queries import Facet, Metric, MetricOp, Query
from passageway_server.values.records import Batch, EdgeRecord, NodeRecord
from passageway_server.values.requests import Budget, ExpandRequest, Hop, PageRank, Rank, SeedGroup
from passageway_server.version.store import Store

ADA = Caller.holding(("user:ada",))
EVE = Caller.holding(("user:eve",))


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store.open()
    collection = store.create(CollectionSettings("c", default_readers=("public",)))
    collection.apply(
        Batch(
            put_nodes=(
                NodeRecord("a", "town", properties={"size": 3}),
                NodeRecord("b", "town", properties={"size": 1}),
                NodeRecord("c", "village", properties={"size": 2}),
                NodeRecord("d", "village", name="Dale"),
                NodeRecord("s", "town", properties={"size": 9}, readers=("user:ada",)),
            ),
            put_edges=(
                EdgeRecord("a-b", "a", "b", "ROAD", 0.9),
                EdgeRecord("a-c", "a", "c", "ROAD", 0.5),
                EdgeRecord("d-b", "d", "b", "ROAD", 0.4),
                EdgeRecord("b-c", "b", "c", "PATH", 0.2),
                EdgeRecord("a-s", "a", "s", "ROAD", 0.8),
            ),
        )
    )
    return store


@pytest.fixture
def ask(store: Store) -> Callable[..., ExpandAnswer]:
    def asked(caller: Caller = EVE, **parts: object) -> ExpandAnswer:
        request = ExpandRequest("c", seeds=(SeedGroup(("a",)),), hops=(Hop(),) * 2, limit=-1)
        return expand(store, caller, replace(request, **parts), Halt())  # type: ignore[arg-type]

    return asked


Ask = Callable[..., ExpandAnswer]


def hits(answer: ExpandAnswer) -> list[Hit]:
    assert isinstance(answer.hits, list)
    return answer.hits


def scores(answer: ExpandAnswer) -> dict[str, float | None]:
    return {hit.node.id: hit.score for hit in hits(answer)}


def group(filter: str, weight: float | None = None, **parts: object) -> SeedGroup:
    return SeedGroup(query=replace(Query(filter=filter), **parts), weight=weight)  # type: ignore[arg-type]


def test_the_matches_of_a_query_start_at_its_weight_and_those_of_several_groups_at_the_sum(
    ask: Ask,
) -> None:
    seeds = (SeedGroup(("c", "nobody", "a")), group("size < 3", 0.5), group("size >= 2", 0.25))

    answer = ask(seeds=seeds, hops=())

    assert scores(answer) == {"c": 1.75, "a": 1.25, "b": 0.5}
    assert (answer.origins, answer.unresolved) == (["c", "a", "b"], ["nobody"])


def test_a_hidden_row_takes_no_place_among_the_matches(ask: Ask) -> None:
    seeds = (group("size:*", sort=("-size",), limit=2),)

    assert ask(ADA, seeds=seeds, hops=()).origins == ["s", "a"]
    assert ask(EVE, seeds=seeds, hops=()).origins == ["a", "c"]


def test_the_filter_of_the_request_comes_before_the_limit_of_a_query(ask: Ask) -> None:
    seeds = (group("size:*", sort=("size",), limit=1),)

    assert ask(seeds=seeds, hops=(), filter="size > 1").origins == ["c"]


def test_only_matches_of_the_types_asked_for_start(ask: Ask) -> None:
    assert ask(seeds=(group("type:*", types=("village", "none")),), hops=()).origins == [
        "c",
        "d",
    ]
    assert ask(seeds=(group("type:*", types=("none",)),), hops=()).origins == []


def test_variables_of_a_query_win_over_those_of_the_request(ask: Ask) -> None:
    seeds = (group("size = $n", vars={"n": 2}), group("size = $n"))

    assert ask(seeds=seeds, hops=(), vars={"n": 1}).origins == ["c", "b"]


def test_everything_covers_the_part_that_a_budget_keeps(ask: Ask) -> None:
    answer = ask(
        budget=Budget(nodes=2),
        with_subgraph=True,
        facets={"types": Facet("type")},
        metrics={"sum": Metric("size", MetricOp.SUM)},
        search=Query(filter="size < 3"),
        search_fields=("name",),
    )

    assert scores(answer) == {"a": 1.0, "b": 0.9}
    assert (answer.total, answer.truncated) == (2, False)
    assert [edge.edge.id for edge in answer.subgraph] == ["a-b"]
    assert answer.facets == {"types": [("town", 2)]}
    assert answer.metrics == {"sum": 4}
    assert [(found.node.id, found.score) for found in answer.search] == [("b", 1.0)]


def test_a_node_that_a_budget_keeps_is_shown_with_the_edge_that_attached_it(ask: Ask) -> None:
    both = tuple(replace(Hop(), edges=replace(Hop().edges, direction=Direction.BOTH)) for _ in "12")
    seeds = (SeedGroup(("a",)), SeedGroup(("d",), weight=0.1))

    def via(answer: ExpandAnswer) -> list[tuple[str, str, str, Direction]]:
        return [
            (hit.node.id, hit.via, hit.edge.id, hit.direction)
            for hit in hits(answer)
            if hit.edge is not None
        ]

    kept = ask(seeds=seeds, hops=both, budget=Budget(edges=2), with_edges=True)

    assert via(kept) == [
        ("b", "a", "a-b", Direction.OUT),
        ("c", "a", "a-c", Direction.OUT),
    ]
    assert kept.origins == ["a", "d"]


def test_max_edges_counts_before_a_budget_and_for_a_subgraph_alone(ask: Ask) -> None:
    assert len(hits(ask(max_edges=1, budget=Budget(nodes=1)))) == 1
    with pytest.raises(LimitExceeded, match="max_edges"):
        ask(max_edges=1, budget=Budget(nodes=1), with_subgraph=True)


def test_ranks_take_the_place_of_the_scores(ask: Ask) -> None:
    answer = ask(rank=Rank.PPR, ppr=PageRank(iterations=1), hops=(Hop(),))

    assert scores(answer) == {
        "a": 0.5,
        "b": pytest.approx(0.5 * 0.9 / 1.4),
        "c": pytest.approx(0.5 * 0.5 / 1.4),
    }
    assert answer.ppr == PageRankRun(1, False)
    assert answer.subgraph == []


def test_ranks_are_over_the_part_that_a_budget_keeps(ask: Ask) -> None:
    answer = ask(rank=Rank.PPR, budget=Budget(nodes=2))

    assert sum(score or 0.0 for score in scores(answer).values()) == pytest.approx(1)
    assert list(scores(answer)) == ["a", "b"]


def test_the_reset_field_moves_the_restart(ask: Ask) -> None:
    seeds = (SeedGroup(("a", "b", "d")),)
    ppr = PageRank(iterations=0, reset_field="size")

    answer = ask(seeds=seeds, hops=(), rank=Rank.PPR, ppr=ppr)

    assert scores(answer) == pytest.approx({"a": 0.6, "b": 0.2, "d": 0.2})


def test_hidden_seeds_alone_have_an_empty_answer(ask: Ask) -> None:
    answer = ask(seeds=(SeedGroup(("s",)),), rank=Rank.PPR, budget=Budget(nodes=5))

    assert (hits(answer), answer.origins, answer.unresolved) == ([], [], ["s"])
    assert answer.ppr == PageRankRun(0, True)


def test_a_search_is_over_what_is_reached_and_not_hidden(ask: Ask) -> None:
    def found(**parts: object) -> list[str]:
        return [
            one.node.id
            for one in ask(search=Query(filter="size:*", sort=("size",)), **parts).search
        ]

    assert found() == ["b", "c", "a"]
    assert found(include_seeds=False, limit=0) == ["b", "c"]
    assert found(return_filter="size > 1") == ["c", "a"]


def test_facets_and_metrics_are_over_all_and_not_the_hits_alone(ask: Ask) -> None:
    answer = ask(
        limit=1, facets={"f": Facet("type")}, metrics={"n": Metric("size", MetricOp.COUNT)}
    )

    assert len(answer.hits) == 1
    assert answer.facets == {"f": [("town", 2), ("village", 1)]}
    assert answer.metrics == {"n": 3}


@pytest.mark.usefixtures("no_time")
@pytest.mark.parametrize("query", [True, False])
def test_of_spent_time_the_seeds_are_left(ask: Ask, query: bool) -> None:
    seeds = (SeedGroup(("a",)), *([group("size = 1")] if query else []))

    answer = ask(
        seeds=seeds,
        rank=Rank.PPR,
        timeout_ms=1,
        filter="type:*",
        return_filter="size > 0",
        facets={"f": Facet("type")},
    )

    assert answer.timed_out
    assert (scores(answer), answer.origins) == ({"a": 1.0}, ["a"])
    assert answer.ppr == PageRankRun(0, False)
    assert answer.facets == {"f": [("town", 1)]}


def test_time_enough_changes_nothing(ask: Ask) -> None:
    assert ask(timeout_ms=600_000) == ask()
