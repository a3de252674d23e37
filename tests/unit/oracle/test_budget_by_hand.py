"""The oracle's budget, on graphs small enough to grow by hand."""

from typing import Any

import pytest

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from tests.oracle import Refused, World
from tests.unit.oracle.small import edge, expand, hop, nodes, scores, world

BOTH = {"direction": types_pb2.DIRECTION_BOTH}
DIAMOND = world(
    *nodes("s a b c"),
    edge("s", "a", 0.75),
    edge("s", "b", 0.5),
    edge("a", "c", 1.0),
    edge("b", "c", 0.25),
)
"""From s, two hops score a 0.75, b 0.5 and c 0.875."""


def kept(
    world: World = DIAMOND, ids: str = "s", *, options: dict[str, Any] | None = None, **budget: Any
) -> graph_pb2.ExpandResponse:
    """Two hops both ways, with their subgraph, cut down to a *budget*."""
    hops = hop(edges=BOTH), hop(edges=BOTH)
    size = graph_pb2.ExpandRequest.Budget(**budget)
    return expand(world, ids, *hops, budget=size, with_subgraph=True, **(options or {}))


def edges_of(answer: graph_pb2.ExpandResponse) -> str:
    return " ".join(each.edge.id for each in answer.subgraph)


@pytest.mark.parametrize(
    ("most", "ids", "edges"),
    [
        (0, [], ""),
        (1, ["s"], ""),
        (2, ["s", "a"], "sa"),
        (3, ["s", "c", "a"], "sa ac"),
        (4, ["s", "c", "a", "b"], "sa sb ac bc"),
        (9, ["s", "c", "a", "b"], "sa sb ac bc"),
    ],
)
def test_the_best_node_beside_the_kept_ones_comes_next(
    most: int, ids: list[str], edges: str
) -> None:
    # c is better than a, but nothing joins it to s alone.
    answer = kept(nodes=most)

    assert list(scores(answer)) == ids
    assert (answer.total, edges_of(answer)) == (len(ids), edges)
    assert list(answer.origins) == ["s"]


@pytest.mark.parametrize(
    ("most", "ids", "edges"),
    [
        (0, ["s"], ""),
        (1, ["s", "a"], "sa"),
        (3, ["s", "c", "a", "b"], "sa sb ac"),
        (4, ["s", "c", "a", "b"], "sa sb ac bc"),
    ],
)
def test_the_edges_that_attach_count_and_what_is_left_takes_the_heaviest(
    most: int, ids: list[str], edges: str
) -> None:
    answer = kept(edges=most)

    assert list(scores(answer)) == ids
    assert edges_of(answer) == edges


def test_nodes_must_be_worth_their_edge() -> None:
    assert list(scores(kept(edge_cost=0.5))) == ["s", "c", "a"]
    assert list(scores(kept(edge_cost=0.75))) == ["s"]


def test_a_score_of_zero_is_not_above_a_cost_of_zero() -> None:
    pair = world(*nodes("s a"), edge("s", "a", 0.0))

    assert list(scores(kept(pair, edge_cost=0.0))) == ["s"]
    assert list(scores(kept(pair, nodes=2))) == ["s"]
    assert list(scores(kept(pair, edge_cost=-1.0))) == ["s", "a"]


def test_via_names_the_edge_that_attached_and_hop_stays_that_of_the_walk() -> None:
    # c is reached from b in hop 1, but its heaviest edge to what is kept is the one from a.
    graph = world(*nodes("s a c"), edge("s", "c", 0.5), edge("a", "c", 2.0), edge("s", "a", 0.75))

    answer = kept(graph, nodes=3, options={"with_edges": True})

    hit = {hit.node.id: hit for hit in answer.hits}["c"]
    assert (hit.via, hit.edge.id, hit.hop) == ("a", "ac", 1)
    assert hit.direction == types_pb2.DIRECTION_OUT


def test_of_equal_edges_the_first_in_stored_order_attaches() -> None:
    graph = world(*nodes("s a"), edge("a", "s", id="e2"), edge("s", "a", id="e1"))

    answer = kept(graph, nodes=2, edges=1, options={"with_edges": True})

    assert edges_of(answer) == "e2"
    assert (answer.hits[0].node.id, answer.hits[0].direction) == ("a", types_pb2.DIRECTION_IN)


def test_several_seeds_give_a_forest_and_the_best_of_them_stay() -> None:
    graph = world(*nodes("a b x y z"), edge("a", "x", 0.9), edge("b", "y", 0.8), edge("y", "z"))
    groups = [graph_pb2.SeedGroup(ids=["a"]), graph_pb2.SeedGroup(ids=["b"], weight=2.0)]

    assert list(scores(kept(graph, "", nodes=1, options={"seeds": groups}))) == ["b"]
    assert edges_of(kept(graph, "", nodes=5, options={"seeds": groups})) == "ax by yz"


def test_hidden_seeds_take_up_their_place() -> None:
    answer = kept(nodes=2, options={"include_seeds": False})

    assert list(scores(answer)) == ["a"]


def test_max_edges_counts_before_the_budget() -> None:
    with pytest.raises(Refused) as refused:
        kept(nodes=1, options={"max_edges": 3})

    assert (refused.value.code, *refused.value.fields) == ("RESOURCE_EXHAUSTED", "max_edges")


@pytest.mark.parametrize(
    ("budget", "field"),
    [
        ({}, "budget"),
        ({"nodes": 100_001}, "budget.nodes"),
        ({"edges": 100_001}, "budget.edges"),
        ({"edge_cost": float("inf")}, "budget.edge_cost"),
        ({"edge_cost": float("nan")}, "budget.edge_cost"),
    ],
)
def test_a_budget_without_a_key_or_out_of_range_is_refused(
    budget: dict[str, Any], field: str
) -> None:
    with pytest.raises(Refused) as refused:
        kept(**budget)

    assert refused.value.fields == {field}


def test_caps_past_the_most_are_moved_there() -> None:
    answer = kept(nodes=2, edges=200_000, options={"bounds": query_pb2.BOUNDS_CLAMP})

    assert dict(answer.applied) == {"budget.edges": 100_000}
