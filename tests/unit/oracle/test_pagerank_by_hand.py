"""The oracle's personalized PageRank, on graphs small enough to run on paper."""

from typing import Any

import pytest

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from tests.oracle import Refused, World
from tests.unit.oracle.small import edge, expand, hop, node, nodes, number, scores, text, world

BOTH = {"direction": types_pb2.DIRECTION_BOTH}
IN = {"direction": types_pb2.DIRECTION_IN}
PATH = world(*nodes("a b c"), edge("a", "b"), edge("b", "c"))


def ranked(
    world: World, ids: str, *hops: graph_pb2.Hop, ppr: dict[str, Any] | None = None, **options: Any
) -> graph_pb2.ExpandResponse:
    """An Expand ranked by PageRank, whose own options are *ppr*."""
    how = graph_pb2.ExpandRequest.PageRank(**(ppr or {}))
    return expand(world, ids, *hops, rank=graph_pb2.ExpandRequest.RANK_PPR, ppr=how, **options)


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        (0, {"a": 1.0, "b": 0.0, "c": 0.0}),
        (1, {"a": 0.5, "b": 0.5, "c": 0.0}),
        (2, {"a": 0.625, "b": 0.25, "c": 0.125}),
        (3, {"a": 0.5625, "b": 0.375, "c": 0.0625}),
    ],
)
def test_each_pass_over_a_path_of_three_is_as_on_paper(
    passes: int, expected: dict[str, float]
) -> None:
    walked = ranked(PATH, "a", hop(), hop(), ppr={"iterations": passes})

    assert scores(walked) == expected
    assert (walked.ppr.iterations, walked.ppr.converged) == (passes, False)


def test_the_passes_settle_where_the_equations_do() -> None:
    # a = 1/2 + b/4, b = a/2 + c/2, c = b/4.
    walked = ranked(PATH, "a", hop(), hop(), ppr={"iterations": 1000, "tolerance": 1e-15})

    assert scores(walked) == pytest.approx({"a": 7 / 12, "b": 1 / 3, "c": 1 / 12}, abs=1e-12)
    assert walked.ppr.converged
    assert walked.ppr.iterations < 1000


def test_a_directed_edge_into_the_restart_leaves_all_mass_there() -> None:
    pair = world(*nodes("1 2"), edge("1", "2"))

    walked = ranked(pair, "2", hop(edges=IN), ppr={"undirected": False})

    assert scores(walked) == {"2": 1.0, "1": 0.0}
    assert (walked.ppr.iterations, walked.ppr.converged) == (1, True)


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        (1, {"a": 0.5, "b": 0.5}),
        (2, {"a": 0.75, "b": 0.25}),
        (3, {"a": 0.625, "b": 0.375}),
    ],
)
def test_a_node_that_leads_nowhere_returns_its_mass_to_the_restart(
    passes: int, expected: dict[str, float]
) -> None:
    pair = world(*nodes("a b"), edge("a", "b"))

    walked = ranked(pair, "a", hop(), ppr={"undirected": False, "iterations": passes})

    assert scores(walked) == expected


def test_chances_go_by_weight_and_an_edge_of_weight_zero_has_none() -> None:
    star = world(*nodes("a b c d"), edge("a", "b", 3.0), edge("a", "c", 1.0), edge("a", "d", 0.0))

    walked = ranked(star, "a", hop(), ppr={"iterations": 1, "alpha": 1.0})

    assert scores(walked) == pytest.approx({"b": 0.75, "c": 0.25, "a": 0.0, "d": 0.0})
    assert scores(walked)["d"] == 0.0


def test_parallel_edges_add_up() -> None:
    graph = world(*nodes("a b c"), edge("a", "b"), edge("a", "b", id="again"), edge("a", "c"))

    walked = ranked(graph, "a", hop(), ppr={"iterations": 1, "alpha": 1.0, "undirected": False})

    assert scores(walked) == pytest.approx({"b": 2 / 3, "c": 1 / 3, "a": 0.0})


def test_hits_are_ordered_by_rank_and_equal_ones_by_hop_then_id() -> None:
    # The walk gives b 5 and c 1; by rank the seed stays first, and nothing is left for c.
    graph = world(*nodes("a c b"), edge("a", "b", 5.0), edge("a", "c", 0.0))

    walked = ranked(graph, "a", hop(), ppr={"iterations": 1, "alpha": 0.25})

    assert list(scores(expand(graph, "a", hop()))) == ["b", "a", "c"]
    assert scores(walked) == {"a": 0.75, "b": 0.25, "c": 0.0}


@pytest.mark.parametrize(
    ("resets", "expected"),
    [
        ({}, {"a": 0.5, "b": 0.5}),
        ({"a": number(3), "b": number(1)}, {"a": 0.75, "b": 0.25}),
        ({"a": number(3.0)}, {"a": 0.75, "b": 0.25}),
        ({"a": number(-3), "b": number(0.5)}, {"b": 1.0, "a": 0.0}),
        ({"a": number(-3), "b": number(0)}, {"a": 0.5, "b": 0.5}),
        ({"a": number(0), "b": number(0.0)}, {"a": 0.5, "b": 0.5}),
        (
            {"a": types_pb2.Value(ints=types_pb2.IntList(values=[9])), "b": number(3)},
            {"b": 0.75, "a": 0.25},
        ),
    ],
)
def test_the_restart_is_scaled_by_the_reset_field(
    resets: dict[str, types_pb2.Value], expected: dict[str, float]
) -> None:
    rows = [node(id, properties={"r": resets[id]} if id in resets else {}) for id in "ab"]
    graph = world(*rows, node("c", properties={"r": number(1)}))

    walked = ranked(graph, "a b", ppr={"iterations": 0, "reset_field": "r"})

    assert scores(walked) == expected


def test_the_restart_goes_by_the_weights_of_the_groups() -> None:
    groups = [
        graph_pb2.SeedGroup(ids=["a"], weight=1.5),
        graph_pb2.SeedGroup(ids=["a", "b"], weight=0.5),
    ]

    walked = ranked(PATH, "", seeds=groups, ppr={"iterations": 0})

    assert scores(walked) == {"a": 0.8, "b": 0.2}


def test_a_start_that_outgrew_the_doubles_takes_the_whole_restart() -> None:
    groups = [
        graph_pb2.SeedGroup(ids=["a"], weight=1.7e308),
        graph_pb2.SeedGroup(ids=["a", "b"], weight=1e308),
    ]

    assert scores(ranked(PATH, "", seeds=groups, ppr={"iterations": 0})) == {"a": 1.0, "b": 0.0}


def test_hidden_seeds_alone_give_an_empty_answer() -> None:
    hidden = world(node("a", readers=["user:eve"]))

    walked = ranked(hidden, "a", hop())

    assert (len(walked.hits), list(walked.unresolved)) == (0, ["a"])
    assert (walked.ppr.iterations, walked.ppr.converged) == (0, True)


def test_a_budget_ranks_the_kept_part_alone() -> None:
    budget = graph_pb2.ExpandRequest.Budget(nodes=2)

    walked = ranked(PATH, "a", hop(), hop(), ppr={"iterations": 2}, budget=budget)

    assert scores(walked) == {"a": 0.75, "b": 0.25}


def test_without_the_rank_there_is_no_run_to_tell_of() -> None:
    walked = expand(PATH, "a", ppr=graph_pb2.ExpandRequest.PageRank(alpha=0.1))

    assert not walked.HasField("ppr")


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"alpha": -0.1}, "ppr.alpha"),
        ({"alpha": 1.1}, "ppr.alpha"),
        ({"alpha": float("nan")}, "ppr.alpha"),
        ({"iterations": 1001}, "ppr.iterations"),
        ({"tolerance": -1.0}, "ppr.tolerance"),
        ({"tolerance": float("inf")}, "ppr.tolerance"),
        ({"reset_field": "type"}, "ppr.reset_field"),
        ({"reset_field": "nothing"}, "ppr.reset_field"),
        ({"reset_field": "word"}, "ppr.reset_field"),
    ],
)
@pytest.mark.parametrize("rank", graph_pb2.ExpandRequest.Rank.values())
def test_what_is_out_of_range_is_refused_whether_or_not_it_ranks(
    options: dict[str, Any], field: str, rank: graph_pb2.ExpandRequest.Rank.ValueType
) -> None:
    graph = world(node("a", properties={"word": text("x")}))

    with pytest.raises(Refused) as refused:
        expand(graph, "a", ppr=graph_pb2.ExpandRequest.PageRank(**options), rank=rank)

    assert refused.value.fields == {field}


def test_only_passes_are_moved_to_their_bound() -> None:
    clamped = ranked(PATH, "a", ppr={"iterations": 5000}, bounds=query_pb2.BOUNDS_CLAMP)

    assert dict(clamped.applied) == {"ppr.iterations": 1000}
