"""The oracle's Paths, on graphs small enough to work out on paper."""

import math
from itertools import pairwise
from typing import Any

import pytest

from passageway.v1 import graph_pb2, query_pb2, types_pb2
from tests.oracle import Refused
from tests.unit.oracle.small import edge, node, nodes, paths, routes, world

OUT = [query_pb2.EdgeSpec(direction=types_pb2.DIRECTION_OUT)]
ALL = graph_pb2.PathsRequest.MODE_ALL_SIMPLE


def test_a_hidden_node_on_the_way_leaves_no_path() -> None:
    chain = world(*nodes("1 3"), node("2", readers=["user:eve"]), edge("1", "2"), edge("2", "3"))

    assert routes(paths(chain, "1", "3")) == []


@pytest.mark.parametrize("length", [2, 3, 4, 5])
@pytest.mark.parametrize("hidden", [1, 2, 3, 4])
def test_any_one_hidden_node_cuts_a_chain(length: int, hidden: int) -> None:
    ids = [str(place) for place in range(length + 1)]
    steps = [edge(one, other) for one, other in pairwise(ids)]
    rows = [node(id, readers=["user:eve" if id == str(hidden) else "public"]) for id in ids]

    found = routes(paths(world(*rows, *steps), ids[0], ids[-1], max_depth=6))

    assert found == ([] if hidden <= length else [" ".join(ids)])


def test_the_second_best_path_is_not_missed() -> None:
    # IN-A-OUT costs 30, IN-OUT costs 60; B hangs on IN and leads nowhere.
    def weighing(cost: float) -> float:
        return math.exp(-cost)

    graph = world(
        *nodes("IN A OUT B"),
        edge("IN", "A", weighing(15)),
        edge("A", "OUT", weighing(15)),
        edge("IN", "OUT", weighing(60)),
        edge("IN", "B", weighing(1), id="to-b"),
        edge("B", "IN", weighing(1), id="from-b"),
    )

    found = paths(graph, "IN", "OUT", k=3, weighted=True)

    assert routes(found) == ["IN A OUT", "IN OUT"]
    assert [path.cost for path in found.paths] == pytest.approx([30.0, 60.0])


def test_a_longer_but_stronger_path_wins_when_weighted() -> None:
    graph = world(*nodes("a b c"), edge("a", "c", 0.25), edge("a", "b", 0.9), edge("b", "c", 0.9))

    assert routes(paths(graph, "a", "c")) == ["a c"]
    weighted = paths(graph, "a", "c", weighted=True)
    assert routes(weighted) == ["a b c"]
    assert weighted.paths[0].cost == -math.log(0.9) + -math.log(0.9)


def test_weights_above_one_cost_nothing_and_of_zero_lead_nowhere() -> None:
    graph = world(*nodes("a b c d"), edge("a", "b", 1.5), edge("b", "c", 1.0), edge("a", "d", 0.0))

    free = paths(graph, "a", "c", weighted=True)

    assert routes(free) == ["a b c"]
    assert math.copysign(1.0, free.paths[0].cost) == 1.0
    assert free.paths[0].cost == 0.0
    assert routes(paths(graph, "a", "d", weighted=True)) == []
    assert routes(paths(graph, "a", "d")) == ["a d"]


@pytest.mark.parametrize("weights", [(0.9, 0.1), (0.1, 0.9)])
def test_of_parallel_edges_the_cheapest_is_the_evidence(weights: tuple[float, float]) -> None:
    first, second = weights
    graph = world(*nodes("a b"), edge("a", "b", first, id="e1"), edge("a", "b", second, id="e2"))

    weighted = paths(graph, "a", "b", k=5, weighted=True)

    assert [path.cost for path in weighted.paths] == [-math.log(0.9)]
    assert weighted.paths[0].edges[0].weight == 0.9
    assert paths(graph, "a", "b").paths[0].edges[0].id == "e1"


def test_a_node_in_both_sets_is_a_path_of_no_length() -> None:
    graph = world(*nodes("a b"), edge("a", "b"))

    found = paths(graph, "a b", "a", k=10)

    assert routes(found) == ["a", "b a"]
    assert (found.paths[0].length, found.paths[0].cost) == (0, 0.0)
    assert routes(paths(graph, "a", "a b", mode=ALL)) == ["a b"]
    assert routes(paths(graph, "a", "a b", mode=ALL, min_depth=0)) == ["a", "a b"]


def test_simple_paths_hold_no_node_twice_whatever_loops_there_are() -> None:
    graph = world(
        *nodes("a b c"),
        edge("a", "a"),
        edge("a", "b"),
        edge("b", "a"),
        edge("b", "c"),
        edge("c", "c"),
    )

    assert routes(paths(graph, "a", "c", mode=ALL, max_depth=6)) == ["a b c"]


def test_every_simple_path_of_a_complete_graph_is_found_in_order() -> None:
    ids = "a b c d"
    pairs = [(one, two) for one in ids.split() for two in ids.split() if one < two]
    graph = world(*nodes(ids), *(edge(one, two) for one, two in pairs))

    found = paths(graph, "a", "d", mode=ALL)

    assert routes(found) == ["a d", "a b d", "a c d", "a b c d", "a c b d"]
    assert not found.truncated
    some = paths(graph, "a", "d", mode=ALL, max_paths=4)
    assert (len(some.paths), some.truncated) == (4, True)
    assert not paths(graph, "a", "d", mode=ALL, max_paths=5).truncated


def test_no_path_is_longer_than_max_depth() -> None:
    graph = world(*nodes("a b c"), edge("a", "c", 0.1), edge("a", "b", 1.0), edge("b", "c", 1.0))

    assert routes(paths(graph, "a", "c", weighted=True, max_depth=1)) == ["a c"]


def test_direction_holds_and_unconnected_ends_have_no_path() -> None:
    graph = world(*nodes("a b c"), edge("a", "b"))

    assert routes(paths(graph, "b", "a")) == ["b a"]
    assert routes(paths(graph, "b", "a", edges=OUT)) == []
    assert routes(paths(graph, "a", "c", k=10)) == []
    assert routes(paths(graph, "a missing", "b b missing")) == ["a b"]


def test_a_filter_holds_for_the_ends_too() -> None:
    graph = world(node("a", status="x"), *nodes("b c"), edge("a", "b"), edge("b", "c"))

    assert routes(paths(graph, "a b", "c", k=5, filter="NOT status = x")) == ["b c"]


def test_equal_paths_are_ordered_by_their_node_ids() -> None:
    graph = world(*nodes("s z y t"), edge("s", "z"), edge("z", "t"), edge("s", "y"), edge("y", "t"))

    assert routes(paths(graph, "s", "t", k=2)) == ["s y t", "s z t"]


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({"mode": ALL, "k": 1, "weighted": True}, {"k", "weighted"}),
        ({"min_depth": 1, "max_paths": 1}, {"min_depth", "max_paths"}),
        ({"max_depth": 0}, {"max_depth"}),
        ({"max_depth": 7}, {"max_depth"}),
        ({"k": 11}, {"k"}),
        ({"max_frontier": 0}, {"max_frontier"}),
    ],
)
def test_options_of_the_other_mode_and_out_of_range_are_refused(
    options: dict[str, Any], fields: set[str]
) -> None:
    with pytest.raises(Refused) as refused:
        paths(world(node("a")), "a", "a", **options)

    assert refused.value.fields == fields
