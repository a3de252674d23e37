"""The oracle's seeds by query, its nested search, and what covers the nodes that are not hidden."""

from typing import Any

import pytest

from passageway.v1 import graph_pb2, query_pb2
from tests.oracle import Refused
from tests.unit.oracle.small import edge, expand, hop, node, number, scores, text, world

TEAMS = world(
    node("a", type="team", status="open", properties={"n": number(3)}),
    node("b", type="team", properties={"n": number(5)}),
    node("c", type="service", properties={"n": number(4)}),
    node("d", type="service"),
    node("hid", type="team", readers=["user:eve"], properties={"n": number(9), "secret": text("")}),
    edge("a", "c"),
    edge("b", "d", 0.5),
)


def query(filter: str = "n:*", **options: Any) -> query_pb2.Query:
    return query_pb2.Query(filter=filter, **options)


def started(*groups: graph_pb2.SeedGroup, **options: Any) -> graph_pb2.ExpandResponse:
    """The seeds alone."""
    return expand(TEAMS, "", seeds=groups, **options)


def group(**options: Any) -> graph_pb2.SeedGroup:
    return graph_pb2.SeedGroup(**options)


@pytest.mark.parametrize(
    ("asked", "origins"),
    [
        (query(), "a b c"),
        (query(sort=["-n"]), "b c a"),
        (query(sort=["-n"], limit=1), "b"),
        (query(limit=2), "a b"),
        (query("NOT id = x", types=["team"]), "a b"),
        (query("NOT id = x", types=["nothing"]), ""),
        (query("status = open"), "a"),
    ],
)
def test_the_first_matches_of_a_query_are_seeds(asked: query_pb2.Query, origins: str) -> None:
    answer = started(group(query=asked))

    assert list(answer.origins) == origins.split()
    assert not answer.unresolved


def test_the_filter_of_the_request_and_its_scope_come_before_the_limit() -> None:
    asked = group(query=query(sort=["-n"], limit=1))

    assert list(started(asked, filter="NOT id = b").origins) == ["c"]


def test_matches_start_at_the_weight_of_their_group_and_groups_add_up() -> None:
    answer = started(
        group(query=query(), weight=0.5),
        group(ids=["c", "nowhere"], weight=2.0),
        group(query=query("type = service")),
    )

    assert scores(answer) == {"c": 3.5, "d": 1.0, "a": 0.5, "b": 0.5}
    assert list(answer.origins) == ["a", "b", "c", "d"]
    assert list(answer.unresolved) == ["nowhere"]


def test_vars_of_a_query_win_over_those_of_the_request() -> None:
    own = query("id = $one OR id = $two", vars={"one": text("a")})

    answer = started(group(query=own), vars={"one": text("b"), "two": text("c")})

    assert list(answer.origins) == ["a", "c"]


def test_a_search_covers_the_nodes_that_are_not_hidden() -> None:
    found = expand(
        TEAMS,
        "a b",
        hop(),
        include_seeds=False,
        limit=0,
        search=query("type:*", sort=["-n"]),
        search_fields=["id"],
    )

    assert [(hit.node.id, hit.score) for hit in found.search] == [("c", 1.0), ("d", 1.0)]
    assert not found.search[0].node.properties
    one = expand(TEAMS, "a b", hop(), search=query("type:*", sort=["-n"], limit=1))
    assert [hit.node.id for hit in one.search] == ["b"]


def test_facets_and_metrics_cover_more_than_the_hits() -> None:
    answer = expand(
        TEAMS,
        "a b",
        hop(),
        limit=1,
        return_filter="NOT id = a",
        facets={"types": query_pb2.Facet(field="type"), "none": query_pb2.Facet(field="project")},
        metrics={
            "n": query_pb2.Metric(field="n", op=query_pb2.Metric.OP_SUM),
            "none": query_pb2.Metric(field="project", op=query_pb2.Metric.OP_COUNT),
        },
    )

    counts = [(bucket.value, bucket.count) for bucket in answer.facets["types"].buckets]
    assert counts == [("service", 2), ("team", 1)]
    assert not answer.facets["none"].buckets
    assert dict(answer.metrics) == {"n": number(9)}
    assert (answer.total, len(answer.hits)) == (3, 1)


@pytest.mark.parametrize(
    ("asked", "faults"),
    [
        (group(ids=["a"], query=query()), {""}),
        (group(query=query(" ")), {".query"}),
        (group(query=query_pb2.Query()), {".query"}),
        (group(query=query("secret:*")), {".query.filter"}),
        (group(query=query(sort=["n"]), weight=1.0), {".query.sort"}),
        (group(query=query(sort=["n", "secret", "-"])), {".query.sort[1]", ".query.sort[2]"}),
        (group(query=query(limit=0)), {".query.limit"}),
        (group(query=query(limit=10_001)), {".query.limit"}),
        (group(query=query(vars={"v": number(float("inf"))})), {".query.vars.v"}),
    ],
)
def test_a_query_that_is_unfit_is_refused(asked: graph_pb2.SeedGroup, faults: set[str]) -> None:
    with pytest.raises(Refused) as refused:
        started(asked)

    assert refused.value.fields == {f"seeds[0]{fault}" for fault in faults}


def test_a_search_is_judged_like_a_seed_query() -> None:
    with pytest.raises(Refused) as refused:
        expand(TEAMS, "a", search=query("", limit=0, sort=["secret"]), search_fields=["secret"])

    assert refused.value.fields == {"search", "search.limit", "search.sort[0]", "search_fields[0]"}


def test_a_limit_of_zero_becomes_one_where_the_call_clamps() -> None:
    answer = started(group(query=query(limit=0)), bounds=query_pb2.BOUNDS_CLAMP)

    assert list(answer.origins) == ["a"]
    assert dict(answer.applied) == {"seeds[0].query.limit": 1}
