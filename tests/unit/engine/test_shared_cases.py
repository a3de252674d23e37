"""Edges made of two: the cases that the specification names."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from passageway_server.engine import shared
from passageway_server.errors import Cancelled, LimitExceeded
from passageway_server.values.halt import Halt
from tests.unit.engine.plain_walk import (
    BOTH,
    IN,
    OUT,
    Arc,
    PlainGraph,
    PlainHop,
    PlainPlan,
    PlainShared,
    PlainWalked,
    made_number,
    plain_walk,
)
from tests.unit.engine.walking import Engine, use_functions_as_predicates

MIDDLE, FAR = 1, 3
"""The type of the nodes between, and that of the edges to them."""


@pytest.fixture(autouse=True)
def _predicates(monkeypatch: pytest.MonkeyPatch) -> None:
    use_functions_as_predicates(monkeypatch)


def belonging(*ends: tuple[str, str], hidden: str = "", more: tuple[Arc, ...] = ()) -> PlainGraph:
    """A graph of edges to what begins with ``m``, the nodes between; *hidden* nodes are not read."""
    arcs = [Arc(stored, source, target, FAR) for stored, (source, target) in enumerate(ends)]
    arcs += [arc._replace(stored=len(arcs) + place) for place, arc in enumerate(more)]
    nodes = sorted({end for arc in arcs for end in (arc.source, arc.target)})
    types = {node: MIDDLE for node in nodes if node.startswith("m")}
    return PlainGraph(nodes, arcs, frozenset(hidden.split()), types)


COMMUNITY = PlainShared(FAR, MIDDLE)
NO_TYPES: frozenset[int] = frozenset()


def hop(
    *,
    types: frozenset[int] | None = NO_TYPES,
    shared: tuple[PlainShared, ...] = (COMMUNITY,),
    direction: str = OUT,
    decay: float = 1.0,
    edges: Callable[[Arc], bool] | None = None,
    nodes: Callable[[str], bool] | None = None,
    max_degree: int = 0,
    max_per_node: int = 0,
) -> PlainHop:
    """A hop that makes edges; over no stored one, unless told otherwise."""
    return PlainHop(direction, types, decay, edges, nodes, max_degree, max_per_node, shared=shared)


def walked(
    graph: PlainGraph, *hops: PlainHop, seeds: str = "a", summing: bool = True
) -> PlainWalked:
    """What the engine reaches, which is what the slow walk reaches."""
    plan = PlainPlan(hops=hops, summing=summing)
    starting = dict.fromkeys(seeds.split(), 1.0)
    found = Engine(graph).walk(plan, starting)
    assert found == plain_walk(graph, plan, starting)
    return found


def scores(found: PlainWalked) -> dict[str, float]:
    return {hit.id: hit.score for hit in found.hits if hit.hop}


def throughs(graph: PlainGraph, found: PlainWalked) -> dict[str, str]:
    """By node: the node between it and the one that it was reached from."""
    return {hit.id: found.throughs[hit.stored] for hit in found.hits if hit.hop}


def test_an_edge_leads_to_each_other_node_that_points_where_this_one_does() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"), ("c", "m1"), ("d", "m2"))

    found = walked(graph, hop())

    assert scores(found) == {"b": 1.0, "c": 1.0}
    assert [(hit.via, hit.way) for hit in found.hits[1:]] == [("a", "out")] * 2
    assert found.traversed == [(1, made_number(graph, 1, "a", far, 0)) for far in "bc"]


def test_of_several_nodes_between_the_edge_runs_through_the_one_of_the_smallest_id() -> None:
    graph = belonging(("a", "m2"), ("a", "m1"), ("b", "m1"), ("b", "m2"), ("c", "m2"))

    found = walked(graph, hop())

    assert scores(found) == {"b": 1.0, "c": 1.0}
    assert throughs(graph, found) == {"b": "m1", "c": "m2"}


def test_the_members_that_count_are_the_readable_ones_and_the_node_itself() -> None:
    graph = belonging(*((id, "m1") for id in "abcd"), hidden="d")

    assert scores(walked(graph, hop(shared=(PlainShared(FAR, MIDDLE, max_members=3),)))) == {
        "b": 1.0,
        "c": 1.0,
    }
    assert scores(walked(graph, hop(shared=(PlainShared(FAR, MIDDLE, max_members=2),)))) == {}


def test_too_many_members_of_one_node_between_leave_the_others_alone() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"), ("c", "m1"), ("a", "m2"), ("b", "m2"))

    found = walked(graph, hop(shared=(PlainShared(FAR, MIDDLE, max_members=2),)))

    assert throughs(graph, found) == {"b": "m2"}


def test_what_the_caller_may_not_read_makes_no_edge() -> None:
    ends = (("a", "m1"), ("b", "m1"))

    assert scores(walked(belonging(*ends))) == {}
    assert scores(walked(belonging(*ends), hop())) == {"b": 1.0}
    assert scores(walked(belonging(*ends, hidden="m1"), hop())) == {}
    assert scores(walked(belonging(*ends, hidden="b"), hop())) == {}
    for arc in (Arc(0, "a", "m2", FAR, hidden=True), Arc(0, "c", "m2", FAR, hidden=True)):
        other = Arc(0, "c" if arc.source == "a" else "a", "m2", FAR)
        assert scores(walked(belonging(*ends, more=(arc, other)), hop())) == {"b": 1.0}


def test_only_edges_of_the_type_out_to_nodes_of_the_type_count() -> None:
    graph = belonging(
        ("m1", "a"), ("b", "m1"), ("a", "x"), ("b", "x"), more=(Arc(0, "a", "m1", 0),)
    )  # fmt: skip

    assert scores(walked(graph, hop())) == {}


def test_the_direction_and_the_filter_of_edges_are_not_those_of_made_ones() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"))

    for direction in (IN, BOTH):
        found = walked(graph, hop(direction=direction, edges=lambda _: False))
        assert [(hit.id, hit.way) for hit in found.hits] == [("a", ""), ("b", "out")]


def test_a_made_edge_gives_its_weight_after_the_decay() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"), ("a", "m2"), ("b", "m2"), ("c", "m2"))
    specs = (PlainShared(FAR, MIDDLE, 0.5), PlainShared(FAR, MIDDLE, 2.0))
    summed = walked(graph, hop(shared=specs, decay=0.1), hop(decay=0.1))
    best = walked(graph, hop(shared=specs, decay=0.1), summing=False)

    assert scores(summed) == {"b": 0.1 * 2.0 + 0.1 * 0.5, "c": 0.1 * 2.0 + 0.1 * 0.5}
    assert scores(best) == {"b": 0.2, "c": 0.2}
    assert best.hits[1].stored == made_number(graph, 1, "a", "b", 1)


def test_two_seeds_that_share_a_node_each_give_to_a_third() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"), ("c", "m1"))

    found = walked(graph, hop(), seeds="a b")

    assert scores(found) == {"c": 2.0}
    assert found.hits[0].via == "a"
    ends = [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c")]
    assert found.traversed == [(1, made_number(graph, 1, *pair, 0)) for pair in ends]


def test_at_most_so_many_are_followed_stored_ones_first_then_by_id_then_by_spec() -> None:
    graph = belonging(
        *((id, "m1") for id in "acde"), more=(Arc(0, "a", "z", 0), Arc(0, "a", "y", 0, 0.5))
    )
    twice = (COMMUNITY, COMMUNITY)

    def first(most: int) -> list[tuple[str, int]]:
        found = walked(
            graph, hop(types=None, nodes=lambda node: node != "m1", shared=twice, max_per_node=most)
        )
        ends = {
            made_number(graph, 1, "a", far, spec): (far, spec) for far in "cde" for spec in (0, 1)
        }
        return [ends.get(stored, ("stored", stored)) for _, stored in found.traversed]

    assert [first(most) for most in (1, 2, 3, 4)] == [
        [("stored", 4)],
        [("stored", 4), ("c", 0)],
        [("stored", 4), ("c", 0), ("c", 1)],
        [("stored", 4), ("c", 0), ("c", 1), ("d", 0)],
    ]
    assert len(first(0)) == len(first(8)) == 8
    assert ("stored", 5) not in first(7)


def test_far_ends_that_a_filter_refuses_use_up_no_place() -> None:
    graph = belonging(*((id, "m1") for id in "abcd"))

    found = walked(graph, hop(nodes=lambda node: node not in ("b", "m1"), max_per_node=1))

    assert scores(found) == {"c": 1.0}


def test_the_node_between_need_not_pass_the_filters_and_is_not_reached() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"))
    plan = PlainPlan(hops=(hop(nodes=lambda node: node == "b"),), nodes=lambda node: node != "m1")

    assert [hit.id for hit in Engine(graph).walk(plan, {"a": 1.0}).hits] == ["a", "b"]


def test_made_edges_do_not_count_for_max_degree_which_stops_them_too() -> None:
    graph = belonging(
        *((id, "m1") for id in "abcd"), more=(Arc(0, "a", "y", 0), Arc(0, "a", "z", 0))
    )

    assert set(scores(walked(graph, hop(types=frozenset({0}), max_degree=2)))) == set("bcdyz")
    assert scores(walked(graph, hop(types=frozenset({0}), max_degree=1))) == {}
    one = walked(graph, hop(types=frozenset({0}), max_degree=1, edges=lambda arc: arc.stored == 5))
    assert set(scores(one)) == set("bcdz")


def test_a_seed_that_shares_with_another_follows_an_edge_back_to_it() -> None:
    graph = belonging(("a", "m1"), ("b", "m1"))

    found = walked(graph, hop(), hop())

    assert found.traversed == [
        (1, made_number(graph, 1, "a", "b", 0)),
        (2, made_number(graph, 2, "b", "a", 0)),
    ]


def test_of_a_million_made_edges_those_are_kept_by_which_a_node_was_reached() -> None:
    members = [f"n{number:04}" for number in range(1000)]
    ends = [(member, "m1") for member in members]
    engine = Engine(belonging(*ends, ("far", "m2"), ("n0007", "m2")))
    plan, seeds = PlainPlan(hops=(hop(),)), dict.fromkeys(members, 1.0)

    found = engine.walk(plan, seeds, with_traversed=False)

    assert scores(found) == {"far": 1.0}
    assert list(found.throughs.values()) == ["m2"]


def test_more_made_edges_than_a_walk_may_note_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "MOST_NOTED", 6)
    ends = [(id, "m1") for id in "abcd"]
    plan, seeds = PlainPlan(hops=(hop(),)), dict.fromkeys("abcd", 1.0)

    assert len(Engine(belonging(*ends[:3])).walk(plan, dict.fromkeys("abc", 1.0)).traversed) == 6
    with pytest.raises(LimitExceeded) as refused:
        Engine(belonging(*ends)).walk(plan, seeds)
    assert refused.value.limit_reason == "MADE_EDGES"
    assert Engine(belonging(*ends)).walk(plan, seeds, with_traversed=False).traversed == []


def test_a_hop_that_is_out_of_time_ends_with_what_it_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "PIECE", 1)
    graph = belonging(("a", "m1"), ("b", "m1"), ("x", "m1"), ("c", "m2"), ("d", "m2"))
    engine, halt = Engine(graph), Halt()
    engine.gate = replace(engine.gate, halt=halt)

    def judge(node: str) -> bool:
        if node == "d":
            halt.time_out()
        return True

    plan, seeds = PlainPlan(hops=(hop(nodes=judge), hop())), {"a": 1.0, "c": 0.5}
    found = engine.walk(plan, seeds)

    assert scores(found) == {"b": 1.0, "x": 1.0}
    assert found.traversed == [(1, made_number(graph, 1, "a", far, 0)) for far in "bx"]


def test_a_call_that_is_over_ends_in_the_middle_of_a_hop() -> None:
    engine, halt = Engine(belonging(("a", "m1"), ("b", "m1"))), Halt()
    engine.gate = replace(engine.gate, halt=halt)

    def judge(_: str) -> bool:
        halt.cancel()
        return True

    with pytest.raises(Cancelled):
        engine.walk(PlainPlan(hops=(hop(nodes=judge),)), {"a": 1.0})
