"""Paths, case by case: faults that systems of this kind have had, and what the caps leave."""

import dataclasses
import math

import pytest

from passageway_server.engine.paths_plan import PathEdges, PathPlan
from passageway_server.values.collections import Direction
from passageway_server.values.requests import PathMode
from tests.unit.engine.keyed import place_of
from tests.unit.engine.path_worlds import Arc, World, answer, chain, named, shown


def test_a_hidden_node_on_the_way_leaves_no_path() -> None:
    world = dataclasses.replace(chain("1 2, 2 3"), hidden=frozenset("2"))

    assert shown(world, PathPlan(), "1", "3") == []


@pytest.mark.parametrize("hidden", list("bcde"))
def test_the_node_where_the_two_sides_meet_is_gated_too(hidden: str) -> None:
    world = chain("a b, b c, c d, d e, e f")
    plan = PathPlan(max_depth=6)

    assert shown(world, plan, "a", "f") == ["a b c d e f"]
    assert shown(dataclasses.replace(world, hidden=frozenset(hidden)), plan, "a", "f") == []


def test_an_irrelevant_node_does_not_hide_the_cheaper_path() -> None:
    cheap, dear = math.exp(-15), math.exp(-60)
    world = World(
        ["A", "B", "IN", "OUT"],
        [
            Arc("IN", "A", weight=cheap),
            Arc("A", "OUT", weight=cheap),
            Arc("IN", "OUT", weight=dear),
            Arc("B", "IN", weight=cheap),
            Arc("IN", "B", weight=cheap),
        ],
    )
    plan = PathPlan(edges=(PathEdges(direction=Direction.OUT),), most=2, weighted=True)

    found = answer(world, plan, ["IN"], ["OUT"])

    assert [round(path.cost, 9) for path in found.paths] == [30.0, 60.0]
    assert named(world, found)[0][0] == ["IN", "A", "OUT"]


@pytest.mark.parametrize("weights", [(0.9, 0.1), (0.1, 0.9)])
def test_of_parallel_edges_the_cheapest_is_the_evidence(weights: tuple[float, float]) -> None:
    world = World(["a", "b"], [Arc("a", "b", weight=weight) for weight in weights])

    found = answer(world, PathPlan(weighted=True, most=5), ["a"], ["b"])

    assert [(edges[0].weight, cost) for _, edges, cost in named(world, found)] == [
        (0.9, -math.log(0.9))
    ]


def test_parallel_edges_tie_in_stored_order_when_unweighted() -> None:
    world = World(["a", "b"], [Arc("b", "a", weight=0.1), Arc("a", "b", weight=0.9)])

    found = answer(world, PathPlan(), ["a"], ["b"])

    assert [place_of(key) for key in found.paths[0].edges] == [0]


def test_an_edge_keeps_its_stored_direction_when_walked_against_it() -> None:
    world = chain("b a, b c")

    [(ids, edges, _)] = named(world, answer(world, PathPlan(), ["a"], ["c"]))

    assert ids == ["a", "b", "c"]
    assert [(edge.source, edge.target) for edge in edges] == [("b", "a"), ("b", "c")]


def test_self_loops_neither_make_nor_break_paths() -> None:
    world = chain("a a, a b, b b, b c, c c")

    assert shown(world, PathPlan(mode=PathMode.ALL_SIMPLE, most=9), "a", "c") == ["a b c"]
    assert shown(world, PathPlan(most=9), "a", "a") == ["a"]


def test_an_id_in_both_sets_is_a_path_of_length_zero() -> None:
    world = chain("a b, b c")

    found = answer(world, PathPlan(most=3), ["a", "b"], ["b"])
    assert [ids for ids, _, _ in named(world, found)] == [["b"], ["a", "b"]]
    assert str(found.paths[0].cost) == "0.0"
    simple = PathPlan(mode=PathMode.ALL_SIMPLE, min_depth=1, most=9)
    assert shown(world, simple, "b", "b") == []
    assert shown(world, dataclasses.replace(simple, min_depth=0), "b", "b") == ["b"]


def test_a_longer_path_is_better_when_it_is_stronger_but_never_past_max_depth() -> None:
    world = chain("a d 0.1, a b 0.9, b c 0.9, c d 0.9")
    plan = PathPlan(weighted=True, max_depth=3)

    assert shown(world, plan, "a", "d") == ["a b c d"]
    assert shown(world, dataclasses.replace(plan, max_depth=2), "a", "d") == ["a d"]


def test_a_weight_of_zero_is_not_used_and_one_above_one_costs_nothing() -> None:
    world = chain("a b 0, b c 1.5, a c 1.5")
    plan = PathPlan(edges=(PathEdges(direction=Direction.OUT),), weighted=True, most=9)

    found = answer(world, plan, ["a"], ["c"])

    assert [(" ".join(ids), str(cost)) for ids, _, cost in named(world, found)] == [("a c", "0.0")]


def test_ties_of_cost_go_by_length_then_by_ids() -> None:
    world = chain("s c 0.5, c t 0.5, s b 0.5, b t 0.5, s a, a x 0.5, x t 0.5")
    plan = PathPlan(weighted=True, most=3)

    assert shown(world, plan, "s", "t") == ["s b t", "s c t", "s a x t"]


def test_a_path_may_pass_other_sources_and_targets() -> None:
    world = chain("a b, b c, c d")
    plan = PathPlan(mode=PathMode.ALL_SIMPLE, most=9)

    found = answer(world, plan, ["a", "b"], ["c", "d"])

    assert [" ".join(ids) for ids, _, _ in named(world, found)] == [
        "b c",
        "a b c",
        "b c d",
        "a b c d",
    ]


def test_a_node_past_max_degree_still_ends_and_joins_paths() -> None:
    world = chain("s hub, hub t, " + ", ".join(f"hub leaf{i}" for i in range(20)))
    plan = PathPlan(max_degree=5)

    joined = answer(world, plan, ["s"], ["t"])
    assert [ids for ids, _, _ in named(world, joined)] == [["s", "hub", "t"]]
    assert shown(world, plan, "hub", "t") == ["hub t"]
    assert shown(world, plan, "s", "hub") == ["s hub"]
    assert shown(world, plan, "hub", "leaf3") == ["hub leaf3"]


def test_max_degree_counts_the_edges_that_the_caller_sees() -> None:
    world = chain("s m, m t, m x, m y")
    plan = PathPlan(max_degree=2, edges=(PathEdges(direction=Direction.OUT),))
    hidden = dataclasses.replace(world, hidden=frozenset("x"))

    assert answer(world, plan, ["s"], ["t"]).truncated is False  # the other side joins at m
    assert shown(world, plan, "m", "y") == ["m y"]
    assert answer(hidden, plan, ["m"], ["t"]).truncated is False


def test_the_best_of_a_level_are_expanded_by_id() -> None:
    arcs = ", ".join(f"s m{i}, m{i} n{i}, n{i} o{i}, o{i} t" for i in range(5))
    plan = PathPlan(mode=PathMode.ALL_SIMPLE, most=9, max_frontier=2)

    found = answer(chain(arcs), plan, ["s"], ["t"])

    assert found.truncated
    assert shown(chain(arcs), plan, "s", "t") == ["s m0 n0 o0 t", "s m1 n1 o1 t"]


def test_a_spec_adds_its_best_nodes_to_a_level_and_always_an_end() -> None:
    world = chain("s a, s b, s z, a z, b z")
    spec = PathEdges(direction=Direction.OUT, max_frontier=1)
    plan = PathPlan(mode=PathMode.ALL_SIMPLE, most=9, edges=(spec,))

    found = answer(world, plan, ["s"], ["z"])

    assert [" ".join(ids) for ids, _, _ in named(world, found)] == ["s z", "s a z"]
    assert found.truncated


def test_exactly_max_paths_is_not_truncated() -> None:
    world = chain("a b, a c, b d, c d")
    plan = PathPlan(mode=PathMode.ALL_SIMPLE, most=2)

    assert answer(world, plan, ["a"], ["d"]).truncated is False
    assert answer(world, dataclasses.replace(plan, most=1), ["a"], ["d"]).truncated is True


def test_prefixes_past_the_cap_end_the_search() -> None:
    size = 9
    ids = [f"n{i}" for i in range(size)]
    world = World(ids, [Arc(a, b) for a in ids for b in ids if a < b])
    plan = PathPlan(mode=PathMode.ALL_SIMPLE, most=10_000, max_depth=6, max_prefixes=50)

    found = answer(world, plan, ["n0"], ["n8"])

    assert found.truncated
    assert 0 < len(found.paths) < 50


def test_the_evidence_is_the_cheapest_edge_even_where_its_own_spec_is_at_its_cap() -> None:
    world = World(
        ["s", "a", "b", "t"],
        [
            Arc("s", "a", type=0, weight=0.9),
            Arc("s", "b", type=0, weight=0.8),
            Arc("s", "b", type=1, weight=0.1),
            Arc("b", "t", type=1, weight=0.9),
        ],
    )
    specs = (PathEdges(types=(0,), max_frontier=1), PathEdges(types=(1,)))

    found = answer(world, PathPlan(edges=specs, weighted=True), ["s"], ["t"])

    assert [place_of(key) for key in found.paths[0].edges] == [1, 3]
